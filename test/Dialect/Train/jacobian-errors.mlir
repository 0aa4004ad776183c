// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

func.func @integer(%x: tensor<4xi32>, %y: tensor<2xf32>) -> tensor<2x4xi32> {
  // expected-error @+1 {{expected gradient targets of a floating-point type, found 'tensor<4xi32>'}}
  %j = train.jacobian %y wrt %x : (tensor<2xf32>, tensor<4xi32>) -> tensor<2x4xi32>
  return %j : tensor<2x4xi32>
}

// -----

func.func @boolean(%x: tensor<4xf32>, %y: tensor<2xi1>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected differentiated values of a floating-point type, found 'tensor<2xi1>'}}
  %j = train.jacobian %y wrt %x : (tensor<2xi1>, tensor<4xf32>) -> tensor<2x4xf32>
  return %j : tensor<2x4xf32>
}

// -----

func.func @transposed(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{expected results with the dimension sizes of the differentiated value, then those of the target, ('tensor<2x4xf32>'), found ('tensor<4x2xf32>')}}
  %j = train.jacobian %y wrt %x : (tensor<2xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  return %j : tensor<4x2xf32>
}

// -----

func.func @no_target(%y: tensor<2xf32>) {
  // expected-error @+1 {{expected at least one gradient target}}
  "train.jacobian"(%y) : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @chunk(%y: tensor<2xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{attribute 'chunk' failed to satisfy constraint}}
  %j = train.jacobian %y wrt %y chunk 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %j : tensor<2x2xf32>
}

// -----

func.func @types(%x: tensor<4xf64>, %y: tensor<2xf32>) -> tensor<2x4xf64> {
  // expected-error @+1 {{expected one element type for `mode forward`, found 'f32' and 'f64'}}
  %j = train.jacobian %y wrt %x mode forward : (tensor<2xf32>, tensor<4xf64>) -> tensor<2x4xf64>
  return %j : tensor<2x4xf64>
}
