// RUN: flywheel-opt %s --train-select-entries=entries=predict,scale | FileCheck %s
// RUN: flywheel-opt %s --pass-pipeline='builtin.module(train-select-entries{entries=predict},train-expand-optimizers)' | FileCheck %s --check-prefix=ONE
// RUN: flywheel-opt %s --train-select-entries | FileCheck %s --check-prefix=ALL
// RUN: flywheel-opt %s --flywheel-expand=entries=predict | FileCheck %s --check-prefix=STAGE

// P14, T11: an entry brings what it leads to, through calls too.
// CHECK: train.variable @w
// CHECK-NOT: train.variable
// CHECK: train.variable @factor
// CHECK-NOT: train.variable
// CHECK: func.func private @affine
// CHECK: func.func @predict
// CHECK-NOT: func.func @train_step
// CHECK: func.func @scale
// CHECK-NOT: func

// ONE: train.variable @w
// ONE-NOT: train.variable
// ONE: func.func private @affine
// ONE: func.func @predict
// ONE-NOT: func

// Without a list nothing is removed.
// ALL: train.variable @unused
// ALL: func.func private @unused_function
// ALL: func.func @train_step
// ALL: func.func @scale

// STAGE: train.variable @w
// STAGE-NOT: train.variable
// STAGE: func.func @predict
// STAGE: func.func @init

train.variable @w : tensor<f32>
train.variable @b : tensor<f32>
train.variable @factor : tensor<f32>
train.variable @unused : tensor<f32>
train.variable @"unused/slot" : tensor<f32> {slot_of = @unused}

func.func private @affine(%x: tensor<f32>) -> tensor<f32> {
  %w = train.read @w : tensor<f32>
  %y = arith.mulf %w, %x : tensor<f32>
  return %y : tensor<f32>
}
func.func private @unused_function() {
  return
}
func.func @predict(%x: tensor<f32>) -> tensor<f32> {
  %y = call @affine(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @train_step(%x: tensor<f32>) {
  %y = call @affine(%x) : (tensor<f32>) -> tensor<f32>
  %b = train.read @b : tensor<f32>
  %loss = arith.addf %y, %b : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam
  return
}
func.func @scale(%x: tensor<f32>) {
  train.assign @factor, %x : tensor<f32>
  return
}
