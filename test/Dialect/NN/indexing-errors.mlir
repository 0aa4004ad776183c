// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of signless integer values}}
  %0 = nn.gather %x, %i axis 0 : (tensor<3x5xf32>, tensor<2xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected axis within [0, 2), found 2}}
  %0 = nn.gather %x, %i axis 2 : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<3x5x2xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected axis within [0, 2), found -1}}
  %0 = nn.gather %x, %i axis -1 : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x2xf32>', found 'tensor<2x5xf32>'}}
  %0 = nn.gather %x, %i axis 1 : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.gather %x, %i axis 0 : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<2x5xf64>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of indices and dimension 0 of updates, found 2 and 3}}
  %0 = nn.scatter_add %x, %i, %u axis 0 : (tensor<3x5xf32>, tensor<2xi32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3xi32>, %i: tensor<2xi32>, %u: tensor<2xi64>) {
  // expected-error @+1 {{expected one element type, found 'i32' and 'i64'}}
  %0 = nn.scatter_add %x, %i, %u axis 0 : (tensor<3xi32>, tensor<2xi32>, tensor<2xi64>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%x: tensor<3xi32>, %i: tensor<2xi32>, %u: tensor<2xi32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3xi32>', found 'tensor<4xi32>'}}
  %0 = nn.scatter_add %x, %i, %u axis 0 : (tensor<3xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<3xi1>, %i: tensor<2xi32>, %u: tensor<2xi1>) {
  // expected-error @+1 {{expected a numeric element type, found 'tensor<3xi1>'}}
  %0 = nn.scatter_add %x, %i, %u axis 0 : (tensor<3xi1>, tensor<2xi32>, tensor<2xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<2xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of indices and dimension 0 of updates, found 2 and 3}}
  %0 = nn.scatter %x, %i, %u axis 0 : (tensor<3x5xf32>, tensor<2xi32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xi1>) {
  // expected-error @+1 {{expected a numeric element type, found 'tensor<3x5xi1>'}}
  %0 = nn.cumsum %x axis 0 : tensor<3x5xi1> -> tensor<3x5xi1>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{expected axis within [0, 0), found 0}}
  %0 = nn.cumsum %x axis 0 : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x5xf32>', found 'tensor<3x4xf32>'}}
  %0 = nn.cumsum %x axis 0 : tensor<3x5xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{'nn.take_along_axis' op expected indices of rank 2, found rank 1}}
  %0 = nn.take_along_axis %x, %i axis 1 : (tensor<3x5xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<1x4xi32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of x and dimension 0 of indices, found 3 and 1}}
  %0 = nn.take_along_axis %x, %i axis 1 : (tensor<3x5xf32>, tensor<1x4xi32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<?x4xi32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x4xf32>', found 'tensor<2x4xf32>'}}
  %0 = nn.take_along_axis %x, %i axis 1 : (tensor<3x5xf32>, tensor<?x4xi32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{'nn.take_along_axis' op expected axis within [0, 0), found 0}}
  %0 = nn.take_along_axis %x, %i axis 0 : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<3x4xi32>) {
  // expected-error @+1 {{'nn.take_along_axis' op expected one element type, found 'f32' and 'f64'}}
  %0 = nn.take_along_axis %x, %i axis 1 : (tensor<3x5xf32>, tensor<3x4xi32>) -> tensor<3x4xf64>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>, %i: tensor<3x4xi32>, %u: tensor<3x2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of indices and dimension 1 of updates, found 4 and 2}}
  %0 = nn.scatter_add_along_axis %x, %i, %u axis 1 : (tensor<3x5xf32>, tensor<3x4xi32>, tensor<3x2xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xi1>, %i: tensor<3x4xi32>, %u: tensor<3x4xi1>) {
  // expected-error @+1 {{'nn.scatter_add_along_axis' op expected a numeric element type, found 'tensor<3x5xi1>'}}
  %0 = nn.scatter_add_along_axis %x, %i, %u axis 1 : (tensor<3x5xi1>, tensor<3x4xi32>, tensor<3x4xi1>) -> tensor<3x5xi1>
  return
}

// -----

func.func @f(%x: tensor<3x5xi1>) {
  // expected-error @+1 {{'nn.cumprod' op expected a numeric element type, found 'tensor<3x5xi1>'}}
  %0 = nn.cumprod %x axis 0 : tensor<3x5xi1> -> tensor<3x5xi1>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{'nn.cumprod' op expected axis within [0, 2), found 2}}
  %0 = nn.cumprod %x axis 2 : tensor<3x5xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.cumprod %x axis 0 : tensor<3x5xf32> -> tensor<3x5xf64>
  return
}

// -----

func.func @f(%x: tensor<3x5xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point values, but got 'tensor<3x5xi32>'}}
  %0 = nn.logcumsumexp %x axis 0 : tensor<3x5xi32> -> tensor<3x5xi32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{'nn.logcumsumexp' op expected axis within [0, 2), found 2}}
  %0 = nn.logcumsumexp %x axis 2 : tensor<3x5xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.logcumsumexp %x axis 0 : tensor<3x5xf32> -> tensor<3x5xf64>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x5xf32>', found 'tensor<5x3xf32>'}}
  %0 = nn.logcumsumexp %x axis 0 : tensor<3x5xf32> -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%i: tensor<3xi32>, %x: tensor<4x5xf32>) {
  // expected-error @+1 {{expected axis within [0, 2), found 2}}
  %0 = nn.check_indices %i of %x axis 2 : tensor<3xi32>, tensor<4x5xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected `like` for a result with dynamic dimension sizes, found none}}
  %0 = nn.iota axis 0 : () -> tensor<?xi32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<3x5xi32>', found 'tensor<3x?x1xi32>'}}
  %0 = nn.iota axis 0 like %x : (tensor<3x5xf32>) -> tensor<3x?x1xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected axis within [0, 1), found 1}}
  %0 = nn.iota axis 1 : () -> tensor<3xi32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected one multiple for each of the 2 dimensions of x, found 1}}
  %0 = nn.tile %x multiples [2] : tensor<3x5xf32> -> tensor<6x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected multiples of at least 0, found -1}}
  %0 = nn.tile %x multiples [2, -1] : tensor<3x5xf32> -> tensor<6x5xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected a result of type 'tensor<6x5xf32>', found 'tensor<5x6xf32>'}}
  %0 = nn.tile %x multiples [2, 1] : tensor<3x5xf32> -> tensor<5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  %0 = nn.tile %x multiples [1, 1] : tensor<3x5xf32> -> tensor<3x5xf64>
  return
}

// -----

func.func @f(%x: tensor<3x0xf32>) {
  // expected-error @+1 {{expected a non-empty axis, found 'tensor<3x0xf32>'}}
  %0 = nn.argmin %x axis 1 : tensor<3x0xf32> -> tensor<3xi32>
  return
}

// -----

// X14: dimension sizes do not overflow.
func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{expected dimension sizes below 2^63, found 4 repeated 9223372036854775807 times}}
  %0 = nn.tile %x multiples [9223372036854775807, 1] : tensor<4x5xf32> -> tensor<?x5xf32>
  return
}
