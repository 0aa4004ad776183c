// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s | FileCheck %s --strict-whitespace --check-prefix=SPACES

// SPACES-COUNT-3: train.least_squares{{( %[a-z0-9]+| over \[@a\])}} max_iterations {{[0-9]}} {{[^ ]}}

train.variable @a : tensor<3xf64> = #train.zeros
train.variable @l : tensor<f64> = dense<1.0> : tensor<f64>

// L1, L13: over values, and over variables; numbers that are defaults are not printed.
// CHECK-LABEL: func @least_squares
func.func @least_squares(%x: tensor<3xf64>, %t: tensor<?xf64>) {
  // CHECK: train.least_squares %arg0 max_iterations 5 : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<3xf64>):
  // CHECK-NEXT: train.residuals %[[X]] : tensor<3xf64>
  %o, %v = train.least_squares %x max_iterations 5 regularizer 1.0e-20 multiplier 10.0
      : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%y: tensor<3xf64>):
    train.residuals %y : tensor<3xf64>
  }
  // CHECK: %[[L:.*]] = train.read @l
  // CHECK: train.least_squares over [@a] max_iterations 2 regularizer %[[L]] multiplier 2.000000e+00 on_failure reject jacobian forward
  // CHECK-SAME: solver cg cg_iterations 7 cg_tolerance 1.000000e-03 history
  // CHECK-SAME: : (tensor<f64>) -> (tensor<f64>, tensor<2xf64>, tensor<2xi1>, tensor<2xf64>) {
  // CHECK-NEXT: %[[A:.*]] = train.read @a
  // CHECK-NEXT: train.residuals %[[A]], %{{.*}} : tensor<3xf64>, tensor<?xf64>
  %l = train.read @l : tensor<f64>
  %p, %os, %accepted, %ls = train.least_squares over [@a] max_iterations 2 regularizer %l multiplier 2.0
      on_failure reject jacobian forward solver cg cg_iterations 7 cg_tolerance 1.0e-3 history
      : (tensor<f64>) -> (tensor<f64>, tensor<2xf64>, tensor<2xi1>, tensor<2xf64>) {
    %a = train.read @a : tensor<3xf64>
    train.residuals %a, %t : tensor<3xf64>, tensor<?xf64>
  }
  return
}

// L1: clauses in another order.
// CHECK-LABEL: func @any_order
func.func @any_order() -> (tensor<f64>, tensor<3xf64>, tensor<3xi1>, tensor<3xf64>) {
  // CHECK: train.least_squares over [@a] max_iterations 3 regularizer 5.000000e-01 on_failure reject solver cg cg_iterations 2 history
  %r:4 = train.least_squares history cg_iterations 2 regularizer 0.5 solver cg max_iterations 3
      on_failure reject over [@a] : () -> (tensor<f64>, tensor<3xf64>, tensor<3xi1>, tensor<3xf64>) {
    %a = train.read @a : tensor<3xf64>
    train.residuals %a : tensor<3xf64>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<f64>, tensor<3xf64>, tensor<3xi1>, tensor<3xf64>
}
