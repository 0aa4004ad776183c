// RUN: flywheel-opt %s --flywheel-fuse-elementwise=keep-rows | FileCheck %s
// RUN: flywheel-opt %s --flywheel-fuse-elementwise | FileCheck %s --check-prefix=SHARED

#row = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// A division that the elements of a row share is repeated for each, or is an op of its own.
// CHECK-LABEL: func @division
// CHECK: linalg.generic
// CHECK: arith.divf
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
// SHARED-LABEL: func @division
// SHARED: linalg.generic
// SHARED: arith.divf
// SHARED-NEXT: linalg.yield
// SHARED: linalg.generic
// SHARED: arith.mulf
func.func @division(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4x8xf32> {
  %e1 = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]}
      ins(%s, %t : tensor<4xf32>, tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#map2, #row, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.mulf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}

// A reader of the op after a product, in another shape, keeps that, or takes the product's.
// CHECK-LABEL: func @behind_product
// CHECK: math.exp
// CHECK: math.tanh
// CHECK: -> tensor<2x2x8xf32>
// SHARED-LABEL: func @behind_product
// SHARED: math.exp
// SHARED: math.tanh
// SHARED: -> tensor<4x8xf32>
// SHARED: tensor.expand_shape
func.func @behind_product(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x2x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<4x8xf32>
  %e3 = tensor.empty() : tensor<2x2x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%start : tensor<4x8xf32>)
      -> tensor<4x8xf32>
  %q = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.log %a : f32
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<4x8xf32>
  %s = tensor.expand_shape %r [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
  %t = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x2x8xf32>) outs(%e3 : tensor<2x2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  } -> tensor<2x2x8xf32>
  return %q, %r, %t : tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x2x8xf32>
}
