// RUN: flywheel-opt %s --train-functionalize-state --split-input-file | FileCheck %s

// Versions are SSA values (A5): a read is a snapshot, arithmetic assigns act on the
// version before them, and the last version is the one that is stored.
// CHECK-LABEL: func.func @versions(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32> {bufferization.writable = false, train.name = "x"}
// CHECK-SAME: %[[OLD:[^:]*]]: tensor<2xf32> {bufferization.writable = true, train.name = "old", train.result = 0 : i64}
// CHECK-SAME: %[[NEW:[^:]*]]: tensor<2xf32> {bufferization.writable = true, train.result = 1 : i64}
// CHECK-SAME: %[[V:[^:]*]]: tensor<2xf32> {bufferization.writable = true, train.reads, train.variable = @v, train.writes}
// CHECK: %[[FIRST:.*]] = arith.addf %[[V]], %[[X]]
// CHECK: %[[SECOND:.*]] = arith.subf %[[FIRST]], %[[X]]
// CHECK: %[[R0:.*]] = linalg_ext.store %[[V]] in %[[OLD]]
// CHECK: %[[R1:.*]] = linalg_ext.store %[[SECOND]] in %[[NEW]]
// CHECK: %[[W:.*]] = linalg_ext.store %[[SECOND]] in %[[V]]
// CHECK: return %[[R0]], %[[R1]], %[[W]]
// EXAMPLE: --train-functionalize-state
train.variable @v : tensor<2xf32>
func.func @versions(%x: tensor<2xf32> {train.name = "x"})
    -> (tensor<2xf32> {train.name = "old"}, tensor<2xf32>) {
  %old = train.read @v : tensor<2xf32>
  %0 = train.assign_add @v, %x : tensor<2xf32>
  %1 = train.assign_sub @v, %x : tensor<2xf32>
  %new = train.read @v : tensor<2xf32>
  return %old, %new : tensor<2xf32>, tensor<2xf32>
}

// -----

// Storage follows the order of the module; what is only assigned is not read (S3),
// what is assigned its own old value is not written.
// CHECK-LABEL: func.func @uses(
// CHECK-SAME: %{{[^:]*}}: tensor<i32> {bufferization.writable = false, train.reads, train.variable = @a}
// CHECK-SAME: %{{[^:]*}}: tensor<i32> {bufferization.writable = true, train.variable = @b, train.writes}
// CHECK-NOT: @unused
// CHECK-SAME: -> (tensor<i32>, tensor<i32>)
train.variable @a : tensor<i32>
train.variable @unused : tensor<i32>
train.variable @b : tensor<i32>
func.func @uses(%x: tensor<i32>) -> tensor<i32> {
  %0 = train.assign @b, %x : tensor<i32>
  %a = train.read @a : tensor<i32>
  %1 = train.assign @a, %a : tensor<i32>
  %b = train.read @b : tensor<i32>
  %2 = arith.addi %a, %b : tensor<i32>
  return %2 : tensor<i32>
}

// -----

// Integers wrap; what an optimizer computes is marked.
// CHECK-LABEL: func.func @kinds(
// CHECK-SAME: train.variable = @n, train.writes}
// CHECK-SAME: train.updated, train.variable = @w, train.writes}
// CHECK: arith.addi
// CHECK: train.update
train.variable @n : tensor<i64>
train.variable @w : tensor<3xf32>
func.func @kinds(%one: tensor<i64>, %s: tensor<f32>) {
  %0 = train.assign_add @n, %one : tensor<i64>
  %w = train.read @w : tensor<3xf32>
  %1:2 = train.update %w, %w along %w with %s, %s
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) by #train.sgd
  %2 = train.assign @w, %1#0 : tensor<3xf32>
  return
}

// -----

// A read inside a region is the version at that point.
// CHECK-LABEL: func.func @region(
// CHECK-SAME: %[[V:[^:]*]]: tensor<2xf32> {{{[^}]*}}train.variable = @v
// CHECK: %[[NEW:.*]] = arith.addf %[[V]]
// CHECK: scf.for
// CHECK: arith.mulf %[[NEW]], %[[NEW]]
train.variable @v : tensor<2xf32>
func.func @region(%x: tensor<2xf32>, %n: tensor<index>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = tensor.extract %n[] : tensor<index>
  %0 = train.assign_add @v, %x : tensor<2xf32>
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %v = train.read @v : tensor<2xf32>
    %m = arith.mulf %v, %v : tensor<2xf32>
    scf.yield %m : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
