// RUN: flywheel-opt %s --flywheel-fuse-elementwise --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// The values that a gradient needs of an activation larger than a cache are not
// stored, but recomputed from values that are stored anyway.
// CHECK-LABEL: func @far
// CHECK: %[[X:.*]] = linalg.matmul
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1024x512xf32>)
// CHECK: math.tanh
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: %[[Z:.*]] = linalg.matmul ins(%[[Y]],
// CHECK-NOT: linalg.generic
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[Z]], %[[X]] : tensor<1024x512xf32>, tensor<1024x512xf32>)
// CHECK: math.tanh
// CHECK: return %[[G]]
func.func @far(%a: tensor<1024x512xf32>, %w: tensor<512x512xf32>) -> tensor<1024x512xf32> {
  %e = tensor.empty() : tensor<1024x512xf32>
  %x = linalg.matmul ins(%a, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %z = linalg.matmul ins(%y, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z, %t, %x : tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %p: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    %1 = arith.mulf %0, %p : f32
    linalg.yield %1 : f32
  } -> tensor<1024x512xf32>
  return %g : tensor<1024x512xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Not where it fits into a cache, nor where the value that it is computed from
// would be stored for it alone.
// CHECK-LABEL: func @near
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
// CHECK-LABEL: func @alone
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
func.func @near(%a: tensor<128x512xf32>, %w: tensor<512x512xf32>) -> tensor<128x512xf32> {
  %e = tensor.empty() : tensor<128x512xf32>
  %x = linalg.matmul ins(%a, %w : tensor<128x512xf32>, tensor<512x512xf32>) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<128x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<128x512xf32>, tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<128x512xf32>
  %z = linalg.matmul ins(%y, %w : tensor<128x512xf32>, tensor<512x512xf32>) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z, %t, %x : tensor<128x512xf32>, tensor<128x512xf32>, tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%u: f32, %v: f32, %p: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    %1 = arith.mulf %0, %p : f32
    linalg.yield %1 : f32
  } -> tensor<128x512xf32>
  return %g : tensor<128x512xf32>
}
func.func @alone(%a: tensor<1024x512xf32>, %w: tensor<512x512xf32>) -> tensor<1024x512xf32> {
  %e = tensor.empty() : tensor<1024x512xf32>
  %x = linalg.matmul ins(%a, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %z = linalg.matmul ins(%t, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%z, %t : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  return %g : tensor<1024x512xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#cube = affine_map<(i, j, k) -> (i, j, k)>
#last = affine_map<(i, j, k) -> (k)>

// A factor of rows is read by each user in the user's shape, also that of a
// product, and is never stored.
// CHECK-LABEL: func @shapes
// CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<8xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[S]] : tensor<2x3x8xf32>, tensor<8xf32>)
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[S]] : tensor<6x8xf32>, tensor<8xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @shapes(%s: tensor<8xf32>, %x: tensor<2x3x8xf32>, %a: tensor<6x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %e = tensor.empty() : tensor<2x3x8xf32>
  %f = tensor.empty() : tensor<6x8xf32>
  %wide = linalg.generic {indexing_maps = [#last, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#cube, #cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %wide : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x8xf32>
  %p = linalg.matmul ins(%a, %w : tensor<6x8xf32>, tensor<8x8xf32>) outs(%f : tensor<6x8xf32>) -> tensor<6x8xf32>
  %flat = tensor.collapse_shape %wide [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %flat : tensor<6x8xf32>, tensor<6x8xf32>) outs(%f : tensor<6x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<6x8xf32>
  return %y, %z : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#same = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// An op that reads an operand at a constant index keeps its shape.
// CHECK-LABEL: func @constant_place
// CHECK: linalg.generic {{.*}}parallel", "parallel", "parallel"]} ins({{.*}} : tensor<3x7x16xf32>, tensor<3x7x1xf32>, tensor<3x7x16xf32>)
// CHECK: return
func.func @constant_place(%x: tensor<3x7x16xf32>, %m: tensor<3x7x1xf32>, %y: tensor<21x16xf32>) -> tensor<21x16xf32> {
  %e = tensor.empty() : tensor<3x7x16xf32>
  %f = tensor.empty() : tensor<21x16xf32>
  %d = linalg.generic {indexing_maps = [#all, #same, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %m : tensor<3x7x16xf32>, tensor<3x7x1xf32>) outs(%e : tensor<3x7x16xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.subf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<3x7x16xf32>
  %flat = tensor.collapse_shape %d [[0, 1], [2]] : tensor<3x7x16xf32> into tensor<21x16xf32>
  %z = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%flat, %y : tensor<21x16xf32>, tensor<21x16xf32>) outs(%f : tensor<21x16xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<21x16xf32>
  return %z : tensor<21x16xf32>
}
