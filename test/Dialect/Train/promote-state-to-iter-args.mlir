// RUN: flywheel-opt %s --train-promote-state-to-iter-args --split-input-file | FileCheck %s

train.variable @n : tensor<i64> = #train.zeros {trainable = false}
train.variable @mean : tensor<f64> = #train.zeros {trainable = false}
train.variable @w : tensor<f64> = #train.ones

// G16: variables by which a differentiated loop counts and averages are
// iter_args; no derivative flows through them. A trainable variable that is
// read stays.
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<f64>)
func.func @loop(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant dense<1> : tensor<i64>
  // CHECK-DAG: %[[N0:.*]] = train.read @n
  // CHECK-DAG: %[[M0:.*]] = train.read @mean
  // CHECK-DAG: %[[MC:.*]] = train.stop_gradient %[[M0]]
  // CHECK: %[[L:.*]]:3 = scf.for %{{.*}} iter_args(%[[N:.*]] = %[[N0]], %[[M:.*]] = %[[MC]], %[[H:.*]] = %[[X]])
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<f64> {
    // CHECK: %[[N1:.*]] = arith.addi %[[N]], %{{.*}} : tensor<i64>
    train.assign_add @n, %one : tensor<i64>
    // CHECK: %[[R:.*]] = train.stop_gradient %[[M]]
    // CHECK: %[[S:.*]] = arith.addf %[[H]], %[[R]]
    %m = train.read @mean : tensor<f64>
    %s = arith.addf %h, %m : tensor<f64>
    // CHECK: %[[M1:.*]] = train.stop_gradient %[[S]]
    train.assign @mean, %s : tensor<f64>
    // CHECK: train.read @w
    // CHECK: train.assign @w
    %w = train.read @w : tensor<f64>
    %p = arith.mulf %s, %w : tensor<f64>
    train.assign @w, %p : tensor<f64>
    // CHECK: scf.yield %[[N1]], %[[M1]], %{{.*}} :
    scf.yield %p : tensor<f64>
  }
  // CHECK: train.assign @n, %[[L]]#0
  // CHECK-NEXT: train.assign @mean, %[[L]]#1
  // CHECK-NEXT: train.gradient %[[L]]#2
  %g = train.gradient %y wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y, %g : tensor<f64>, tensor<f64>
}

// Branches, of which one may be missing, in loops.
// CHECK-LABEL: func @branch
func.func @branch(%p: i1, %x: tensor<f64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant dense<1> : tensor<i64>
  // CHECK: %[[N0:.*]] = train.read @n
  // CHECK: scf.for {{.*}} iter_args(%[[N:.*]] = %[[N0]]
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<f64> {
    %s = math.sin %h : tensor<f64>
    // CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<i64>) {
    // CHECK: %[[LESS:.*]] = arith.subi %[[N]]
    // CHECK: scf.yield %[[LESS]]
    // CHECK: } else {
    // CHECK: scf.yield %[[N]]
    scf.if %p {
      train.assign_sub @n, %one : tensor<i64>
    }
    // CHECK: scf.yield %[[IF]]
    scf.yield %s : tensor<f64>
  }
  %g = train.gradient %y wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// CHECK-LABEL: func @while
func.func @while(%limit: tensor<i64>, %x: tensor<f64>) -> tensor<f64> {
  %one = arith.constant dense<1> : tensor<i64>
  // CHECK: %[[W:.*]]:2 = scf.while (%[[N:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<f64>) {
  %y = scf.while (%h = %x) : (tensor<f64>) -> tensor<f64> {
    // CHECK: arith.cmpi slt, %[[N]]
    %n = train.read @n : tensor<i64>
    %less = arith.cmpi slt, %n, %limit : tensor<i64>
    %more = tensor.extract %less[] : tensor<i1>
    // CHECK: scf.condition(%{{.*}}) %[[N]], %{{.*}} : tensor<i64>, tensor<f64>
    scf.condition(%more) %h : tensor<f64>
  } do {
  ^bb0(%h: tensor<f64>):
    // CHECK: %[[NEXT:.*]] = arith.addi
    train.assign_add @n, %one : tensor<i64>
    %s = math.sin %h : tensor<f64>
    // CHECK: scf.yield %[[NEXT]], %{{.*}} : tensor<i64>, tensor<f64>
    scf.yield %s : tensor<f64>
  }
  // CHECK: train.assign @n, %[[W]]#0
  %s = arith.mulf %y, %x : tensor<f64>
  %g = train.gradient %s wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}

// Nothing asks for it.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[P:[^:]*]]: i1)
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT: scf.if %[[P]] {
// CHECK-NEXT: %{{.*}} = train.assign_add @n, %[[CST]] : tensor<i64>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @plain(%p: i1) {
  %one = arith.constant dense<1> : tensor<i64>
  scf.if %p {
    train.assign_add @n, %one : tensor<i64>
  }
  return
}

// -----

// A loop that counts its iterations carries the counter.
// CHECK-LABEL: func @count
// CHECK: %[[N0:.*]] = train.read @n
// CHECK: %[[L:.*]]:2 = scf.for %{{.*}} iter_args(%[[N:.*]] = %[[N0]], %[[H:.*]] = %{{.*}})
// CHECK: %[[N1:.*]] = arith.addi %[[N]]
// CHECK: scf.yield %[[N1]], %{{.*}} :
// CHECK: train.assign @n, %[[L]]#0
// CHECK: train.gradient %[[L]]#1
// EXAMPLE: --train-promote-state-to-iter-args
train.variable @n : tensor<i64> = #train.zeros {trainable = false}
func.func @count(%x: tensor<f64>, %steps: index) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1> : tensor<i64>
  %y = scf.for %i = %c0 to %steps step %c1 iter_args(%h = %x) -> tensor<f64> {
    train.assign_add @n, %one : tensor<i64>
    %s = math.sin %h : tensor<f64>
    scf.yield %s : tensor<f64>
  }
  %g = train.gradient %y wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %g : tensor<f64>
}
