// RUN: flywheel-opt %s --train-print-cost -o /dev/null 2>&1 | FileCheck %s
// RUN: flywheel-compile --cost %s | FileCheck %s --check-prefix=BOTH
// RUN: flywheel-compile --cost=json %s | FileCheck %s --check-prefix=JSON
// RUN: flywheel-compile --cost --fetches=loss --entries=by_optimizer %s | FileCheck %s --check-prefix=FETCH

train.variable @w : tensor<8x4xf32> = #train.zeros

// F3: the rule of Keras' SGD takes four operations an element, and a step
// counts itself.
// CHECK-LABEL: @by_optimizer
// CHECK-NEXT:  forward   {{[0-9]+}} FLOP
// CHECK-NEXT:  backward  {{[0-9]+}} FLOP
// CHECK-NEXT:  update    129 FLOP
// CHECK:       update    {{.*}}phases.mlir:[[@LINE+15]]:3: train.minimize ({{[0-9]+}} ops): 129 FLOP
// BOTH:        cost before optimization
// BOTH:        @by_optimizer
// BOTH:        update    129 FLOP
// JSON:        "after": {
// JSON:        "title": "after optimization"
// JSON:        "before": {
// JSON:        "title": "before optimization"
// FETCH:       @by_optimizer
// FETCH:       update    0 FLOP
// FETCH-NOT:   after optimization
func.func @by_optimizer(%x: tensor<2x8xf32>) -> (tensor<f32> {train.name = "loss"}) {
  %w = train.read @w : tensor<8x4xf32>
  %y = nn.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %loss = nn.l2_loss %y : tensor<2x4xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}

// Ops that a program computes from a gradient are of the update too.
// CHECK-LABEL: @by_hand
// CHECK-NEXT:  forward   151 FLOP
// CHECK-NEXT:  backward
// CHECK-NEXT:  update    64 FLOP
// CHECK:       update    {{.*}}: arith.mulf: 32 FLOP
// CHECK-NEXT:  update    {{.*}}: train.assign_sub: 32 FLOP
func.func @by_hand(%x: tensor<2x8xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<8x4xf32>
  %y = nn.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %loss = nn.l2_loss %y : tensor<2x4xf32> -> tensor<f32>
  %dw = train.gradient %loss wrt %w : (tensor<f32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %rate = arith.constant dense<0.1> : tensor<8x4xf32>
  %step = arith.mulf %rate, %dw : tensor<8x4xf32>
  train.assign_sub @w, %step : tensor<8x4xf32>
  return %loss : tensor<f32>
}

// F3: an assignment is of the update after optimization, too.
// CHECK-LABEL: @counts
// CHECK:       update    32 FLOP
// BOTH:        @counts
// BOTH:        update    32 FLOP
// BOTH:        cost after optimization
// BOTH:        @counts
// BOTH-NEXT:   forward   0 FLOP
// BOTH:        update    32 FLOP
func.func @counts() {
  %w = train.read @w : tensor<8x4xf32>
  train.assign_add @w, %w : tensor<8x4xf32>
  return
}
