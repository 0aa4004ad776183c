// RUN: flywheel-opt %s --flywheel-fuse-elementwise --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>

// A chain is one op; a change of shape on the way moves out of it.
// CHECK-LABEL: func @chain
// CHECK: %[[E:.*]] = tensor.expand_shape
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<3x2xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK-NEXT: math.tanh
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
func.func @chain(%x: tensor<6xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %f = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %2 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<3x2xf32>) outs(%f : tensor<3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  } -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>

// The update of a variable keeps the variable's shape.
// CHECK-LABEL: func @update
// CHECK-SAME: %{{.*}}: tensor<3x2xf32>, %[[W:.*]]: tensor<6xf32>
// CHECK: linalg.generic {{.*}} outs(%[[W]] : tensor<6xf32>)
// EXAMPLE: --flywheel-fuse-elementwise
func.func @update(%x: tensor<3x2xf32>, %w: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<3x2xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%1 : tensor<6xf32>) outs(%w : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.subf %o, %a : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// X1: what follows a product in another shape takes that of the product, whose
// loops it then shares.
// CHECK-LABEL: func @epilogue
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %arg1 : {{.*}})
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[P]], %arg2
// CHECK: arith.addf
// CHECK-NEXT: arith.maximumf
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Y]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[E]]
func.func @epilogue(%x: tensor<?x4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<?x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x8xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x4x8xf32> into tensor<?x8xf32>
  %m = tensor.dim %rows, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<?x8xf32>, tensor<8x6xf32>) outs(%f : tensor<?x6xf32>) -> tensor<?x6xf32>
  %z = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x6xf32>, tensor<6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x6xf32>
  %wide = tensor.expand_shape %z [[0, 1], [2]] output_shape [%n, 4, 6] : tensor<?x6xf32> into tensor<?x4x6xf32>
  %g = tensor.empty(%n) : tensor<?x4x6xf32>
  %y = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide : tensor<?x4x6xf32>) outs(%g : tensor<?x4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x4x6xf32>
  return %y : tensor<?x4x6xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// A sum that grows with each product is made term by term: else every term would
// be kept to the end. The last sum is computed with the update, which goes right
// after it.
// CHECK-LABEL: func @growing_sum
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x4xf32>)
// CHECK: %[[P0:.*]] = linalg.matmul
// CHECK: %[[P1:.*]] = linalg.matmul
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[P0]], %[[P1]]
// CHECK: %[[P2:.*]] = linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[P2]] {{.*}} outs(%[[W]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @growing_sum(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %z: tensor<4x4xf32>,
                       %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %p0 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p1 = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p0, %p1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %p2 = linalg.matmul ins(%z, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%s1, %p2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %new = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%s2 : tensor<4x4xf32>) outs(%w : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.subf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#point = affine_map<(i, j) -> (i, j)>

// An op that updates its destination is not computed in loops that visit an
// element several times: it would be updated each time.
// CHECK-LABEL: func @updated_once
// CHECK: %[[A:.*]] = linalg.generic {{.*}} outs(%arg1 : tensor<3xf64>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[A]], %arg2 : tensor<3xf64>, tensor<3x4xf64>)
func.func @updated_once(%x: tensor<3xf64>, %d: tensor<3xf64>, %m: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf64>) outs(%d : tensor<3xf64>) {
  ^bb0(%u: f64, %o: f64):
    %s = arith.addf %u, %o : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  %e = tensor.empty() : tensor<3x4xf64>
  %r = linalg.generic {indexing_maps = [#row, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : tensor<3xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) {
  ^bb0(%u: f64, %v: f64, %o: f64):
    %s = arith.mulf %u, %v : f64
    linalg.yield %s : f64
  } -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}

// -----

// Paddings keep their shapes.
// CHECK-LABEL: func @padded
// CHECK: %[[P:.*]] = tensor.pad %arg0
// CHECK: %[[E:.*]] = tensor.expand_shape %[[P]]
// CHECK: tensor.pad %[[E]]
func.func @padded(%x: tensor<?x3xf64>) -> tensor<?x2x4xf64> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %n = tensor.dim %x, %c0 : tensor<?x3xf64>
  %p = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f64
  } : tensor<?x3xf64> to tensor<?x4xf64>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [%n, 1, 4] : tensor<?x4xf64> into tensor<?x1x4xf64>
  %q = tensor.pad %e low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f64
  } : tensor<?x1x4xf64> to tensor<?x2x4xf64>
  return %q : tensor<?x2x4xf64>
}

