// RUN: flywheel-opt %s --split-input-file --flywheel-batch-loop-products --canonicalize --cse | FileCheck %s
// RUN: flywheel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(flywheel-batch-loop-products{max-bytes=256}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: flywheel-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(flywheel-batch-loop-products{recompute=true}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=AGAIN

// The rows of all iterations are those of x, also where a reshape takes the
// first dimension away and where there are more slices than iterations; rows of
// any number stay so.
// CHECK-LABEL: func.func @in_front(
// CHECK-SAME: %[[X:[^:]*]]: tensor<6x?x4xf32>, %[[W:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<8xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][1, 0, 0] [5, %{{.*}}, 4] [1, 1, 1]
// CHECK: %[[ALL:.*]] = nn.dense %[[PART]], %[[W]], %[[B]]
// CHECK-SAME: -> tensor<5x?x8xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NOT: nn.dense
// CHECK: tensor.extract_slice %[[ALL]][%[[I]], 0, 0] [1, %{{.*}}, 8] [1, 1, 1] {train.in_range}
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: nn.dense
// SMALL-LABEL: func.func @in_front(
// SMALL: scf.for
// SMALL: nn.dense
func.func @in_front(%x: tensor<6x?x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>, %h: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c1 : tensor<6x?x4xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h, %before = %h) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %j = arith.addi %i, %c1 : index
    %t = tensor.extract_slice %x[%j, 0, 0] [1, %n, 4] [1, 1, 1] : tensor<6x?x4xf32> to tensor<1x?x4xf32>
    %rows = tensor.collapse_shape %t [[0, 1], [2]] : tensor<1x?x4xf32> into tensor<?x4xf32>
    %y = nn.dense %rows, %w, %b : (tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    %m = arith.mulf %s, %y : tensor<?x8xf32>
    scf.yield %m, %s : tensor<?x8xf32>, tensor<?x8xf32>
  }
  // The last iteration would be out of range: it is the loop that says so.
  %q:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h, %before = %h) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %j = arith.addi %i, %c2 : index
    %t = tensor.extract_slice %x[%j, 0, 0] [1, %n, 4] [1, 1, 1] : tensor<6x?x4xf32> to tensor<?x4xf32>
    %y = nn.dense %t, %w, %b : (tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    %m = arith.mulf %s, %y : tensor<?x8xf32>
    scf.yield %m, %s : tensor<?x8xf32>, tensor<?x8xf32>
  }
  return %r#0, %q#0, %r#1, %q#1 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// By a transposed matrix, from the end, from a lower bound of 2; narrowed
