// RUN: flywheel-opt %s --flywheel-sink-stores --split-input-file | FileCheck %s

// What branches pass on is stored by each of them, through several levels; what
// stays as it was needs no store.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[IF:.*]] = scf.if %[[C]]
// CHECK: %[[INNER:.*]] = scf.if
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[SE:.*]] = linalg_ext.store %[[E]] in %[[W]]
// CHECK: scf.yield %[[SE]]
// CHECK: } else {
// CHECK: %[[SX:.*]] = linalg_ext.store %[[X]] in %[[W]]
// CHECK: scf.yield %[[SX]]
// CHECK: scf.yield %[[INNER]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[W]]
// CHECK: return %[[IF]]
func.func @branches(%c: i1, %x: tensor<4xf32>,
                    %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = scf.if %c -> tensor<4xf32> {
      %e = math.exp %x : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// One place for each value: the variable's, before the result's.
// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[C:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[IF:.*]] = scf.if
// CHECK: linalg_ext.store %{{.*}} in %[[W]]
// CHECK: linalg_ext.store %[[X]] in %[[W]]
// CHECK: %[[RESULT:.*]] = linalg_ext.store %[[IF]] in %[[R]]
// CHECK: return %[[RESULT]], %[[IF]]
func.func @both(%c: i1, %x: tensor<4xf32>, %r: tensor<4xf32> {train.result = 0 : i64},
                %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = scf.if %c -> tensor<4xf32> {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %result = linalg_ext.store %0 in %r : tensor<4xf32> in tensor<4xf32>
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %result, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop starts where its result goes, and stores what it computes where it found
// what that replaces; what only changes places is moved at the end of an iteration.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[INIT:.*]] = linalg_ext.store %[[X]] in %[[W]]
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[INIT]], %[[B:.*]] = %[[X]], %[[D:.*]] = %[[X]])
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[STORED:.*]] = linalg_ext.store %[[E]] in %[[A]]
// CHECK: scf.yield %[[STORED]], %[[D]], %[[B]]
// CHECK: return %[[LOOP]]#0
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32> {train.variable = @w, train.writes}, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %d = %x) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e, %d, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  %new = linalg_ext.store %0#0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A loop that is in the place of a variable stays there, and a result that is the
// same value is copied.
// CHECK-LABEL: func.func @placed(
// CHECK-SAME: %[[R:[^:]*]]: tensor<4xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[W]])
// CHECK: %[[RESULT:.*]] = linalg_ext.store %[[LOOP]] in %[[R]]
// CHECK: return %[[RESULT]], %[[LOOP]]
func.func @placed(%r: tensor<4xf32> {train.result = 0 : i64}, %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> (tensor<4xf32>) {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %result = linalg_ext.store %0 in %r : tensor<4xf32> in tensor<4xf32>
  %new = linalg_ext.store %0 in %w : tensor<4xf32> in tensor<4xf32>
  return %result, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop that starts from a variable that it does not write, but the step does,
// starts from a copy that the program asks for.
// CHECK-LABEL: func.func @own(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[R:[^:]*]]: tensor<?xf32> {{{[^}]*}}}, %[[W:[^:]*]]: tensor<?xf32>
// CHECK: %[[DIM:.*]] = tensor.dim %[[W]]
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor(%[[DIM]])
// CHECK: %[[COPY:.*]] = linalg.copy {train.snapshot = @w} ins(%[[W]] {{.*}} outs(%[[OWN]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK: linalg_ext.store %[[X]] in %[[W]]
func.func @own(%x: tensor<?xf32>, %r: tensor<?xf32> {train.result = 0 : i64},
               %w: tensor<?xf32> {train.variable = @w, train.reads, train.writes}, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> (tensor<?xf32>) {
    %e = math.exp %a : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %norm = math.exp %0 : tensor<?xf32>
  %result = linalg_ext.store %norm in %r : tensor<?xf32> in tensor<?xf32>
  %new = linalg_ext.store %x in %w : tensor<?xf32> in tensor<?xf32>
  return %result, %new : tensor<?xf32>, tensor<?xf32>
}

// -----

// A while loop stores on both ways.
// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%[[A:.*]] = %{{.*}})
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[SE:.*]] = linalg_ext.store %[[E]] in %[[A]]
// CHECK: scf.condition(%{{.*}}) %[[SE]]
// CHECK: ^bb0(%[[B:.*]]: tensor<4xf32>):
// CHECK: %[[T:.*]] = math.tanh %[[B]]
// CHECK: %[[ST:.*]] = linalg_ext.store %[[T]] in %[[B]]
// CHECK: scf.yield %[[ST]]
func.func @while(%x: tensor<4xf32>, %go: i1) -> tensor<4xf32> {
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.condition(%go) %e : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %t = math.tanh %b : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// S3: what a check needs is not put where a failing step must leave what is there.
// CHECK-LABEL: func.func @checked(
// CHECK-NOT: linalg_ext.store
// CHECK: cf.assert
// CHECK: linalg_ext.store
func.func @checked(%c: i1, %x: tensor<4xf32>,
                   %w: tensor<4xf32> {train.variable = @w, train.reads, train.writes}) -> tensor<4xf32> {
  %true = arith.constant true
  %0:2 = scf.if %c -> (tensor<4xf32>, i1) {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e, %c : tensor<4xf32>, i1
  } else {
    scf.yield %w, %true : tensor<4xf32>, i1
  }
  cf.assert %0#1, "no"
  %new = linalg_ext.store %0#0 in %w : tensor<4xf32> in tensor<4xf32>
  return %new : tensor<4xf32>
}
