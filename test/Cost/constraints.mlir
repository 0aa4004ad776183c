// RUN: flywheel-compile --cost %s | FileCheck %s

// F1: a projection costs what it takes for an element; with norms along an axis 3 for each element (its square, the
// sum, the product with a factor), and for each norm a root, a minimum, a sum and a quotient:
// 3 * 512 * 256 + 4 * 256 = 394240 for @w, 512 * 256 = 131072 for @v. An update of plain descent takes 2 an element.
train.variable @w : tensor<512x256xf32> {constraint = #train.max_norm<max = 2.0>}
train.variable @v : tensor<512x256xf32> {constraint = #train.non_neg}

// CHECK: cost before optimization
// CHECK-NEXT: @step
// CHECK: update 1049600 FLOP
// CHECK-NOT: counted 0
// CHECK: cost after optimization
// CHECK-NOT: counted 0
func.func @step(%x: tensor<512x256xf32>) {
  %w = train.read @w : tensor<512x256xf32>
  %v = train.read @v : tensor<512x256xf32>
  %vx = arith.mulf %v, %x : tensor<512x256xf32>
  %loss = arith.mulf %w, %vx : tensor<512x256xf32>
  train.minimize %loss : tensor<512x256xf32> with #train.gradient_descent<lr = 0.1>
  return
}

// Globals of `ml_program` cost what variables do.
ml_program.global private mutable @g(dense<1.0> : tensor<4xf32>) : tensor<4xf32>

// CHECK: @global
// CHECK-NEXT: forward 4 FLOP
// CHECK-NOT: counted 0
func.func @global() -> tensor<4xf32> {
  %g = ml_program.global_load @g : tensor<4xf32>
  %s = arith.addf %g, %g : tensor<4xf32>
  ml_program.global_store @g = %s : tensor<4xf32>
  return %s : tensor<4xf32>
}