// -----

#point = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Ops that cost next to nothing are computed in each of their users: the
// broadcast and the difference, but not an op that takes two tensors.
// CHECK-LABEL: func @repeated
// CHECK-SAME: %[[T:[a-z0-9]*]]: tensor<3x4xf32>, %[[B:[a-z0-9]*]]: tensor<4xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[T]], %[[B]] : tensor<3x4xf32>, tensor<4xf32>)
// CHECK: arith.subf
// CHECK-NEXT: math.exp
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[T]], %[[B]], %[[P]] : tensor<3x4xf32>, tensor<4xf32>, tensor<3x4xf32>)
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<3x4xf32>)
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<3x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[P]], %[[R]], %[[S]]
func.func @repeated(%t: tensor<3x4xf32>, %b: tensor<4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %rows = linalg.generic {indexing_maps = [#column, #point], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<3x4xf32>
  %d = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%t, %rows : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %y = arith.subf %u, %v : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  %p = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %y = math.exp %u : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  %q = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%d, %p : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %y = arith.mulf %u, %v : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %y = math.exp %u : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  %s = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %y = math.tanh %u : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  return %p, %r, %s : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

#point = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// But what alone reads a product is not repeated: it is computed in the tiles of
// the product, which nothing needs without it.
// CHECK-LABEL: func @bias_of_product
// CHECK: %[[T:.*]] = linalg.matmul
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%[[T]], %{{.*}} : tensor<3x4xf32>, tensor<4xf32>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[H]] : tensor<3x4xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[H]] : tensor<3x4xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.tanh
func.func @bias_of_product(%x: tensor<3x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %t = linalg.matmul ins(%x, %w : tensor<3x3xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %h = linalg.generic {indexing_maps = [#point, #column, #point], iterator_types = ["parallel", "parallel"]}
      ins(%t, %b : tensor<3x4xf32>, tensor<4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %y = arith.addf %u, %v : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %y = math.exp %u : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  %s = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %y = math.tanh %u : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32>
  return %r, %s : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

#image = affine_map<(n, i, j) -> (n, i, j)>
#sums = affine_map<(n, i, j) -> (n, i)>
#row = affine_map<(n, i) -> (n, i)>

// The op that normalizes the rows of a product has the shape of the product:
// all its readers do, so that the mean is subtracted in their loops. A division
// of each row stays one of each row, not of each element.
// CHECK-DAG: #[[$POINT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @normalized_rows
// CHECK-NOT: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: %[[T:.*]] = linalg.matmul
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[$POINT]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[T]] : tensor<6x4xf32>)
// CHECK: %[[M:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[S]] : tensor<6xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.divf
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic {indexing_maps = [#[[$POINT]], #[[$ROW]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[T]], %[[M]] : tensor<6x4xf32>, tensor<6xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[$POINT]], #[[$ROW]], #[[$POINT]]], iterator_types = ["parallel", "parallel"]} ins(%[[T]], %[[M]] : tensor<6x4xf32>, tensor<6xf32>)
func.func @normalized_rows(%x: tensor<6x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<6x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<6x4xf32>
  %t = linalg.matmul ins(%x, %w : tensor<6x3xf32>, tensor<3x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %y = tensor.expand_shape %t [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %er = tensor.empty() : tensor<2x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sum = linalg.generic {indexing_maps = [#image, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : tensor<2x3x4xf32>) outs(%start : tensor<2x3xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.addf %o, %u : f32
    linalg.yield %0 : f32
  } -> tensor<2x3xf32>
  %mean = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<2x3xf32>) outs(%er : tensor<2x3xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.divf %u, %four : f32
    linalg.yield %0 : f32
  } -> tensor<2x3xf32>
  %ec = tensor.empty() : tensor<2x3x4xf32>
  %center = linalg.generic {indexing_maps = [#image, #sums, #image], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %mean : tensor<2x3x4xf32>, tensor<2x3xf32>) outs(%ec : tensor<2x3x4xf32>) {
  ^bb0(%u: f32, %m: f32, %o: f32):
    %0 = arith.subf %u, %m : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x4xf32>
  %squares = linalg.generic {indexing_maps = [#image, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%center : tensor<2x3x4xf32>) outs(%start : tensor<2x3xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.mulf %u, %u : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3xf32>
  %cubes = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%center : tensor<2x3x4xf32>) outs(%ec : tensor<2x3x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.mulf %u, %u : f32
    %1 = arith.mulf %0, %u : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4xf32>
  %c = tensor.collapse_shape %cubes [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  return %squares, %c : tensor<2x3xf32>, tensor<6x4xf32>
}

// -----

#x = affine_map<(n, i, j, o, p, q, c) -> (n, i + p, j + q, c)>
#dy = affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>
#dw = affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>

// The mask of an activation is not computed in the body of a filter's gradient,
// for each of its products.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$MAP3:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-LABEL: func.func @mask_of_filter(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x6x6x3xf32>, %[[Y:[^:]*]]: tensor<2x4x4x8xf32>, %[[G:[^:]*]]: tensor<2x4x4x8xf32>, %[[DW:[^:]*]]: tensor<3x3x3x8xf32>) -> tensor<3x3x3x8xf32>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x4x8xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[Y]], %[[G]] : tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>) outs(%[[EMPTY]] : tensor<2x4x4x8xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: f32, %[[E_3:.*]]: f32):
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ogt, %[[E]], %[[ZERO]] : f32
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF]], %[[E_2]], %[[ZERO]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x8xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]} ins(%[[X]], %[[GENERIC]] : tensor<2x6x6x3xf32>, tensor<2x4x4x8xf32>) outs(%[[DW]] : tensor<3x3x3x8xf32>) {
// CHECK-NEXT: ^bb0(%[[E_4:.*]]: f32, %[[E_5:.*]]: f32, %[[E_6:.*]]: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[E_4]], %[[E_5]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[E_6]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<3x3x3x8xf32>
// CHECK-NEXT: return %[[GENERIC_2]] : tensor<3x3x3x8xf32>
func.func @mask_of_filter(%x: tensor<2x6x6x3xf32>, %y: tensor<2x4x4x8xf32>, %g: tensor<2x4x4x8xf32>, %dw: tensor<3x3x3x8xf32>) -> tensor<3x3x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x8xf32>
  %mask = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %g : tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>) outs(%e : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.cmpf ogt, %a, %zero : f32
    %1 = arith.select %0, %b, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x4x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #dy, #dw], iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %mask : tensor<2x6x6x3xf32>, tensor<2x4x4x8xf32>) outs(%dw : tensor<3x3x3x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x3x3x8xf32>
  return %r : tensor<3x3x3x8xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(a, b) -> (a, b)>

// Nor in that of a product.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$MAP3:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @mask_of_product(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>, %[[W:[^:]*]]: tensor<8x16xf32>, %[[Y:[^:]*]]: tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<4x8xf32>) outs(%[[EMPTY]] : tensor<4x8xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: f32):
// CHECK-NEXT: %[[MAXIMUMF:.*]] = arith.maximumf %[[E]], %[[ZERO]] : f32
// CHECK-NEXT: linalg.yield %[[MAXIMUMF]] : f32
// CHECK-NEXT: } -> tensor<4x8xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[GENERIC]], %[[W]] : tensor<4x8xf32>, tensor<8x16xf32>) outs(%[[Y]] : tensor<4x16xf32>) {
// CHECK-NEXT: ^bb0(%[[E_3:.*]]: f32, %[[E_4:.*]]: f32, %[[E_5:.*]]: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[E_3]], %[[E_4]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[E_5]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<4x16xf32>
// CHECK-NEXT: return %[[GENERIC_2]] : tensor<4x16xf32>
func.func @mask_of_product(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.maximumf %p, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%relu, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(a, b) -> (a, b)>
#turned = affine_map<(a, b) -> (b, a)>

// An op that only moves elements becomes another map of an input, and one that
// widens them is a part of the kernel.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @moved_into_product(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x4xf32>, %[[W:[^:]*]]: tensor<8x16xbf16>, %[[Y:[^:]*]]: tensor<4x16xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : tensor<8x4xf32>, tensor<8x16xbf16>) outs(%[[Y]] : tensor<4x16xf32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: bf16, %[[E_3:.*]]: f32):
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[E_2]] : bf16 to f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[E]], %[[EXTF]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[E_3]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<4x16xf32>
// CHECK-NEXT: return %[[GENERIC]] : tensor<4x16xf32>
func.func @moved_into_product(%x: tensor<8x4xf32>, %w: tensor<8x16xbf16>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %moved = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x16xbf16>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%p: bf16, %q: f32):
    %0 = arith.extf %p : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%moved, %wide : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#id = affine_map<(a) -> (a)>
#sum = affine_map<(a) -> ()>

// A sum of products reads each element once: what makes it is computed there.
// CHECK-DAG: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @dot(
// CHECK-SAME: %[[X:[^:]*]]: tensor<64xf32>, %[[Y:[^:]*]]: tensor<64xf32>, %[[S:[^:]*]]: tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP1]]], iterator_types = ["reduction"]} ins(%[[X]], %[[Y]] : tensor<64xf32>, tensor<64xf32>) outs(%[[S]] : tensor<f32>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[E_2:.*]]: f32, %[[E_3:.*]]: f32):
// CHECK-NEXT: %[[MAXIMUMF:.*]] = arith.maximumf %[[E]], %[[ZERO]] : f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[MAXIMUMF]], %[[E_2]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[E_3]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<f32>
// CHECK-NEXT: return %[[GENERIC]] : tensor<f32>
func.func @dot(%x: tensor<64xf32>, %y: tensor<64xf32>, %s: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.maximumf %p, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #sum], iterator_types = ["reduction"]}
      ins(%relu, %y : tensor<64xf32>, tensor<64xf32>) outs(%s : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %t: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %t, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#map = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Cheap ops are computed in the branches that use them, too; not in a loop.
// CHECK-LABEL: func @branches
// CHECK-SAME: (%[[X:.*]]: tensor<8xbf16>,
// CHECK-NOT: linalg.generic
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<8xbf16>)
// CHECK: arith.extf
// CHECK: math.exp
// CHECK: } else {
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<8xbf16>)
// CHECK: arith.extf
// CHECK: math.tanh
// CHECK-LABEL: func @loop
// CHECK: %[[WIDE:.*]] = linalg.generic
// CHECK: arith.extf
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%[[WIDE]] : tensor<8xf32>)
func.func @branches(%x: tensor<8xbf16>, %c: i1) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %wide = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<8xbf16>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %y = arith.extf %a : bf16 to f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%wide : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %y = math.exp %a : f32
      linalg.yield %y : f32
    } -> tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  } else {
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%wide : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %y = math.tanh %a : f32
      linalg.yield %y : f32
    } -> tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @loop(%x: tensor<8xbf16>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %wide = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<8xbf16>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %y = arith.extf %a : bf16 to f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %e) -> tensor<8xf32> {
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%wide : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %y = math.exp %a : f32
      linalg.yield %y : f32
    } -> tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  }
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%wide : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// A variable and another tensor are added in each of two users, if the variable
// is not overwritten before them.
// CHECK-LABEL: func @sum_of_variable
// CHECK-SAME: (%[[V:.*]]: tensor<8xf32> {{.*}}, %[[X:.*]]: tensor<8xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[V]], %[[X]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[V]], %[[X]], %{{.*}} : tensor<8xf32>, tensor<8xf32>, tensor<f32>)
// CHECK: arith.addf
// CHECK: linalg.fill {{.*}} outs(%[[V]]
// CHECK-LABEL: func @overwritten
// CHECK-SAME: (%[[V:.*]]: tensor<8xf32> {{.*}}, %[[X:.*]]: tensor<8xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[V]], %[[X]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: linalg.fill {{.*}} outs(%[[V]]
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<8xf32>)
func.func @sum_of_variable(%v: tensor<8xf32> {train.variable = @v, train.writes}, %x: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<f32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %s = tensor.empty() : tensor<f32>
  %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%v, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.addf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %norm = linalg.generic {indexing_maps = [#map, #none], iterator_types = ["reduction"]}
      ins(%sum : tensor<8xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.mulf %a, %a : f32
    %z = arith.addf %o, %y : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#map, #none, #map], iterator_types = ["parallel"]}
      ins(%sum, %norm : tensor<8xf32>, tensor<f32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %new = linalg.fill ins(%zero : f32) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  return %new, %norm, %r : tensor<8xf32>, tensor<f32>, tensor<8xf32>
}
func.func @overwritten(%v: tensor<8xf32> {train.variable = @v, train.writes}, %x: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%v, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.addf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%sum : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.exp %a : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %new = linalg.fill ins(%zero : f32) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%sum : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %new, %p, %q : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

#point = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#position = affine_map<(d0, d1, d2) -> (d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
#rows = affine_map<(d0, d1) -> (d0, d1)>

// A sum with positions cannot be computed in the shape of rows, so it is stored.
// Values for the gradient are computed from it there, in the shape of the product.
// CHECK-LABEL: func.func @positions(
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x128x1024xf32>, tensor<128x1024xf32>)
// CHECK-DAG: %[[ROWS:.*]] = tensor.collapse_shape %[[SUM]] {{\[\[}}0, 1], [2]]
// CHECK-DAG: %[[DZ:.*]] = linalg.matmul ins(%arg4,
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %arg2, %[[DZ]] : tensor<512x1024xf32>, tensor<1024xf32>, tensor<512x1024xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK: return
func.func @positions(%x: tensor<4x128x1024xf32>, %p: tensor<128x1024xf32>, %g: tensor<1024xf32>, %w: tensor<1024x1024xf32>, %dy: tensor<512x1024xf32>)
    -> (tensor<512x1024xf32>, tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %e = tensor.empty() : tensor<4x128x1024xf32>
  %er = tensor.empty() : tensor<512x1024xf32>
  %zero = arith.constant 0.0 : f32
  %sum = linalg.generic {indexing_maps = [#point, #position, #point], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %p : tensor<4x128x1024xf32>, tensor<128x1024xf32>) outs(%e : tensor<4x128x1024xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.addf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4x128x1024xf32>
  %scaled = linalg.generic {indexing_maps = [#point, #last, #point], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %g : tensor<4x128x1024xf32>, tensor<1024xf32>) outs(%e : tensor<4x128x1024xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4x128x1024xf32>
  %scaled_rows = tensor.collapse_shape %scaled [[0, 1], [2]] : tensor<4x128x1024xf32> into tensor<512x1024xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%er : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %y = linalg.matmul ins(%scaled_rows, %w : tensor<512x1024xf32>, tensor<1024x1024xf32>) outs(%fill : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %dz = linalg.matmul ins(%dy, %w : tensor<512x1024xf32>, tensor<1024x1024xf32>) outs(%fill : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %centred = linalg.generic {indexing_maps = [#point, #last, #point], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %g : tensor<4x128x1024xf32>, tensor<1024xf32>) outs(%e : tensor<4x128x1024xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.subf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4x128x1024xf32>
  %centred_rows = tensor.collapse_shape %centred [[0, 1], [2]] : tensor<4x128x1024xf32> into tensor<512x1024xf32>
  %sum_rows = tensor.collapse_shape %sum [[0, 1], [2]] : tensor<4x128x1024xf32> into tensor<512x1024xf32>
  %residual = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%sum_rows, %y : tensor<512x1024xf32>, tensor<512x1024xf32>) outs(%er : tensor<512x1024xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.addf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<512x1024xf32>
  %back = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%centred_rows, %dz : tensor<512x1024xf32>, tensor<512x1024xf32>) outs(%er : tensor<512x1024xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<512x1024xf32>
  return %y, %residual, %back : tensor<512x1024xf32>, tensor<512x1024xf32>, tensor<512x1024xf32>
}