// weights are narrowed once.
// CHECK-LABEL: func.func @from_end(
// CHECK-SAME: %[[X:[^:]*]]: tensor<5x2x4xbf16>, %[[W:[^:]*]]: tensor<3x4xf32>
// CHECK: %[[C6:.*]] = arith.constant 6 : index
// CHECK: %[[NARROW:.*]] = arith.truncf %[[W]]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK: %[[PRODUCT:.*]] = nn.matmul %[[ROWS]], %[[NARROW]] {transpose_b}
// CHECK: %[[ALL:.*]] = tensor.expand_shape %[[PRODUCT]] {{\[\[}}0, 1], [2]] output_shape [5, 2, 3]
// CHECK: scf.for %[[I:.*]] = %c2 to %c7
// CHECK: %[[J:.*]] = arith.subi %[[C6]], %[[I]]
// CHECK: tensor.extract_slice %[[ALL]][%[[J]], 0, 0] [1, 2, 3] [1, 1, 1] {train.in_range}
// CHECK-NOT: nn.matmul
// CHECK: return
func.func @from_end(%x: tensor<5x2x4xbf16>, %w: tensor<3x4xf32>, %h: tensor<2x3xbf16>) -> (tensor<2x3xbf16>, tensor<2x3xbf16>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.for %i = %c2 to %c7 step %c1 iter_args(%s = %h, %before = %h) -> (tensor<2x3xbf16>, tensor<2x3xbf16>) {
    %j = arith.subi %c6, %i : index
    %t = tensor.extract_slice %x[%j, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<5x2x4xbf16> to tensor<2x4xbf16>
    %v = arith.truncf %w : tensor<3x4xf32> to tensor<3x4xbf16>
    %y = nn.matmul %t, %v {transpose_b} : (tensor<2x4xbf16>, tensor<3x4xbf16>) -> tensor<2x3xbf16>
    %m = arith.mulf %s, %y : tensor<2x3xbf16>
    scf.yield %m, %s : tensor<2x3xbf16>, tensor<2x3xbf16>
  }
  return %r#0, %r#1 : tensor<2x3xbf16>, tensor<2x3xbf16>
}

// -----

// The reverse of h' = tanh(h w) keeps what it is computed from. The product of
// the first loop is not computed again; the gradients of w and of a bias are
// computed after the second one.
// CHECK-LABEL: func.func @reverse(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x4xf32>, %[[H:[^:]*]]: tensor<2x4xf32>, %[[D:[^:]*]]: tensor<2x4xf32>, %[[DW:[^:]*]]: tensor<4x4xf32>
// CHECK: %[[FORWARD:.*]]:3 = scf.for %[[I:.*]] = %c0 to %c5 step %c1 iter_args(%[[S:.*]] = %[[H]], %[[HS:.*]] = %{{.*}}, %[[PS:.*]] = %{{.*}})
// CHECK: tensor.insert_slice %[[S]] into %[[HS]][%[[I]], 0, 0]
// CHECK: %[[P:.*]] = nn.dense %[[S]], %[[W]]
// CHECK: tensor.insert_slice %[[P]] into %[[PS]][%[[I]], 0, 0] [1, 2, 4] [1, 1, 1] {train.in_range}
// CHECK: %[[BACK:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c5 step %c1 iter_args(%[[A:.*]] = %[[D]], %[[DS:.*]] = %{{.*}})
// CHECK: %[[J:.*]] = arith.subi %c4, %[[I]]
// CHECK-NOT: nn.dense
// CHECK: tensor.extract_slice %[[FORWARD]]#2[%[[J]], 0, 0]
// CHECK-NOT: nn.reduce
// CHECK: %[[G:.*]] = arith.mulf
// CHECK: %[[NEXT:.*]] = nn.matmul %[[G]], %[[W]] {transpose_b}
// CHECK: %[[INTO:.*]] = tensor.insert_slice %[[G]] into %[[DS]][%[[J]], 0, 0]
// CHECK: scf.yield %[[NEXT]], %[[INTO]]
// CHECK: } {train.keeps_dim_sizes}
// CHECK-DAG: %[[ALLH:.*]] = tensor.collapse_shape %[[FORWARD]]#1 {{\[\[}}0, 1], [2]]
// CHECK-DAG: %[[ALLG:.*]] = tensor.collapse_shape %[[BACK]]#1 {{\[\[}}0, 1], [2]]
// CHECK: %[[SUM:.*]] = nn.matmul %[[ALLH]], %[[ALLG]] {transpose_a}
// CHECK: %[[TOTAL:.*]] = arith.addf %[[DW]], %[[SUM]]
// CHECK: %[[DB:.*]] = nn.reduce sum %[[BACK]]#1 axes [0, 1]
// CHECK: return %[[BACK]]#0, %[[TOTAL]], %[[DB]]
// AGAIN-LABEL: func.func @reverse(
// AGAIN: scf.for
// AGAIN: nn.dense
// AGAIN: scf.for
// AGAIN: nn.dense
// AGAIN: } {train.keeps_dim_sizes}
// AGAIN: nn.matmul %{{.*}} {transpose_a}
func.func @reverse(%w: tensor<4x4xf32>, %h: tensor<2x4xf32>, %d: tensor<2x4xf32>, %dw: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %empty = tensor.empty() : tensor<5x2x4xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h, %hs = %empty) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
    %into = tensor.insert_slice %s into %hs[%i, 0, 0] [1, 2, 4] [1, 1, 1] {train.in_range} : tensor<2x4xf32> into tensor<5x2x4xf32>
    %p = nn.dense %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %t = math.tanh %p : tensor<2x4xf32>
    scf.yield %t, %into : tensor<2x4xf32>, tensor<5x2x4xf32>
  }
  %g:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %d, %aw = %dw, %ab = %zero) -> (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
    %j = arith.subi %c4, %i : index
    %s = tensor.extract_slice %r#1[%j, 0, 0] [1, 2, 4] [1, 1, 1] {train.in_range} : tensor<5x2x4xf32> to tensor<2x4xf32>
    %p = nn.dense %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %t = math.tanh %p : tensor<2x4xf32>
    %gp = arith.mulf %a, %t : tensor<2x4xf32>
    %ga = nn.matmul %gp, %w {transpose_b} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %gw = nn.matmul %s, %gp {transpose_a} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %gb = nn.reduce sum %gp axes [0] : tensor<2x4xf32> -> tensor<4xf32>
    %sw = arith.addf %aw, %gw : tensor<4x4xf32>
    %sb = arith.addf %gb, %ab : tensor<4xf32>
    scf.yield %ga, %sw, %sb : tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>
  } {train.keeps_dim_sizes}
  return %g#0, %g#1, %g#2 : tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

