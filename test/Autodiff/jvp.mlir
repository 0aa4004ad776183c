// RUN: flywheel-opt %s --train-autodiff --canonicalize --split-input-file | FileCheck %s

// Forward mode: one product, no transposed one.
// CHECK-LABEL: func @dense
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<3x4xf32>, %[[DX:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[D:.*]] = nn.matmul %[[DX]], %[[W]] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[D]]
func.func @dense(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %dx: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %y = nn.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %d = train.jvp %y wrt %x tangents %dx : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return %d : tensor<2x4xf32>
}

// -----

// A value that depends on no target has a zero tangent.
// CHECK-LABEL: func @unconnected
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: return %[[ZERO]]
func.func @unconnected(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<f32> {
  %d = train.jvp %y wrt %x tangents %x : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %d : tensor<f32>
}
