// RUN: flywheel-opt %s --flywheel-carry-checks --split-input-file | FileCheck %s

// X10: a branch that is not taken passes on true.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[C:.*]]: i1, %[[OK:.*]]: i1)
// CHECK: %[[R:.*]] = scf.if %[[C]] -> (i1) {
// CHECK-NEXT: scf.yield %[[OK]] : i1
// CHECK: } else {
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: scf.yield %[[YES]] : i1
// CHECK: cf.assert %[[R]], "no" {linalg_ext.safe}
func.func @branch(%c: i1, %ok: i1) {
  scf.if %c {
    cf.assert %ok, "no" {linalg_ext.safe}
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
// CHECK: cf.assert %[[LOOP]]#1, "no" {linalg_ext.safe}
// CHECK: return %[[LOOP]]#0
func.func @loop(%n: index, %ok: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> f32 {
    %b = scf.if %ok -> f32 {
      scf.yield %y : f32
    } else {
      cf.assert %ok, "no" {linalg_ext.safe}
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
// CHECK: cf.assert %[[LOOP]]#1, "no" {linalg_ext.safe}
func.func @while(%ok: i1, %go: i1, %x: f32) -> f32 {
  %r = scf.while (%a = %x) : (f32) -> f32 {
    cf.assert %ok, "no" {linalg_ext.safe}
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
    cf.assert %ok, "no" {linalg_ext.safe}
    scf.yield %c : f32
  }
  return %r : f32
}

// -----

// A check that guards what comes after it stays.
// CHECK-LABEL: func @stays
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: cf.assert %{{.*}}, "no"{{$}}
func.func @stays(%c: i1, %ok: i1) {
  scf.if %c {
    cf.assert %ok, "no"
  }
  return
}
