// RUN: flywheel-opt %s --flywheel-lower-workers --split-input-file | FileCheck %s

// Each worker gets its number and its team, and passes them on.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[WORKER:.*]]: index, %[[TEAM:.*]]: !llvm.ptr) -> i32 attributes {codegen.workers = 3 : i64}
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[WORKER]] : index to i32
// CHECK: %[[NONE:.*]] = llvm.icmp "eq" %[[TEAM]]
// CHECK: %[[COUNT:.*]] = scf.if %[[NONE]] -> (i32) {
// CHECK: arith.constant 1 : i32
// CHECK: } else {
// CHECK: llvm.getelementptr %[[TEAM]][0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, ptr, ptr)>
// CHECK: llvm.load {{.*}} -> i32
// CHECK: %[[WORKERS:.*]] = arith.index_cast %[[COUNT]] : i32 to index
// CHECK: call @use(%[[WORKER]], %[[WORKERS]])
// CHECK: call @team.barrier(%[[TEAM]], %[[NUMBER]]) : (!llvm.ptr, i32) -> ()
// CHECK: call @inner(%[[X]], %[[WORKER]], %[[TEAM]])
// CHECK-NOT: codegen.barrier
func.func @kernel(%x: memref<4xf32>) -> i32 attributes {codegen.workers = 3 : i64} {
  %ok = arith.constant 0 : i32
  %worker = codegen.worker : index
  %workers = codegen.num_workers : index
  func.call @use(%worker, %workers) : (index, index) -> ()
  codegen.barrier
  func.call @inner(%x) : (memref<4xf32>) -> ()
  return %ok : i32
}
func.func private @use(%a: index, %b: index)

// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: memref<4xf32>, %[[WORKER:.*]]: index, %[[TEAM:.*]]: !llvm.ptr) {
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[WORKER]]
// CHECK: scf.for
// CHECK: call @team.barrier(%[[TEAM]], %[[NUMBER]])
func.func private @inner(%x: memref<4xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  scf.for %i = %0 to %4 step %1 {
    codegen.barrier
  }
  return
}

// A function without the ops is for one thread.
// CHECK-LABEL: func.func @serial(%{{.*}}: memref<4xf32>) {
func.func @serial(%x: memref<4xf32>) attributes {codegen.workers = 3 : i64} {
  return
}

// A team may be none: a barrier is nothing then.
// CHECK-LABEL: func.func private @team.barrier(
// CHECK-SAME: %[[TEAM:.*]]: !llvm.ptr, %[[NUMBER:.*]]: i32) {
// CHECK: llvm.icmp "eq" %[[TEAM]]
// CHECK: scf.if
// CHECK: llvm.getelementptr %[[TEAM]][0, 2]
// CHECK: %[[BARRIER:.*]] = llvm.load
// CHECK: llvm.call %[[BARRIER]](%[[TEAM]], %[[NUMBER]]) : !llvm.ptr, (!llvm.ptr, i32 {llvm.signext}) -> ()

// -----

// Nothing to do.
// CHECK-LABEL: func.func @plain()
// CHECK-NOT: team.barrier
func.func @plain() {
  return
}