// Products that are added to slices, one an iteration.
// CHECK-LABEL: func.func @to_slices(
// CHECK-SAME: %[[W:[^:]*]]: tensor<3x4xf32>, %[[H:[^:]*]]: tensor<2x4xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c5 step %c1 iter_args(%[[S:.*]] = %[[H]], %[[INTO:.*]] = %{{.*}})
// CHECK-NOT: nn.matmul
// CHECK: %[[J:.*]] = arith.subi %c4, %[[I]]
// CHECK: tensor.insert_slice %[[S]] into %[[INTO]][%[[J]], 0, 0] [1, 2, 4]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[LOOP]]#1
// CHECK: %[[ALL:.*]] = nn.matmul %[[ROWS]], %[[W]] {transpose_b}
// CHECK: %[[DX:.*]] = tensor.expand_shape %[[ALL]]
// CHECK: return %[[LOOP]]#0, %[[DX]]
func.func @to_slices(%w: tensor<3x4xf32>, %h: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zeros = arith.constant dense<0.0> : tensor<5x2x3xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h, %dx = %zeros) -> (tensor<2x4xf32>, tensor<5x2x3xf32>) {
    %j = arith.subi %c4, %i : index
    %e = math.exp %s : tensor<2x4xf32>
    %p = nn.matmul %s, %w {transpose_b} : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
    %one = tensor.expand_shape %p [[0, 1], [2]] output_shape [1, 2, 3] : tensor<2x3xf32> into tensor<1x2x3xf32>
    %old = tensor.extract_slice %dx[%j, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<1x2x3xf32>
    %new = arith.addf %old, %one : tensor<1x2x3xf32>
    %sum = tensor.insert_slice %new into %dx[%j, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<1x2x3xf32> into tensor<5x2x3xf32>
    scf.yield %e, %sum : tensor<2x4xf32>, tensor<5x2x3xf32>
  }
  return %r#0, %r#1 : tensor<2x4xf32>, tensor<5x2x3xf32>
}

// -----

// The state alone depends on the iteration before, by a product.
// CHECK-LABEL: func.func @state(
// CHECK: nn.dense {{.*}} -> tensor<5x2x3xf32>
// CHECK: scf.for
// CHECK: nn.dense {{.*}} -> tensor<2x3xf32>
// CHECK-NOT: nn.dense
// CHECK: return
// EXAMPLE: --flywheel-batch-loop-products --canonicalize --cse
func.func @state(%x: tensor<5x2x3xf32>, %w: tensor<3x3xf32>, %h: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h) -> (tensor<2x3xf32>) {
    %t = tensor.extract_slice %x[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
    %y = nn.dense %t, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %p = nn.dense %s, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %next = arith.addf %p, %y : tensor<2x3xf32>
    scf.yield %next : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// One row an iteration, of which a slice may have dropped either dimension of size 1.
// CHECK-LABEL: func.func @one_row(
// CHECK: nn.dense {{.*}} -> tensor<5x1x3xf32>
// CHECK: scf.for
// CHECK: nn.dense {{.*}} -> tensor<1x3xf32>
// CHECK-NOT: nn.dense
// CHECK: return
func.func @one_row(%x: tensor<5x1x3xf32>, %w: tensor<3x3xf32>, %h: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h) -> (tensor<1x3xf32>) {
    %t = tensor.extract_slice %x[%i, 0, 0] [1, 1, 3] [1, 1, 1] : tensor<5x1x3xf32> to tensor<1x3xf32>
    %y = nn.dense %t, %w : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>
    %p = nn.dense %s, %w : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>
    %next = arith.addf %p, %y : tensor<1x3xf32>
    scf.yield %next : tensor<1x3xf32>
  }
  return %r : tensor<1x3xf32>
}

// -----

// A product that is inserted with a bias that changes stays.
// CHECK-LABEL: func.func @changing_bias(
// CHECK-SAME: %[[X:[^:]*]]: tensor<5x2x3xf32>, %[[W:[^:]*]]: tensor<3x3xf32>
// CHECK: %[[ALL:.*]] = nn.dense %[[X]], %[[W]] : (tensor<5x2x3xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[ALL]]
// CHECK-COUNT-2: nn.dense {{.*}} -> tensor<2x3xf32>
// CHECK: scf.yield
// CHECK-NOT: nn.dense
func.func @changing_bias(%x: tensor<5x2x3xf32>, %w: tensor<3x3xf32>, %h: tensor<2x3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<5x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zeros = arith.constant dense<0.0> : tensor<5x2x3xf32>
  %r:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h, %dx = %zeros, %c = %b) -> (tensor<2x3xf32>, tensor<5x2x3xf32>, tensor<3xf32>) {
    %t = tensor.extract_slice %x[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
    %y = nn.dense %t, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %p = nn.dense %s, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %next = arith.addf %p, %y : tensor<2x3xf32>
    %q = nn.dense %s, %w, %c : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %at = tensor.insert_slice %q into %zeros[%i, 0, 0] [1, 2, 3] [1, 1, 1] {train.in_range} : tensor<2x3xf32> into tensor<5x2x3xf32>
    %sum = arith.addf %dx, %at : tensor<5x2x3xf32>
    %e = math.exp %c : tensor<3xf32>
    scf.yield %next, %sum, %e : tensor<2x3xf32>, tensor<5x2x3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<5x2x3xf32>
}

// -----

// A tensor that a loop kept from slice 1 on is read at the same positions but one: a
// loop that begins at slice 0, which was never written, computes its products itself.
// CHECK-LABEL: func.func @kept_from_one(
// CHECK: %[[FIRST:.*]]:3 = scf.for %[[I:.*]] = %c0 to %c5
// CHECK: tensor.insert_slice {{.*}}[%[[I]], 0, 0] [1, 2, 3] [1, 1, 1] {train.in_range}
// CHECK: scf.for %[[J:.*]] = %c0 to %c4
// CHECK: %[[K:.*]] = arith.addi %[[J]], %c1
// CHECK: tensor.extract_slice %[[FIRST]]#2[%[[K]], 0, 0] [1, 2, 3]
// CHECK: scf.yield
// CHECK: %[[ALL:.*]] = nn.dense {{.*}} -> tensor<5x2x3xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[ALL]]
func.func @kept_from_one(%w: tensor<3x3xf32>, %h: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %empty = tensor.empty() : tensor<6x2x3xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %h, %hs = %empty) -> (tensor<2x3xf32>, tensor<6x2x3xf32>) {
    %j = arith.addi %i, %c1 : index
    %into = tensor.insert_slice %s into %hs[%j, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<6x2x3xf32>
    %p = nn.dense %s, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %t = math.tanh %p : tensor<2x3xf32>
    scf.yield %t, %into : tensor<2x3xf32>, tensor<6x2x3xf32>
  }
  %g:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h, %before = %h) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %j = arith.addi %i, %c2 : index
    %s = tensor.extract_slice %r#1[%j, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<6x2x3xf32> to tensor<2x3xf32>
    %p = nn.dense %s, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %m = arith.mulf %a, %p : tensor<2x3xf32>
    scf.yield %m, %a : tensor<2x3xf32>, tensor<2x3xf32>
  }
  %k:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %h, %before = %h) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %s = tensor.extract_slice %r#1[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<6x2x3xf32> to tensor<2x3xf32>
    %p = nn.dense %s, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %m = arith.mulf %a, %p : tensor<2x3xf32>
    scf.yield %m, %a : tensor<2x3xf32>, tensor<2x3xf32>
  }
  return %g#0, %g#1, %k#0, %k#1 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Parts of a batch: iterations sum a gradient and a loss, count, and average, but none
