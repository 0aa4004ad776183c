// RUN: flywheel-opt %s --flywheel-clone-shared-inits | FileCheck %s

// CHECK-LABEL: func.func @shared(
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant
// CHECK-NEXT: %[[E0:.*]] = tensor.empty
// CHECK-NEXT: %[[F0:.*]] = linalg.fill ins(%[[ZERO]] {{.*}} outs(%[[E0]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[F0]]
// CHECK-NEXT: %[[E1:.*]] = tensor.empty
// CHECK-NEXT: %[[F1:.*]] = linalg.fill ins(%[[ZERO]] {{.*}} outs(%[[E1]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[F1]]
// CHECK-NEXT: return
// EXAMPLE: --flywheel-clone-shared-inits
func.func @shared(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%y, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Two loops that start from one tensor make two values.
// CHECK-LABEL: func.func @loops(
// CHECK: %[[E0:.*]] = tensor.empty
// CHECK-NEXT: %[[R0:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[E0]])
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK-NEXT: %[[R1:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[E1]])
// CHECK: return %[[R0]], %[[R1]]
func.func @loops(%x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<4xf32> {
    %u = tensor.insert %x into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> tensor<4xf32> {
    %u = tensor.insert %x into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
