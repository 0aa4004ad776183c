// REQUIRES: python
// RUN: %python %S/Inputs/write_checkpoint.py %t.safetensors
// RUN: flywheel-opt %s "--train-load-initial-values=checkpoint=%t.safetensors" | FileCheck %s
// RUN: flywheel-opt %s "--train-load-initial-values=checkpoint=%t.safetensors external" | FileCheck %s --check-prefix=EXTERNAL
// RUN: flywheel-opt %s "--train-load-initial-values=checkpoint=%t.safetensors external" --train-materialize-initializers | FileCheck %s --check-prefix=INIT
// RUN: not flywheel-opt %s "--train-load-initial-values=checkpoint=%t.none" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/@w : tensor<2xf32>/@w : tensor<3xf32>/' %s | not flywheel-opt - "--train-load-initial-values=checkpoint=%t.safetensors" 2>&1 | FileCheck %s --check-prefix=SHAPE

// P14: what the checkpoint has values of starts from them, whatever the program
// says; @unread, which it lacks, starts as before.
// NONE: error: cannot load initial values:
// SHAPE: error: cannot load initial values:
// With external, these start without a value, and nothing of the file is left.
// EXTERNAL: train.variable @w : tensor<2xf32> = #train.zeros{{.*}}train.start = "restored"
// EXTERNAL: train.variable @mask : tensor<3xi1> = #train.zeros{{.*}}train.start = "restored"
// EXTERNAL: train.variable @half : tensor<bf16> = #train.zeros{{.*}}train.start = "restored"
// EXTERNAL: train.variable @unread : tensor<f32> = #train.ones
// EXTERNAL-NOT: train.start
// INIT-LABEL: func.func @init(
// INIT: train.assign @unread
// INIT-NOT: train.assign
// CHECK: train.variable @w : tensor<2xf32> = dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
train.variable @w : tensor<2xf32> = #train.ones
// CHECK: train.variable @mask : tensor<3xi1> = dense<[true, false, true]> : tensor<3xi1>
train.variable @mask : tensor<3xi1>
// CHECK: train.variable @half : tensor<bf16> = dense<3.234380e+00> : tensor<bf16>
train.variable @half : tensor<bf16> init {
  %one = arith.constant dense<1.0> : tensor<bf16>
  train.yield %one : tensor<bf16>
}
// CHECK: train.variable @unread : tensor<f32> = #train.ones
train.variable @unread : tensor<f32> = #train.ones
