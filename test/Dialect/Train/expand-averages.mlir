// RUN: flywheel-opt %s --split-input-file | flywheel-opt --split-input-file | FileCheck %s --check-prefix=ROUND
// RUN: flywheel-opt %s --train-expand-averages --split-input-file | FileCheck %s

// R10: averages of the trainable variables, from their first values on, with the values
// after the update; a variable of 16 bits has one of f32 and what it rounds to.
// CHECK-DAG: train.variable @"w/ExponentialMovingAverage" : tensor<3xf32> init {
// CHECK-DAG: train.initialized_value @w
// CHECK-DAG: {slot_of = @w, trainable = false}
// CHECK-DAG: train.variable @"h/ExponentialMovingAverage" : tensor<2xf32> init {
// CHECK-DAG: train.variable @"h/ExponentialMovingAverage_rounded" : tensor<2xbf16> init {
// CHECK-NOT: @"step/
train.variable @w : tensor<3xf32> = #train.zeros
train.variable @h : tensor<2xbf16> = #train.zeros
train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}

// CHECK-LABEL: func @average
// CHECK: train.minimize
// CHECK: %[[DECAY:.*]] = arith.constant dense<{{.*}}> : tensor<f64>
// CHECK: %[[N:.*]] = train.read @step
// CHECK: arith.divf
// CHECK: arith.minimumf %[[DECAY]]
// CHECK: %[[RATE:.*]] = arith.subf
// CHECK: %[[READ:.*]] = train.read @w
// CHECK: %[[W:.*]] = train.stop_gradient %[[READ]]
// CHECK: %[[OLD:.*]] = train.read @"w/ExponentialMovingAverage"
// CHECK: %[[SHARE:.*]] = arith.truncf %[[RATE]] : tensor<f64> to tensor<f32>
// CHECK: %[[WIDE:.*]] = nn.broadcast %[[SHARE]]
// CHECK: %[[AWAY:.*]] = arith.subf %[[OLD]], %[[W]]
// CHECK: %[[MOVE:.*]] = arith.mulf %[[AWAY]], %[[WIDE]]
// CHECK: %[[NEW:.*]] = arith.subf %[[OLD]], %[[MOVE]]
// CHECK: train.assign @"w/ExponentialMovingAverage", %[[NEW]]
// CHECK: train.assign @"h/ExponentialMovingAverage"
// CHECK: %[[ROUNDED:.*]] = arith.truncf
// CHECK: train.assign @"h/ExponentialMovingAverage_rounded", %[[ROUNDED]]
// ROUND: train.average_variables decay 0.99899999999999999 num_updates @step
func.func @average() {
  %w = train.read @w : tensor<3xf32>
  train.minimize %w : tensor<3xf32> with #train.sgd global_step @step
  train.average_variables decay 0.999 num_updates @step
  return
}

// CHECK-LABEL: func @swap
// CHECK: %[[W:.*]] = train.read @w
// CHECK: %[[A:.*]] = train.read @"w/ExponentialMovingAverage"
// CHECK: train.assign @w, %[[A]]
// CHECK: train.assign @"w/ExponentialMovingAverage", %[[W]]
// CHECK: train.assign @h,
// CHECK: train.assign @"h/ExponentialMovingAverage_rounded"
// ROUND: train.swap_averages{{$}}
func.func @swap() {
  train.swap_averages
  return
}

// -----

// A list, a name, the program's own average, no bias of the first value.
// CHECK-DAG: train.variable @"w/slow" : tensor<3xf64> = dense<1.000000e+00> : tensor<3xf64> {trainable = false}
// CHECK-DAG: train.variable @"slow/remainder" : tensor<f64> = #train.ones {trainable = false}
// CHECK-NOT: @"v/slow"
train.variable @w : tensor<3xf64>
train.variable @v : tensor<3xf64>
train.variable @"w/slow" : tensor<3xf64> = dense<1.0> : tensor<3xf64>

// CHECK-LABEL: func @average
// CHECK: %[[LEFT:.*]] = train.read @"slow/remainder"
// CHECK: %[[LESS:.*]] = arith.mulf %[[LEFT]],
// CHECK: train.assign @"slow/remainder", %[[LESS]]
// CHECK: arith.divf
// CHECK: train.assign @"w/slow"
// ROUND: train.average_variables decay 5.000000e-01 var_list [@w] zero_debias name "slow"
// ROUND: train.swap_averages var_list [@w] name "slow"
func.func @average() {
  train.average_variables decay 0.5 var_list [@w] zero_debias name "slow"
  train.swap_averages var_list [@w] name "slow"
  return
}

// -----

// Without a list, an average that the program declares is not averaged itself,
// nor is the rounded one.
// CHECK-NOT: @"w/ExponentialMovingAverage/
// CHECK-NOT: _rounded/
train.variable @w : tensor<3xbf16>
train.variable @"w/ExponentialMovingAverage" : tensor<3xf32>
train.variable @"w/ExponentialMovingAverage_rounded" : tensor<3xbf16>
train.variable @"x/ExponentialMovingAverage" : tensor<3xf32>
// CHECK: train.variable @"x/ExponentialMovingAverage/ExponentialMovingAverage" : tensor<3xf32>
// CHECK-NOT: @"w/ExponentialMovingAverage/
// CHECK-LABEL: func @declared
func.func @declared() {
  train.average_variables decay 0.5
  return
}
