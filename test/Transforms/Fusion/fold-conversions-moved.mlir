// RUN: flywheel-opt %s --flywheel-fold-conversions --split-input-file | FileCheck %s

// V16: narrow numbers of variables are moved, and widened where they are read.

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#x = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
#w = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
#y = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @filter(
// CHECK-SAME: %{{.*}}: tensor<1x8x8x16xf32>, %[[W:[^:]*]]: tensor<32x16x3x3xi8>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<32x16x3x3xi8>) outs(%{{.*}} : tensor<3x3x16x32xi8>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %[[T]] : tensor<1x8x8x16xf32>, tensor<3x3x16x32xi8>)
// CHECK: arith.sitofp
func.func @filter(%x: tensor<1x8x8x16xf32>, %w: tensor<32x16x3x3xi8>, %y: tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32> {
  %e = tensor.empty() : tensor<32x16x3x3xf32>
  %wide = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<32x16x3x3xi8>) outs(%e : tensor<32x16x3x3xf32>) {
  ^bb0(%a: i8, %b: f32):
    %1 = arith.sitofp %a : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<32x16x3x3xf32>
  %f = tensor.empty() : tensor<3x3x16x32xf32>
  %t = linalg.transpose ins(%wide : tensor<32x16x3x3xf32>) outs(%f : tensor<3x3x16x32xf32>) permutation = [2, 3, 1, 0]
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %t : tensor<1x8x8x16xf32>, tensor<3x3x16x32xf32>) outs(%y : tensor<1x6x6x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d0)>
#x = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
#w = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
#y = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

// With a scale, they are decoded behind the transposition.
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: %{{.*}}: tensor<1x8x8x16xf32>, %[[W:[^:]*]]: tensor<32x16x3x3xi8>, %[[S:[^:]*]]: tensor<32xf32>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<32x16x3x3xi8>) outs(%{{.*}} : tensor<3x3x16x32xi8>)
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$CHANNEL]], #[[$ID]]], {{.*}} ins(%[[T]], %[[S]] : tensor<3x3x16x32xi8>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %[[Q]] : tensor<1x8x8x16xf32>, tensor<3x3x16x32xf32>)
func.func @scaled(%x: tensor<1x8x8x16xf32>, %w: tensor<32x16x3x3xi8>, %s: tensor<32xf32>, %y: tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32> {
  %e = tensor.empty() : tensor<32x16x3x3xf32>
  %wide = linalg.generic {indexing_maps = [#id4, #channel, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<32x16x3x3xi8>, tensor<32xf32>) outs(%e : tensor<32x16x3x3xf32>) {
  ^bb0(%a: i8, %b: f32, %c: f32):
    %1 = arith.sitofp %a : i8 to f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<32x16x3x3xf32>
  %f = tensor.empty() : tensor<3x3x16x32xf32>
  %t = linalg.transpose ins(%wide : tensor<32x16x3x3xf32>) outs(%f : tensor<3x3x16x32xf32>) permutation = [2, 3, 1, 0]
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %t : tensor<1x8x8x16xf32>, tensor<3x3x16x32xf32>) outs(%y : tensor<1x6x6x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d1)>

// A join has narrow numbers; so does a sum that reads a matrix beside a product.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %{{.*}}: tensor<4x96xf32>, %[[A:[^:]*]]: tensor<64x64xi8>, %[[B:[^:]*]]: tensor<32x64xi8>
// CHECK: %[[W:.*]] = tensor.concat dim(0) %[[A]], %[[B]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : tensor<4x96xf32>, tensor<96x64xi8>)
// CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<96x64xi8>) outs(%{{.*}} : tensor<64xf32>)
func.func @joined(%x: tensor<4x96xf32>, %a: tensor<64x64xi8>, %b: tensor<32x64xi8>, %y: tensor<4x64xf32>, %z: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<32x64xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<64x64xi8>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: i8, %q: f32):
    %2 = arith.sitofp %p : i8 to f32
    linalg.yield %2 : f32
  } -> tensor<64x64xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<32x64xi8>) outs(%f : tensor<32x64xf32>) {
  ^bb0(%p: i8, %q: f32):
    %2 = arith.sitofp %p : i8 to f32
    linalg.yield %2 : f32
  } -> tensor<32x64xf32>
  %w = tensor.concat dim(0) %c, %d : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<96x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x96xf32>, tensor<96x64xf32>) outs(%y : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction", "parallel"]}
      ins(%w : tensor<96x64xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %2 = arith.addf %q, %p : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Numbers that the step computes, and wide numbers that the function returns,
// are widened where they were.
// CHECK-LABEL: func.func @kept(
// CHECK: %[[WIDE:.*]] = linalg.generic
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[WIDE]] : tensor<8x4xf32>)
// CHECK: return %[[T]], %[[WIDE]]
func.func @kept(%w: tensor<8x4xi8>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: i8, %b: f32):
    %1 = arith.sitofp %a : i8 to f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%wide : tensor<8x4xf32>) outs(%f : tensor<4x8xf32>) permutation = [1, 0]
  return %t, %wide : tensor<4x8xf32>, tensor<8x4xf32>
}
