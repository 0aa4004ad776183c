// RUN: flywheel-opt %s --flywheel-lower-profile | FileCheck %s --check-prefixes=CHECK,TSC
// RUN: flywheel-opt %s '--flywheel-lower-profile=counter=aarch64' | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: flywheel-opt %s --flywheel-lower-profile --flywheel-lower-workers | FileCheck %s --check-prefix=WORKERS

// F7: reads of the counter, without a call of a system, and additions in the block. A
// kernel that workers share adds to the counters of its worker.
// CHECK-NOT: codegen.profile
// CHECK-LABEL: func.func @step.kernel(
// CHECK: %[[WORKER:.*]] = codegen.worker : index
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[WORKER]] : index to i64
// TSC: %[[START:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// ARM: %[[START:.*]] = llvm.inline_asm has_side_effects "mrs $0, cntvct_el0", "=r" : () -> i64
// CHECK: call @work()
// CHECK: %[[KERNEL:.*]] = arith.constant 1 : i64
// CHECK: memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[BLOCK:.*]] = llvm.inttoptr
// CHECK: call @profile.record(%[[BLOCK]], %[[NUMBER]], %[[KERNEL]], %[[START]])
// CHECK-LABEL: func.func @alone.kernel(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: call @profile.record(%{{.*}}, %[[ZERO]],
// CHECK-LABEL: func.func private @profile.record(
// TSC: llvm.call_intrinsic "llvm.readcyclecounter"()
// CHECK: arith.constant 128 : i64
// CHECK: arith.constant 640 : i64
// CHECK: llvm.store
// CHECK: llvm.store
// CHECK: arith.constant 2 : i64
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store

// WORKERS-LABEL: func.func @step.kernel(
// WORKERS-SAME: %[[WORKER:[a-z0-9]*]]: index, %{{.*}}: !llvm.ptr) -> i32
// WORKERS: arith.index_cast %[[WORKER]] : index to i64
// WORKERS-LABEL: func.func @alone.kernel(%{{[^:]*}}: memref<?xi8>) -> i32
module attributes {train.manifest = {
    model = "m", layout_hash = 1, state_bytes = 896 : i64, variables = [], messages = [], threads = 2 : i64, entries = [
      {name = "step", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>, workspace = [],
       checks = array<i64>, kernels = [{name = "a", phase = "forward", sources = []}, {name = "b", phase = "update", sources = []}]}],
    profile = {events = 2 : i64, kernels = 2 : i64, offset = 640 : i64, workers = 2 : i64}}} {
  func.func @step.kernel(%state: memref<?xi8>) -> i32 attributes {codegen.workers = 2 : i64} {
    %start = codegen.profile_begin : i64
    func.call @work() : () -> ()
    codegen.profile_end 1 from %start in %state : memref<?xi8>
    codegen.barrier
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
  func.func private @work()
  func.func @alone.kernel(%state: memref<?xi8>) -> i32 attributes {codegen.workers = 2 : i64} {
    %start = codegen.profile_begin : i64
    codegen.profile_end 0 from %start in %state : memref<?xi8>
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
