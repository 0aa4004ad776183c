// RUN: flywheel-opt %s --train-forward-state-reads --split-input-file | FileCheck %s

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

// An op that may assign any variable invalidates all values.
func.func private @other()
// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT: %[[READ:.*]] = train.read @w : tensor<f64>
// CHECK-NEXT: call @other() : () -> ()
// CHECK-NEXT: %[[READ_2:.*]] = train.read @w : tensor<f64>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[READ]], %[[READ_2]] : tensor<f64>
// CHECK-NEXT: %[[GRADIENT:.*]] = train.gradient %[[MULF]] wrt %[[READ]] : (tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT: return %[[GRADIENT]] : tensor<f64>
func.func @unknown() -> tensor<f64> {
  %a = train.read @w : tensor<f64>
  func.call @other() : () -> ()
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  %g = train.gradient %l wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// No derivative asks for it.
// CHECK-LABEL: func.func @plain(
// CHECK-NEXT: %[[READ:.*]] = train.read @w : tensor<f64>
// CHECK-NEXT: %[[READ_2:.*]] = train.read @w : tensor<f64>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[READ]], %[[READ_2]] : tensor<f64>
// CHECK-NEXT: return %[[MULF]] : tensor<f64>
func.func @plain() -> tensor<f64> {
  %a = train.read @w : tensor<f64>
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  return %l : tensor<f64>
}

// -----

// A check and a question write no variable.
// CHECK-LABEL: func @checked
// CHECK: %[[W:.*]] = train.read @w
// CHECK-NOT: train.read
// CHECK: train.gradient %{{.*}} wrt %[[W]]
// EXAMPLE: --train-forward-state-reads
train.variable @w : tensor<f64> = #train.zeros
func.func @checked(%ok: i1) -> (tensor<f64>, tensor<i1>) {
  %a = train.read @w : tensor<f64>
  linalg_ext.check data %ok, "no"
  %is = train.is_initialized @w : tensor<i1>
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %a : tensor<f64>
  %g = train.gradient %l wrt %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g, %is : tensor<f64>, tensor<i1>
}

// -----

// A branch that assigns reads the old value before it does.
// CHECK-LABEL: func @branch
// CHECK: %[[W:.*]] = train.read @w
// CHECK: scf.if
// CHECK-NEXT: train.gradient %{{.*}} wrt %[[W]]
// CHECK: train.assign_sub @w
// CHECK-NEXT: train.read @w
train.variable @w : tensor<f64>
func.func @branch(%b: i1) -> tensor<f64> {
  %w0 = train.read @w : tensor<f64>
  %l = math.exp %w0 : tensor<f64>
  %r = scf.if %b -> tensor<f64> {
    %w = train.read @w : tensor<f64>
    %g = train.gradient %l wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
    train.assign_sub @w, %g : tensor<f64>
    %new = train.read @w : tensor<f64>
    scf.yield %new : tensor<f64>
  } else {
    scf.yield %w0 : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

train.variable @w : tensor<f64>

// Each of the reads that one op asks about has its share.
// CHECK-LABEL: func.func @two_targets(
// CHECK-NEXT: %[[A:.*]] = train.read @w
// CHECK-NEXT: %[[B:.*]] = train.read @w
// CHECK-NEXT: %[[L:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: train.gradient %[[L]] wrt %[[A]], %[[B]]
func.func @two_targets(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %a = train.read @w : tensor<f64>
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  %g:2 = train.gradient %l wrt %a, %b : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %g#0, %g#1 : tensor<f64>, tensor<f64>
}

// A variable that a branch may have assigned is read anew after it.
// CHECK-LABEL: func.func @after_a_branch(
// CHECK-NEXT: %[[A:.*]] = train.read @w
// CHECK: train.assign @w
// CHECK: %[[B:.*]] = train.read @w
// CHECK-NEXT: %[[L:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: train.gradient %[[L]] wrt %[[A]]
func.func @after_a_branch(%p: i1, %x: tensor<f64>) -> tensor<f64> {
  %a = train.read @w : tensor<f64>
  scf.if %p {
    train.assign @w, %x : tensor<f64>
  }
  %b = train.read @w : tensor<f64>
  %l = arith.mulf %a, %b : tensor<f64>
  %g = train.gradient %l wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// A variable that is read before a branch is not read again.
// CHECK-LABEL: func.func @read_before(
// CHECK-NEXT: %[[A:.*]] = train.read @w
// CHECK-NEXT: %[[L:.*]] = scf.if
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: train.gradient %[[L]] wrt %[[A]]
func.func @read_before(%p: i1) -> tensor<f64> {
  %a = train.read @w : tensor<f64>
  %l = scf.if %p -> tensor<f64> {
    %b = train.read @w : tensor<f64>
    scf.yield %b : tensor<f64>
  } else {
    scf.yield %a : tensor<f64>
  }
  %g = train.gradient %l wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
