// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

// T2: each hyper-parameter of each optimizer is checked.

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.sgd<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite momentum >= 0, found -1.000000e+00}}
module attributes {test.a = #train.sgd<lr = 0.1, momentum = -1.0>} {}

// -----

// expected-error @below {{expected a finite decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.sgd<lr = 0.1, decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.rmsprop<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected rho within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.rmsprop<lr = 0.1, rho = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.rmsprop<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.rmsprop<lr = 0.1, decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adagrad<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adagrad<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adagrad<lr = 0.1, decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adadelta<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected rho within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adadelta<lr = 0.1, rho = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adadelta<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adadelta<lr = 0.1, decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adam<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adam<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adam<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adam<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adam<lr = 0.1, decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adamax<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adamax<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adamax<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adamax<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adamax<lr = 0.1, decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.nadam<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.nadam<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.nadam<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.nadam<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite schedule_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.nadam<lr = 0.1, schedule_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.gradient_descent<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.momentum<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite momentum >= 0, found -1.000000e+00}}
module attributes {test.a = #train.momentum<lr = 0.1, momentum = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.tf_adam<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.tf_adam<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.tf_adam<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.tf_adam<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.tf_adagrad<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite initial_accumulator > 0, found 0.000000e+00}}
module attributes {test.a = #train.tf_adagrad<lr = 0.1, initial_accumulator = 0.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.tf_rmsprop<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected decay within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.tf_rmsprop<lr = 0.1, decay = 1.0>} {}

// -----

// expected-error @below {{expected a finite momentum >= 0, found -1.000000e+00}}
module attributes {test.a = #train.tf_rmsprop<lr = 0.1, momentum = -1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.tf_rmsprop<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.tf_adadelta<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected rho within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.tf_adadelta<lr = 0.1, rho = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.tf_adadelta<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.ftrl<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite lr_power <= 0, found 5.000000e-01}}
module attributes {test.a = #train.ftrl<lr = 0.1, lr_power = 0.5>} {}

// -----

// expected-error @below {{expected a finite initial_accumulator >= 0, found -1.000000e+00}}
module attributes {test.a = #train.ftrl<lr = 0.1, initial_accumulator = -1.0>} {}

// -----

// expected-error @below {{expected a finite l1 >= 0, found -1.000000e+00}}
module attributes {test.a = #train.ftrl<lr = 0.1, l1 = -1.0>} {}

// -----

// expected-error @below {{expected a finite l2 >= 0, found -1.000000e+00}}
module attributes {test.a = #train.ftrl<lr = 0.1, l2 = -1.0>} {}

// -----

// expected-error @below {{expected a finite l2_shrinkage >= 0, found -1.000000e+00}}
module attributes {test.a = #train.ftrl<lr = 0.1, l2_shrinkage = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adamw<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adamw<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adamw<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adamw<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adamw<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.nadamw<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.nadamw<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.nadamw<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.nadamw<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.nadamw<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adabelief<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adabelief<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.adabelief<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adabelief<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adabelief<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.lion<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.lion<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.lion<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.lion<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.lamb<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected beta_1 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.lamb<lr = 0.1, beta_1 = 1.0>} {}

// -----

// expected-error @below {{expected beta_2 within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.lamb<lr = 0.1, beta_2 = 1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon >= 0, found -1.000000e+00}}
module attributes {test.a = #train.lamb<lr = 0.1, epsilon = -1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.lamb<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.adafactor<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected a finite decay_rate > 0, found 0.000000e+00}}
module attributes {test.a = #train.adafactor<lr = 0.1, decay_rate = 0.0>} {}

// -----

// expected-error @below {{expected a finite epsilon_1 >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adafactor<lr = 0.1, epsilon_1 = -1.0>} {}

// -----

// expected-error @below {{expected a finite epsilon_2 >= 0, found -1.000000e+00}}
module attributes {test.a = #train.adafactor<lr = 0.1, epsilon_2 = -1.0>} {}

// -----

// expected-error @below {{expected a finite clip_threshold > 0, found 0.000000e+00}}
module attributes {test.a = #train.adafactor<lr = 0.1, clip_threshold = 0.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.muon<lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected momentum within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.muon<lr = 0.1, momentum = 1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay >= 0, found -1.000000e+00}}
module attributes {test.a = #train.muon<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.muon<lr = 0.1, adam_lr = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected 'lr' of #train.ftrl, which has no default}}
module attributes {test.a = #train.ftrl<name = "opt">} {}

// -----

// expected-error @below {{expected 'lr' of #train.gradient_descent, which has no default}}
module attributes {test.a = #train.gradient_descent<name = "opt">} {}

// -----

// expected-error @below {{expected 'lr' of #train.momentum, which has no default}}
module attributes {test.a = #train.momentum<name = "opt">} {}

// -----

// expected-error @below {{expected 'lr' of #train.tf_adagrad, which has no default}}
module attributes {test.a = #train.tf_adagrad<name = "opt">} {}

// -----

// expected-error @below {{expected 'lr' of #train.tf_rmsprop, which has no default}}
module attributes {test.a = #train.tf_rmsprop<name = "opt">} {}

// -----

// An optimizer of whole tensors has no rule for one element.
func.func @f(%p: tensor<2xf32>) {
  // expected-error @+1 {{expected an optimizer with a rule for one element, found #train.lamb}}
  %0 = train.update %p along %p : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> by #train.lamb
  return
}

// -----

// expected-error @below {{expected a finite initial > 0, found 0.000000e+00}}
module attributes {test.a = #train.loss_scale<initial = 0.0>} {}

// -----

// expected-error @below {{expected a finite number, found 0x7F800000 : f32}}
module attributes {test.a = #train.loss_scale<growth = 0x7F800000 : f32>} {}

// -----

// expected-error @below {{expected growth >= 1, found 5.000000e-01}}
module attributes {test.a = #train.loss_scale<growth = 0.5>} {}

// -----

// expected-error @below {{expected backoff <= 1, found 2.000000e+00}}
module attributes {test.a = #train.loss_scale<backoff = 2.0>} {}

// -----

// expected-error @below {{expected growth_interval >= 1, found 0}}
module attributes {test.a = #train.loss_scale<growth_interval = 0>} {}

// -----

// expected-error @below {{expected a number in decimal digits, found hexadecimal ones, which are the bits of a float elsewhere}}
module attributes {test.a = #train.sgd<lr = 0x7FF0000000000000>} {}

// -----

// expected-error @below {{expected '<' and lr, which has no default}}
module attributes {test.a = #train.momentum} {}

// -----

// expected-error @below {{expected '<' and lr, which has no default}}
module attributes {test.a = #train.ftrl} {}

// -----

// expected-error @below {{expected '<' and initial, which has no default}}
module attributes {test.a = #train.exponential_rate} {}
