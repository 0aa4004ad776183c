// RUN: flywheel-opt %s --flywheel-fold-zero-size-tensors --canonicalize --split-input-file | FileCheck %s

// A tensor without elements is not computed; its type is static after a collapse.
// CHECK-LABEL: func.func @collapse(
// CHECK-SAME: %[[X:.*]]: tensor<0x4x?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<0xf32>
// CHECK-NEXT: %[[CAST:.*]] = tensor.cast %[[EMPTY]] : tensor<0xf32> to tensor<?xf32>
// CHECK-NEXT: return %[[CAST]]
func.func @collapse(%x: tensor<0x4x?xf32>) -> tensor<?xf32> {
  %e = math.exp %x : tensor<0x4x?xf32>
  %c = tensor.collapse_shape %e [[0, 1, 2]] : tensor<0x4x?xf32> into tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

// The group beside the one of size 0 keeps its size.
// CHECK-LABEL: func.func @collapse_beside(
// CHECK-SAME: %[[X:.*]]: tensor<0x?x?x3xf32>) -> tensor<?x?xf32>
// CHECK: %[[DIM:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<0x?x?x3xf32>
// CHECK: %[[SIZE:.*]] = affine.apply #{{.*}}()[%[[DIM]]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<0x?xf32>
// CHECK: tensor.cast %[[EMPTY]] : tensor<0x?xf32> to tensor<?x?xf32>
func.func @collapse_beside(%x: tensor<0x?x?x3xf32>) -> tensor<?x?xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<0x?x?x3xf32> into tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// The sizes come from the operands: nothing divides by that of the group.
// CHECK-LABEL: func.func @expand(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index) -> (tensor<?x0xf32>, index)
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x0xf32>
// CHECK-NEXT: return %[[EMPTY]], %[[N]]
func.func @expand(%x: tensor<?xf32>, %n: index) -> (tensor<?x0xf32>, index) {
  %c0 = arith.constant 0 : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%n, 0] : tensor<?xf32> into tensor<?x0xf32>
  %d = tensor.dim %e, %c0 : tensor<?x0xf32>
  return %e, %d : tensor<?x0xf32>, index
}

// -----

// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[NONE:.*]]: tensor<0x3xf32>) -> (tensor<4x3xf32>, tensor<8x3xf32>)
// CHECK-NEXT: %[[BOTH:.*]] = tensor.concat dim(0) %[[X]], %[[X]] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
// CHECK-NEXT: return %[[X]], %[[BOTH]]
// EXAMPLE: --flywheel-fold-zero-size-tensors --canonicalize
func.func @concat(%x: tensor<4x3xf32>, %none: tensor<0x3xf32>) -> (tensor<4x3xf32>, tensor<8x3xf32>) {
  %a = tensor.concat dim(0) %none, %x : (tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %b = tensor.concat dim(0) %x, %none, %x : (tensor<4x3xf32>, tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return %a, %b : tensor<4x3xf32>, tensor<8x3xf32>
}

// -----

// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[X:.*]]: tensor<0x?xf32>, %[[P:.*]]: f32) -> tensor<1x?xf32>
// CHECK: %[[SIZE:.*]] = affine.apply
// CHECK: %[[MADE:.*]] = tensor.{{splat|generate}}
// CHECK-NOT: tensor.pad
func.func @pad(%x: tensor<0x?xf32>, %p: f32) -> tensor<1x?xf32> {
  %y = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %p : f32
  } : tensor<0x?xf32> to tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

// -----

// CHECK-LABEL: func.func @insert(
// CHECK-SAME: %{{.*}}: tensor<0xf32>, %[[Y:.*]]: tensor<3xf32>, %{{.*}}: index) -> tensor<3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @insert(%x: tensor<0xf32>, %y: tensor<3xf32>, %at: index) -> tensor<3xf32> {
  %r = tensor.insert_slice %x into %y[%at] [0] [1] : tensor<0xf32> into tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// A result that a branch yields is not read; the branch stays, and the pass terminates.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: tensor<0x?xf32>, %[[Y:.*]]: tensor<0x?xf32>) -> tensor<0x?xf32>
// CHECK: %[[R:.*]] = scf.if
// CHECK: %[[SIZE:.*]] = tensor.dim %[[R]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<0x?xf32>
// CHECK-NEXT: return %[[EMPTY]]
func.func @branch(%c: i1, %x: tensor<0x?xf32>, %y: tensor<0x?xf32>) -> tensor<0x?xf32> {
  %r = scf.if %c -> tensor<0x?xf32> {
    %e = math.exp %x : tensor<0x?xf32>
    scf.yield %e : tensor<0x?xf32>
  } else {
    scf.yield %y : tensor<0x?xf32>
  }
  return %r : tensor<0x?xf32>
}

// -----

// Nothing else changes: a reduction of no elements is its initial value, a dynamic size may be any.
// CHECK-LABEL: func.func @other(
// CHECK: tensor.collapse_shape
// CHECK: tensor.pad
// CHECK: linalg.reduce
func.func @other(%x: tensor<?x4xf32>, %none: tensor<0xf32>, %init: tensor<f32>, %p: f32) -> (tensor<?xf32>, tensor<f32>) {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %y = tensor.pad %c low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %p : f32
  } : tensor<?xf32> to tensor<?xf32>
  %r = linalg.reduce {arith.addf} ins(%none : tensor<0xf32>) outs(%init : tensor<f32>) dimensions = [0]
  return %y, %r : tensor<?xf32>, tensor<f32>
}

// -----

// A cast that an op needs is not made again and again.
// CHECK-LABEL: func.func @cast(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<0x3xi32>
// CHECK-NEXT: %[[CAST:.*]] = tensor.cast %[[EMPTY]] : tensor<0x3xi32> to tensor<0x?xi32>
// CHECK-NEXT: linalg_ext.find_outside unless %{{.*}} in %[[CAST]]
func.func @cast(%x: tensor<0x3xi32>, %ok: i1, %n: index) -> index {
  %e = arith.addi %x, %x : tensor<0x3xi32>
  %c = tensor.cast %e : tensor<0x3xi32> to tensor<0x?xi32>
  %f = linalg_ext.find_outside unless %ok in %c below %n : tensor<0x?xi32>
  return %f : index
}

// -----

// A slice of nothing is of nothing, whatever its sizes are said to be, and nothing is inserted into it.
// CHECK-LABEL: func.func @slice(
// CHECK-NOT: _slice
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<0x4xf32>
// CHECK: tensor.cast %[[EMPTY]] : tensor<0x4xf32> to tensor<?x4xf32>
func.func @slice(%none: tensor<0x4xf32>, %row: tensor<1x4xf32>, %o: index, %n: index)
    -> (tensor<?x4xf32>, tensor<0x4xf32>) {
  %s = tensor.extract_slice %none[%o, 0] [%n, 4] [1, 1] : tensor<0x4xf32> to tensor<?x4xf32>
  %i = tensor.insert_slice %row into %none[%o, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<0x4xf32>
  return %s, %i : tensor<?x4xf32>, tensor<0x4xf32>
}
