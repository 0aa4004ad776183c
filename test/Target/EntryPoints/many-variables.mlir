// RUN: flywheel-opt %s --flywheel-emit-entry-points=c-interface=false --canonicalize --cse | FileCheck %s

// A step of many variables: whether those without a gap have values is one
// call, and that they have values afterwards one memset. Fewer are loads and
// stores. Another step reads some of them, whose statuses are known.

// CHECK: {kind = "uninitialized_variable", text = "Attempting to use uninitialized value v0"}
module attributes {train.manifest = {
  model = "many", layout_hash = 99 : i64, state_bytes = 1600 : i64,
  variables = [
    {name = "v0", type = tensor<f32>, offset = 320 : i64, bytes = 4 : i64, trainable = true},
    {name = "v1", type = tensor<f32>, offset = 384 : i64, bytes = 4 : i64, trainable = true},
    {name = "v2", type = tensor<f32>, offset = 448 : i64, bytes = 4 : i64, trainable = true},
    {name = "v3", type = tensor<f32>, offset = 512 : i64, bytes = 4 : i64, trainable = true},
    {name = "v4", type = tensor<f32>, offset = 576 : i64, bytes = 4 : i64, trainable = true},
    {name = "v5", type = tensor<f32>, offset = 640 : i64, bytes = 4 : i64, trainable = true},
    {name = "v6", type = tensor<f32>, offset = 704 : i64, bytes = 4 : i64, trainable = true},
    {name = "v7", type = tensor<f32>, offset = 768 : i64, bytes = 4 : i64, trainable = true},
    {name = "v8", type = tensor<f32>, offset = 832 : i64, bytes = 4 : i64, trainable = true},
    {name = "v9", type = tensor<f32>, offset = 896 : i64, bytes = 4 : i64, trainable = true},
    {name = "v10", type = tensor<f32>, offset = 960 : i64, bytes = 4 : i64, trainable = true},
    {name = "v11", type = tensor<f32>, offset = 1024 : i64, bytes = 4 : i64, trainable = true},
    {name = "v12", type = tensor<f32>, offset = 1088 : i64, bytes = 4 : i64, trainable = true},
    {name = "v13", type = tensor<f32>, offset = 1152 : i64, bytes = 4 : i64, trainable = true},
    {name = "v14", type = tensor<f32>, offset = 1216 : i64, bytes = 4 : i64, trainable = true},
    {name = "v15", type = tensor<f32>, offset = 1280 : i64, bytes = 4 : i64, trainable = true},
    {name = "v16", type = tensor<f32>, offset = 1344 : i64, bytes = 4 : i64, trainable = true},
    {name = "v17", type = tensor<f32>, offset = 1408 : i64, bytes = 4 : i64, trainable = true},
    {name = "v18", type = tensor<f32>, offset = 1472 : i64, bytes = 4 : i64, trainable = true},
    {name = "v19", type = tensor<f32>, offset = 1536 : i64, bytes = 4 : i64, trainable = true}],
  entries = [
    {name = "all", feeds = [], results = [], symbols = [],
     reads = array<i64: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19>,
     writes = array<i64: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19>,
     workspace = [], checks = array<i64>},
    {name = "few", feeds = [], results = [], symbols = [],
     reads = array<i64: 3, 4>, writes = array<i64: 3, 4>,
     workspace = [], checks = array<i64>},
    {name = "rest", feeds = [], results = [], symbols = [],
     reads = array<i64: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19>, writes = array<i64>,
     workspace = [], checks = array<i64>}],
  messages = []
}} {
  func.func @all.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
  func.func @few.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
  func.func @rest.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// The first variable of the range has status 4, the one after the gap 22.
// CHECK-LABEL: func.func @many_all.packed(
// CHECK-SAME: %[[STATE:[^:]*]]: !llvm.ptr
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 18 : i64
// CHECK-DAG: %[[FIRST_STATUS:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[LAST_STATUS:.*]] = arith.constant 22 : i32
// CHECK: %[[LAST:.*]] = llvm.getelementptr inbounds %[[STATE]][83]
// CHECK: llvm.load %[[LAST]]
// CHECK: %[[OF_LAST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LAST_STATUS]] : i32
// CHECK: %[[BYTES:.*]] = llvm.getelementptr inbounds %[[STATE]][64]
// CHECK: %[[INDEX:.*]] = func.call @many.find_zero(%[[BYTES]], %[[COUNT]])
// CHECK: %[[NARROW:.*]] = arith.trunci %[[INDEX]]
// CHECK: %[[STATUS:.*]] = arith.addi %[[NARROW]], %[[FIRST_STATUS]]
// CHECK: %[[FOUND:.*]] = arith.cmpi ne, %[[INDEX]], %[[COUNT]]
// CHECK: arith.select %[[FOUND]], %[[STATUS]], %[[OF_LAST]]
// CHECK: call @all.kernel
// CHECK: %[[WRITTEN:.*]] = llvm.getelementptr inbounds %[[STATE]][65]
// CHECK: "llvm.intr.memset"(%[[WRITTEN]], %{{.*}}, %{{.*}}) <{isVolatile = false}>
// CHECK-NOT: memset
// CHECK: llvm.store %{{.*}} : i8

// All of eight bytes at a time, or else the first one.
// CHECK-LABEL: func.func @many.find_zero(
// CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i64
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for

// CHECK-LABEL: func.func @many_few.packed(
// CHECK-NOT: find_zero
// CHECK: call @few.kernel
// CHECK-NOT: memset

// A variable that no other entry reads has a later status: it is on its own.
// CHECK-LABEL: func.func @many_rest.packed(
// CHECK: arith.constant 6 : i32
// CHECK: arith.constant 23 : i32
// CHECK: call @many.find_zero
// CHECK-NOT: memset
// CHECK-LABEL: func.func @many_init.packed(
