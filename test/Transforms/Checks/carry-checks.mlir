// RUN: flywheel-opt %s --flywheel-carry-checks --split-input-file | FileCheck %s

// X10: a branch that is not taken passes on true.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[C:.*]]: i1, %[[OK:.*]]: i1)
// CHECK: %[[R:.*]] = scf.if %[[C]] -> (i1) {
// CHECK-NEXT: scf.yield %[[OK]] : i1
// CHECK: } else {
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: scf.yield %[[YES]] : i1
// CHECK: linalg_ext.check safe data %[[R]], "no"
// EXAMPLE: --flywheel-carry-checks
func.func @branch(%c: i1, %ok: i1) {
  scf.if %c {
    linalg_ext.check safe data %ok, "no"
  }
  return
}

// -----

// Through a branch in a loop that has results of its own.
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[N:.*]]: index, %[[OK:.*]]: i1, %[[X:.*]]: f32)
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[Y:.*]] = %[[X]], %[[SOFAR:.*]] = %[[YES]]) -> (f32, i1) {
// CHECK: %[[IF:.*]]:2 = scf.if %[[OK]] -> (f32, i1) {
// CHECK: %[[AND:.*]] = arith.andi %[[SOFAR]], %[[IF]]#1 : i1
// CHECK: scf.yield %[[IF]]#0, %[[AND]] : f32, i1
// CHECK: linalg_ext.check safe data %[[LOOP]]#1, "no"
// CHECK: return %[[LOOP]]#0
func.func @loop(%n: index, %ok: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> f32 {
    %b = scf.if %ok -> f32 {
      scf.yield %y : f32
    } else {
      linalg_ext.check safe data %ok, "no"
      scf.yield %x : f32
    }
    scf.yield %b : f32
  }
  return %r : f32
}

// -----

// A loop that may not end without the check ends.
// CHECK-LABEL: func @while
// CHECK: %[[LOOP:.*]]:2 = scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) : (f32, i1) -> (f32, i1) {
// CHECK: %[[AND:.*]] = arith.andi %[[B]], %[[OK:.*]] : i1
// CHECK: %[[GO:.*]] = arith.andi %{{.*}}, %[[AND]] : i1
// CHECK: scf.condition(%[[GO]]) %[[A]], %[[AND]] : f32, i1
// CHECK: ^bb0(%[[C:.*]]: f32, %[[D:.*]]: i1):
// CHECK: scf.yield %[[C]], %[[D]] : f32, i1
// CHECK: linalg_ext.check safe data %[[LOOP]]#1, "no"
func.func @while(%ok: i1, %go: i1, %x: f32) -> f32 {
  %r = scf.while (%a = %x) : (f32) -> f32 {
    linalg_ext.check safe data %ok, "no"
    scf.condition(%go) %a : f32
  } do {
  ^bb0(%c: f32):
    scf.yield %c : f32
  }
  return %r : f32
}

// -----

// In the second region, what it found is for the next condition.
// CHECK-LABEL: func @while_after
// CHECK: scf.while (%{{.*}} = %{{.*}}, %[[B:.*]] = %{{.*}}) : (f32, i1) -> (f32, i1) {
// CHECK: %[[GO:.*]] = arith.andi %{{.*}}, %[[B]] : i1
// CHECK: scf.condition(%[[GO]]) %{{.*}}, %[[B]] : f32, i1
// CHECK: ^bb0(%[[C:.*]]: f32, %[[D:.*]]: i1):
// CHECK: %[[AND:.*]] = arith.andi %[[D]], %{{.*}} : i1
// CHECK: scf.yield %[[C]], %[[AND]] : f32, i1
func.func @while_after(%ok: i1, %go: i1, %x: f32) -> f32 {
  %r = scf.while (%a = %x) : (f32) -> f32 {
    scf.condition(%go) %a : f32
  } do {
  ^bb0(%c: f32):
    linalg_ext.check safe data %ok, "no"
    scf.yield %c : f32
  }
  return %r : f32
}

// -----

// A check that guards what comes after it stays.
// CHECK-LABEL: func @stays
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: linalg_ext.check data %{{.*}}, "no"{{$}}
func.func @stays(%c: i1, %ok: i1) {
  scf.if %c {
    linalg_ext.check data %ok, "no"
  }
  return
}

// -----

// X7: the numbers of a check that a loop makes itself come along, those of the
// first iteration whose check does not hold.
// CHECK-LABEL: func @numbers_loop
// CHECK-SAME: (%[[N:.*]]: index, %[[K:.*]]: index)
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[FOR:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[OK:.*]] = %[[YES]], %[[LAST:.*]] = %[[ZERO]]) -> (i1, index) {
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi ult, %[[I]], %[[K]] : index
// CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[OK]], %[[HOLDS]] : i1
// CHECK-NEXT: %[[FOUND:.*]] = arith.select %[[OK]], %[[I]], %[[LAST]] : index
// CHECK-NEXT: scf.yield %[[ALL]], %[[FOUND]] : i1, index
// CHECK-NEXT: }
// CHECK-NEXT: linalg_ext.check safe data %[[FOR]]#0, "found \01 and \02"(%[[FOR]]#1, %[[K]])
// CHECK-NEXT: return
func.func @numbers_loop(%n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %ok = arith.cmpi ult, %i, %k : index
    linalg_ext.check safe data %ok, "found \01 and \02"(%i, %k)
  }
  return
}

