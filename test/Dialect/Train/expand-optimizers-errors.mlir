// RUN: flywheel-opt %s --train-expand-optimizers --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// O20: a variable, and a loss that depends on one.
train.variable @frozen : tensor<3xf32> {trainable = false}
train.variable @count : tensor<i64>
func.func @no_variables() {
  %f = train.read @frozen : tensor<3xf32>
  // expected-error-re @+1 {{{{^}}No variables to optimize: expected a trainable floating-point variable, found none in the module}}
  train.minimize %f : tensor<3xf32> with #train.sgd
  return
}

// -----

train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
func.func @not_connected(%x: tensor<3xf32>) {
  %a = train.read @a : tensor<3xf32>
  %floor = math.floor %a : tensor<3xf32>
  %loss = arith.mulf %floor, %x : tensor<3xf32>
  // expected-error-re @+1 {{{{^}}No gradients provided for any variable: expected a loss that depends on one of @a, @b, found that it depends on none}}
  train.minimize %loss : tensor<3xf32> with #train.sgd
  return
}

// -----

train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
func.func @not_in_list() {
  %a = train.read @a : tensor<3xf32>
  // expected-error @+1 {{No gradients provided for any variable: expected a loss that depends on one of @b, found that it depends on none}}
  train.minimize %a : tensor<3xf32> with #train.momentum<lr = 0.1> var_list [@b]
  return
}

// -----

// O11: optimizers of Keras refuse a listed variable that has no gradient; others
// do where they are told to.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
train.variable @c : tensor<3xf32>
func.func @keras() {
  %a = train.read @a : tensor<3xf32>
  // expected-error-re @+1 {{{{^}}An operation has `None` for gradient: expected a loss that depends on every variable to update, found that it does not depend on @b, @c}}
  train.minimize %a : tensor<3xf32> with #train.adam var_list [@b, @a, @c]
  return
}

// -----

train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
func.func @none_of_keras() {
  %a = train.read @a : tensor<3xf32>
  // O11: expected-error @+1 {{An operation has `None` for gradient: expected a loss that depends on every variable to update, found that it does not depend on @b}}
  train.minimize %a : tensor<3xf32> with #train.sgd var_list [@b]
  return
}

// -----

train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
func.func @strict_list() {
  %a = train.read @a : tensor<3xf32>
  // O11: expected-error @+1 {{An operation has `None` for gradient: expected a loss that depends on every variable to update, found that it does not depend on @b}}
  train.minimize %a : tensor<3xf32> with #train.momentum<lr = 0.1> var_list [@a, @b] unconnected error
  return
}

// -----

// Without a list, the variables to update are the trainable ones.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
train.variable @frozen : tensor<3xf32> {trainable = false}
func.func @strict_default() {
  %a = train.read @a : tensor<3xf32>
  // O11: expected-error @+1 {{An operation has `None` for gradient: expected a loss that depends on every variable to update, found that it does not depend on @b}}
  train.minimize %a : tensor<3xf32> with #train.adam unconnected error
  return
}

// -----

// O20: what is skipped is not all.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
func.func @skip_all() {
  %a = train.read @a : tensor<3xf32>
  // expected-error @+1 {{No gradients provided for any variable: expected a loss that depends on one of @b, found that it depends on none}}
  train.minimize %a : tensor<3xf32> with #train.sgd var_list [@b] unconnected skip
  return
}

// -----

train.variable @a : tensor<3xf32>
func.func @empty_list() {
  %a = train.read @a : tensor<3xf32>
  // expected-error-re @+1 {{{{^}}No variables to optimize: var_list is empty}}
  train.minimize %a : tensor<3xf32> with #train.sgd var_list []
  return
}

// -----

train.variable @a : tensor<3xf32>
func.func @recursive() -> tensor<3xf32> {
  // expected-error @+1 {{no derivative rule for 'func.call' in the history of a loss: expected a function with a body of one block that does not call itself, found another}}
  %r = func.call @recursive() : () -> tensor<3xf32>
  %a = train.read @a : tensor<3xf32>
  %loss = arith.mulf %r, %a : tensor<3xf32>
  // expected-note @+1 {{the update requested here}}
  train.minimize %loss : tensor<3xf32> with #train.sgd
  return %loss : tensor<3xf32>
}

// -----

