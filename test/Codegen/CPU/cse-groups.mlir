// RUN: flywheel-opt %s --flywheel-cse-groups --split-input-file | FileCheck %s

// Equal ops in one loop are one op; loops are not compared.
// CHECK-LABEL: func.func @loops(
// CHECK: scf.for
// CHECK-NEXT: %[[SLICE:.*]] = tensor.extract_slice %arg0
// CHECK-NEXT: tensor.extract_slice %arg2
// CHECK-NEXT: linalg.add ins(%[[SLICE]], %[[SLICE]]
// CHECK: scf.for
// CHECK-NEXT: %[[OTHER:.*]] = tensor.extract_slice %arg0
// CHECK-NEXT: tensor.extract_slice %arg2
// CHECK-NEXT: linalg.add ins(%[[OTHER]], %[[OTHER]]
// CHECK: return
// EXAMPLE: --flywheel-cse-groups
func.func @loops(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %out = tensor.empty() : tensor<8x4xf32>
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %out) -> tensor<8x4xf32> {
    %a = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %b = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %init = tensor.extract_slice %t[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %sum = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
    %r = tensor.insert_slice %sum into %t[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %r : tensor<8x4xf32>
  }
  %1 = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %out) -> tensor<8x4xf32> {
    %a = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %b = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %init = tensor.extract_slice %t[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %sum = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
    %r = tensor.insert_slice %sum into %t[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %r : tensor<8x4xf32>
  }
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
