// RUN: flywheel-opt %s --flywheel-lower-linalg-ext -verify-diagnostics \
// RUN:   | not grep module

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg_ext.scan' op expected memref operands: loops are made after bufferization}}
  %0 = linalg_ext.scan ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) axis 0 -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
