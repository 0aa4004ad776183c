// RUN: flywheel-opt %s --train-expand-optimizers --split-input-file --verify-diagnostics

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
  train.minimize %a : tensor<3xf32> with #train.sgd var_list [@b]
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
