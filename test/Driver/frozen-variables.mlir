// RUN: flywheel-opt %s --flywheel-expand --flywheel-autodiff | FileCheck %s

// C5: of a frozen variable no gradient is computed: dw = 2 (y - 12) f x is all
// there is between the loss and the update. It has no slot.
// CHECK-NOT: train.variable @"f/SGD"
// CHECK-LABEL: func @step
// CHECK: %[[F:.*]] = train.read @f
// CHECK: %[[W:.*]] = train.read @w
// CHECK-NEXT: %[[FX:.*]] = arith.mulf %[[F]], %arg0
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[FX]], %[[W]]
// CHECK-NEXT: %[[E:.*]] = arith.subf %[[Y]],
// CHECK-NEXT: %[[LOSS:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT: %[[DE:.*]] = arith.addf %[[E]], %[[E]]
// CHECK-NEXT: %[[DW:.*]] = arith.mulf %[[DE]], %[[FX]]
// CHECK-NEXT: train.read @"SGD/iterations"
// CHECK-NOT: arith.mulf
// CHECK: train.update %{{.*}}, %{{.*}} along %[[DW]] with
// CHECK-NOT: train.assign @f,
// CHECK: return %[[LOSS]]
train.variable @f : tensor<f64> = dense<2.0> : tensor<f64> {trainable = false}
train.variable @w : tensor<f64> = dense<1.0> : tensor<f64>
func.func @step(%x: tensor<f64>) -> tensor<f64> {
  %f = train.read @f : tensor<f64>
  %w = train.read @w : tensor<f64>
  %fx = arith.mulf %f, %x : tensor<f64>
  %y = arith.mulf %fx, %w : tensor<f64>
  %target = arith.constant dense<12.0> : tensor<f64>
  %error = arith.subf %y, %target : tensor<f64>
  %loss = arith.mulf %error, %error : tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.001>
  return %loss : tensor<f64>
}
