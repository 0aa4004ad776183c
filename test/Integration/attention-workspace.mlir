// A step of attention, as of a small transformer, has no tensor of all scores: neither for its value nor
// for its gradient. The scores and their gradient alone would be 16 MiB; the workspace
// has 19 MB at most.
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v4 --emit=flywheel-bufferize -o - | FileCheck %s --implicit-check-not=16x8x128x128
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v4 --report -o %t.o 2>&1 | FileCheck %s --check-prefix=REPORT
// Two workers have a tile each, and no more.
// RUN: flywheel-compile %s --target-triple=x86_64-unknown-linux-gnu --cpu=x86-64-v4 --threads=2 --emit=flywheel-bufferize -o - | FileCheck %s --implicit-check-not=16x8x128x128

// CHECK: func.func @step.kernel
// CHECK: memref<1x1x128x128xf32>
// REPORT: workspace of step {{ *1[0-9]([0-9][0-9][0-9])([0-9][0-9][0-9]) bytes}}

train.variable @query : tensor<256x256xf32> = #train.glorot_uniform
train.variable @key : tensor<256x256xf32> = #train.glorot_uniform
train.variable @value : tensor<256x256xf32> = #train.glorot_uniform
func.func @step(%x: tensor<16x128x256xf32>) -> tensor<f32> {
  %wq = train.read @query : tensor<256x256xf32>
  %wk = train.read @key : tensor<256x256xf32>
  %wv = train.read @value : tensor<256x256xf32>
  %q = func.call @project(%x, %wq) : (tensor<16x128x256xf32>, tensor<256x256xf32>) -> tensor<16x8x128x32xf32>
  %k = func.call @project(%x, %wk) : (tensor<16x128x256xf32>, tensor<256x256xf32>) -> tensor<16x8x128x32xf32>
  %v = func.call @project(%x, %wv) : (tensor<16x128x256xf32>, tensor<256x256xf32>) -> tensor<16x8x128x32xf32>
  %a = nn.attention %q, %k, %v causal : (tensor<16x8x128x32xf32>, tensor<16x8x128x32xf32>, tensor<16x8x128x32xf32>) -> tensor<16x8x128x32xf32>
  %l = nn.l2_loss %a : tensor<16x8x128x32xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.adam<lr = 1.0e-3>
  return %l : tensor<f32>
}
func.func private @project(%x: tensor<16x128x256xf32>, %w: tensor<256x256xf32>) -> tensor<16x8x128x32xf32> {
  %y = nn.dense %x, %w : (tensor<16x128x256xf32>, tensor<256x256xf32>) -> tensor<16x128x256xf32>
  %parts = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [16, 128, 8, 32] : tensor<16x128x256xf32> into tensor<16x128x8x32xf32>
  %e = tensor.empty() : tensor<16x8x128x32xf32>
  %heads = linalg.transpose ins(%parts : tensor<16x128x8x32xf32>) outs(%e : tensor<16x8x128x32xf32>) permutation = [0, 2, 1, 3]
  return %heads : tensor<16x8x128x32xf32>
}
