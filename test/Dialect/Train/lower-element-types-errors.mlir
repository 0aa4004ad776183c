// RUN: flywheel-opt %s --train-lower-element-types --split-input-file -verify-diagnostics \
// RUN:   | not grep module

func.func @compute(%x: tensor<2xui8>) -> tensor<2xui8> {
  // expected-error @+1 {{expected operands and results of signless integers or floating-point numbers, found 'tensor<2xui8>': tensor.bitcast makes unsigned ones signless, and strings are only moved and compared}}
  %0 = tosa.add %x, %x : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// V4:
func.func @hash(%x: tensor<2x!train.string>) -> tensor<2xi32> {
  // expected-error @+1 {{strings are only moved and compared}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<2x!train.string> to tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// expected-error@+1 {{expected no attribute 'train.strings': this pass attaches it}}
module attributes {train.strings = ["cat"]} {
}
