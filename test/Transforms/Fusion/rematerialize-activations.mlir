// RUN: flywheel-opt %s --flywheel-rematerialize-activations --split-input-file | FileCheck %s

#point = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, j, k) -> (k, i)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// T32: an activation of 2 MiB that a product reads, and the gradient of the weight of
// that product: it is computed again where the gradient of the activation reads
// what both are computed from. The gradient of the weight comes after that.
// CHECK-LABEL: func @layer
// CHECK-SAME: %[[H:[a-z0-9]*]]: tensor<1024x512xf32>
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[H]] : tensor<1024x512xf32>)
// CHECK: math.tanh
// CHECK: linalg.matmul ins(%[[A]],
// CHECK: %[[Z:.*]] = linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK: %[[G:.*]]:2 = linalg.generic {{.*}} ins(%[[Z]], %[[H]] : tensor<1024x512xf32>, tensor<1024x512xf32>)
// CHECK-NEXT: ^bb0(%[[U:.*]]: f32, %[[V:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[D:.*]] = arith.mulf %[[U]]
// CHECK: %[[T:.*]] = math.tanh %[[V]]
// CHECK: linalg.yield %[[D]], %[[T]]
// CHECK: %[[DW:.*]] = linalg.matmul {{.*}} ins(%[[G]]#1, %{{.*}} : tensor<1024x512xf32>, tensor<1024x512xf32>)
// CHECK: return %{{.*}}, %[[G]]#0, %[[DW]]
func.func @layer(%h: tensor<1024x512xf32>, %w: tensor<512x512xf32>, %dy: tensor<1024x512xf32>)
    -> (tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<512x512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %ew = tensor.empty() : tensor<512x512xf32>
  %one = arith.constant 1.0 : f32
  %a = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %y = linalg.matmul ins(%a, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %dw = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %dy : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%ew : tensor<512x512xf32>) -> tensor<512x512xf32>
  %z = linalg.matmul ins(%y, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %g = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%z, %h : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.subf %one, %v : f32
    %1 = arith.mulf %u, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1024x512xf32>
  return %y, %g, %dw : tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<512x512xf32>
}

// -----

#point = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, j, k) -> (k, i)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// The op that adds to `h` after the block reads it too, but computing the activation
// there would keep both up to the gradients.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[H:[a-z0-9]*]]: tensor<1024x512xf32>
// CHECK: linalg.generic {{.*}} ins(%[[H]] : tensor<1024x512xf32>)
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[H]] : tensor<1024x512xf32>, tensor<1024x512xf32>)
// CHECK-NOT: math.tanh
// CHECK: %[[Z:.*]] = linalg.matmul
// CHECK: %[[G:.*]]:2 = linalg.generic {{.*}} ins(%[[Z]], %[[H]] : tensor<1024x512xf32>, tensor<1024x512xf32>)
// CHECK: math.tanh
// CHECK: linalg.matmul {{.*}} ins(%[[G]]#1,
func.func @residual(%h: tensor<1024x512xf32>, %w: tensor<512x512xf32>, %dy: tensor<1024x512xf32>)
    -> (tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<512x512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %ew = tensor.empty() : tensor<512x512xf32>
  %a = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %y = linalg.matmul ins(%a, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %sum = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%y, %h : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.addf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %dw = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %dy : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%ew : tensor<512x512xf32>) -> tensor<512x512xf32>
  %z = linalg.matmul ins(%sum, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %g = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%z, %h : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  return %sum, %g, %dw : tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<512x512xf32>
}

// -----

#point = affine_map<(i, j) -> (i, j)>

// Operands that the second use itself needs are kept for it, as are values that
// all users need before it: there is one math.tanh.
// CHECK-LABEL: func @needed
// CHECK: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
func.func @needed(%h: tensor<1024x512xf32>, %w: tensor<512x512xf32>) -> tensor<1024x512xf32> {
  %e = tensor.empty() : tensor<1024x512xf32>
  %a = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  %y = linalg.matmul ins(%a, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %z = linalg.matmul ins(%a, %w : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%y : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %g = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%z, %h : tensor<1024x512xf32>, tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<1024x512xf32>
  return %g : tensor<1024x512xf32>
}

// -----

#point = affine_map<(i, j) -> (i, j)>

// A small value is read faster than computed.
// CHECK-LABEL: func @small
// CHECK: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
func.func @small(%h: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.generic {indexing_maps = [#point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.tanh %u : f32
    linalg.yield %0 : f32
  } -> tensor<16x16xf32>
  %y = linalg.matmul ins(%a, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %g = linalg.generic {indexing_maps = [#point, #point, #point], iterator_types = ["parallel", "parallel"]}
      ins(%y, %h : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<16x16xf32>
  %dw = linalg.matmul ins(%a, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %g, %dw : tensor<16x16xf32>, tensor<16x16xf32>
}
