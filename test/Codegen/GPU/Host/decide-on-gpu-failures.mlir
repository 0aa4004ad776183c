// RUN: flywheel-compile %s --target=cuda:sm_90a --emit=flywheel-loops -o - | FileCheck %s

// D9: Failures that share a block are told apart by its arguments: where the host waits for what is
// pending in front of one, it passes them on.
// CHECK-LABEL: func.func @examples.kernel(
// CHECK: gpu.launch_func
// CHECK: cf.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[WAIT:bb[0-9]+]](%{{.*}} : index, index, i32)
// CHECK: ^[[WAIT]](%{{.*}}: index, %{{.*}}: index, %{{.*}}: i32):
// CHECK: call @flywheel_gpu_await(%c0_i32{{.*}}) : (i32) -> i32
// CHECK: cf.cond_br
func.func @losses(%x: tensor<?x4x4x2xf32>, %label: tensor<?xi32>, %f: tensor<3x3x2x4xf32>, %w: tensor<16x5xf32>) -> tensor<?xf32> attributes {inline} {
  %a = nn.conv2d %x, %f padding same : (tensor<?x4x4x2xf32>, tensor<3x3x2x4xf32>) -> tensor<?x4x4x4xf32>
  %p = nn.max_pool2d %a window [2, 2] : (tensor<?x4x4x4xf32>) -> tensor<?x2x2x4xf32>
  %flat = tensor.collapse_shape %p [[0], [1, 2, 3]] : tensor<?x2x2x4xf32> into tensor<?x16xf32>
  %o = nn.matmul %flat, %w : (tensor<?x16xf32>, tensor<16x5xf32>) -> tensor<?x5xf32>
  %loss = nn.sparse_softmax_cross_entropy %o, %label reduction none : (tensor<?x5xf32>, tensor<?xi32>) -> tensor<?xf32>
  return %loss : tensor<?xf32>
}
func.func @examples(%x: tensor<?x4x4x2xf32>, %label: tensor<?xi32>, %f: tensor<3x3x2x4xf32>, %w: tensor<16x5xf32>) -> tensor<?x3x3x2x4xf32> {
  %loss = func.call @losses(%x, %label, %f, %w) : (tensor<?x4x4x2xf32>, tensor<?xi32>, tensor<3x3x2x4xf32>, tensor<16x5xf32>) -> tensor<?xf32>
  %r = train.jacobian %loss wrt %f : (tensor<?xf32>, tensor<3x3x2x4xf32>) -> tensor<?x3x3x2x4xf32>
  return %r : tensor<?x3x3x2x4xf32>
}
