// RUN: flywheel-opt %s --flywheel-emit-entry-points=c-interface=false --canonicalize --cse | FileCheck %s

// Many feeds of static sizes are checked by a loop from the last to the first:
// the status is that of the first one that fails, two of them for each feed. So
// is whether a result overlaps one. Sizes are in a table.

// CHECK: text = "the state of 'many' was never initialised
// CHECK-SAME: {kind = "null_argument", text = "You must feed a value for placeholder 'x0'"}, {kind = "overlap", text = "expected feed 'x0' of 'step' outside
// CHECK-SAME: {kind = "null_argument", text = "You must feed a value for placeholder 'x1'"}
// CHECK-SAME: text = "expected a buffer for result 'y'
// CHECK-SAME: text = "expected result 'y' of 'step' and feed 'x0' in buffers of their own, found them overlap"}, {kind = "overlap", text = "expected result 'y' of 'step' and feed 'x1'
module attributes {train.manifest = {
  model = "many", layout_hash = 99 : i64, state_bytes = 704 : i64,
  variables = [{name = "w", type = tensor<4xf32>, offset = 640 : i64, bytes = 16 : i64, trainable = true}],
  entries = [{name = "step", feeds = [{name = "x0", type = tensor<4xf32>, symbols = array<i64: -1>}, {name = "x1", type = tensor<5xf32>, symbols = array<i64: -1>}, {name = "x2", type = tensor<6xf32>, symbols = array<i64: -1>}, {name = "x3", type = tensor<7xf32>, symbols = array<i64: -1>}, {name = "x4", type = tensor<8xf32>, symbols = array<i64: -1>}, {name = "x5", type = tensor<9xf32>, symbols = array<i64: -1>}, {name = "x6", type = tensor<10xf32>, symbols = array<i64: -1>}, {name = "x7", type = tensor<11xf32>, symbols = array<i64: -1>}, {name = "x8", type = tensor<12xf32>, symbols = array<i64: -1>}, {name = "x9", type = tensor<13xf32>, symbols = array<i64: -1>}, {name = "x10", type = tensor<14xf32>, symbols = array<i64: -1>}, {name = "x11", type = tensor<15xf32>, symbols = array<i64: -1>}, {name = "x12", type = tensor<16xf32>, symbols = array<i64: -1>}, {name = "x13", type = tensor<17xf32>, symbols = array<i64: -1>}, {name = "x14", type = tensor<18xf32>, symbols = array<i64: -1>}, {name = "x15", type = tensor<19xf32>, symbols = array<i64: -1>}],
              results = [{name = "y", type = tensor<f32>, symbols = array<i64>}], symbols = [],
              reads = array<i64: 0>, writes = array<i64: 0>, workspace = [], checks = array<i64>}],
  messages = []
}} {
  func.func @step.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>, %x0: memref<4xf32>, %x1: memref<5xf32>, %x2: memref<6xf32>, %x3: memref<7xf32>, %x4: memref<8xf32>, %x5: memref<9xf32>, %x6: memref<10xf32>, %x7: memref<11xf32>, %x8: memref<12xf32>, %x9: memref<13xf32>, %x10: memref<14xf32>, %x11: memref<15xf32>, %x12: memref<16xf32>, %x13: memref<17xf32>, %x14: memref<18xf32>, %x15: memref<19xf32>, %y: memref<f32>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// CHECK-LABEL: func.func @many_step.packed(
// CHECK-SAME: %[[STATE:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[FEEDS:[^:]*]]: !llvm.ptr
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[SECOND:.*]] = arith.constant 5 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[FIRST_OF_Y:.*]] = arith.constant 38 : i32
// CHECK-DAG: %[[LAST:.*]] = arith.constant 15 : i64
// CHECK-DAG: %[[SIZES:.*]] = llvm.mlir.addressof @many_step.packed.feed_bytes
// CHECK: %[[FOUND:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[LATER:.*]] = %[[NONE]])
// CHECK: %[[AT:.*]] = arith.subi %[[LAST]], %[[I]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr inbounds %[[FEEDS]][%[[AT]]]
// CHECK: %[[FEED:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[SIZE_PLACE:.*]] = llvm.getelementptr inbounds %[[SIZES]][%[[AT]]]
// CHECK: %[[SIZE:.*]] = llvm.load %[[SIZE_PLACE]] : !llvm.ptr -> i64
// CHECK: %[[IS_NULL:.*]] = llvm.icmp "eq" %[[FEED]]
// CHECK: %[[NUMBER:.*]] = arith.trunci %[[AT]] : i64 to i32
// CHECK: %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %[[TWO]]
// CHECK: %[[STATUS:.*]] = arith.addi %[[OFFSET]], %[[FIRST]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]], %[[SECOND]]
// CHECK: %[[OVERLAPS:.*]] = arith.select %{{.*}}, %[[NEXT]], %[[LATER]]
// CHECK: %[[RESULT:.*]] = arith.select %[[IS_NULL]], %[[STATUS]], %[[OVERLAPS]]
// CHECK: scf.yield %[[RESULT]]
// CHECK: %[[FOUND_OF_Y:.*]] = scf.for
// CHECK: arith.addi %{{.*}}, %[[FIRST_OF_Y]]
// CHECK: arith.select %{{.*}}, %[[FOUND]], %{{.*}} : i32
// CHECK: llvm.mlir.global internal constant @many_step.packed.feed_bytes(dense<[16, 20, 24, 28,
