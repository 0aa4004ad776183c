// RUN: flywheel-opt %s --train-expand-moving-averages -split-input-file -verify-diagnostics \
// RUN:   | not grep module

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected the name of a variable, found no symbol @v}}
  train.moving_average @v, %x momentum 0.9 : tensor<3xf32>
  return
}

// -----

train.variable @v : tensor<2xf32> // expected-note {{variable declared here}}
func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected the type of variable @v, 'tensor<2xf32>', found 'tensor<3xf32>': shapes differ}}
  train.moving_average @v, %x momentum 0.9 : tensor<3xf32>
  return
}

// -----

train.variable @v : tensor<2xi32>
func.func @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{expected a value of a floating-point type, found 'tensor<2xi32>'}}
  train.moving_average @v, %x momentum 0.9 : tensor<2xi32>
  return
}

// -----

train.variable @v : tensor<2xf32>
func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a momentum within [0, 1), found 1.000000e+00}}
  train.moving_average @v, %x momentum 1.0 : tensor<2xf32>
  return
}
