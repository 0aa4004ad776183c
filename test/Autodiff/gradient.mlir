// RUN: flywheel-opt %s --train-autodiff --split-input-file | FileCheck %s

// The ys are summed, with weight 1 each; a value with several uses adds up:
// with respect to a 1 + b, to b 2 b + a.
// CHECK-LABEL: func @several
// CHECK-SAME: (%[[A:.*]]: tensor<f64>, %[[B:.*]]: tensor<f64>)
// CHECK-NEXT: arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: %[[BB:.*]] = arith.mulf %[[B]], %[[B]]
// CHECK-NEXT: arith.addf %[[A]], %[[BB]]
// CHECK-NEXT: %[[DAB:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT: %[[DS:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT: %[[L:.*]] = arith.mulf %[[DS]], %[[B]]
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[DS]], %[[B]]
// CHECK-NEXT: %[[LR:.*]] = arith.addf %[[L]], %[[R]]
// CHECK-NEXT: %[[DABA:.*]] = arith.mulf %[[DAB]], %[[B]]
// CHECK-NEXT: %[[DABB:.*]] = arith.mulf %[[DAB]], %[[A]]
// CHECK-NEXT: %[[DA:.*]] = arith.addf %[[DS]], %[[DABA]]
// CHECK-NEXT: %[[DB:.*]] = arith.addf %[[LR]], %[[DABB]]
// CHECK-NEXT: return %[[DA]], %[[DB]]
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
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[W]], %[[X]]
// CHECK-NEXT: arith.mulf %[[H]], %[[H]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK-NEXT: %[[L:.*]] = arith.mulf %[[ONE]], %[[H]]
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[ONE]], %[[H]]
// CHECK-NEXT: %[[DH:.*]] = arith.addf %[[L]], %[[R]]
// CHECK-NEXT: %[[DW:.*]] = arith.mulf %[[DH]], %[[X]]
// CHECK-NEXT: return %[[DH]], %[[DW]], %[[ONE]]
func.func @intermediate(%w: tensor<f64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %h = arith.mulf %w, %x : tensor<f64>
  %s = arith.mulf %h, %h : tensor<f64>
  %d:3 = train.gradient %s wrt %h, %w, %s : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %d#0, %d#1, %d#2 : tensor<f64>, tensor<f64>, tensor<f64>
}

// -----

// A gradient of a gradient differentiates plain ops: (x^2)'' = 2.
// CHECK-LABEL: func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<f64>)
// CHECK-NEXT: arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK-NEXT: %[[DL:.*]] = arith.mulf %[[ONE]], %[[X]]
// CHECK-NEXT: %[[DR:.*]] = arith.mulf %[[ONE]], %[[X]]
// CHECK-NEXT: arith.addf %[[DL]], %[[DR]]
// CHECK-NEXT: %[[SEED:.*]] = arith.constant dense<1.000000e+00>
// CHECK-NEXT: %[[L:.*]] = arith.mulf %[[SEED]], %[[ONE]]
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[SEED]], %[[ONE]]
// CHECK-NEXT: %[[DD:.*]] = arith.addf %[[L]], %[[R]]
// CHECK-NEXT: return %[[DD]]
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
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
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
// CHECK-NEXT: %[[W:.*]] = train.read @w
// CHECK-NEXT: %[[S:.*]] = train.stop_gradient %[[W]]
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[S]], %[[W]]
// CHECK-NEXT: train.minimize %[[Y]]
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
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT: %[[D:.*]] = nn.broadcast %[[ZERO]] dims [] like %[[Z]]
// CHECK-NEXT: return %[[D]]
func.func @unconnected(%x: tensor<f64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %d = train.gradient %x wrt %z unconnected zeros : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %d : tensor<?xf64>
}

// -----

// Ops off the path need no rule.
// CHECK-LABEL: func @off_path
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>, %[[C:.*]]: tensor<4xf64>)
// CHECK-NEXT: %[[K:.*]] = linalg.exp ins(%[[C]] : tensor<4xf64>) outs(%[[C]] : tensor<4xf64>)
// CHECK-NEXT: arith.mulf %[[X]], %[[K]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf64>
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[ONE]], %[[K]]
// CHECK-NEXT: return %[[D]]
func.func @off_path(%x: tensor<4xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %k = linalg.exp ins(%c : tensor<4xf64>) outs(%c : tensor<4xf64>) -> tensor<4xf64>
  %y = arith.mulf %x, %k : tensor<4xf64>
  %d = train.gradient %y wrt %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %d : tensor<4xf64>
}

// -----

// An iter_arg of a loop is a constant to a gradient inside of its body.
// CHECK-LABEL: func @inside_loop
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>, %[[N:.*]]: index)
// CHECK: scf.for %{{.*}} to %[[N]] {{.*}} iter_args(%[[A:.*]] = %[[X]])
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[ONE]], %[[E]]
// CHECK-NEXT: scf.yield %[[D]]
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

// -----

// The gradient of a layer with respect to its weight.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[W:.*]]: tensor<3x2xf32>
// CHECK: %[[Y:.*]] = nn.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[Y]]
// CHECK: %[[G:.*]] = nn.matmul %[[X]], %{{.*}} {transpose_a}
// CHECK: return %[[T]], %[[G]]
// EXAMPLE: --train-autodiff
func.func @product(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<3x2xf32>) {
  %y = nn.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %t = math.tanh %y : tensor<4x2xf32>
  %g = train.gradient %t wrt %w : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %t, %g : tensor<4x2xf32>, tensor<3x2xf32>
}
