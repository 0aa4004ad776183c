// RUN: flywheel-opt %s --flywheel-emit-entry-points=max-extent=16 --canonicalize | FileCheck %s
// RUN: flywheel-opt %s --flywheel-emit-entry-points=c-interface=false --canonicalize | FileCheck %s --check-prefix=JIT

// The messages of the new checks follow those of the kernels.
// CHECK: train.manifest = {entries =
// CHECK-SAME: messages = [{kind = "invalid_argument", text = "label out of range"},
// CHECK-SAME: {kind = "invalid_argument", text = "the state of 'tiny-net' is a null pointer"}
// CHECK-SAME: {kind = "invalid_argument", text = "the state of 'tiny-net' must be aligned to 64 bytes"}
// CHECK-SAME: {kind = "failed_precondition", text = "the state of 'tiny-net' was never initialised: call tiny_net_init first"}
// CHECK-SAME: {kind = "invalid_argument", text = "You must feed a value for placeholder 'x'"}
// CHECK-SAME: text = "expected feed 'x' of 'step' outside the block of the state, found a pointer into it: copy the variable first"
// CHECK-SAME: {kind = "invalid_argument", text = "expected a buffer for result 'y' of 'step', found a null pointer"}
// CHECK-SAME: {kind = "failed_precondition", text = "Attempting to use uninitialized value w"}
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
  messages = [{kind = "invalid_argument", text = "label out of range"}]
}} {
  // CHECK: llvm.mlir.global internal constant @table
  // CHECK: llvm.mlir.global external @elsewhere()
  // CHECK: llvm.func @expf(f32) -> f32
  llvm.mlir.global external constant @table(1.0 : f32) : f32
  llvm.mlir.global external @elsewhere() : f32
  llvm.func @expf(f32) -> f32

  // CHECK: llvm.func internal @init.kernel
  llvm.func @init.kernel(%s0: !llvm.ptr, %s1: !llvm.ptr, %s2: i64, %s3: i64, %s4: i64,
                         %w0: !llvm.ptr, %w1: !llvm.ptr, %w2: i64, %w3: i64, %w4: i64,
                         %seed0: !llvm.ptr, %seed1: !llvm.ptr, %seed2: i64,
                         %runs0: !llvm.ptr, %runs1: !llvm.ptr, %runs2: i64, %runs3: i64, %runs4: i64,
                         %select0: !llvm.ptr, %select1: !llvm.ptr, %select2: i64, %select3: i64, %select4: i64) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }

  // CHECK: llvm.func internal @step.kernel
  llvm.func @step.kernel(%s0: !llvm.ptr, %s1: !llvm.ptr, %s2: i64, %s3: i64, %s4: i64,
                         %w0: !llvm.ptr, %w1: !llvm.ptr, %w2: i64, %w3: i64, %w4: i64,
                         %x0: !llvm.ptr, %x1: !llvm.ptr, %x2: i64, %x3: i64, %x4: i64, %x5: i64, %x6: i64,
                         %y0: !llvm.ptr, %y1: !llvm.ptr, %y2: i64, %y3: i64, %y4: i64) -> i32 {
    %bad = llvm.mlir.constant(1 : i32) : i32
    llvm.return %bad : i32
  }
}

// Initial values go where they are needed: the kernel gets the run counters of
// the header and a byte a variable. A block with another hash is adopted.
// CHECK-LABEL: llvm.func internal @tiny_net.evaluate(
// CHECK-SAME: %[[STATE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %[[ROOTS:.*]]: !llvm.ptr, %{{.*}}: i1) -> (i32 {llvm.signext})
// CHECK: %[[NEEDS:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: "llvm.intr.memcpy"(%[[NEEDS]], %[[ROOTS]]
// CHECK: "llvm.intr.memset"(%[[STATE]]
// CHECK: %[[RUNS:.*]] = llvm.getelementptr inbounds %[[STATE]][72]
// CHECK: llvm.call @init.kernel({{.*}}%[[RUNS]], %[[RUNS]], {{.*}}%[[NEEDS]], %[[NEEDS]], {{[^%]*}}

// A train step refuses a block of another layout, null pointers and variables
// without a value, all before the kernel runs.
// CHECK-LABEL: llvm.func hidden @tiny_net_step.packed(
// CHECK: llvm.icmp "ne"
// CHECK: llvm.icmp "eq"
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[STATUS:.*]] = llvm.call @step.kernel
// CHECK: llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr

// The extent follows the first feed that uses it, and is bounded.
// CHECK-LABEL: llvm.func @tiny_net_step(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[BATCH:[^:]*]]: i64, %{{[^:]*}}: !llvm.ptr)
// CHECK: llvm.icmp "ugt" %[[BATCH]]
// CHECK: llvm.call @tiny_net.report_size(%{{.*}}, %[[BATCH]], %{{.*}})
// CHECK: llvm.call @tiny_net_step.packed

// The block keeps the size, which the text of the status names.
// CHECK: llvm.func internal @tiny_net.report_size(%{{.*}}: !llvm.ptr, %[[SIZE:.*]]: i64, %[[FOUND:.*]]: i32) -> (i32 {llvm.signext})
// CHECK: llvm.store %[[SIZE]], %{{.*}} : i64
// CHECK: llvm.store %[[FOUND]], %{{.*}} : i32
// CHECK: llvm.return %[[FOUND]]

// The initializer sets the bit of what was selected, by default of all.
// CHECK-LABEL: llvm.func hidden @tiny_net_init.packed(
// CHECK: llvm.call @tiny_net.evaluate
// CHECK: llvm.or
// CHECK: llvm.zext %{{.*}} : i8 to i64
// CHECK-LABEL: llvm.func @tiny_net_init(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i64) -> (i32 {llvm.signext})
// CHECK: llvm.call @tiny_net_init.packed
// CHECK-LABEL: llvm.func @tiny_net_init_some(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> (i32 {llvm.signext})
// CHECK: llvm.call @tiny_net_init.packed

// CHECK: llvm.mlir.global internal constant @tiny_net.texts
// CHECK: llvm.func @tiny_net_last_error(%{{.*}}: !llvm.ptr) -> !llvm.ptr

// The C header calls each by a name with the hash of the interface.
// CHECK: llvm.mlir.alias external @tiny_net_init_[[HASH:[0-9a-f]+]]
// CHECK-NEXT: llvm.mlir.addressof @tiny_net_init :
// CHECK: llvm.mlir.alias external @tiny_net_init_some_[[HASH]]
// CHECK: llvm.mlir.alias external @tiny_net_last_error_[[HASH]]
// CHECK: llvm.mlir.alias external @tiny_net_step_[[HASH]]
// CHECK-NEXT: llvm.mlir.addressof @tiny_net_step :

// JIT: llvm.func hidden @tiny_net_step.packed(
// JIT-NOT: llvm.func @tiny_net_step(
// JIT-NOT: last_error
