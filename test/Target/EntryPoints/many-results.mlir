// RUN: flywheel-opt %s --flywheel-emit-entry-points=c-interface=false | FileCheck %s

// T43: that many results overlap no feed and each other is checked by loops over all buffers, whose sizes are on the stack.
// There is one message for a result and all feeds, and one for it and the other results: none for each pair.

// CHECK: train.manifest
// CHECK-SAME: text = "expected result 'y0' of 'step' and all feeds in buffers of their own, found them overlap"
// CHECK-SAME: text = "expected result 'y15' of 'step' and all feeds in buffers of their own, found them overlap"
// CHECK-SAME: text = "expected result 'y15' of 'step' and all other results in buffers of their own, found them overlap"
// CHECK-NOT: and feed 'x
// CHECK-NOT: and result 'y
module attributes {train.manifest = {
  model = "many", layout_hash = 99 : i64, state_bytes = 640 : i64, variables = [],
  entries = [{name = "step", feeds = [{name = "x0", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x1", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x2", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x3", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x4", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x5", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x6", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x7", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x8", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x9", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x10", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x11", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x12", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x13", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x14", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x15", type = tensor<4xf32>, symbols = array<i64: -1>}],
              results = [{name = "y0", type = tensor<1xf32>, symbols = array<i64: -1>}, {name = "y1", type = tensor<2xf32>, symbols = array<i64: -1>}, {name = "y2", type = tensor<3xf32>, symbols = array<i64: -1>}, {name = "y3", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "y4", type = tensor<5xf32>, symbols = array<i64: -1>}, {name = "y5", type = tensor<6xf32>, symbols = array<i64: -1>}, {name = "y6", type = tensor<7xf32>, symbols = array<i64: -1>}, {name = "y7", type = tensor<8xf32>, symbols = array<i64: -1>}, {name = "y8", type = tensor<9xf32>, symbols = array<i64: -1>}, {name = "y9", type = tensor<10xf32>, symbols = array<i64: -1>}, {name = "y10", type = tensor<11xf32>, symbols = array<i64: -1>}, {name = "y11", type = tensor<12xf32>, symbols = array<i64: -1>}, {name = "y12", type = tensor<13xf32>, symbols = array<i64: -1>}, {name = "y13", type = tensor<14xf32>, symbols = array<i64: -1>}, {name = "y14", type = tensor<15xf32>, symbols = array<i64: -1>}, {name = "y15", type = tensor<16xf32>, symbols = array<i64: -1>}], symbols = [],
              reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}],
  messages = []
}} {
  func.func @step.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>, %x0: memref<4xf32>, %x1: memref<4xf32>, %x2: memref<4xf32>, %x3: memref<4xf32>, %x4: memref<4xf32>, %x5: memref<4xf32>, %x6: memref<4xf32>, %x7: memref<4xf32>, %x8: memref<4xf32>, %x9: memref<4xf32>, %x10: memref<4xf32>, %x11: memref<4xf32>, %x12: memref<4xf32>, %x13: memref<4xf32>, %x14: memref<4xf32>, %x15: memref<4xf32>, %y0: memref<1xf32>, %y1: memref<2xf32>, %y2: memref<3xf32>, %y3: memref<4xf32>, %y4: memref<5xf32>, %y5: memref<6xf32>, %y6: memref<7xf32>, %y7: memref<8xf32>, %y8: memref<9xf32>, %y9: memref<10xf32>, %y10: memref<11xf32>, %y11: memref<12xf32>, %y12: memref<13xf32>, %y13: memref<14xf32>, %y14: memref<15xf32>, %y15: memref<16xf32>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// CHECK-LABEL: func.func @many_step.packed(
// CHECK: %[[FEEDS:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[RESULTS:.*]] = llvm.alloca %{{.*}} x i64
// The first result: no feed, and no result before it.
// CHECK: scf.for
// CHECK: scf.for

