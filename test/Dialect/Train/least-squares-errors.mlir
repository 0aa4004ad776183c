// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

// L1: numbers, types and the region.
func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{'max_iterations' needs to be at least 1, found 0}}
  %o, %v = train.least_squares %x max_iterations 0 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @+1 {{'max_iterations' needs to be at least 1, found -1}}
  %o, %v = train.least_squares %x max_iterations -1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>) {
  // expected-error @+1 {{'cg_iterations' needs to be at least 1, found -1}}
  %o, %v = train.least_squares %x max_iterations 1 solver cg cg_iterations -1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

// Without an element there is nothing to minimize over.
func.func @f(%x: tensor<0x2xf64>, %t: tensor<3xf64>) {
  // expected-error @+1 {{expected values with elements to minimize over, found 'tensor<0x2xf64>'}}
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<0x2xf64>) -> (tensor<f64>, tensor<0x2xf64>) {
  ^bb0(%y: tensor<0x2xf64>):
    train.residuals %t : tensor<3xf64>
  }
  return
}

// -----

train.variable @none : tensor<0xf64>
func.func @f(%t: tensor<3xf64>) {
  // expected-error @+1 {{expected variables with elements to minimize over, found @none of type 'tensor<0xf64>'}}
  %o = train.least_squares over [@none] max_iterations 1 : () -> tensor<f64> {
    train.residuals %t : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected a regularizer of at least 0, found -1.000000e+00}}
  %o, %v = train.least_squares %x max_iterations 1 regularizer -1.0 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected a multiplier of at least 1, as the regularizer never falls; found 5.000000e-01}}
  %o, %v = train.least_squares %x max_iterations 1 multiplier 0.5 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected `solver cg` with cg_iterations and cg_tolerance, found `solver cholesky`}}
  %o, %v = train.least_squares %x max_iterations 1 cg_iterations 3 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{'cg_iterations' needs to be at least 1, found 0}}
  %o, %v = train.least_squares %x max_iterations 1 solver cg cg_iterations 0 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected a cg_tolerance of at least 0, found -1.000000e+00}}
  %o, %v = train.least_squares %x max_iterations 1 solver cg cg_tolerance -1.0 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected either start values or variables to minimize over, found none}}
  %o = train.least_squares max_iterations 1 : () -> tensor<f64> {
    train.residuals %x : tensor<3xf64>
  }
  return
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected either start values or variables to minimize over, found both}}
  %o, %v = train.least_squares %x over [@a] max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected an objective of type tensor<f32> or tensor<f64> as the first result, found 'tensor<3xf64>'}}
  %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> tensor<3xf64> {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected as results the objective, the values of the starts and with `history` three tensors with an element for each iteration, ('tensor<f64>', 'tensor<3xf64>'), found ('tensor<f64>')}}
  %o = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> tensor<f64> {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected start values of the objective's element type, 'f64', found 'tensor<3xf32>'}}
  %o, %v = train.least_squares %z max_iterations 1 : (tensor<3xf32>) -> (tensor<f64>, tensor<3xf32>) {
  ^bb0(%y: tensor<3xf32>):
    train.residuals %x : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected a region with arguments of the types of the start values, ('tensor<3xf64>'), found ()}}
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
    train.residuals %x : tensor<3xf64>
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    // expected-error @+1 {{expected at least one residual}}
    train.residuals
  }
  return
}

// -----

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    // expected-error @+1 {{expected residuals of the objective's element type, 'f64', found 'tensor<3xf32>'}}
    train.residuals %z : tensor<3xf32>
  }
  return
}

// -----

train.variable @a : tensor<f32> = #train.zeros
func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected variables of the objective's element type, 'f64', found @a of type 'tensor<f32>'}}
  %o = train.least_squares over [@a] max_iterations 1 : () -> tensor<f64> {
    train.residuals %x : tensor<3xf64>
  }
  return
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f(%x: tensor<3xf64>, %z: tensor<3xf32>) {
  // expected-error @+1 {{expected distinct variables, found @a twice}}
  %o = train.least_squares over [@a, @a] max_iterations 1 : () -> tensor<f64> {
    train.residuals %x : tensor<3xf64>
  }
  return
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected 'max_iterations'}}
  %o = train.least_squares over [@a] : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected 'over' once, found it again}}
  %o = train.least_squares over [@a] max_iterations 1 over [@a] : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected integer value}}
  %o = train.least_squares over [@a] max_iterations 1 cg_iterations solver cg : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected attribute value}}
  %o = train.least_squares over [@a] max_iterations 1 cg_tolerance solver cg : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected attribute value}}
  %o = train.least_squares over max_iterations 1 : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected error or reject, found 'stop'}}
  %o = train.least_squares over [@a] max_iterations 1 on_failure stop : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected cholesky or cg}}
  %o = train.least_squares over [@a] max_iterations 1 solver : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}

// -----

train.variable @a : tensor<f64> = #train.zeros
func.func @f() -> tensor<f64> {
  // expected-error @+1 {{expected auto, reverse or forward, found 'sideways'}}
  %o = train.least_squares over [@a] max_iterations 1 jacobian sideways : () -> tensor<f64> {
    %a = train.read @a : tensor<f64>
    train.residuals %a : tensor<f64>
  }
  return %o : tensor<f64>
}