train.variable @a : tensor<3xf32>
func.func @hidden_read(%c: i1, %x: tensor<3xf32>) {
  // expected-error @+1 {{no derivative rule for 'scf.if' in the history of a loss: it reads variable @a in its regions, which assign it}}
  %loss = scf.if %c -> tensor<3xf32> {
    %a = train.read @a : tensor<3xf32>
    train.assign @a, %x : tensor<3xf32>
    scf.yield %a : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  // expected-note @+1 {{the update requested here}}
  train.minimize %loss : tensor<3xf32> with #train.sgd
  return
}

// -----

train.variable @a : tensor<3xf32>
func.func @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = train.read @a : tensor<3xf32>
  // expected-error @+1 {{no derivative rule for 'scf.for' in the history of a loss: the loss depends on argument #1 of its block}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %a) -> tensor<3xf32> {
    %b = train.read @a : tensor<3xf32>
    %loss = arith.mulf %h, %b : tensor<3xf32>
    // expected-note @+1 {{the update requested here}}
    train.minimize %loss : tensor<3xf32> with #train.sgd
    scf.yield %loss : tensor<3xf32>
  }
  return
}

// -----

train.variable @a : tensor<3xf32>
func.func @different() {
  %a = train.read @a : tensor<3xf32>
  // expected-note @+1 {{the other one is here}}
  train.minimize %a : tensor<3xf32> with #train.sgd<lr = 0.1, name = "opt">
  // expected-error @+1 {{expected one optimizer of the name "opt", #train.sgd<lr = 1.000000e-01, name = "opt">, found #train.sgd<lr = 2.000000e-01, name = "opt">}}
  train.minimize %a : tensor<3xf32> with #train.sgd<lr = 0.2, name = "opt">
  return
}

// -----

train.variable @a : tensor<3xf32>
// expected-note @+1 {{declared here}}
train.variable @"opt/lr" : tensor<1xf32>
func.func @declared() {
  %a = train.read @a : tensor<3xf32>
  // expected-error @+1 {{expected @opt/lr, a scalar of #train.sgd<name = "opt">, to be a variable of type 'tensor<f32>', found 'tensor<1xf32>'}}
  train.minimize %a : tensor<3xf32> with #train.sgd<name = "opt">
  return
}

// -----

train.variable @a : tensor<3xf32>
func.func @number(%x: tensor<f64>) {
  %a = train.read @a : tensor<3xf32>
  // expected-error @+1 {{expected the type of variable @"opt/lr", 'tensor<f32>', found 'tensor<f64>': element types differ}}
  train.assign @"opt/lr", %x : tensor<f64>
  // expected-note @+1 {{variable declared here}}
  train.minimize %a : tensor<3xf32> with #train.sgd<name = "opt">
  return
}

// -----

train.variable @w : tensor<4x5xf32>
func.func @lazy(%dw: tensor<4x5xf32>) {
  // expected-error @+1 {{expected an optimizer that updates element by element with 'sparse lazy', found #train.muon}}
  train.apply_gradients %dw : tensor<4x5xf32> to [@w] with #train.muon sparse lazy
  return
}

// -----

// All updates of an optimizer share one decision to update.
train.variable @a : tensor<3xf32>
train.variable @b : tensor<3xf32>
func.func @shared(%g: tensor<3xf32>) {
  train.apply_gradients %g : tensor<3xf32> to [@a] with #train.sgd<name = "opt"> accumulate 2
  // expected-error @+1 {{expected one update by optimizer 'opt' with loss_scale or accumulate, found another}}
  train.apply_gradients %g : tensor<3xf32> to [@b] with #train.sgd<name = "opt"> accumulate 2
  return
}

// -----

train.variable @a : tensor<3xf32>
// expected-note @+1 {{declared here}}
train.variable @"opt/loss_scale" : tensor<f64>
func.func @declared() {
  %a = train.read @a : tensor<3xf32>
  // expected-error @+1 {{expected @opt/loss_scale, a scalar of #train.sgd<name = "opt">, to be a variable of type 'tensor<f32>', found 'tensor<f64>'}}
  train.minimize %a : tensor<3xf32> with #train.sgd<name = "opt"> loss_scale #train.loss_scale
  return
}

// -----

// O1: numbers that are others in the type in which they are used.
train.variable @w : tensor<3xf32>
func.func @rate(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected lr of #train.sgd<lr = 1.000000e+300> to be a number of 'f32', in which it is used, found 1.000000e+300, which is INF there}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd<lr = 1.0e300>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @beta(%g: tensor<3xf32>) {
  // expected-error @+1 {{to be a number of 'f32', in which it is used, found 1.000000e+00, which is 1.000000e+00 there}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.adamw<beta_2 = 0.99999999>
  return
}

// -----

