// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s

// O3 to O8, O21 to O27: what is written with defaults is printed without them; what differs is kept, in order.
train.variable @w : tensor<2xf32>

// CHECK-LABEL: func @optimizers
func.func @optimizers(%g: tensor<2xf32>) {
  // CHECK: with #train.sgd{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd<lr = 1.000000e-02, momentum = 0.000000e+00, decay = 0.000000e+00, nesterov = false>
  // CHECK: with #train.sgd<lr = 5.000000e-03, momentum = 2.500000e-01, decay = 2.500000e-01, nesterov = true, name = "opt/sgd">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd<name = "opt/sgd", nesterov = true, decay = 2.500000e-01, momentum = 2.500000e-01, lr = 5.000000e-03>
  // CHECK: with #train.rmsprop{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.rmsprop<lr = 1.000000e-03, rho = 9.000000e-01, epsilon = 1.000000e-07, decay = 0.000000e+00>
  // CHECK: with #train.rmsprop<lr = 5.000000e-04, rho = 4.500000e-01, epsilon = 5.000000e-08, decay = 2.500000e-01, name = "opt/rmsprop">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.rmsprop<name = "opt/rmsprop", decay = 2.500000e-01, epsilon = 5.000000e-08, rho = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.adagrad{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adagrad<lr = 1.000000e-02, epsilon = 1.000000e-07, decay = 0.000000e+00>
  // CHECK: with #train.adagrad<lr = 5.000000e-03, epsilon = 5.000000e-08, decay = 2.500000e-01, name = "opt/adagrad">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adagrad<name = "opt/adagrad", decay = 2.500000e-01, epsilon = 5.000000e-08, lr = 5.000000e-03>
  // CHECK: with #train.adadelta{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adadelta<lr = 1.000000e+00, rho = 9.500000e-01, epsilon = 1.000000e-07, decay = 0.000000e+00>
  // CHECK: with #train.adadelta<lr = 5.000000e-01, rho = 4.750000e-01, epsilon = 5.000000e-08, decay = 2.500000e-01, name = "opt/adadelta">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adadelta<name = "opt/adadelta", decay = 2.500000e-01, epsilon = 5.000000e-08, rho = 4.750000e-01, lr = 5.000000e-01>
  // CHECK: with #train.adam{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adam<lr = 1.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-07, decay = 0.000000e+00, amsgrad = false>
  // CHECK: with #train.adam<lr = 5.000000e-04, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-08, decay = 2.500000e-01, amsgrad = true, name = "opt/adam">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adam<name = "opt/adam", amsgrad = true, decay = 2.500000e-01, epsilon = 5.000000e-08, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.adamax{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamax<lr = 2.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-07, decay = 0.000000e+00>
  // CHECK: with #train.adamax<lr = 1.000000e-03, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-08, decay = 2.500000e-01, name = "opt/adamax">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamax<name = "opt/adamax", decay = 2.500000e-01, epsilon = 5.000000e-08, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 1.000000e-03>
  // CHECK: with #train.nadam{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.nadam<lr = 2.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-07, schedule_decay = 4.000000e-03>
  // CHECK: with #train.nadam<lr = 1.000000e-03, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-08, schedule_decay = 2.000000e-03, name = "opt/nadam">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.nadam<name = "opt/nadam", schedule_decay = 2.000000e-03, epsilon = 5.000000e-08, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 1.000000e-03>
  // CHECK: with #train.gradient_descent<lr = 1.000000e-01>{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.gradient_descent<lr = 1.000000e-01>
  // CHECK: with #train.gradient_descent<lr = 5.000000e-02, name = "opt/gradient_descent">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.gradient_descent<name = "opt/gradient_descent", lr = 5.000000e-02>
  // CHECK: with #train.momentum<lr = 1.000000e-01>{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.momentum<lr = 1.000000e-01, momentum = 9.000000e-01, nesterov = false>
  // CHECK: with #train.momentum<lr = 5.000000e-02, momentum = 4.500000e-01, nesterov = true, name = "opt/momentum">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.momentum<name = "opt/momentum", nesterov = true, momentum = 4.500000e-01, lr = 5.000000e-02>
  // CHECK: with #train.tf_adam{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_adam<lr = 1.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-08>
  // CHECK: with #train.tf_adam<lr = 5.000000e-04, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-09, name = "opt/tf_adam">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_adam<name = "opt/tf_adam", epsilon = 5.000000e-09, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.tf_adagrad<lr = 1.000000e-01>{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_adagrad<lr = 1.000000e-01, initial_accumulator = 1.000000e-01>
  // CHECK: with #train.tf_adagrad<lr = 5.000000e-02, initial_accumulator = 5.000000e-02, name = "opt/tf_adagrad">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_adagrad<name = "opt/tf_adagrad", initial_accumulator = 5.000000e-02, lr = 5.000000e-02>
  // CHECK: with #train.tf_rmsprop<lr = 1.000000e-01>{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_rmsprop<lr = 1.000000e-01, decay = 9.000000e-01, momentum = 0.000000e+00, epsilon = 1.000000e-10, centered = false>
  // CHECK: with #train.tf_rmsprop<lr = 5.000000e-02, decay = 4.500000e-01, momentum = 2.500000e-01, epsilon = 5.000000e-11, centered = true, name = "opt/tf_rmsprop">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_rmsprop<name = "opt/tf_rmsprop", centered = true, epsilon = 5.000000e-11, momentum = 2.500000e-01, decay = 4.500000e-01, lr = 5.000000e-02>
  // CHECK: with #train.tf_adadelta{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_adadelta<lr = 1.000000e-03, rho = 9.500000e-01, epsilon = 1.000000e-08>
  // CHECK: with #train.tf_adadelta<lr = 5.000000e-04, rho = 4.750000e-01, epsilon = 5.000000e-09, name = "opt/tf_adadelta">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.tf_adadelta<name = "opt/tf_adadelta", epsilon = 5.000000e-09, rho = 4.750000e-01, lr = 5.000000e-04>
  // CHECK: with #train.ftrl<lr = 1.000000e-01>{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.ftrl<lr = 1.000000e-01, lr_power = -5.000000e-01, initial_accumulator = 1.000000e-01, l1 = 0.000000e+00, l2 = 0.000000e+00, l2_shrinkage = 0.000000e+00>
  // CHECK: with #train.ftrl<lr = 5.000000e-02, lr_power = -2.500000e-01, initial_accumulator = 5.000000e-02, l1 = 2.500000e-01, l2 = 2.500000e-01, l2_shrinkage = 2.500000e-01, name = "opt/ftrl">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.ftrl<name = "opt/ftrl", l2_shrinkage = 2.500000e-01, l2 = 2.500000e-01, l1 = 2.500000e-01, initial_accumulator = 5.000000e-02, lr_power = -2.500000e-01, lr = 5.000000e-02>
  // CHECK: with #train.adamw{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw<lr = 1.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-08, weight_decay = 1.000000e-02>
  // CHECK: with #train.adamw<lr = 5.000000e-04, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-09, weight_decay = 5.000000e-03, name = "opt/adamw">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw<name = "opt/adamw", weight_decay = 5.000000e-03, epsilon = 5.000000e-09, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.nadamw{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.nadamw<lr = 1.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-08, weight_decay = 1.000000e-04>
  // CHECK: with #train.nadamw<lr = 5.000000e-04, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-09, weight_decay = 5.000000e-05, name = "opt/nadamw">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.nadamw<name = "opt/nadamw", weight_decay = 5.000000e-05, epsilon = 5.000000e-09, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.adabelief{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adabelief<lr = 1.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-16, weight_decay = 0.000000e+00>
  // CHECK: with #train.adabelief<lr = 5.000000e-04, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-09, weight_decay = 5.000000e-05, name = "opt/adabelief">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adabelief<name = "opt/adabelief", weight_decay = 5.000000e-05, epsilon = 5.000000e-09, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.lion{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.lion<lr = 1.000000e-04, beta_1 = 9.000000e-01, beta_2 = 9.900000e-01, weight_decay = 0.000000e+00>
  // CHECK: with #train.lion<lr = 5.000000e-05, beta_1 = 4.500000e-01, beta_2 = 4.950000e-01, weight_decay = 2.500000e-01, name = "opt/lion">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.lion<name = "opt/lion", weight_decay = 2.500000e-01, beta_2 = 4.950000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-05>
  // CHECK: with #train.lamb{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.lamb<lr = 1.000000e-03, beta_1 = 9.000000e-01, beta_2 = 9.990000e-01, epsilon = 1.000000e-06, weight_decay = 1.000000e-02>
  // CHECK: with #train.lamb<lr = 5.000000e-04, beta_1 = 4.500000e-01, beta_2 = 4.995000e-01, epsilon = 5.000000e-07, weight_decay = 5.000000e-03, name = "opt/lamb">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.lamb<name = "opt/lamb", weight_decay = 5.000000e-03, epsilon = 5.000000e-07, beta_2 = 4.995000e-01, beta_1 = 4.500000e-01, lr = 5.000000e-04>
  // CHECK: with #train.adafactor{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adafactor<lr = 1.000000e-02, decay_rate = 8.000000e-01, epsilon_1 = 1.000000e-30, epsilon_2 = 1.000000e-03, clip_threshold = 1.000000e+00>
  // CHECK: with #train.adafactor<lr = 5.000000e-03, decay_rate = 4.000000e-01, epsilon_1 = 5.000000e-31, epsilon_2 = 5.000000e-04, clip_threshold = 5.000000e-01, name = "opt/adafactor">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adafactor<name = "opt/adafactor", clip_threshold = 5.000000e-01, epsilon_2 = 5.000000e-04, epsilon_1 = 5.000000e-31, decay_rate = 4.000000e-01, lr = 5.000000e-03>
  // CHECK: with #train.muon{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.muon<lr = 2.000000e-02, momentum = 9.500000e-01, nesterov = true, weight_decay = 0.000000e+00, adam_lr = 3.000000e-04>
  // CHECK: with #train.muon<lr = 1.000000e-02, momentum = 4.750000e-01, nesterov = false, weight_decay = 2.500000e-01, adam_lr = 1.500000e-04, name = "opt/muon">
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.muon<name = "opt/muon", adam_lr = 1.500000e-04, weight_decay = 2.500000e-01, nesterov = false, momentum = 4.750000e-01, lr = 1.000000e-02>
  return
}

