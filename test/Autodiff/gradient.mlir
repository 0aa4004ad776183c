// RUN: flywheel-opt %s --train-autodiff --split-input-file | FileCheck %s

// The ys are summed, with weight 1 each; a value with several uses adds up.
// CHECK-LABEL: func @several
// CHECK-SAME: (%[[A:.*]]: tensor<f64>, %[[B:.*]]: tensor<f64>)
// CHECK: %[[ONE:.*]] = arith.constant dense<1.0
// CHECK-NOT: train.gradient
// CHECK: %[[DA:.*]] = arith.addf
// CHECK: return
func.func @several(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %ab = arith.mulf %a, %b : tensor<f64>
  %bb = arith.mulf %b, %b : tensor<f64>
  %s = arith.addf %a, %bb : tensor<f64>
  %d:2 = train.gradient %ab, %s wrt %a, %b : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %d#0, %d#1 : tensor<f64>, tensor<f64>
}

// -----

// Intermediate values are targets too, next to what they are computed from; a y
// that is a target has its own weight as the gradient.
// CHECK-LABEL: func @intermediate
// CHECK-SAME: (%[[W:.*]]: tensor<f64>, %[[X:.*]]: tensor<f64>)
// CHECK: %[[H:.*]] = arith.mulf %[[W]], %[[X]]
// CHECK: arith.mulf %[[H]], %[[H]]
// CHECK: %[[ONE:.*]] = arith.constant
// CHECK: %[[L:.*]] = arith.mulf %[[ONE]], %[[H]]
// CHECK: %[[R:.*]] = arith.mulf %[[ONE]], %[[H]]
// CHECK: %[[DH:.*]] = arith.addf %[[L]], %[[R]]
// CHECK: %[[DW:.*]] = arith.mulf %[[DH]], %[[X]]
// CHECK: return %[[DH]], %[[DW]], %[[ONE]]
func.func @intermediate(%w: tensor<f64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %h = arith.mulf %w, %x : tensor<f64>
  %s = arith.mulf %h, %h : tensor<f64>
  %d:3 = train.gradient %s wrt %h, %w, %s : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %d#0, %d#1, %d#2 : tensor<f64>, tensor<f64>, tensor<f64>
}

// -----

// A gradient of a gradient differentiates plain ops: (x^2)'' = 2.
// CHECK-LABEL: func @nested
// CHECK-NOT: train.gradient
// CHECK: return
func.func @nested(%x: tensor<f64>) -> tensor<f64> {
  %y = arith.mulf %x, %x : tensor<f64>
  %d = train.gradient %y wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %dd = train.gradient %d wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %dd : tensor<f64>
}

// -----

// No derivative flows through a stop, which then disappears.
// CHECK-LABEL: func @stop
// CHECK-SAME: (%[[W:.*]]: tensor<f64>)
// CHECK-NEXT: arith.mulf %[[W]], %[[W]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[ONE]], %[[W]]
// CHECK-NEXT: return %[[D]]
func.func @stop(%w: tensor<f64>) -> tensor<f64> {
  %s = train.stop_gradient %w : tensor<f64>
  %y = arith.mulf %s, %w : tensor<f64>
  %d = train.gradient %y wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}

// -----

// A stop stays while an optimizer still has to be expanded.
// CHECK-LABEL: func @stop_for_minimize
// CHECK: train.stop_gradient
train.variable @w : tensor<f64>
func.func @stop_for_minimize() {
  %w = train.read @w : tensor<f64>
  %s = train.stop_gradient %w : tensor<f64>
  %y = arith.mulf %s, %w : tensor<f64>
  train.minimize %y : tensor<f64> with #train.sgd
  return
}

// -----

// CHECK-LABEL: func @unconnected
// CHECK-SAME: (%[[X:.*]]: tensor<f64>, %[[Z:.*]]: tensor<?xf64>)
// CHECK: %[[D:.*]] = nn.broadcast %{{.*}} dims [] like %[[Z]]
// CHECK: return %[[D]]
func.func @unconnected(%x: tensor<f64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %d = train.gradient %x wrt %z unconnected zeros : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %d : tensor<?xf64>
}

// -----

// Ops off the path need no rule.
// CHECK-LABEL: func @off_path
// CHECK-NOT: train.gradient
func.func @off_path(%x: tensor<4xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %k = linalg.exp ins(%c : tensor<4xf64>) outs(%c : tensor<4xf64>) -> tensor<4xf64>
  %y = arith.mulf %x, %k : tensor<4xf64>
  %d = train.gradient %y wrt %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %d : tensor<4xf64>
}

// -----

// What a loop carries is a constant to a gradient inside of its body.
// CHECK-LABEL: func @inside_loop
// CHECK: scf.for
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK: scf.yield
func.func @inside_loop(%x: tensor<4xf64>, %n: index) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf64> {
    %e = math.exp %a : tensor<4xf64>
    %d = train.gradient %e wrt %a : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    scf.yield %d : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}
