// RUN: flywheel-opt %s --train-expand-least-squares --split-input-file --verify-diagnostics

train.variable @a : tensor<3xf64> = #train.zeros

// L9: what is read outside of the region is a constant to it.
func.func @read_outside() -> tensor<f64> {
  %a = train.read @a : tensor<3xf64>
  // expected-error @+1 {{No gradients provided for any variable: expected residuals that depend on one of the variables, read in the region, found that they depend on none}}
  %o = train.least_squares over [@a] max_iterations 1 : () -> tensor<f64> {
    train.residuals %a : tensor<3xf64>
  }
  return %o : tensor<f64>
}

// -----

func.func @unused_start(%x: tensor<3xf64>) -> tensor<f64> {
  // expected-error @+1 {{No gradients provided for any variable: expected residuals that depend on one of the arguments of the region, found that they depend on none}}
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %x : tensor<3xf64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<3xf64> = #train.zeros

func.func @assigns() -> tensor<f64> {
  %o = train.least_squares over [@a] max_iterations 1 : () -> tensor<f64> {
    %a = train.read @a : tensor<3xf64>
    // expected-error @+1 {{in the region of 'train.least_squares': expected ops that change no variable, as each iteration computes residuals more than once}}
    train.assign @a, %a : tensor<3xf64>
    train.residuals %a : tensor<3xf64>
  }
  return %o : tensor<f64>
}

// -----

func.func @draws(%x: tensor<3xf64>) -> tensor<f64> {
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    // expected-error @+1 {{in the region of 'train.least_squares': expected ops that change no variable}}
    %d = train.dropout %y rate 5.0e-1 : tensor<3xf64>
    train.residuals %d : tensor<3xf64>
  }
  return %o : tensor<f64>
}

// -----

func.func private @external(tensor<3xf64>) -> tensor<3xf64>
func.func @calls(%x: tensor<3xf64>) -> tensor<f64> {
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    // expected-error @+1 {{in the region of 'train.least_squares': expected a function with a body of one block that does not call itself, found another}}
    %d = func.call @external(%y) : (tensor<3xf64>) -> tensor<3xf64>
    train.residuals %d : tensor<3xf64>
  }
  return %o : tensor<f64>
}

// -----

// L12: a large system is a warning, and none where no matrix is formed or m is small.
func.func @large(%x: tensor<5000xf32>) -> tensor<f32> {
  // expected-warning @+1 {{'train.least_squares' factorizes a matrix of 5000 rows in each iteration, which takes 5000^3 / 3 operations; `solver cg` forms no matrix}}
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<5000xf32>) -> (tensor<f32>, tensor<5000xf32>) {
  ^bb0(%y: tensor<5000xf32>):
    train.residuals %y : tensor<5000xf32>
  }
  %o2, %v2 = train.least_squares %x max_iterations 1 solver cg : (tensor<5000xf32>) -> (tensor<f32>, tensor<5000xf32>) {
  ^bb0(%y: tensor<5000xf32>):
    train.residuals %y : tensor<5000xf32>
  }
  %o3, %v3 = train.least_squares %x max_iterations 1 : (tensor<5000xf32>) -> (tensor<f32>, tensor<5000xf32>) {
  ^bb0(%y: tensor<5000xf32>):
    %s = tensor.extract_slice %y[0] [10] [1] : tensor<5000xf32> to tensor<10xf32>
    train.residuals %s : tensor<10xf32>
  }
  return %o : tensor<f32>
}
