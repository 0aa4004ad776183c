// RUN: flywheel-opt %s --nn-decompose --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @f(%x: tensor<2xf8E5M2>) -> tensor<2xf8E5M2> {
  // expected-error @+1 {{'nn.softsign' op expected element types of f16, bf16, f32, f64 or signless integers, found 'tensor<2xf8E5M2>'}}
  %0 = nn.softsign %x : tensor<2xf8E5M2>
  return %0 : tensor<2xf8E5M2>
}

// -----

func.func @f(%x: tensor<2x3xf32, "coo">) -> tensor<2x3xf32, "coo"> {
  // expected-error @+1 {{'nn.rms_norm' op expected tensors without encoding, found 'tensor<2x3xf32, "coo">'}}
  %0 = nn.rms_norm %x axes [1] epsilon 1.0e-3 : (tensor<2x3xf32, "coo">) -> tensor<2x3xf32, "coo">
  return %0 : tensor<2x3xf32, "coo">
}
