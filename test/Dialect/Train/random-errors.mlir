// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

func.func @dim_sizes(%n: index) -> tensor<?x?xf32> {
  // expected-error @+1 {{expected 2 dimension sizes for 'tensor<?x?xf32>', found 1}}
  %0 = train.random #train.random_normal(%n) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @integers() -> tensor<2xi32> {
  // I3: expected-error @+1 {{Must specify maxval for integer dtype 'i32'}}
  %0 = train.random #train.random_uniform -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @normal() -> tensor<2xi32> {
  // I4: expected-error @+1 {{expected a floating-point type for random_normal, found 'tensor<2xi32>'}}
  %0 = train.random #train.random_normal -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @fans(%n: index) -> tensor<?x2xf32> {
  // expected-error @+1 {{expected a static shape for #train.glorot_uniform, found 'tensor<?x2xf32>'}}
  %0 = train.random #train.glorot_uniform(%n) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @elements() -> tensor<2xindex> {
  // expected-error @+1 {{expected elements that a variable can have, and no strings, found 'tensor<2xindex>'}}
  %0 = train.random #train.random_normal -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// -----

// expected-error @+1 {{expected type tensor<2xi64> for stream, found 'tensor<f32>'}}
train.variable @s : tensor<f32> = #train.stream

// -----

func.func @constant() -> tensor<2xf32> {
  // expected-error @+1 {{expected an initializer that draws, found #train.zeros}}
  %0 = train.random #train.zeros -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// I3: expected-error @+1 {{expected bounds and a range that are finite in 'f16', found -1.000000e+06 and 1.000000e+06}}
train.variable @v : tensor<f16> = #train.random_uniform<minval = -1.0e6, maxval = 1.0e6>

// -----

// I3: expected-error @+1 {{expected bounds and a range that are finite in 'f64'}}
train.variable @v : tensor<f64> = #train.random_uniform<minval = -1.7e308, maxval = 1.7e308>

// -----

// X13:
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected a rate within [0, 1), found 1.000000e+00}}
  %0 = train.dropout %x rate 1.0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected a rate within [0, 1), found -5.000000e-01}}
  %0 = train.dropout %x rate -0.5 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>, %flag: tensor<1xi1>) -> tensor<3xf32> {
  // expected-error @+1 {{operand #1 must be}}
  %0 = train.dropout %x rate 0.5 training %flag : tensor<3xf32>, tensor<1xi1>
  return %0 : tensor<3xf32>
}
