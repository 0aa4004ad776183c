// RUN: flywheel-opt %s --split-input-file --verify-diagnostics

// Clauses of updates, clipping and schedules that make no sense.

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a finite l2, found}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0x7FF0000000000000
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a finite weight_decay, found}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd weight_decay 0x7FF0000000000000
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected clip_norm > 0, found 0.000000e+00; without a bound, leave clip_norm out}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_norm 0.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected clip_value > 0, found -1.000000e+00}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_value -1.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected clip_global_norm > 0, found -5.000000e-01}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_global_norm -0.5
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected l2 >= 0, found -1.000000e-01; to decay nothing, leave l2 out}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 -0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected weight_decay >= 0, found -1.000000e-01}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd weight_decay -0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a finite clip_norm, found}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_norm 0x7FF0000000000000
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a finite clip_global_norm, found}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_global_norm 0x7FF0000000000000
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a finite clip_value, found}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_value 0x7FF0000000000000
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected l2 or weight_decay with no_decay}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd no_decay [@w]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected the name of a variable, found no symbol @v}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 no_decay [@v]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a tensor to clip, found none}}
  %0 = train.clip_by_global_norm to 1.0 : () -> tensor<f32>
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a finite bound > 0, found 0.000000e+00}}
  %0:2 = train.clip_by_global_norm %g to 0.0 : (tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>)
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a result for each of the 1 tensors and the norm, found 1}}
  %0 = train.clip_by_global_norm %g to 1.0 : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a result of the type of its tensor, 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %0:2 = train.clip_by_global_norm %g to 1.0 : (tensor<2xf32>) -> (tensor<3xf32>, tensor<f32>)
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected a norm of type 'tensor<f32>', found 'tensor<f64>'}}
  %0:2 = train.clip_by_global_norm %g to 1.0 : (tensor<2xf32>) -> (tensor<2xf32>, tensor<f64>)
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{expected tensors of f16, bf16, f32 or f64, found 'tensor<i32>'}}
  %0:2 = train.clip_by_global_norm %n to 1.0 : (tensor<i32>) -> (tensor<i32>, tensor<f32>)
  return
}

// -----

