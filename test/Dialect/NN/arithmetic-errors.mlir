// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{expected shapes that broadcast: dimension sizes aligned at the end that are equal, or one of them 1; found 3 and 2}}
  %0 = nn.add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x1xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<2x3xf32>', found 'tensor<2x1xf32>'}}
  %0 = nn.mul %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.max %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = nn.add %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point values}}
  %0 = nn.pow %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}
