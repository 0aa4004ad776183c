// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// O28: a weight whose columns are neither a whole number of tiles nor of
// vectors is updated in place: nothing copies it or its slot.
// RUN: flywheel-compile %s --emit=flywheel-bufferize -o - | FileCheck %s --implicit-check-not='memref.copy {{.*}} : memref<1972' --implicit-check-not=snapshot
// CHECK-LABEL: func.func @step
// CHECK: linalg.matmul
train.variable @w : tensor<1972x1879xf32> = #train.zeros
func.func @step(%x: tensor<26x1972xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<1972x1879xf32>
  %y = nn.matmul %x, %w : (tensor<26x1972xf32>, tensor<1972x1879xf32>) -> tensor<26x1879xf32>
  %q = arith.mulf %y, %y : tensor<26x1879xf32>
  %l = nn.reduce mean %q axes [0, 1] : tensor<26x1879xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
  return %l : tensor<f32>
}
