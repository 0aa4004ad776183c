// RUN: flywheel-opt %s --flywheel-materialize-splats | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d1)>

// An elementwise op takes the value.
// CHECK-LABEL: func.func @elementwise(
// CHECK-NOT: dense
// CHECK: %[[V:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%{{[^ :]*}} : tensor<8x32xf32>)
// CHECK: arith.mulf %{{.*}}, %[[V]]
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
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: linalg.generic {{.*}} ins(%[[FILL]] : tensor<8x32xf32>)
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

// What is written is filled each time, what is read once.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[INIT:.*]] = linalg.fill
// CHECK: %[[READ:.*]] = linalg.fill
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK: %[[ACC:.*]] = linalg.fill
// CHECK: linalg.matmul ins(%{{.*}}, %[[READ]] : tensor<8x8xf32>, tensor<8x8xf32>) outs(%[[ACC]] : tensor<8x8xf32>)
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
