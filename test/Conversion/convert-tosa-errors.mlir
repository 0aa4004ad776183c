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

// -----

func.func @depthwise(%x: tensor<2x5x6x3xf64>, %w: tensor<3x2x3x2xf64>, %b: tensor<6xf64>) -> tensor<2x5x7x6xf64> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf64>}> : () -> tensor<1xf64>
  // expected-error @+1 {{'tosa.depthwise_conv2d' op is not supported with elements of type 'f64' and an accumulator of type 'f32', which holds less: expected an op of 'linalg', such as 'linalg.depthwise_conv_2d_nhwc_hwcm'}}
  %y = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<2x5x6x3xf64>, tensor<3x2x3x2xf64>, tensor<6xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<2x5x7x6xf64>
  return %y : tensor<2x5x7x6xf64>
}
