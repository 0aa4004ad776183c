// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// M6: calls of the host.
// RUN: flywheel-opt --flywheel-verify-host-calls --split-input-file --verify-diagnostics %s

func.func @once(%x: tensor<f32>, %status: tensor<i32>) -> tensor<i32> {
  %0 = linalg_ext.host_call "print" 0 ins(%x : tensor<f32>) outs(%status : tensor<i32>) {number = 0 : i64} -> tensor<i32>
  %1 = linalg_ext.host_call "print" 0 ins(%x : tensor<f32>) outs(%0 : tensor<i32>) {number = 1 : i64} -> tensor<i32>
  return %1 : tensor<i32>
}

// -----

func.func @twice(%x: tensor<f32>, %status: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
  %out = tensor.empty() : tensor<f32>
  %0:2 = linalg_ext.host_call "callback" 0 ins(%x : tensor<f32>) outs(%status, %out : tensor<i32>, tensor<f32>) {number = 0 : i64} -> tensor<i32>, tensor<f32>
  // expected-error@+1 {{'linalg_ext.host_call' op of kind 'callback' would run twice in each iteration: the derivative of the loop computes its iterations again and needs what the function returns; call it in front of the loop, or without a derivative of the loop}}
  %1:2 = linalg_ext.host_call "callback" 0 ins(%x : tensor<f32>) outs(%0#0, %out : tensor<i32>, tensor<f32>) {number = 0 : i64} -> tensor<i32>, tensor<f32>
  return %1#0, %1#1 : tensor<i32>, tensor<f32>
}
