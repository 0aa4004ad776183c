// RUN: flywheel-opt %s --flywheel-insert-state-copies --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4xf32>, %v: tensor<4xf32>) {
  // expected-error@below {{'linalg_ext.commit' op expected buffers, found tensors}}
  linalg_ext.commit %x to %v : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @shapes(%x: memref<4xf32>, %v: memref<5xf32>) {
  // expected-error@below {{'linalg_ext.commit' op expected a value with the shape of 'tensor<5xf32>', found 'memref<4xf32>'}}
  linalg_ext.commit %x to %v : memref<4xf32> to memref<5xf32>
  return
}

// -----

func.func @elements(%x: memref<4xf32>, %v: memref<4xf64>) {
  // expected-error@below {{'linalg_ext.commit' op expected}}
  linalg_ext.commit %x to %v : memref<4xf32> to memref<4xf64>
  return
}
