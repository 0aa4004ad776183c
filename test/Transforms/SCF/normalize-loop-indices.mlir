// RUN: flywheel-opt %s --flywheel-normalize-loop-indices --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// X10: the type of a loop does not change how often it runs.
// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[L:[^:]*]]: i8, %[[U:[^:]*]]: i8, %[[X:[^:]*]]: f32) -> f32
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[INDEX_CAST:.*]] = arith.index_cast %[[L]] : i8 to index
// CHECK-NEXT: %[[INDEX_CAST_2:.*]] = arith.index_cast %[[U]] : i8 to index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[INDEX_CAST]] to %[[INDEX_CAST_2]] step %[[C3]] iter_args(%[[ITER_2:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: %[[INDEX_CAST_3:.*]] = arith.index_cast %[[ITER]] : index to i8
// CHECK-NEXT: %[[SITOFP:.*]] = arith.sitofp %[[INDEX_CAST_3]] : i8 to f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ITER_2]], %[[SITOFP]] : f32
// CHECK-NEXT: scf.yield %[[ADDF]] : f32
// CHECK-NEXT: } {keep}
// CHECK-NEXT: return %[[FOR]] : f32
func.func @signed(%l: i8, %u: i8, %x: f32) -> f32 {
  %c3 = arith.constant 3 : i8
  %r = scf.for %i = %l to %u step %c3 iter_args(%h = %x) -> f32 : i8 {
    %v = arith.sitofp %i : i8 to f32
    %s = arith.addf %h, %v : f32
    scf.yield %s : f32
  } {keep}
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[U:[^:]*]]: i8, %[[X:[^:]*]]: f32) -> f32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[INDEX_CASTUI:.*]] = arith.index_castui %[[U]] : i8 to index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %{{.*}} = %[[C0]] to %[[INDEX_CASTUI]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ITER_2]], %[[ITER_2]] : f32
// CHECK-NEXT: scf.yield %[[MULF]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : f32
// EXAMPLE: --flywheel-normalize-loop-indices --canonicalize
func.func @unsigned(%u: i8, %x: f32) -> f32 {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %r = scf.for unsigned %i = %c0 to %u step %c1 iter_args(%h = %x) -> f32 : i8 {
    %s = arith.mulf %h, %h : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// If no type is wider, it counts from 0.
// CHECK-LABEL: func.func @unsigned_index(
// CHECK-SAME: %[[L:[^:]*]]: index, %[[U:[^:]*]]: index, %[[S:[^:]*]]: index, %[[X:[^:]*]]: index) -> index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[OK:.*]] = arith.cmpi ne, %[[S]], %[[C0]] : index
// CHECK-NEXT: linalg_ext.check data %[[OK]], "expected a step of 1 or more, found 0" in "scf.for"
// CHECK-NEXT: %[[STEP:.*]] = arith.maxui %[[S]], %[[C1]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ult, %[[L]], %[[U]] : index
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[U]], %[[L]] : index
// CHECK-NEXT: %[[CEILDIVUI:.*]] = arith.ceildivui %[[SUBI]], %[[STEP]] : index
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[CEILDIVUI]], %[[C0]] : index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[SELECT]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %[[X]]) -> (index) {
// CHECK-NEXT: %[[MULI:.*]] = arith.muli %[[ITER]], %[[STEP]] : index
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[L]], %[[MULI]] : index
// CHECK-NEXT: %[[XORI:.*]] = arith.xori %[[ITER_2]], %[[ADDI]] : index
// CHECK-NEXT: scf.yield %[[XORI]] : index
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : index
func.func @unsigned_index(%l: index, %u: index, %s: index, %x: index) -> index {
  %r = scf.for unsigned %i = %l to %u step %s iter_args(%h = %x) -> index {
    %v = arith.xori %h, %i : index
    scf.yield %v : index
  }
  return %r : index
}

// -----

