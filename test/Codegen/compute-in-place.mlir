// RUN: flywheel-opt %s --flywheel-compute-in-place --split-input-file | FileCheck %s


// CHECK-LABEL: func.func @here(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>
// CHECK: %[[NEW:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK: materialize_in_destination %[[NEW]] in %[[V]]
func.func @here(%x: tensor<4xf32>, %v: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = bufferization.materialize_in_destination %new in %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Computed on both paths, stored on one: not in the storage.
// CHECK-LABEL: func.func @around(
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: linalg.exp {{.*}} outs(%[[EMPTY]] : tensor<4xf32>)
// CHECK: scf.if
func.func @around(%c: i1, %x: tensor<4xf32>, %v: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %new = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = linalg.copy ins(%new : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
