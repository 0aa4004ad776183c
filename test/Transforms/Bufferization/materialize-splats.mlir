// RUN: flywheel-opt %s --flywheel-materialize-splats | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d1)>

// An elementwise op takes the value.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<8x32xf32>) outs(%[[EMPTY]] : tensor<8x32xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
// CHECK-NEXT: } -> tensor<8x32xf32>
// CHECK-NEXT: return %[[GENERIC]] : tensor<8x32xf32>
// EXAMPLE: --flywheel-materialize-splats
func.func @elementwise(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %two = arith.constant dense<2.0> : tensor<32xf32>
  %empty = tensor.empty() : tensor<8x32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %two : tensor<8x32xf32>, tensor<32xf32>) outs(%empty : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// Only the constant says how many rows are added.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[ACC:[^:]*]]: tensor<32xf32>) -> tensor<32xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x32xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["reduction", "parallel"]} ins(%[[FILL]] : tensor<8x32xf32>) outs(%[[ACC]] : tensor<32xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT]], %[[ELEMENT_2]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<32xf32>
// CHECK-NEXT: return %[[GENERIC]] : tensor<32xf32>
func.func @sum(%acc: tensor<32xf32>) -> tensor<32xf32> {
  %two = arith.constant dense<2.0> : tensor<8x32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["reduction", "parallel"]}
      ins(%two : tensor<8x32xf32>) outs(%acc : tensor<32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.addf %a, %out : f32
    linalg.yield %p : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// A splat that is written is filled each time, one that is read once.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[LB:[^:]*]]: index, %[[UB:[^:]*]]: index, %[[STEP:[^:]*]]: index) -> tensor<8x8xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<8x8xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<8x8xf32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_2]] : tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[FOR:.*]] = scf.for %{{.*}} = %[[LB]] to %[[UB]] step %[[STEP]] iter_args(%[[ITER_2:.*]] = %[[FILL]]) -> (tensor<8x8xf32>) {
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty() : tensor<8x8xf32>
// CHECK-NEXT: %[[FILL_3:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_3]] : tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[ITER_2]], %[[FILL_2]] : tensor<8x8xf32>, tensor<8x8xf32>) outs(%[[FILL_3]] : tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: scf.yield %[[MATMUL]] : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<8x8xf32>
func.func @loop(%lb: index, %ub: index, %step: index) -> tensor<8x8xf32> {
  %one = arith.constant dense<1.0> : tensor<8x8xf32>
  %0 = scf.for %i = %lb to %ub step %step iter_args(%a = %one) -> tensor<8x8xf32> {
    %1 = linalg.matmul ins(%a, %one : tensor<8x8xf32>, tensor<8x8xf32>) outs(%one : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// Small ones, and those that are none, stay.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<1.000000e+00> : tensor<16xf32>
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT: return %[[CST]], %[[CST_2]] : tensor<16xf32>, tensor<2x2xf32>
func.func @kept() -> (tensor<16xf32>, tensor<2x2xf32>) {
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return %one, %table : tensor<16xf32>, tensor<2x2xf32>
}
