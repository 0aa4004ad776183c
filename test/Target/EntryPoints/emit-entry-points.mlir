// RUN: flywheel-opt %s --flywheel-emit-entry-points=max-dim-size=16 --canonicalize | FileCheck %s
// RUN: flywheel-opt %s --flywheel-emit-entry-points=c-interface=false --canonicalize | FileCheck %s --check-prefix=JIT

// The messages of the new checks follow those of the kernels.
// CHECK: train.manifest = {entries =
// CHECK-SAME: messages = [{kind = "check", text = "label out of range"},
// CHECK-SAME: {kind = "null_state", text = "the state of 'tiny-net' is a null pointer"}
// CHECK-SAME: {kind = "unaligned_state", text = "the state of 'tiny-net' must be aligned to 64 bytes"}
// CHECK-SAME: {kind = "not_initialized", text = "the state of 'tiny-net' was never initialised: call tiny_net_init first"}
// CHECK-SAME: {kind = "null_argument", text = "You must feed a value for placeholder 'x'"}
// CHECK-SAME: text = "expected feed 'x' of 'step' outside the block of the state, found a pointer into it: copy the variable first"
// CHECK-SAME: {kind = "null_argument", text = "expected a buffer for result 'y' of 'step', found a null pointer"}
// CHECK-SAME: {kind = "uninitialized_variable", text = "Attempting to use uninitialized value w"}
module attributes {train.manifest = {
  model = "tiny-net", layout_hash = 99 : i64, state_bytes = 704 : i64,
  variables = [
    {name = "w", type = tensor<4xf32>, offset = 640 : i64, bytes = 16 : i64, trainable = true}],
  entries = [
    {name = "init",
     feeds = [{name = "seed", type = tensor<i64>, symbols = array<i64>},
              {name = "runs", type = tensor<1xi64>, symbols = array<i64: -1>},
              {name = "select", type = tensor<1xi1>, symbols = array<i64: -1>}],
     results = [], symbols = [], reads = array<i64>, writes = array<i64: 0>,
     workspace = [], checks = array<i64>},
    {name = "step",
     feeds = [{name = "x", type = tensor<?x4xf32>, symbols = array<i64: 0, -1>}],
     results = [{name = "y", type = tensor<?xf32>, symbols = array<i64: 0>}],
     symbols = ["batch"], reads = array<i64: 0>, writes = array<i64: 0>,
     workspace = [[affine_map<()[s0] -> (s0 * 4)>]], checks = array<i64: 0>}],
  messages = [{kind = "check", text = "label out of range"}]
}} {
  func.func @init.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>, %seed: memref<i64>, %runs: memref<1xi64>,
                         %select: memref<1xi1>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }

  func.func @step.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>, %x: memref<?x4xf32>, %y: memref<?xf32>) -> i32 {
    %bad = arith.constant 1 : i32
    return %bad : i32
  }
}

// Initial values go where they are needed: the kernel gets the run counters of
// the header and a byte a variable. A block with another hash is adopted.
// CHECK-LABEL: func.func @tiny_net.evaluate(
// CHECK-SAME: %[[STATE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %[[ROOTS:.*]]: !llvm.ptr, %{{.*}}: i1) -> (i32 {llvm.signext})
// CHECK: %[[NEEDS:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: "llvm.intr.memcpy"(%[[NEEDS]], %[[ROOTS]]
// CHECK: scf.if
// CHECK: "llvm.intr.memset"(%[[STATE]]
// CHECK: %[[AT:.*]] = llvm.getelementptr inbounds %[[STATE]][72]
// CHECK: llvm.insertvalue %[[AT]], %{{.*}}[0]
// CHECK: %[[RUNS:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1xi64>
// CHECK: llvm.insertvalue %[[NEEDS]], %{{.*}}[0]
// CHECK: %[[SELECT:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1xi1>
// CHECK: call @init.kernel(%{{.*}}, %[[RUNS]], %[[SELECT]])

// A train step refuses a block of another layout, null pointers and variables
// without a value, all before the kernel runs.
// CHECK-LABEL: func.func @tiny_net_step.packed(
// CHECK-SAME: %[[STATE:[^:]*]]: !llvm.ptr
// CHECK: %[[IS_NULL:.*]] = llvm.icmp "eq" %[[STATE]]
// CHECK: %[[RESULT:.*]] = scf.if %[[IS_NULL]] -> (i32)
// CHECK: arith.cmpi ne, %{{.*}} : i64
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[STATUS:.*]] = func.call @step.kernel
// CHECK: scf.yield %[[STATUS]]
// CHECK: arith.cmpi ne
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr
// CHECK: return %[[RESULT]]

// The dimension size follows the first feed that uses it, and is bounded.
// CHECK-LABEL: func.func @tiny_net_step(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[BATCH:[^:]*]]: i64, %{{[^:]*}}: !llvm.ptr)
// CHECK: arith.cmpi ugt, %[[BATCH]]
// CHECK: func.call @tiny_net.report_size(%{{.*}}, %[[BATCH]], %{{.*}})
// CHECK: func.call @tiny_net_step.packed

// The block keeps the size, which the text of the status names.
// CHECK: func.func @tiny_net.report_size(%{{.*}}: !llvm.ptr, %[[SIZE:.*]]: i64, %[[FOUND:.*]]: i32) -> (i32 {llvm.signext})
// CHECK: %[[KEPT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[FOUND]]
// CHECK: llvm.store %[[SIZE]], %{{.*}} : i64
// CHECK: llvm.store %[[KEPT]], %{{.*}} : i32

// The initializer sets the bit of what was selected, by default of all.
// CHECK-LABEL: func.func @tiny_net_init.packed(
// CHECK: func.call @tiny_net.evaluate
// CHECK: arith.ori
// CHECK: arith.extui %{{.*}} : i8 to i64
// CHECK-LABEL: func.func @tiny_net_init(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i64) -> (i32 {llvm.signext})
// CHECK: func.call @tiny_net_init.packed
// CHECK-LABEL: func.func @tiny_net_init_some(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> (i32 {llvm.signext})
// CHECK: func.call @tiny_net_init.packed

// CHECK: llvm.mlir.global internal constant @tiny_net.texts
// CHECK: func.func @tiny_net_last_error(%{{.*}}: !llvm.ptr) -> !llvm.ptr

// JIT: func.func @tiny_net_step.packed(
// JIT-NOT: func.func @tiny_net_step(
// JIT-NOT: last_error
