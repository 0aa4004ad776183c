// RUN: flywheel-opt %S/../../Integration/Inputs/team.mlir --flywheel-lower-workers --flywheel-emit-entry-points="threads=3 flush-denormals=x86" --canonicalize | FileCheck %s
// RUN: not flywheel-opt %S/../../Integration/Inputs/team.mlir --flywheel-lower-workers --flywheel-emit-entry-points=threads=0 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expected 1 to 256 as 'threads', found 0

// The manifest has what the header and sessions need.
// CHECK: name = "mirror"
// CHECK-SAME: workers = 2 : i64
// CHECK-SAME: name = "alone"
// CHECK-NOT: workers =
// CHECK-SAME: threads = 3 : i64

// The initializer is worker 0 of no team.
// CHECK-LABEL: func.func @team.evaluate(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: call @init.kernel({{.*}}, %[[ZERO]], %[[NONE]])

// A worker switches the mode of its own thread; the first one has the status.
// CHECK-LABEL: func.func @team_mirror.work(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[NUMBER:.*]]: i32 {llvm.signext}) {
// CHECK: %[[WORKER:.*]] = arith.index_cast %[[NUMBER]] : i32 to index
// CHECK: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"
// CHECK: %[[STATUS:.*]] = call @mirror.kernel({{.*}}, %[[WORKER]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: llvm.store %[[STATUS]]

// The team's function gets the work, or the caller does it.
// CHECK-LABEL: func.func @team_mirror.packed(
// CHECK-SAME: %[[TEAM:[a-z0-9]+]]: !llvm.ptr) -> (i32 {llvm.signext}) {
// CHECK: %[[WORK:.*]] = constant @team_mirror.work
// CHECK: %[[CONTEXT:.*]] = llvm.alloca
// CHECK: %[[ADDRESS:.*]] = builtin.unrealized_conversion_cast %[[WORK]]
// CHECK: llvm.call %{{.*}}(%[[TEAM]], %[[ADDRESS]], %[[CONTEXT]])
// CHECK: call @team_mirror.work(%[[CONTEXT]], %{{.*}})

// CHECK-LABEL: func.func @team_mirror(
// CHECK-SAME: %[[STATE:[a-z0-9]+]]: !llvm.ptr, %[[TEAM:[a-z0-9]+]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: call @team_mirror.packed(%[[STATE]], {{.*}}, %[[TEAM]])

// A step of one thread has the parameter and leaves it alone.
// CHECK-LABEL: func.func @team_alone.packed(
// CHECK-SAME: %[[TEAM:[a-z0-9]+]]: !llvm.ptr) -> (i32 {llvm.signext}) {
// CHECK-NOT: %[[TEAM]]
// CHECK: call @alone.kernel(
// CHECK-NOT: %[[TEAM]]
// CHECK: return
