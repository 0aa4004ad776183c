// RUN: flywheel-opt %s --flywheel-fuse-epilogues --split-input-file | FileCheck %s

#point = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// T32: a layer writes its activation, and what that is computed from for its
// gradient, in one loop: the one of its product.
// CHECK-LABEL: func @layer
// CHECK: %[[T:.*]] = linalg.matmul
// CHECK-NEXT: %[[E:.*]]:2 = linalg.generic {{.*}} ins(%[[T]], %{{.*}} : tensor<8x16xf32>, tensor<16xf32>)
// CHECK: %[[H:.*]] = arith.addf
// CHECK: %[[A:.*]] = math.tanh %[[H]]
// CHECK: linalg.yield %[[H]], %[[A]]
// CHECK: linalg.matmul ins(%[[E]]#1,
// CHECK: linalg.generic {{.*}} ins(%[[E]]#0 : tensor<8x16xf32>)
func.func @layer(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>, %v: tensor<16x16xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %t = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %h = linalg.generic {indexing_maps = [#point, #column, #point], iterator_types = ["parallel", "parallel"]}
      ins(%t, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%u: f32, %c: f32, %o: f32):
    %0 = arith.addf %u, %c : f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %a = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %y = linalg.matmul ins(%a, %v : tensor<8x16xf32>, tensor<16x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %g = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.exp %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  return %y, %g : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

#point = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// Not where the first reader reads it elsewhere, or what comes first is a loop.
// CHECK-LABEL: func @apart
// CHECK: linalg.matmul
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: arith.negf
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[H]] : tensor<8x8xf32>)
// CHECK: math.tanh
// CHECK: linalg.matmul
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: arith.negf
// CHECK: linalg.matmul ins(%[[G]], %[[G]]
// CHECK: linalg.generic {{.*}} ins(%[[G]] : tensor<8x8xf32>)
// CHECK: math.exp
func.func @apart(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.negf %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %a = linalg.generic {indexing_maps = [#turned, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %s = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.negf %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %p = linalg.matmul ins(%g, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.exp %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  return %h, %a, %p, %q : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#point = affine_map<(i, j) -> (i, j)>

// An operand that the next op reads twice, or as two results, it reads once.
// Values that only it reads are not written.
// CHECK-LABEL: func @twice
// CHECK: %[[T:.*]] = linalg.matmul
// CHECK-NEXT: %[[E:.*]]:2 = linalg.generic {{.*}} ins(%[[T]] : tensor<8x8xf32>)
// CHECK-NEXT: ^bb0(%[[U:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[H:.*]] = arith.negf %[[U]]
// CHECK: %[[S:.*]] = arith.mulf %[[H]], %[[H]]
// CHECK: %[[V:.*]] = arith.addf %[[S]], %[[H]]
// CHECK: linalg.yield %[[H]], %[[V]]
// CHECK: linalg.matmul ins(%[[E]]#1, %[[E]]#0
func.func @twice(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.negf %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h, %h : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%s, %h : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.addf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%r, %h : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
