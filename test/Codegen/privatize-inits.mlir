// RUN: flywheel-opt %s --flywheel-privatize-inits | FileCheck %s

// CHECK-LABEL: func.func @shared(
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant
// CHECK-NEXT: %[[E0:.*]] = tensor.empty
// CHECK-NEXT: %[[F0:.*]] = linalg.fill ins(%[[ZERO]] {{.*}} outs(%[[E0]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[F0]]
// CHECK-NEXT: %[[E1:.*]] = tensor.empty
// CHECK-NEXT: %[[F1:.*]] = linalg.fill ins(%[[ZERO]] {{.*}} outs(%[[E1]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[F1]]
// CHECK-NEXT: return
func.func @shared(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%y, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