// expected-error @below {{expected one rate more than the 1 boundaries, found 1}}
module attributes {test.a = #train.piecewise_rate<boundaries = [1], rates = [0.1]>} {}

// -----

// expected-error @below {{expected boundaries that increase, found 2 after 2}}
module attributes {test.a = #train.piecewise_rate<boundaries = [2, 2], rates = [0.1, 0.2, 0.3]>} {}

// -----

// expected-error @below {{expected a number in decimal digits, found hexadecimal ones, which are the bits of a float elsewhere}}
module attributes {test.a = #train.piecewise_rate<boundaries = [], rates = [0x7FF0000000000000]>} {}

// -----

// expected-error @below {{expected a finite factor > 0, found 0.000000e+00}}
module attributes {test.a = #train.exponential_rate<initial = 0.1, factor = 0.0, steps = 1>} {}

// -----

// expected-error @below {{expected steps >= 1, found 0}}
module attributes {test.a = #train.exponential_rate<initial = 0.1, factor = 0.5, steps = 0>} {}

// -----

// expected-error @below {{expected steps >= 1, found 0}}
module attributes {test.a = #train.polynomial_rate<initial = 0.1, steps = 0>} {}

// -----

// expected-error @below {{expected a finite power > 0, found 0.000000e+00}}
module attributes {test.a = #train.polynomial_rate<initial = 0.1, steps = 1, power = 0.0>} {}

// -----

// expected-error @below {{expected warmup >= 0, found -1}}
module attributes {test.a = #train.cosine_rate<peak = 0.1, steps = 4, warmup = -1>} {}

// -----

// expected-error @below {{expected steps > warmup, 4, found 4}}
module attributes {test.a = #train.cosine_rate<peak = 0.1, steps = 4, warmup = 4>} {}

// -----

// expected-error @below {{expected steps > warmup, 9223372036854775807, found 10}}
module attributes {test.a = #train.cosine_rate<peak = 0.1, steps = 10, warmup = 9223372036854775807>} {}

// -----

// expected-error @below {{expected steps >= 2, found 1}}
module attributes {test.a = #train.one_cycle_rate<peak = 0.1, steps = 1>} {}

// -----

// expected-error @below {{expected rise within [0, 1), found 1.000000e+00}}
module attributes {test.a = #train.one_cycle_rate<peak = 0.1, steps = 10, rise = 1.0>} {}

// -----

// expected-error @below {{expected rise * steps > 1, found 5.000000e-01}}
module attributes {test.a = #train.one_cycle_rate<peak = 0.1, steps = 10, rise = 0.05>} {}

// -----

// expected-error @below {{expected a finite div > 0, found 0.000000e+00}}
module attributes {test.a = #train.one_cycle_rate<peak = 0.1, steps = 10, div = 0.0>} {}

// -----

// expected-error @below {{expected a finite final_div > 0, found -1.000000e+00}}
module attributes {test.a = #train.one_cycle_rate<peak = 0.1, steps = 10, final_div = -1.0>} {}

// -----

train.variable @w : tensor<2xf32>
func.func @none(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected to accumulate the gradients of one or more calls, found 0}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd accumulate 0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @rows(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected no 'sparse lazy' with 'accumulate', which changes rows without a gradient}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd accumulate 2 sparse lazy
  return
}

// -----

train.variable @w : tensor<2xf16>
func.func @rows() {
  %w = train.read @w : tensor<2xf16>
  // expected-error @+1 {{expected no 'sparse lazy' with 'loss_scale', which changes rows without a gradient}}
  train.minimize %w : tensor<2xf16> with #train.sgd loss_scale #train.loss_scale sparse lazy
  return
}

// -----

train.variable @w : tensor<2xbf16>
func.func @rows(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected no 'sparse lazy' with 'master_weights', which changes rows without a gradient}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd master_weights sparse lazy
  return
}

// -----

// Wider gradients are those of narrow variables only.
train.variable @w : tensor<2xf32>
func.func @wide(%g: tensor<2xf64>) {
  // expected-error @+1 {{expected a gradient of @w's type 'tensor<2xf32>', found 'tensor<2xf64>'}}
  train.apply_gradients %g : tensor<2xf64> to [@w] with #train.sgd
  return
}

// -----

func.func @rounded(%p: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected the parameter 'tensor<2xf32>' rounded to f16 or bf16 at the end of the state, found 'tensor<2xf32>'}}
  %0:2 = train.update %p, %p rounded along %p with %s
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
      by #train.gradient_descent<lr = 0.1>
  return
}

// -----

func.func @rounded(%p: tensor<2xf64>, %r: tensor<2xf16>, %s: tensor<f64>) {
  // expected-error @+1 {{expected the parameter 'tensor<2xf64>' rounded to f16 or bf16 at the end of the state, found 'tensor<2xf16>'}}
  %0:2 = train.update %p, %r rounded along %p with %s
      : (tensor<2xf64>, tensor<2xf16>, tensor<2xf64>, tensor<f64>) -> (tensor<2xf64>, tensor<2xf16>)
      by #train.gradient_descent<lr = 0.1>
  return
}

// -----

func.func @rounded(%p: tensor<2xf32>, %r: tensor<3xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{expected the parameter 'tensor<2xf32>' rounded to f16 or bf16 at the end of the state, found 'tensor<3xbf16>'}}
  %0:2 = train.update %p, %r rounded along %p with %s
      : (tensor<2xf32>, tensor<3xbf16>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<3xbf16>)
      by #train.gradient_descent<lr = 0.1>
  return
}

// -----

func.func @slots(%p: tensor<2xf32>, %r: tensor<2xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a parameter and 1 slots in front of the rounded parameter, found 1 operands}}
  %0:2 = train.update %p, %r rounded along %p with %s, %s
      : (tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xbf16>)
      by #train.sgd<lr = 0.1>
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{`l2` clause can appear at most once}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 clip_norm 1.0 l2 0.2
  return
}

// -----

// expected-error @below {{expected initial from 2^-126 to 2^126, found 1.000000e-40}}
module attributes {test.a = #train.loss_scale<initial = 1.0e-40>} {}

// -----

// O1: its inverse would be a denormal number.
// expected-error @below {{expected initial from 2^-126 to 2^126, found 1.000000e+38}}
module attributes {test.a = #train.loss_scale<initial = 1.0e38>} {}

// -----

// expected-error @below {{expected growth to be a number of f32, in which the scale is, found 1.000000e+300}}
module attributes {test.a = #train.loss_scale<growth = 1.0e300>} {}

// -----

// expected-error @below {{expected backoff to be a number of f32, in which the scale is, found 1.000000e-40}}
module attributes {test.a = #train.loss_scale<backoff = 1.0e-40>} {}

// -----

// expected-error @below {{expected growth to be a number of f32, in which the scale is, found 1.000000e+00, which is 1.000000e+00 there}}
module attributes {test.a = #train.loss_scale<growth = 1.00000000001>} {}

// -----

train.variable @w : tensor<2xf16>
func.func @static() {
  %w = train.read @w : tensor<2xf16>
  // expected-error @+1 {{expected the initial scale of a loss of 'f16' from 6.103516e-05 to 6.550400e+04, found 6.553600e+04}}
  train.minimize %w : tensor<2xf16> with #train.sgd loss_scale #train.loss_scale<growth = 1.0, backoff = 1.0>
  return
}

// -----

train.variable @w : tensor<2xf16>
func.func @small() {
  %w = train.read @w : tensor<2xf16>
  // expected-error @+1 {{expected the initial scale of a loss of 'f16' from 6.103516e-05 to 6.550400e+04, found 1.000000e-05}}
  train.minimize %w : tensor<2xf16> with #train.sgd loss_scale #train.loss_scale<initial = 1.0e-5>
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @twice(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected distinct variables in no_decay, found @w twice}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 no_decay [@w, @w]
  return
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @other(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected variables of var_list in no_decay, found @v}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 no_decay [@v]
  return
}

// -----

train.variable @v : tensor<2xf32>
train.variable @w : tensor<2xf32>
func.func @other() {
  %w = train.read @w : tensor<2xf32>
  // expected-error @+1 {{expected variables of var_list in no_decay, found @v}}
  train.minimize %w : tensor<2xf32> with #train.sgd var_list [@w] l2 0.1 no_decay [@v]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @own(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected l2 or weight_decay with no_decay, found neither: the weight_decay of an optimizer is one of all variables}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw no_decay [@w]
  return
}

// -----

// A keyword without its value, or with one of another kind.

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a number after 'clip_norm'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_norm weight_decay 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a number after 'l2', found @w}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 @w
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a number after 'weight_decay', found i32}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd weight_decay i32
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a number after 'clip_global_norm', found "1.0"}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_global_norm "1.0"
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a number after 'clip_value'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd clip_value clip_norm 1.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a list of variables after 'no_decay'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 no_decay clip_norm 1.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a list of variables after 'no_decay', found @w}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 no_decay @w
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a list of variables after 'no_decay', found [1]}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 no_decay [1]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a schedule, such as #train.cosine_rate<...>, after 'lr'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd lr l2 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a schedule, such as #train.cosine_rate<...>, after 'lr', found 1.000000e-01}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd lr 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected a schedule, such as #train.cosine_rate<...>, after 'lr', found #train.adam}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd lr #train.adam
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected #train.loss_scale<...> after 'loss_scale', found 8.0}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd loss_scale 8.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected #train.loss_scale<...> after 'loss_scale'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd loss_scale accumulate 4
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected an integer after 'accumulate'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd accumulate master_weights
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected an integer after 'accumulate', found @w}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd accumulate @w
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected 'exact' or 'lazy' after 'sparse', found 'l2'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd sparse l2 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected the name of a variable after 'global_step'}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd global_step l2 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected the name of a variable after 'global_step', found [@w]}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd global_step [@w]
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{`l2` clause can appear at most once}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.sgd l2 0.1 l2 0.2
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%l: tensor<f32>) {
  // expected-error @+1 {{expected 'error' or 'skip' after 'unconnected', found 'l2'}}
  train.minimize %l : tensor<f32> with #train.sgd unconnected l2 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%l: tensor<f32>) {
  // expected-error @+1 {{expected 'error' or 'skip' after 'unconnected', found 'zeros'}}
  train.minimize %l : tensor<f32> with #train.sgd unconnected zeros
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%l: tensor<f32>) {
  // expected-error @+1 {{expected a list of variables after 'var_list'}}
  train.minimize %l : tensor<f32> with #train.sgd var_list clip_norm 1.0
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%l: tensor<f32>) {
  // expected-error @+1 {{expected a number after 'clip_norm'}}
  train.minimize %l : tensor<f32> with #train.sgd clip_norm global_step @w
  return
}

// -----

// A decay of the optimizer's own, and that of the clause.

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected one weight_decay, found 1.000000e-02 of the optimizer and 1.000000e-01 of the clause, which would add up: give the optimizer weight_decay = 0.0, or leave the clause out}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw weight_decay 0.1
  return
}

// -----

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  // expected-error @+1 {{expected one l2, found 5.000000e-01 of the optimizer and 2.500000e-01 of the clause, which would add up}}
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.ftrl<lr = 0.1, l2 = 0.5> l2 0.25
  return
}

// -----

// Clauses that add nothing are no errors.

train.variable @w : tensor<2xf32>
func.func @f(%g: tensor<2xf32>) {
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw<weight_decay = 0.0> weight_decay 0.1
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw weight_decay 0.0
  train.apply_gradients %g : tensor<2xf32> to [@w] with #train.adamw l2 0.1
  return
}

// -----

// Operands after a keyword.

func.func @f(%p: tensor<2xf32>, %g: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{expected SSA operand}}
  %0 = train.update %p along %g with %lr decay : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32> by #train.gradient_descent<lr = 0.1>
  return
}

// -----

func.func @f(%p: tensor<2xf32>, %g: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{expected SSA operand}}
  %0 = train.update %p along %g with decay %lr : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32> by #train.gradient_descent<lr = 0.1>
  return
}

// -----

func.func @f(%y: tensor<f32>, %x: tensor<f32>) {
  // expected-error @+1 {{expected SSA operand}}
  %0 = train.gradient %y wrt %x grad_ys stop %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}
