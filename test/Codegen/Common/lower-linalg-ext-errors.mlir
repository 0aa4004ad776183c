// RUN: flywheel-opt %s --flywheel-lower-linalg-ext -verify-diagnostics -split-input-file \
// RUN:   | not grep module

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg_ext.scan' op expected memref operands: loops are made after bufferization}}
  %0 = linalg_ext.scan ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) axis 0 -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @sort(%i: memref<9xi32>, %order: memref<9xi64>, %spare: memref<9xi64>, %n: index) {
  // expected-error @+1 {{'linalg_ext.argsort' op expected room for counts, which a sort on a CPU needs; found none}}
  linalg_ext.argsort ins(%i : memref<9xi32>) below %n outs(%order, %spare : memref<9xi64>, memref<9xi64>)
  return
}