// O9, O10, G9: what happens around an optimizer, in the order in which it does.
// CHECK-LABEL: func @clauses
func.func @clauses(%loss: tensor<f32>, %g: tensor<2xf32>) {
  // CHECK: with #train.sgd lr #train.constant_rate<rate = 1.000000e-01> l2 1.000000e-02 weight_decay 1.000000e-01 no_decay [@w] clip_norm 1.000000e+00 clip_global_norm 2.000000e+00 clip_value 5.000000e-01
  train.minimize %loss : tensor<f32> with #train.sgd lr #train.constant_rate<rate = 0.1> l2 0.01 weight_decay 0.1
      no_decay [@w] clip_norm 1.0 clip_global_norm 2.0 clip_value 0.5
  // Written in any order.
  // CHECK: with #train.sgd var_list [@w] unconnected skip l2 1.000000e-02 weight_decay 1.000000e-01 accumulate 2 master_weights
  train.minimize %loss : tensor<f32> with #train.sgd weight_decay 0.1 master_weights accumulate 2
      unconnected skip l2 0.01 var_list [@w]
  // CHECK: train.apply_gradients {{.*}} with #train.sgd clip_value 5.000000e-01{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_value 0.5
  return
}

// CHECK-LABEL: func @clip
func.func @clip(%a: tensor<2xf16>, %b: tensor<?xf64>) {
  // CHECK: train.clip_by_global_norm %arg0, %arg1 to 1.000000e+00 : (tensor<2xf16>, tensor<?xf64>) -> (tensor<2xf16>, tensor<?xf64>, tensor<f64>)
  %c:2, %n = train.clip_by_global_norm %a, %b to 1.0 : (tensor<2xf16>, tensor<?xf64>) -> (tensor<2xf16>, tensor<?xf64>, tensor<f64>)
  return
}

