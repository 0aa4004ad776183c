// RUN: flywheel-opt %s --flywheel-eliminate-result-copies --split-input-file | FileCheck %s

// T63: a buffer that is copied to an argument in another shape is computed in the argument.
// CHECK-LABEL: func.func @collapse(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x?x8xf32>, %[[R:[^:]*]]: memref<4x?xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[PLACE:.*]] = memref.expand_shape %[[R]] {{\[}}[0], [1, 2]] {{.*}} into memref<4x?x8xf32>
// CHECK: linalg.copy ins(%[[X]] {{.*}} outs(%[[PLACE]]
// CHECK-NOT: memref.copy
// EXAMPLE: --flywheel-eliminate-result-copies
func.func @collapse(%x: memref<4x?x8xf32>, %r: memref<4x?xf32>, %n: index) {
  %a = memref.alloc(%n) : memref<4x?x8xf32>
  linalg.copy ins(%x : memref<4x?x8xf32>) outs(%a : memref<4x?x8xf32>)
  %b = memref.collapse_shape %a [[0], [1, 2]] : memref<4x?x8xf32> into memref<4x?xf32>
  memref.copy %b, %r : memref<4x?xf32> to memref<4x?xf32>
  return
}

// -----

// Two reshapes, and an op that reads the buffer after the copy.
// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[R:[^:]*]]: memref<2x16xf32>, %[[S:[^:]*]]: memref<4x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[R]]
// CHECK: %[[PLACE:.*]] = memref.expand_shape %[[FLAT]]
// CHECK: linalg.copy ins(%[[X]] {{.*}} outs(%[[PLACE]]
// CHECK: linalg.copy ins(%[[PLACE]] {{.*}} outs(%[[S]]
func.func @reshapes(%x: memref<4x8xf32>, %r: memref<2x16xf32>, %s: memref<4x8xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %c = memref.expand_shape %b [[0, 1]] output_shape [2, 16] : memref<32xf32> into memref<2x16xf32>
  memref.copy %c, %r : memref<2x16xf32> to memref<2x16xf32>
  linalg.copy ins(%a : memref<4x8xf32>) outs(%s : memref<4x8xf32>)
  return
}

// -----

// An argument that the step reads after it has begun to compute the buffer keeps its old value until then.
// CHECK-LABEL: func.func @read(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @read(%x: memref<4x8xf32>, %v: memref<32xf32>, %s: memref<32xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  linalg.copy ins(%v : memref<32xf32>) outs(%s : memref<32xf32>)
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %b, %v : memref<32xf32> to memref<32xf32>
  return
}

// -----

// An argument that the step overwrites while it still reads the buffer.
// CHECK-LABEL: func.func @overwritten(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @overwritten(%x: memref<4x8xf32>, %v: memref<32xf32>, %s: memref<4x8xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %b, %v : memref<32xf32> to memref<32xf32>
  linalg.copy ins(%y : memref<32xf32>) outs(%v : memref<32xf32>)
  linalg.copy ins(%a : memref<4x8xf32>) outs(%s : memref<4x8xf32>)
  return
}

// -----

// A check that follows the first write: an error changes no argument.
// CHECK-LABEL: func.func @checked(
// CHECK: memref.alloc
// CHECK: linalg_ext.check
// CHECK: memref.copy
func.func @checked(%x: memref<4x8xf32>, %r: memref<32xf32>, %c: i1) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  linalg_ext.check data %c, "checked"
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %b, %r : memref<32xf32> to memref<32xf32>
  return
}

// -----

// A buffer that a loop returns under another name.
// CHECK-LABEL: func.func @forwarded(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @forwarded(%x: memref<4x8xf32>, %r: memref<32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a) -> (memref<4x8xf32>) {
    scf.yield %m : memref<4x8xf32>
  }
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %b, %r : memref<32xf32> to memref<32xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%l : memref<4x8xf32>)
  return
}

// -----

// An argument that a loop returns under another name, by which it is read.
// CHECK-LABEL: func.func @argument_forwarded(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @argument_forwarded(%x: memref<4x8xf32>, %v: memref<32xf32>, %s: memref<32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%m = %v) -> (memref<32xf32>) {
    scf.yield %m : memref<32xf32>
  }
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  linalg.copy ins(%l : memref<32xf32>) outs(%s : memref<32xf32>)
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %b, %v : memref<32xf32> to memref<32xf32>
  return
}

// -----

// A cast is another name, too.
// CHECK-LABEL: func.func @cast(
// CHECK: memref.alloc
// CHECK: memref.copy
func.func @cast(%x: memref<4x8xf32>, %v: memref<32xf32>, %s: memref<32xf32>) {
  %l = memref.cast %v : memref<32xf32> to memref<?xf32>
  %a = memref.alloc() : memref<4x8xf32>
  linalg.copy ins(%x : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  %m = memref.cast %l : memref<?xf32> to memref<32xf32>
  linalg.copy ins(%m : memref<32xf32>) outs(%s : memref<32xf32>)
  %b = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  memref.copy %b, %v : memref<32xf32> to memref<32xf32>
  return
}
