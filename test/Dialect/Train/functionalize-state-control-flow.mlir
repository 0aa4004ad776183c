// A5, A10, S3: assignments inside structured control flow.
// RUN: flywheel-opt %s --train-functionalize-state --split-input-file | FileCheck %s

train.variable @v : tensor<4xf32>
train.variable @n : tensor<i64>

// A branch that does not assign yields the version before, which the step therefore
// needs. A read after the branches reads their result. A value that the branch has
// not computed is stored where it is taken.
// CHECK-LABEL: func.func @no_else(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = false}, %[[R:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}train.result = 0
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = true, train.reads, train.variable = @v, train.writes}
func.func @no_else(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[C:.*]] = tensor.extract
  %condition = tensor.extract %c[] : tensor<i1>
  // CHECK: %[[IF:.*]] = scf.if %[[C]] -> (tensor<4xf32>) {
  // CHECK-NEXT: %[[NEW:.*]] = linalg_ext.store %[[X]] in %[[V]]
  // CHECK-NEXT: scf.yield %[[NEW]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[V]]
  scf.if %condition {
    %0 = train.assign @v, %x : tensor<4xf32>
  }
  // CHECK: %[[OUT:.*]] = linalg_ext.store %[[IF]] in %[[R]]
  %after = train.read @v : tensor<4xf32>
  // CHECK: %[[LAST:.*]] = linalg_ext.store %[[IF]] in %[[V]]
  // CHECK: return %[[OUT]], %[[LAST]]
  return %after : tensor<4xf32>
}

// Both branches assign: no value from before is needed.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: train.reads
// CHECK-SAME: train.variable = @v, train.writes
// CHECK-NOT: train.reads
// CHECK: return
func.func @both(%c: tensor<i1>, %x: tensor<4xf32>) {
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {
    %0 = train.assign @v, %x : tensor<4xf32>
  } else {
    %1 = math.exp %x : tensor<4xf32>
    %2 = train.assign @v, %1 : tensor<4xf32>
  }
  return
}

// Only the outer branches decide: one path of the inner ones keeps the value.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: train.reads, train.variable = @v, train.writes
// CHECK: %[[OUTER:.*]] = scf.if {{.*}} -> (tensor<4xf32>) {
// CHECK: %[[INNER:.*]] = scf.if {{.*}} -> (tensor<4xf32>) {
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[V:arg[0-9]+]]
// CHECK: scf.yield %[[INNER]]
// CHECK: } else {
// CHECK: %[[LAST:.*]] = linalg_ext.store %[[OUTER]] in %[[V]]
// CHECK: return %[[LAST]]
func.func @nested(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) {
  %c0 = tensor.extract %c[] : tensor<i1>
  %d0 = tensor.extract %d[] : tensor<i1>
  scf.if %c0 {
    scf.if %d0 {
      %0 = train.assign @v, %x : tensor<4xf32>
    }
  } else {
    %1 = train.assign @v, %x : tensor<4xf32>
  }
  return
}

// An initialiser knows itself which variables it writes.
// CHECK-LABEL: func.func @start(
// CHECK-NOT: train.reads
// CHECK-SAME: train.variable = @v, train.writes
// CHECK-SAME: attributes {train.initializer}
func.func @start(%c: tensor<i1>, %x: tensor<4xf32>) attributes {train.initializer} {
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {
    %0 = train.assign @v, %x : tensor<4xf32>
  }
  return
}

// Versions are values, inside and around control flow: what was assigned before
// is not in the storage, reads from before are of the old value, and one assignment
// at the end says what the storage gets.
// CHECK-LABEL: func.func @snapshot(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = false}, %{{[a-z0-9]+}}: tensor<4xf32> {{{[^}]*}}train.result = 0
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = true, train.reads, train.variable = @v, train.writes}
// CHECK-NOT: linalg_ext.store
// CHECK: %[[IF:.*]] = scf.if
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[V]]
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: scf.yield %[[X]]
// CHECK: %[[OUT:.*]] = linalg_ext.store %[[V]] in
// CHECK: %[[NEW:.*]] = linalg_ext.store %[[IF]] in %[[V]]
// CHECK: return %[[OUT]], %[[NEW]]
func.func @snapshot(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %condition = tensor.extract %c[] : tensor<i1>
  %old = train.read @v : tensor<4xf32>
  %0 = train.assign @v, %x : tensor<4xf32>
  scf.if %condition {
    %1 = train.assign_add @v, %old : tensor<4xf32>
  }
  return %old : tensor<4xf32>
}