// CHECK-LABEL: func @schedules
func.func @schedules(%t: tensor<i64>) {
  // CHECK: by #train.piecewise_rate<boundaries = [1, 2], rates = [1.000000e-01, 2.000000e-01, 3.000000e-01]>
  %0 = train.schedule %t : tensor<i64> -> tensor<f32> by #train.piecewise_rate<boundaries = [1, 2], rates = [0.1, 0.2, 0.3]>
  // CHECK: by #train.exponential_rate<initial = 1.000000e-01, factor = 5.000000e-01, steps = 10>
  %1 = train.schedule %t : tensor<i64> -> tensor<f32> by #train.exponential_rate<initial = 0.1, factor = 0.5, steps = 10, staircase = false>
  // CHECK: by #train.polynomial_rate<initial = 1.000000e-01, steps = 10>
  %2 = train.schedule %t : tensor<i64> -> tensor<f32> by #train.polynomial_rate<initial = 0.1, steps = 10, power = 1.0>
  // CHECK: by #train.cosine_rate<peak = 1.000000e-01, steps = 10, warmup = 2>
  %3 = train.schedule %t : tensor<i64> -> tensor<f64> by #train.cosine_rate<peak = 0.1, warmup = 2, steps = 10>
  // CHECK: by #train.one_cycle_rate<peak = 1.000000e-01, steps = 10>
  %4 = train.schedule %t : tensor<i64> -> tensor<f64> by #train.one_cycle_rate<peak = 0.1, steps = 10>
  // All digits of a double, and numbers that no f32 holds.
  // CHECK: by #train.piecewise_rate<boundaries = [1], rates = [1.2345678901234{{[0-9]+}}e-01, 1.000000e+39]>
  %5 = train.schedule %t : tensor<i64> -> tensor<f64> by #train.piecewise_rate<boundaries = [1], rates = [0.12345678901234, 1.0e39]>
  return
}

