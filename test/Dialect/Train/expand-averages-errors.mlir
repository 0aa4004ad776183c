// RUN: flywheel-opt %s --train-expand-averages --split-input-file --verify-diagnostics

train.variable @w : tensor<2xf32>
func.func @decay() {
  // expected-error @+1 {{expected a decay within [0, 1), found 1.000000e+00}}
  train.average_variables decay 1.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @name() {
  // expected-error @+1 {{expected a name of averages without whitespace, ':' and '^', found "a b"}}
  train.average_variables decay 0.5 name "a b"
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @unknown() {
  // expected-error @+1 {{expected the name of a variable, found no symbol @v}}
  train.average_variables decay 0.5 var_list [@v]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @twice() {
  // expected-error @+1 {{expected distinct variables, found @w twice}}
  train.average_variables decay 0.5 var_list [@w, @w]
  return
}

// -----

train.variable @n : tensor<i64>
func.func @type() {
  // expected-error @+1 {{expected variables of a floating-point type, found @n of type 'tensor<i64>'}}
  train.average_variables decay 0.5 var_list [@n]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @count() {
  // expected-error @+1 {{expected a scalar integer variable as num_updates, found @w of type 'tensor<2xf32>'}}
  train.average_variables decay 0.5 num_updates @w
  return
}

// -----

train.variable @w : tensor<2xf32> {trainable = false}
func.func @none() {
  // expected-error @+1 {{expected a trainable floating-point variable to average, found none}}
  train.average_variables decay 0.5
  return
}

// -----

train.variable @w : tensor<2xf32>
// expected-note @+1 {{declared here}}
train.variable @"w/ExponentialMovingAverage" : tensor<3xf32>
func.func @declared() {
  // expected-error @+1 {{expected @w/ExponentialMovingAverage, an average of @w, to be a variable of type 'tensor<2xf32>', found 'tensor<3xf32>'}}
  train.average_variables decay 0.5
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @remainders() {
  // expected-note @+1 {{the other one is here}}
  train.average_variables decay 0.5 zero_debias
  // expected-error @+1 {{expected one op with zero_debias of the name "ExponentialMovingAverage", found another}}
  train.average_variables decay 0.5 zero_debias
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @swap() {
  // expected-error @+1 {{expected train.average_variables of the name "slow" in the module, found none}}
  train.swap_averages name "slow"
  return
}

// -----

train.variable @w : tensor<2xf32>
train.variable @v : tensor<2xf32>
func.func @swap() {
  train.average_variables decay 0.5 var_list [@w]
  // expected-error @+1 {{expected a variable that train.average_variables of the name "ExponentialMovingAverage" averages, found @v}}
  train.swap_averages var_list [@v]
  return
}