// CHECK-LABEL: func.func @for(
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = true, train.reads, train.variable = @v, train.writes}
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[V]], %[[K:.*]] = %{{.*}}) -> (tensor<4xf32>, index)
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %{{.*}}
// CHECK: scf.yield %[[SUM]], %{{.*}} : tensor<4xf32>, index
// CHECK: %[[NEW:.*]] = linalg_ext.store %[[LOOP]]#0 in %[[V]]
// CHECK: return %[[NEW]]
func.func @for(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%k = %c0) -> (index) {
    %1 = train.assign_add @v, %x : tensor<4xf32>
    %2 = arith.addi %k, %i : index
    scf.yield %2 : index
  }
  return
}

// Carried values of a while loop are two lists: variables come first in both.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<i64> {bufferization.writable = true, train.reads, train.variable = @n
// CHECK: %[[LOOP:.*]]:2 = scf.while (%[[IN:.*]] = %[[N]], %[[K:.*]] = %{{.*}})
// CHECK: tensor.extract %[[IN]][]
// CHECK: scf.condition(%{{.*}}) %[[IN]], %[[K]]
// CHECK: ^bb0(%[[BODY:.*]]: tensor<i64>, %{{.*}}: index):
// CHECK: %[[SUM:.*]] = arith.addi %[[BODY]]
// CHECK: scf.yield %[[SUM]], %{{.*}}
// CHECK: %[[NEW:.*]] = linalg_ext.store %[[LOOP]]#0 in %[[N]]
// CHECK: return %[[NEW]]
func.func @while(%x: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 100 : i64
  %0 = scf.while (%k = %c0) : (index) -> index {
    %n = train.read @n : tensor<i64>
    %scalar = tensor.extract %n[] : tensor<i64>
    %go = arith.cmpi slt, %scalar, %limit : i64
    scf.condition(%go) %k : index
  } do {
  ^bb0(%k: index):
    %1 = train.assign_add @n, %x : tensor<i64>
    %2 = arith.addi %k, %c1 : index
    scf.yield %2 : index
  }
  return
}

// -----

// A feed or another variable cannot be stored in.
train.variable @a : tensor<8xf32>
train.variable @c : tensor<8xf32>

// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32> {{{[^}]*}}}, %[[Q:[^:]*]]: tensor<i1>
// CHECK-SAME: %[[A:[^:]*]]: tensor<8xf32> {{{[^}]*}}train.variable = @a{{[^}]*}}}, %[[C:[^:]*]]: tensor<8xf32>
// CHECK: %[[IF:.*]] = scf.if
// CHECK-NEXT: %[[OWN:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[STORED:.*]] = linalg_ext.store %[[C]] in %[[OWN]]
// CHECK-NEXT: scf.yield %[[STORED]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[X]]
// CHECK: linalg_ext.store %[[IF]] in %[[A]]
func.func @shared(%x: tensor<8xf32>, %q: tensor<i1>) {
  %b = tensor.extract %q[] : tensor<i1>
  train.assign @a, %x : tensor<8xf32>
  scf.if %b {
    %c = train.read @c : tensor<8xf32>
    train.assign @a, %c : tensor<8xf32>
  }
  return
}

// -----

// Variables of a list are slices of one argument; none of them is read.
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2xf32> {bufferization.writable = false}, %[[ONE:[^:]*]]: tensor<2xf32> {bufferization.writable = true, train.variable = @v, train.writes}
// CHECK-SAME: %[[ALL:[^:]*]]: tensor<3x2xf32> {bufferization.writable = true, train.variable = [@a, @b, @c], train.writes}) -> (tensor<2xf32>, tensor<3x2xf32>)
// CHECK: %[[LOOP:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[BEFORE:.*]] = %[[ALL]])
// CHECK: %[[AFTER:.*]] = scf.if
// CHECK: %[[NEW:.*]] = tensor.insert_slice %[[X]] into %[[BEFORE]][%[[I]], 0] [1, 2] [1, 1] {train.in_range} : tensor<2xf32> into tensor<3x2xf32>
// CHECK: scf.yield %[[NEW]]
// CHECK: scf.yield %[[BEFORE]]
// CHECK: scf.yield %[[AFTER]]
// CHECK-DAG: %[[STORED:.*]] = linalg_ext.store %[[X]] in %[[ONE]]
// CHECK-DAG: %[[STORED_ALL:.*]] = linalg_ext.store %[[LOOP]] in %[[ALL]]
// CHECK: return %[[STORED]], %[[STORED_ALL]]
train.variable @a : tensor<2xf32>
train.variable @b : tensor<2xf32>
train.variable @v : tensor<2xf32>
train.variable @c : tensor<2xf32>
func.func @init(%x: tensor<2xf32>) attributes {train.initializer} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %yes = arith.constant true
  scf.for %i = %c0 to %c3 step %c1 {
    scf.if %yes {
      train.assign_nth [@a, @b, @c][%i], %x : tensor<2xf32>
    }
  }
  train.assign @v, %x : tensor<2xf32>
  return
}
