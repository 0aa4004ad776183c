// RUN: flywheel-opt %s --flywheel-index-on-gpu --verify-diagnostics

func.func @gather(%x: tensor<7x3xf32>, %i: tensor<?xi32>, %out: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error @below {{'linalg_ext.gather' op expected memref operands: launches are made after bufferization}}
  %y = linalg_ext.gather ins(%x, %i : tensor<7x3xf32>, tensor<?xi32>) outs(%out : tensor<?x3xf32>) axis 0 -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
