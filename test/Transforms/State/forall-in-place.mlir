// RUN: flywheel-opt %s --flywheel-order-step --split-input-file --verify-diagnostics | FileCheck %s
// RUN: flywheel-opt %s --flywheel-order-step=if-disordered --split-input-file --verify-diagnostics | FileCheck %s
// RUN: flywheel-opt %s --flywheel-order-step --flywheel-protect-state --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse --flywheel-insert-state-copies --flywheel-verify-in-place --canonicalize --split-input-file 2>&1 | FileCheck %s --check-prefix=BUFFER

// A parallel loop updates a variable tile by tile as a loop does that carries it:
// after every other reader, after the check, and in place.
// CHECK-LABEL: func.func @tiled(
// CHECK-SAME: %[[G:[^:]*]]: tensor<8x4xf32>, %[[OK:[^:]*]]: i1, %[[R:[^:]*]]: tensor<8x4xf32>{{[^%]*}}%[[V:[^:]*]]: tensor<8x4xf32>
// CHECK: linalg_ext.check
// CHECK: linalg.exp ins(%[[V]]
// CHECK: scf.forall {{.*}} shared_outs(%[[O:[^ ]*]] = %[[V]])
// CHECK: %[[TILE:.*]] = tensor.extract_slice %[[O]]
// CHECK-NOT: linalg.copy
// CHECK: linalg.sub {{.*}} outs(%[[TILE]]
// CHECK: return
// BUFFER-LABEL: func.func @tiled(
// BUFFER-NOT: alloc
// BUFFER-NOT: copy
// BUFFER: return
func.func @tiled(%g: tensor<8x4xf32>, %ok: i1, %r: tensor<8x4xf32> {train.result = 0 : i64},
                 %v: tensor<8x4xf32> {train.variable = @v, train.reads, train.writes, train.updated})
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %new = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %v) -> (tensor<8x4xf32>) {
    %in = tensor.extract_slice %g[%i, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %out = tensor.extract_slice %o[%i, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %t = linalg.sub ins(%out, %in : tensor<2x4xf32>, tensor<2x4xf32>) outs(%out : tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32>
    }
  }
  %read = linalg.exp ins(%v : tensor<8x4xf32>) outs(%r : tensor<8x4xf32>) -> tensor<8x4xf32>
  linalg_ext.check data %ok, "no"
  return %read, %new : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// Columns of tiles in parallel, and the tiles of each one after the other: a reader
// of what is overwritten comes first there as well.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.forall {{.*}} shared_outs(%[[O:[^ ]*]] = 
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[O]]
// CHECK: linalg.exp ins(%[[PART]]
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %[[PART]])
// CHECK: %[[TILE:.*]] = tensor.extract_slice %[[P]]
// CHECK: %[[ABS:.*]] = linalg.abs ins(%[[TILE]]
// CHECK: %[[NEW:.*]] = linalg.sub {{.*}} outs(%[[TILE]]
// CHECK: tensor.insert_slice %[[NEW]] into %[[P]]
// BUFFER-LABEL: func.func @nested(
// BUFFER-NOT: copy
// BUFFER: return
func.func @nested(%r: tensor<8x4xf32> {train.result = 0 : i64},
                  %v: tensor<8x4xf32> {train.variable = @v, train.reads, train.writes, train.updated})
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %new:2 = scf.forall (%j) in (4) shared_outs(%o = %v, %s = %r) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %part = tensor.extract_slice %o[0, %j] [8, 1] [1, 1] : tensor<8x4xf32> to tensor<8x1xf32>
    %to = tensor.extract_slice %s[0, %j] [8, 1] [1, 1] : tensor<8x4xf32> to tensor<8x1xf32>
    %rows = scf.for %i = %c0 to %c8 step %c2 iter_args(%p = %part) -> (tensor<8x1xf32>) {
      %out = tensor.extract_slice %p[%i, 0] [2, 1] [1, 1] : tensor<8x1xf32> to tensor<2x1xf32>
      %e = tensor.empty() : tensor<2x1xf32>
      %abs = linalg.abs ins(%out : tensor<2x1xf32>) outs(%e : tensor<2x1xf32>) -> tensor<2x1xf32>
      %t = linalg.sub ins(%out, %abs : tensor<2x1xf32>, tensor<2x1xf32>) outs(%out : tensor<2x1xf32>) -> tensor<2x1xf32>
      %next = tensor.insert_slice %t into %p[%i, 0] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<8x1xf32>
      scf.yield %next : tensor<8x1xf32>
    }
    %read = linalg.exp ins(%part : tensor<8x1xf32>) outs(%to : tensor<8x1xf32>) -> tensor<8x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %rows into %o[0, %j] [8, 1] [1, 1] : tensor<8x1xf32> into tensor<8x4xf32>
      tensor.parallel_insert_slice %read into %s[0, %j] [8, 1] [1, 1] : tensor<8x1xf32> into tensor<8x4xf32>
    }
  }
  return %new#1, %new#0 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A thread may read any part of a variable that another one writes: that takes a
// copy, made before the loop.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[V:[^:]*]]: tensor<8xf32>
// CHECK: %[[OLD:.*]] = linalg.copy {train.snapshot = @v} ins(%[[V]]
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %[[V]])
// CHECK: tensor.extract_slice %[[OLD]]
// BUFFER-LABEL: func.func @elsewhere(
// BUFFER-COUNT-1: copy
// BUFFER-NOT: copy
// BUFFER: return
func.func @elsewhere(%v: tensor<8xf32> {train.variable = @v, train.reads, train.writes, train.updated}) -> tensor<8xf32> {
  %c6 = arith.constant 6 : index
  %new = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %v) -> (tensor<8xf32>) {
    %from = arith.subi %c6, %i : index
    // expected-remark@below {{the old value of variable @v is needed by the op that overwrites it: one copy of 'tensor<8xf32>'}}
    %in = tensor.extract_slice %v[%from] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %out = tensor.extract_slice %o[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %t = linalg.exp ins(%in : tensor<2xf32>) outs(%out : tensor<2xf32>) -> tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %new : tensor<8xf32>
}
