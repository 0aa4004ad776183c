// RUN: flywheel-opt %s --train-unify-reads --split-input-file | FileCheck %s

train.variable @w : tensor<f64> = #train.zeros
train.variable @u : tensor<f64> = #train.zeros

// G1, G2: the derivative with respect to one read is that with respect to the
// variable; an assignment makes another value.
// CHECK-LABEL: func @twice
func.func @twice(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  // CHECK: %[[W:.*]] = train.read @w
  // CHECK-NEXT: %[[L:.*]] = arith.mulf %[[W]], %[[W]]
  %a = train.read @w : tensor<f64>
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  // CHECK-NEXT: train.assign @w
  train.assign @w, %x : tensor<f64>
  // CHECK-NEXT: %[[NEW:.*]] = train.read @w
  %c = train.read @w : tensor<f64>
  // CHECK-NEXT: train.gradient %[[L]] wrt %[[W]], %[[NEW]]
  %g:2 = train.gradient %l wrt %b, %c unconnected zeros
      : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// CHECK-LABEL: func @in_a_loop
func.func @in_a_loop(%n: index, %x: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // The loop assigns @u, which is read anew in each iteration.
  // CHECK: %[[W:.*]] = train.read @w
  // CHECK: scf.for
  // CHECK-NOT: train.read @w
  // CHECK: train.read @u
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<f64> {
    %w = train.read @w : tensor<f64>
    %u = train.read @u : tensor<f64>
    %p = arith.mulf %h, %w : tensor<f64>
    %q = arith.addf %p, %u : tensor<f64>
    train.assign @u, %q : tensor<f64>
    scf.yield %q : tensor<f64>
  }
  %w = train.read @w : tensor<f64>
  // CHECK: train.gradient %{{.*}} wrt %[[W]]
  %g = train.gradient %y wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// What may assign any variable makes all values other ones.
func.func private @other()
// CHECK-LABEL: func @unknown
func.func @unknown() -> tensor<f64> {
  // CHECK-COUNT-2: train.read @w
  %a = train.read @w : tensor<f64>
  func.call @other() : () -> ()
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  %g = train.gradient %l wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// No derivative asks for it.
// CHECK-LABEL: func @plain
func.func @plain() -> tensor<f64> {
  // CHECK-COUNT-2: train.read @w
  %a = train.read @w : tensor<f64>
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  return %l : tensor<f64>
}
