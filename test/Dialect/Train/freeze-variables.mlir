// REQUIRES: python
// RUN: %python %S/Inputs/write_checkpoint.py %t.safetensors
// RUN: flywheel-opt %s "--train-freeze-variables=checkpoint=%t.safetensors" | FileCheck %s
// RUN: flywheel-opt %s "--train-freeze-variables=checkpoint=%t.safetensors variables=w" | FileCheck %s --check-prefix=ONE

// P14: what nothing assigns becomes a constant; a slot of it that is still
// assigned is a variable like any other. Other keys of the file do not matter,
// nor does @unread, which the file lacks.
// CHECK-NOT: train.variable @w
// CHECK: train.variable @counter
// CHECK-NEXT: train.variable @"w/slot" : tensor<2xf32> {trainable = false}
// CHECK-NOT: train.variable

// ONE-NOT: train.variable @w :
// ONE: train.variable @mask
// ONE: train.variable @unread
// ONE: train.variable @counter
train.variable @w : tensor<2xf32>
train.variable @mask : tensor<3xi1>
train.variable @half : tensor<bf16>
train.variable @none : tensor<0x2xi64>
train.variable @unread : tensor<f32>
train.variable @counter : tensor<i32>
train.variable @"w/slot" : tensor<2xf32> {slot_of = @w}

// CHECK-LABEL: func @predict
// CHECK-DAG: %[[W:.*]] = arith.constant dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<[true, false, true]> : tensor<3xi1>
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<3.234380e+00> : tensor<bf16>
// CHECK-DAG: %[[NONE:.*]] = arith.constant dense<> : tensor<0x2xi64>
// CHECK: %[[COUNTER:.*]] = train.read @counter
// CHECK: return %[[W]], %[[MASK]], %[[HALF]], %[[NONE]], %[[COUNTER]]

// ONE-LABEL: func @predict
// ONE: arith.constant dense<[1.500000e+00, -2.000000e+00]>
// ONE: train.read @mask
func.func @predict() -> (tensor<2xf32>, tensor<3xi1>, tensor<bf16>, tensor<0x2xi64>, tensor<i32>) {
  %w = train.read @w : tensor<2xf32>
  %mask = train.read @mask : tensor<3xi1>
  %half = train.read @half : tensor<bf16>
  %none = train.read @none : tensor<0x2xi64>
  %counter = train.read @counter : tensor<i32>
  return %w, %mask, %half, %none, %counter : tensor<2xf32>, tensor<3xi1>, tensor<bf16>, tensor<0x2xi64>, tensor<i32>
}

func.func @count(%x: tensor<2xf32>) {
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @counter, %one : tensor<i32>
  train.assign @"w/slot", %x : tensor<2xf32>
  return
}
