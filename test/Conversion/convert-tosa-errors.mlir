// RUN: flywheel-opt %s --flywheel-convert-tosa --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @halves(%x: tensor<3xi8>, %m: tensor<1xi8>) -> tensor<3xi8> {
  // expected-error @+1 {{'tosa.mul' op is not supported with these types and attributes; operands are of 'tensor<3xi8>', 'tensor<3xi8>', 'tensor<1xi8>'; docs/OpSupport.md lists what is}}
  %y = tosa.mul %x, %x, %m : (tensor<3xi8>, tensor<3xi8>, tensor<1xi8>) -> tensor<3xi8>
  return %y : tensor<3xi8>
}

// -----

// Upstream's lowering takes every shift for a constant.
func.func @shift(%x: tensor<4xi8>, %s: tensor<1xi8>) -> tensor<4xi8> {
  // expected-error@below {{'tosa.mul' op is not supported with these types and attributes; operands are of 'tensor<4xi8>', 'tensor<4xi8>', 'tensor<1xi8>'; docs/OpSupport.md lists what is}}
  %y = tosa.mul %x, %x, %s : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}
