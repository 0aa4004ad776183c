// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<3x3xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float or 64-bit float values}}
  %0 = nn.cholesky %a : tensor<3x3xf16>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{expected a of rank at least 2, found rank 1}}
  %0 = nn.cholesky %a : tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of a and dimension 1 of a, found 3 and 4}}
  %0 = nn.cholesky %a : tensor<3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of a and dimension 1 of a, found 3 and 4}}
  %0, %1 = nn.try_cholesky %a : tensor<3x4xf32>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected b of rank 2, found rank 1}}
  %0 = nn.triangular_solve lower %a, %b : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of a and dimension 0 of b, found 3 and 4}}
  %0 = nn.triangular_solve lower %a, %b : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x3xf32>, %b: tensor<5x3x2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of a and dimension 0 of b, found 2 and 5}}
  %0 = nn.triangular_solve lower %a, %b : (tensor<2x3x3xf32>, tensor<5x3x2xf32>) -> tensor<5x3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.triangular_solve upper %a, %b : (tensor<3x3xf32>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x2xf32>', found 'tensor<2x3xf32>'}}
  %0 = nn.triangular_solve upper %a, %b : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<5x3xf32>, %b: tensor<5x2xf32>) {
  // expected-error @+1 {{expected an l2 of at least 0, found -1.000000e+00 : f64}}
  %0 = nn.lstsq %a, %b l2 -1.0 : (tensor<5x3xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<5x3xf32>, %b: tensor<5x2xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x2xf32>', found 'tensor<5x2xf32>'}}
  %0 = nn.lstsq %a, %b : (tensor<5x3xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @f(%a: tensor<5x3xf32>, %b: tensor<5x2xf32>, %l2: tensor<f64>) {
  // expected-error @+1 {{expected one element type}}
  %0 = nn.lstsq %a, %b l2 %l2 : (tensor<5x3xf32>, tensor<5x2xf32>, tensor<f64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<5x3xf32>, %b: tensor<5x2xf32>, %l2: tensor<1xf32>) {
  // expected-error @+1 {{operand #2 must be 0D tensor}}
  %0 = nn.lstsq %a, %b l2 %l2 : (tensor<5x3xf32>, tensor<5x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<5x3xf32>, %b: tensor<5x2xf32>, %l2: tensor<f32>) {
  // expected-error @+1 {{expected one l2, found an operand and 5.000000e-01 : f64}}
  %0 = "nn.lstsq"(%a, %b, %l2) <{l2 = 0.5 : f64}> : (tensor<5x3xf32>, tensor<5x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%a: tensor<5x3xf32>, %b: tensor<5x2xf32>) {
  // expected-error @+1 {{expected attribute value}}
  %0 = nn.lstsq %a, %b l2 : (tensor<5x3xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}