// -----

// CHECK-LABEL: func @numbers_branch
// CHECK-SAME: (%[[C:.*]]: i1, %[[N:.*]]: index)
// CHECK: %[[IF:.*]]:2 = scf.if %[[C]] -> (i1, index) {
// CHECK-NEXT: %[[YES:.*]] = arith.constant true
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.yield %[[YES]], %[[ZERO]] : i1, index
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[N]], %[[N]] : index
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi ult, %[[TWICE]], %[[N]] : index
// CHECK-NEXT: scf.yield %[[HOLDS]], %[[TWICE]] : i1, index
// CHECK-NEXT: }
// CHECK-NEXT: linalg_ext.check safe data %[[IF]]#0, "found \01"(%[[IF]]#1)
func.func @numbers_branch(%c: i1, %n: index) {
  scf.if %c {
  } else {
    %twice = arith.addi %n, %n : index
    %ok = arith.cmpi ult, %twice, %n : index
    linalg_ext.check safe data %ok, "found \01"(%twice)
  }
  return
}

// -----

// CHECK-LABEL: func @numbers_while
// CHECK-SAME: (%[[N:.*]]: index)
// CHECK: %[[LOOP:.*]]:3 = scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[LAST:.*]] = %{{.*}}) : (index, i1, index) -> (index, i1, index) {
// CHECK: %[[HOLDS:.*]] = arith.cmpi ne, %[[A]], %{{.*}} : index
// CHECK: %[[ALL:.*]] = arith.andi %[[B]], %[[HOLDS]] : i1
// CHECK-NEXT: %[[FOUND:.*]] = arith.select %[[B]], %[[A]], %[[LAST]] : index
// CHECK-NEXT: %[[GO:.*]] = arith.andi %{{.*}}, %[[ALL]] : i1
// CHECK-NEXT: scf.condition(%[[GO]]) %[[A]], %[[ALL]], %[[FOUND]] : index, i1, index
// CHECK: linalg_ext.check safe data %[[LOOP]]#1, "found \01"(%[[LOOP]]#2)
func.func @numbers_while(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.while (%a = %c1) : (index) -> index {
    %ok = arith.cmpi ne, %a, %c7 : index
    linalg_ext.check safe data %ok, "found \01"(%a)
    %go = arith.cmpi ult, %a, %n : index
    scf.condition(%go) %a : index
  } do {
  ^bb0(%b: index):
    %next = arith.addi %b, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}