train.variable @w : tensor<3xf16>
func.func @beta_of_half(%g: tensor<3xf16>) {
  // expected-error @+1 {{expected beta_1 of}}
  train.apply_gradients %g : tensor<3xf16> to [@w] with #train.adam<beta_1 = 0.99999999>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @epsilon(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected epsilon of #train.adam<epsilon = 1.000000e-60> to be a number of 'f32', in which it is used, found 1.000000e-60, which is 0.000000e+00 there}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.adam<epsilon = 1.0e-60>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @denormal(%g: tensor<3xf32>) {
  // expected-error @+1 {{found 1.000000e-40, which is 0.000000e+00 there}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.adam<epsilon = 1.0e-40>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @rho(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected rho of}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.adadelta<rho = 0.99999999>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @threshold(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected clip_threshold of}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.adafactor<clip_threshold = 1.0e-60>
  return
}

// -----

train.variable @w : tensor<3xf16>
func.func @slot(%g: tensor<3xf16>) {
  // expected-error @+1 {{expected the first value of a slot of #train.tf_adagrad}}
  train.apply_gradients %g : tensor<3xf16> to [@w] with #train.tf_adagrad<lr = 0.1, initial_accumulator = 1.0e-9>
  return
}

// -----

train.variable @w : tensor<3xf16>
func.func @large_slot(%g: tensor<3xf16>) {
  // expected-error @+1 {{expected the first value of a slot of #train.ftrl}}
  train.apply_gradients %g : tensor<3xf16> to [@w] with #train.ftrl<lr = 0.1, initial_accumulator = 1.0e5>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @constant(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected rate of #train.constant_rate}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd lr #train.constant_rate<rate = 1.0e300>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @piecewise(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected a rate of #train.piecewise_rate}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd lr #train.piecewise_rate<boundaries = [1], rates = [0.1, 1.0e39]>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @cycle(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected peak / div of #train.one_cycle_rate}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd lr #train.one_cycle_rate<peak = 0.1, steps = 10, div = 1.0e-40>
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @penalty(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected l2 to be a number of 'f32', in which it is used, found 1.000000e+39, which is INF there}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd l2 1.0e39
  return
}

// -----

train.variable @w : tensor<3xf32>
func.func @decay(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected weight_decay to be a number of 'f32'}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd weight_decay 1.0e-50
  return
}

// -----

train.variable @w : tensor<3xf16>
func.func @clip(%g: tensor<3xf16>) {
  // expected-error @+1 {{expected clip_value to be a number of 'f16', in which it is used, found 1.000000e-09, which is 0.000000e+00 there}}
  train.apply_gradients %g : tensor<3xf16> to [@w] with #train.sgd clip_value 1.0e-9
  return
}

// -----

// Scalars of f64, which an update of f32 uses as f32.
train.variable @v : tensor<3xf64>
train.variable @w : tensor<3xf32>
func.func @both(%dv: tensor<3xf64>, %dw: tensor<3xf32>) {
  train.apply_gradients %dv : tensor<3xf64> to [@v] with #train.adam<beta_2 = 0.99999999>
  // expected-error @+1 {{expected beta_2 of}}
  train.apply_gradients %dv, %dw : tensor<3xf64>, tensor<3xf32> to [@v, @w] with #train.adam<beta_2 = 0.99999999>
  return
}

// -----

func.func @schedule(%t: tensor<i64>) -> tensor<f32> {
  // expected-error @+1 {{expected peak of #train.cosine_rate<peak = 1.000000e+300, steps = 4> to be a number of 'f32'}}
  %0 = train.schedule %t : tensor<i64> -> tensor<f32> by #train.cosine_rate<peak = 1.0e300, steps = 4>
  return %0 : tensor<f32>
}

// -----

// O29: a counter that decides does not count steps.
train.variable @w : tensor<3xf32>
train.variable @"o/micro_step" : tensor<i64> = dense<0> : tensor<i64>
func.func @micro(%g: tensor<3xf32>) {
  // expected-error @+1 {{expected a global_step of the program, found @"o/micro_step", which optimizer #train.sgd<name = "o"> decides by}}
  train.apply_gradients %g : tensor<3xf32> to [@w] with #train.sgd<name = "o"> global_step @"o/micro_step" accumulate 3
  return
}

// -----

train.variable @w : tensor<3xf32>
train.variable @"o/good_steps" : tensor<i64> = dense<0> : tensor<i64>
func.func @good() {
  %w = train.read @w : tensor<3xf32>
  // expected-error @+1 {{expected a global_step of the program, found @"o/good_steps"}}
  train.minimize %w : tensor<3xf32> with #train.sgd<name = "o"> global_step @"o/good_steps" loss_scale #train.loss_scale
  return
}
