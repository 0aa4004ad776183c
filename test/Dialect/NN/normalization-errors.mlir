// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected axes within [0, 2), found 2}}
  %0 = nn.layer_norm %x axes [2] epsilon 1.0e-3 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected at least one axis, found none}}
  %0 = nn.rms_norm %x axes [] epsilon 1.0e-3 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected an epsilon of at least 0, found -1.000000e+00}}
  %0 = nn.rms_norm %x axes [1] epsilon -1.0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{expected equal dimension sizes of gamma and x, found 8 and 4}}
  %0 = nn.layer_norm %x gamma %g axes [1] epsilon 1.0e-3 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) {
  // expected-error @+1 {{expected beta of rank 1, found rank 2}}
  %0 = nn.layer_norm %x beta %g axes [1] epsilon 1.0e-3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %g: tensor<8xf64>) {
  // expected-error @+1 {{expected gamma of element type 'f32', found 'tensor<8xf64>'}}
  %0 = nn.layer_norm %x gamma %g axes [1] epsilon 1.0e-3 : (tensor<4x8xf32>, tensor<8xf64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{expected a result of x's element type 'f16', found 'tensor<4x8xf32>'}}
  %0 = nn.layer_norm %x axes [1] epsilon 1.0e-3 : (tensor<4x8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected x of rank at least 2, found rank 1}}
  %0:3 = nn.batch_norm_training %x epsilon 1.0e-3 : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<8xf32>', found 'tensor<4xf32>'}}
  %0:3 = nn.batch_norm_training %x epsilon 1.0e-3 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %m: tensor<8xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<4x8xf32>', found 'tensor<3x8xf32>'}}
  %0 = nn.batch_norm_inference %x mean %m variance %m epsilon 1.0e-3 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  return
}
