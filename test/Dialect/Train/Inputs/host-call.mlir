// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step that calls the host.

func.func @step(%x: tensor<2xf32>) -> tensor<2xf32> {
  train.host_call "print" 0(%x) : (tensor<2xf32>) -> ()
  return %x : tensor<2xf32>
}
