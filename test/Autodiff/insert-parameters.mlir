// RUN: flywheel-opt %s --train-insert-parameters --split-input-file | FileCheck %s
// RUN: flywheel-opt %s --train-insert-parameters --cse --canonicalize --train-autodiff --canonicalize --split-input-file | FileCheck %s --check-prefix=PARTIAL

// G19: two equal constants stay two targets: a^2 b at 1 by a, 2, and not 3.
// CHECK-LABEL: func @equal_constants
// CHECK: %[[A:.*]] = train.parameter %{{.*}} : tensor<f64>
// CHECK: %[[B:.*]] = arith.constant
// CHECK-NOT: train.parameter
// CHECK: %[[AA:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK: %[[Y:.*]] = arith.mulf %[[AA]], %[[B]]
// CHECK: train.gradient %[[Y]] wrt %[[A]]
// PARTIAL-LABEL: func @equal_constants
// PARTIAL-NEXT: %[[TWO:.*]] = arith.constant dense<2.000000e+00>
// PARTIAL-NEXT: return %[[TWO]]
// EXAMPLE: --train-insert-parameters
func.func @equal_constants() -> tensor<f64> {
  %a = arith.constant dense<1.0> : tensor<f64>
  %b = arith.constant dense<1.0> : tensor<f64>
  %aa = arith.mulf %a, %a : tensor<f64>
  %y = arith.mulf %aa, %b : tensor<f64>
  %g = train.gradient %y wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// -----

// A target that is a read stands for the variable, and one that is a parameter
// is one already. Two that are one value are one parameter.
train.variable @w : tensor<f64>

// CHECK-LABEL: func @targets
// CHECK-SAME: %[[X:.*]]: tensor<f64>
// CHECK-NEXT: %[[PX:.*]] = train.parameter %[[X]]
// CHECK-NEXT: %[[W:.*]] = train.read @w
// CHECK-NEXT: %[[P:.*]] = train.parameter %[[W]]
// CHECK-NEXT: arith.mulf %[[W]], %[[P]]
// CHECK-NOT: train.parameter
// CHECK: train.gradient %{{.*}} wrt %[[W]], %[[P]], %[[PX]], %[[PX]]
func.func @targets(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %w = train.read @w : tensor<f64>
  %p = train.parameter %w : tensor<f64>
  %wp = arith.mulf %w, %p : tensor<f64>
  %y = arith.mulf %wp, %x : tensor<f64>
  %g:4 = train.gradient %y wrt %w, %p, %x, %x
      : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
      -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %g#0, %g#1, %g#2, %g#3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// -----

// An iter_arg of a loop is a target of its own, in every iteration.
// CHECK-LABEL: func @carried
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}})
// CHECK-NEXT: %[[P:.*]] = train.parameter %[[C]]
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[P]], %{{.*}}
// CHECK: train.jvp %[[Y]] wrt %[[P]] tangents
// CHECK: scf.for
// CHECK-NEXT: train.parameter
// CHECK: train.jacobian
func.func @carried(%x: tensor<f64>, %n: index) -> (tensor<f64>, tensor<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> tensor<f64> {
    %y = arith.mulf %c, %x : tensor<f64>
    %d = train.jvp %y wrt %c tangents %x : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %d : tensor<f64>
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> tensor<f64> {
    %y = arith.mulf %c, %x : tensor<f64>
    %d = train.jacobian %y wrt %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %d : tensor<f64>
  }
  return %0, %1 : tensor<f64>, tensor<f64>
}

// -----

// Two parameters of one value stay two, and an unused one is erased.
// PARTIAL-LABEL: func @positions
// PARTIAL-SAME: %[[V:.*]]: tensor<f64>
// PARTIAL-DAG: %[[VV:.*]] = arith.mulf %[[V]], %[[V]]
// PARTIAL-NOT: train.parameter
// PARTIAL: return %{{.*}}, %[[VV]]
func.func @positions(%v: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %x = train.parameter %v : tensor<f64>
  %y = train.parameter %v : tensor<f64>
  %unused = train.parameter %v : tensor<f64>
  %xx = arith.mulf %x, %x : tensor<f64>
  %xxy = arith.mulf %xx, %y : tensor<f64>
  %g:2 = train.gradient %xxy wrt %x, %y
      : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// -----

// A value that is constant for a gradient stays apart from an equal value: the
// derivative of sin(x) sin(x) with one of them constant is half.
// CHECK-LABEL: func @stopped
// CHECK-SAME: %[[X:.*]]: tensor<f64>
// CHECK-NEXT: %[[P:.*]] = train.parameter %[[X]]
// CHECK-NEXT: %[[A:.*]] = math.sin %[[P]]
// CHECK-NEXT: %[[B:.*]] = math.sin %[[P]]
// CHECK-NEXT: %[[S:.*]] = train.parameter %[[B]]
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[A]], %[[S]]
// CHECK-NEXT: train.gradient %[[Y]] wrt %[[P]] stop %[[S]]
// PARTIAL-LABEL: func @stopped
// PARTIAL-SAME: %[[X:.*]]: tensor<f64>
// PARTIAL-NEXT: %[[SIN:.*]] = math.sin %[[X]]
// PARTIAL-NEXT: %[[COS:.*]] = math.cos %[[X]]
// PARTIAL-NEXT: %[[G:.*]] = arith.mulf %[[SIN]], %[[COS]]
// PARTIAL-NEXT: return %[[G]]
func.func @stopped(%x: tensor<f64>) -> tensor<f64> {
  %a = math.sin %x : tensor<f64>
  %b = math.sin %x : tensor<f64>
  %y = arith.mulf %a, %b : tensor<f64>
  %g = train.gradient %y wrt %x stop %b : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