// G9, O1: few bits and small batches.
train.variable @narrow_w : tensor<2xf16>
// CHECK-LABEL: func @narrow(
func.func @narrow(%g: tensor<2xf32>) -> tensor<f32> {
  %w = train.read @narrow_w : tensor<2xf16>
  // CHECK: train.minimize %{{.*}} : tensor<2xf16> with #train.adam clip_value 1.000000e+00 loss_scale #train.loss_scale<initial = 8.000000e+00, growth_interval = 3> accumulate 4 master_weights
  train.minimize %w : tensor<2xf16> with #train.adam clip_value 1.0
      loss_scale #train.loss_scale<initial = 8.0, growth_interval = 3> accumulate 4 master_weights
  // CHECK: train.apply_gradients %arg0 : tensor<2xf32> to [@narrow_w] with #train.sgd<name = "opt"> loss_scale #train.loss_scale{{$}}
  train.apply_gradients %g : tensor<2xf32> to [@narrow_w] with #train.sgd<name = "opt"> loss_scale #train.loss_scale
  // Its scalars are variables.
  // CHECK: train.read @"opt/loss_scale" : tensor<f32>
  %scale = train.read @"opt/loss_scale" : tensor<f32>
  return %scale : tensor<f32>
}

// CHECK-LABEL: func @rounded
func.func @rounded(%p: tensor<2xf32>, %r: tensor<2xbf16>, %g: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xbf16> {
  // CHECK: train.update %arg0, %arg1 rounded along %arg2 with %arg3 :
  %0:2 = train.update %p, %r rounded along %g with %s
      : (tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xbf16>)
      by #train.gradient_descent<lr = 0.1>
  return %0#1 : tensor<2xbf16>
}
