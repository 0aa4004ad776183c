// RUN: flywheel-opt %s --train-lower-element-types --split-input-file -verify-diagnostics

func.func @compute(%x: tensor<2xui8>) -> tensor<2xui8> {
  // expected-error @+1 {{expected operands and results of signless integers or floating-point numbers, found 'tensor<2xui8>': use tensor.bitcast to make them signless}}
  %0 = tosa.add %x, %x : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
