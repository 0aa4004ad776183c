// T33: every sum of products of a step of real size is computed with its output in
// registers: a remark would say of one that is not, and fail this test.
// RUN: flywheel-opt %s --split-input-file --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t
// RUN: flywheel-opt %src_root/examples/digits/digits.mlir --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t
// RUN: flywheel-opt %src_root/examples/gan/gan.mlir --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t
// RUN: flywheel-opt %src_root/examples/lenet/lenet.mlir --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t
// RUN: flywheel-opt %src_root/examples/matrix-factorization/factorization.mlir --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t
// RUN: flywheel-opt %src_root/examples/resnet/resnet.mlir --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t
// RUN: flywheel-opt %src_root/examples/transformer/transformer.mlir --verify-diagnostics --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse --flywheel-bufferize --flywheel-loops -o %t

// Two convolutions with relu and a residual.
train.variable @w1 : tensor<3x3x64x64xf32> = #train.glorot_uniform
train.variable @w2 : tensor<3x3x64x64xf32> = #train.glorot_uniform
func.func @step(%x: tensor<8x32x32x64xf32>) -> tensor<f32> {
  %w1 = train.read @w1 : tensor<3x3x64x64xf32>
  %w2 = train.read @w2 : tensor<3x3x64x64xf32>
  %y = nn.conv2d %x, %w1 padding same : (tensor<8x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<8x32x32x64xf32>
  %r = nn.relu %y : tensor<8x32x32x64xf32>
  %z = nn.conv2d %r, %w2 padding same : (tensor<8x32x32x64xf32>, tensor<3x3x64x64xf32>) -> tensor<8x32x32x64xf32>
  %s = arith.addf %z, %x : tensor<8x32x32x64xf32>
  %q = nn.relu %s : tensor<8x32x32x64xf32>
  %l = nn.l2_loss %q : tensor<8x32x32x64xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.momentum<lr = 1.0e-9>
  return %l : tensor<f32>
}

// -----

// Convolutions, pools and products.
train.variable @w1 : tensor<5x5x1x32xf32> = #train.glorot_uniform
train.variable @w2 : tensor<5x5x32x64xf32> = #train.glorot_uniform
train.variable @w3 : tensor<3136x1024xf32> = #train.glorot_uniform
train.variable @w4 : tensor<1024x10xf32> = #train.glorot_uniform
func.func @step(%x: tensor<64x28x28x1xf32>, %y: tensor<64xi32>) -> tensor<f32> {
  %w1 = train.read @w1 : tensor<5x5x1x32xf32>
  %w2 = train.read @w2 : tensor<5x5x32x64xf32>
  %w3 = train.read @w3 : tensor<3136x1024xf32>
  %w4 = train.read @w4 : tensor<1024x10xf32>
  %c1 = nn.conv2d %x, %w1 padding same : (tensor<64x28x28x1xf32>, tensor<5x5x1x32xf32>) -> tensor<64x28x28x32xf32>
  %r1 = nn.relu %c1 : tensor<64x28x28x32xf32>
  %p1 = nn.max_pool2d %r1 window [2, 2] strides [2, 2] : (tensor<64x28x28x32xf32>) -> tensor<64x14x14x32xf32>
  %c2 = nn.conv2d %p1, %w2 padding same : (tensor<64x14x14x32xf32>, tensor<5x5x32x64xf32>) -> tensor<64x14x14x64xf32>
  %r2 = nn.relu %c2 : tensor<64x14x14x64xf32>
  %p2 = nn.max_pool2d %r2 window [2, 2] strides [2, 2] : (tensor<64x14x14x64xf32>) -> tensor<64x7x7x64xf32>
  %f = tensor.collapse_shape %p2 [[0], [1, 2, 3]] : tensor<64x7x7x64xf32> into tensor<64x3136xf32>
  %h = nn.matmul %f, %w3 : (tensor<64x3136xf32>, tensor<3136x1024xf32>) -> tensor<64x1024xf32>
  %r3 = nn.relu %h : tensor<64x1024xf32>
  %z = nn.matmul %r3, %w4 : (tensor<64x1024xf32>, tensor<1024x10xf32>) -> tensor<64x10xf32>
  %l = nn.sparse_softmax_cross_entropy %z, %y reduction mean : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.adam<lr = 1.0e-9>
  return %l : tensor<f32>
}

// -----

// Attention of eight heads.
train.variable @wq : tensor<256x256xf32> = #train.glorot_uniform
train.variable @wk : tensor<256x256xf32> = #train.glorot_uniform
train.variable @wv : tensor<256x256xf32> = #train.glorot_uniform
func.func @step(%x: tensor<2048x256xf32>) -> tensor<f32> {
  %wq = train.read @wq : tensor<256x256xf32>
  %wk = train.read @wk : tensor<256x256xf32>
  %wv = train.read @wv : tensor<256x256xf32>
  %q0 = nn.matmul %x, %wq : (tensor<2048x256xf32>, tensor<256x256xf32>) -> tensor<2048x256xf32>
  %k0 = nn.matmul %x, %wk : (tensor<2048x256xf32>, tensor<256x256xf32>) -> tensor<2048x256xf32>
  %v0 = nn.matmul %x, %wv : (tensor<2048x256xf32>, tensor<256x256xf32>) -> tensor<2048x256xf32>
  %q = tensor.expand_shape %q0 [[0, 1], [2, 3]] output_shape [16, 128, 8, 32] : tensor<2048x256xf32> into tensor<16x128x8x32xf32>
  %k = tensor.expand_shape %k0 [[0, 1], [2, 3]] output_shape [16, 128, 8, 32] : tensor<2048x256xf32> into tensor<16x128x8x32xf32>
  %v = tensor.expand_shape %v0 [[0, 1], [2, 3]] output_shape [16, 128, 8, 32] : tensor<2048x256xf32> into tensor<16x128x8x32xf32>
  %a = nn.attention %q, %k, %v : (tensor<16x128x8x32xf32>, tensor<16x128x8x32xf32>, tensor<16x128x8x32xf32>) -> tensor<16x128x8x32xf32>
  %l = nn.l2_loss %a : tensor<16x128x8x32xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.adam<lr = 1.0e-9>
  return %l : tensor<f32>
}

// -----

// Wide layers.
train.variable @w1 : tensor<1024x1024xf32> = #train.glorot_uniform
train.variable @w2 : tensor<1024x1024xf32> = #train.glorot_uniform
train.variable @b1 : tensor<1024xf32> = #train.zeros
func.func @step(%x: tensor<256x1024xf32>) -> tensor<f32> {
  %w1 = train.read @w1 : tensor<1024x1024xf32>
  %w2 = train.read @w2 : tensor<1024x1024xf32>
  %b1 = train.read @b1 : tensor<1024xf32>
  %y = nn.dense %x, %w1, %b1 : (tensor<256x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<256x1024xf32>
  %r = nn.relu %y : tensor<256x1024xf32>
  %z = nn.matmul %r, %w2 : (tensor<256x1024xf32>, tensor<1024x1024xf32>) -> tensor<256x1024xf32>
  %l = nn.l2_loss %z : tensor<256x1024xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.adam<lr = 1.0e-9>
  return %l : tensor<f32>
}

// -----

// The derivative of a product that the program writes out has operands that it does
// not use.
train.variable @w : tensor<32x48xf64> = #train.random_normal<stddev = 0.2>
func.func @step(%x: tensor<4x32x48xf64>) -> tensor<f64> {
  %w = train.read @w : tensor<32x48xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x32x32xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<4x32x32xf64>) -> tensor<4x32x32xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x32x48xf64>, tensor<32x48xf64>) outs(%i : tensor<4x32x32xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %pq = arith.mulf %p, %q : f64
    %s = arith.addf %o, %pq : f64
    linalg.yield %s : f64
  } -> tensor<4x32x32xf64>
  %r = math.tanh %y : tensor<4x32x32xf64>
  %l = nn.l2_loss %r : tensor<4x32x32xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.01>
  return %l : tensor<f64>
}