// CHECK-LABEL: func.func @as_it_is(
// CHECK-SAME: %[[U:[^:]*]]: index, %[[X:[^:]*]]: f32) -> f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %{{.*}} = %[[C0]] to %[[U]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %[[X]]) -> (f32) {
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ITER_2]], %[[ITER_2]] : f32
// CHECK-NEXT: scf.yield %[[MULF]] : f32
// CHECK-NEXT: } {keep}
// CHECK-NEXT: return %[[FOR]] : f32
func.func @as_it_is(%u: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %u step %c1 iter_args(%h = %x) -> f32 {
    %s = arith.mulf %h, %h : f32
    scf.yield %s : f32
  } {keep}
  return %r : f32
}

// -----

func.func @too_wide(%u: i128) {
  %c1 = arith.constant 1 : i128
  // expected-error @+1 {{expected an index or an integer of at most 64 bits to count, found 'i128'}}
  scf.for %i = %c1 to %u step %c1 : i128 {
  }
  return
}

// -----

func.func @stuck(%u: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected a step of 1 or more, found 0}}
  scf.for %i = %c0 to %u step %c0 {
    // expected-error @+1 {{expected a step of 1 or more, found 0}}
    scf.for unsigned %j = %c0 to %u step %c0 {
    }
  }
  return
}

// -----

func.func @backwards(%u: i8) {
  %c0 = arith.constant 0 : i8
  %step = arith.constant -1 : i8
  // expected-error @+1 {{expected a step of 1 or more, found -1}}
  scf.for %i = %u to %c0 step %step : i8 {
  }
  // 255 without a sign.
  scf.for unsigned %i = %c0 to %u step %step : i8 {
  }
  return
}

// -----

// In a branch, the check may come too late for the loop.
// CHECK-LABEL: func.func @in_branch(
// CHECK: scf.if
// CHECK: %[[OK:.*]] = arith.cmpi ne, %[[S:.*]], %c0{{.*}} : index
// CHECK-NEXT: linalg_ext.check safe data %[[OK]], "expected a step of 1 or more, found 0" in "scf.for"
// CHECK-NEXT: %[[STEP:.*]] = arith.maxui %[[S]], %c1{{.*}} : index
// CHECK: arith.ceildivui %{{.*}}, %[[STEP]] : index
func.func @in_branch(%l: index, %u: index, %s: index, %c: i1, %m: memref<index>) {
  scf.if %c {
    scf.for unsigned %i = %l to %u step %s {
      memref.store %i, %m[] : memref<index>
    }
  }
  return
}

// -----

// A constant step that may wrap around is not added: iterations are counted.
// CHECK-LABEL: func.func @long_step(
// CHECK-SAME: %[[L:[^:]*]]: index, %[[U:[^:]*]]: index,
// CHECK-DAG: %[[LONG:.*]] = arith.constant 4611686018427387904 : index
// CHECK-DAG: %[[SHORT:.*]] = arith.constant 2147483648 : index
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[L]], %[[U]] : index
// CHECK: %[[WAY:.*]] = arith.subi %[[U]], %[[L]] : index
// CHECK: %[[TIMES:.*]] = arith.ceildivui %[[WAY]], %[[LONG]] : index
// CHECK: %[[COUNT:.*]] = arith.select %[[RUNS]], %[[TIMES]], %c0
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[COUNT]] step %c1
// CHECK: %[[FAR:.*]] = arith.muli %[[K]], %[[LONG]] : index
// CHECK: %[[I:.*]] = arith.addi %[[L]], %[[FAR]] : index
// CHECK: memref.store %[[I]]
// CHECK: scf.for %{{.*}} = %[[L]] to %[[U]] step %[[SHORT]]
func.func @long_step(%l: index, %u: index, %m: memref<index>) {
  %long = arith.constant 4611686018427387904 : index
  %short = arith.constant 2147483648 : index
  scf.for %i = %l to %u step %long {
    memref.store %i, %m[] : memref<index>
  }
  scf.for %i = %l to %u step %short {
    memref.store %i, %m[] : memref<index>
  }
  return
}
