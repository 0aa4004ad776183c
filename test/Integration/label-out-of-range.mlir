// X5: a label outside [0, classes) is an error, never a wrong number.
// RUN: flywheel-opt %s --convert-nn-to-linalg --cse --mlir-print-debuginfo | %to_llvm > %t
// RUN: not --crash stdbuf -oL %runner %t 2>&1 | FileCheck %s

// CHECK: label out of range: expected 0 <= label < 3 in 'nn.sparse_softmax_cross_entropy' at {{.*}}label-out-of-range.mlir:[[#@LINE+2]]:8
func.func @loss(%x: tensor<?x3xf32>, %label: tensor<?xi8>) -> tensor<f32> {
  %0 = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x3xf32>, tensor<?xi8>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main() {
  %x = arith.constant dense<0.0> : tensor<2x3xf32>
  %label = arith.constant dense<[2, -1]> : tensor<2xi8>
  %xd = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
  %ld = tensor.cast %label : tensor<2xi8> to tensor<?xi8>
  %0 = call @loss(%xd, %ld) : (tensor<?x3xf32>, tensor<?xi8>) -> tensor<f32>
  return
}
