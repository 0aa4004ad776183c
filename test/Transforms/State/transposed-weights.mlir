// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg \
// RUN:   --flywheel-fuse --flywheel-bufferize --verify-diagnostics \
// RUN: | FileCheck %s --implicit-check-not=train.snapshot --implicit-check-not="memref.copy %view"
// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg=lowering=reference \
// RUN:   --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference --verify-diagnostics \
// RUN: | FileCheck %s --implicit-check-not=train.snapshot --implicit-check-not="memref.copy %view"

// A weight that is transposed and packed transposed is the weight itself: it is
// read before its update, and no step makes a copy of it (A10).
// CHECK-LABEL: func.func @step.kernel(
// CHECK: return
train.variable @w0 : tensor<32x64xf32>
train.variable @b0 : tensor<32xf32>
train.variable @w2 : tensor<10x32xf32>
func.func @step(%x: tensor<16x64xf32>, %y: tensor<16xi64>) -> tensor<f32> {
  %w0 = train.read @w0 : tensor<32x64xf32>
  %w2 = train.read @w2 : tensor<10x32xf32>
  %b0 = train.read @b0 : tensor<32xf32>
  %product = nn.matmul %x, %w0 {transpose_b} : (tensor<16x64xf32>, tensor<32x64xf32>) -> tensor<16x32xf32>
  %bias = nn.broadcast %b0 dims [1] : (tensor<32xf32>) -> tensor<16x32xf32>
  %z = arith.addf %product, %bias : tensor<16x32xf32>
  %h = nn.relu %z : tensor<16x32xf32>
  %empty = tensor.empty() : tensor<32x10xf32>
  %t2 = linalg.transpose ins(%w2 : tensor<10x32xf32>) outs(%empty : tensor<32x10xf32>) permutation = [1, 0]
  %scores = nn.dense %h, %t2 : (tensor<16x32xf32>, tensor<32x10xf32>) -> tensor<16x10xf32>
  %loss = nn.sparse_softmax_cross_entropy %scores, %y : (tensor<16x10xf32>, tensor<16xi64>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
