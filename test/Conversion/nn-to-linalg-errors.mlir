// RUN: flywheel-opt %s --convert-nn-to-linalg -split-input-file -verify-diagnostics \
// RUN:   | not grep module

// X14:
func.func @f(%x: tensor<2xf8E5M2>) -> tensor<2xf8E5M2> {
  // expected-error @+1 {{'nn.relu' op expected element types of f16, bf16, f32, f64 or signless integers, found 'tensor<2xf8E5M2>'}}
  %0 = nn.relu %x : tensor<2xf8E5M2>
  return %0 : tensor<2xf8E5M2>
}

// -----

func.func @f(%x: tensor<2x2xf128>) -> tensor<2x2xf128> {
  // expected-error @+1 {{'nn.softmax' op expected element types of f16, bf16, f32, f64 or signless integers, found 'tensor<2x2xf128>'}}
  %0 = nn.softmax %x : tensor<2x2xf128>
  return %0 : tensor<2x2xf128>
}

// -----

func.func @f(%x: tensor<2xf32, 1>) -> tensor<2xf32, 1> {
  // expected-error @+1 {{'arith.addf' op expected tensors without encoding, found 'tensor<2xf32, 1 : i64>'}}
  %0 = arith.addf %x, %x : tensor<2xf32, 1>
  return %0 : tensor<2xf32, 1>
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>> {
  // expected-error @+1 {{'nn.broadcast' op expected element types of f16, bf16, f32, f64 or signless integers, found 'tensor<2xcomplex<f32>>'}}
  %0 = nn.broadcast %x dims [1] : (tensor<2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  return %0 : tensor<3x2xcomplex<f32>>
}

// -----

// X14:
func.func @f(%x: tensor<3x3xf32>, %i: tensor<2x1xindex>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tensor.gather' op has no lowering: expected 'nn.gather' or 'nn.scatter_add', whose indices are checked}}
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<3x3xf32>, tensor<2x1xindex>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
