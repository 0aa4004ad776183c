// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.variable @w : tensor<f32> = #train.ones

func.func @step() -> tensor<f32> {
  %a = train.read @w : tensor<f32>
  %b = train.read @w : tensor<f32>
  %square = arith.mulf %a, %b : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %loss = arith.mulf %square, %half : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