// computes anything from the one before.
// CHECK-LABEL: func.func @independent(
// CHECK-NOT: nn.dense
// CHECK-NOT: nn.matmul
// CHECK: scf.for
// CHECK: nn.dense
// CHECK: nn.matmul
// CHECK: scf.yield
// CHECK-NOT: nn.matmul
func.func @independent(%x: tensor<6x2x4xf32>, %w: tensor<4x3xf32>, %average: tensor<3xf32>, %n: tensor<i64>)
    -> (tensor<4x3xf32>, tensor<f32>, tensor<3xf32>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant dense<1> : tensor<i64>
  %half = arith.constant dense<0.5> : tensor<3xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<4x3xf32>
  %r:4 = scf.for %i = %c0 to %c6 step %c1 iter_args(%dw = %zeros, %loss = %zero, %mean = %average, %count = %n)
      -> (tensor<4x3xf32>, tensor<f32>, tensor<3xf32>, tensor<i64>) {
    %t = tensor.extract_slice %x[%i, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<6x2x4xf32> to tensor<2x4xf32>
    %y = nn.dense %t, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %g = nn.matmul %t, %y {transpose_a} : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %sum = arith.addf %dw, %g : tensor<4x3xf32>
    %l = nn.reduce sum %y axes [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %losses = arith.addf %loss, %l : tensor<f32>
    %rows = nn.reduce mean %y axes [0] : tensor<2x3xf32> -> tensor<3xf32>
    %old = arith.mulf %mean, %half : tensor<3xf32>
    %new = arith.addf %old, %rows : tensor<3xf32>
    %next = arith.addi %count, %one : tensor<i64>
    scf.yield %sum, %losses, %new, %next : tensor<4x3xf32>, tensor<f32>, tensor<3xf32>, tensor<i64>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<4x3xf32>, tensor<f32>, tensor<3xf32>, tensor<i64>
}

// -----

// Nothing is taken out of a loop with another step, or one whose trip count is
// not known; a product of many rows; a sum that iterations read; rows that are
// only summed; a matrix that changes.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-2: scf.for
// CHECK: nn.dense
// CHECK: scf.for
// CHECK: nn.dense
// CHECK: scf.for
// CHECK: nn.matmul
// CHECK: nn.reduce sum
// CHECK: nn.matmul
// CHECK: return
func.func @stays(%x: tensor<6x2x4xf32>, %many: tensor<6x512x4xf32>, %w: tensor<4x4xf32>, %h: tensor<2x4xf32>, %g: tensor<512x4xf32>, %n: index)
    -> (tensor<2x4xf32>, tensor<512x4xf32>, tensor<512x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %c6 step %c2 iter_args(%s = %h) -> (tensor<2x4xf32>) {
    %q = scf.for %k = %c0 to %n step %c1 iter_args(%o = %s) -> (tensor<2x4xf32>) {
      %t = tensor.extract_slice %x[%k, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<6x2x4xf32> to tensor<2x4xf32>
      %y = nn.dense %t, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      %m = arith.mulf %o, %y : tensor<2x4xf32>
      scf.yield %m : tensor<2x4xf32>
    }
    scf.yield %q : tensor<2x4xf32>
  }
  %u:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%s = %g, %before = %g) -> (tensor<512x4xf32>, tensor<512x4xf32>) {
    %t = tensor.extract_slice %many[%i, 0, 0] [1, 512, 4] [1, 1, 1] : tensor<6x512x4xf32> to tensor<512x4xf32>
    %y = nn.dense %t, %w : (tensor<512x4xf32>, tensor<4x4xf32>) -> tensor<512x4xf32>
    %m = arith.mulf %s, %y : tensor<512x4xf32>
    scf.yield %m, %s : tensor<512x4xf32>, tensor<512x4xf32>
  }
  %v:4 = scf.for %i = %c0 to %c6 step %c1 iter_args(%s = %h, %read = %w, %rows = %zero, %sum = %zeros) -> (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>) {
    %t = tensor.extract_slice %x[%i, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<6x2x4xf32> to tensor<2x4xf32>
    %p = nn.matmul %s, %s {transpose_a} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %a = arith.addf %read, %p : tensor<4x4xf32>
    %b = nn.reduce sum %s axes [0] : tensor<2x4xf32> -> tensor<4xf32>
    %e = arith.addf %rows, %b : tensor<4xf32>
    %y = nn.matmul %t, %read : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    scf.yield %y, %a, %e, %read : tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>
  }
  return %r, %u#1, %u#0, %v#0, %v#1, %v#2, %v#3 : tensor<2x4xf32>, tensor<512x4xf32>, tensor<512x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>
}
