// RUN: flywheel-opt %s --flywheel-vectorize-kernels --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @tensors(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expected memref operands: kernels are made after bufferization}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @not_structured(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  // expected-error @below {{has no vector or loop lowering on buffers}}
  linalg.softmax dimension(1) ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}
