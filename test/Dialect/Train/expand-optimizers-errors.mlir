// RUN: flywheel-opt %s --train-expand-optimizers --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// O20: a variable, and a loss that depends on one.
train.variable @frozen : tensor<3xf32> {trainable = false}
train.variable @count : tensor<i64>
func.func @no_variables() {
  %f = train.read @frozen : tensor<3xf32>
  // expected-error @+1 {{No variables to optimize: expected a trainable floating-point variable, found none in the module}}
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
  // expected-error @+1 {{No gradients provided for any variable: expected a loss that depends on one of @a, @b, found that it depends on none}}
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
  // expected-error @+1 {{An operation has `None` for gradient: expected a loss that depends on every variable to update, found that it does not depend on @b, @c}}
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
  // expected-error @+1 {{No variables to optimize: var_list is empty}}
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

// Whether to update is one question of an optimizer.
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
