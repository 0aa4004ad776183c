// T1: both syntaxes.
// RUN: flywheel-opt %s | FileCheck %s
// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --mlir-print-op-generic | flywheel-opt | FileCheck %s
// RUN: flywheel-opt %s --emit-bytecode | flywheel-opt | FileCheck %s

// CHECK-LABEL: func @on_tensors
func.func @on_tensors(%x: tensor<?x5xf32>, %i: tensor<3xi64>, %y: tensor<3x5xf32>, %a: tensor<?x?xf64>, %ok: tensor<i1>) {
  // CHECK: linalg_ext.gather ins(%arg0, %arg1 : tensor<?x5xf32>, tensor<3xi64>) outs(%arg2 : tensor<3x5xf32>) axis 0 -> tensor<3x5xf32>
  %0 = linalg_ext.gather ins(%x, %i : tensor<?x5xf32>, tensor<3xi64>) outs(%y : tensor<3x5xf32>) axis 0 -> tensor<3x5xf32>
  // CHECK: linalg_ext.scatter add ins(%arg1, %arg2 : tensor<3xi64>, tensor<3x5xf32>) outs(%arg0 : tensor<?x5xf32>) axis 0 -> tensor<?x5xf32>
  %1 = linalg_ext.scatter add ins(%i, %y : tensor<3xi64>, tensor<3x5xf32>) outs(%x : tensor<?x5xf32>) axis 0 -> tensor<?x5xf32>
  // CHECK: linalg_ext.scatter replace
  %2 = linalg_ext.scatter replace ins(%i, %y : tensor<3xi64>, tensor<3x5xf32>) outs(%x : tensor<?x5xf32>) axis 0 -> tensor<?x5xf32>
  // CHECK: linalg_ext.scatter add ins(%arg1, %arg2 : tensor<3xi64>, tensor<3x5xf32>) outs(%arg0 : tensor<?x5xf32>) axis 0 order %arg1 : tensor<3xi64> -> tensor<?x5xf32>
  %ordered = linalg_ext.scatter add ins(%i, %y : tensor<3xi64>, tensor<3x5xf32>) outs(%x : tensor<?x5xf32>) axis 0 order %i : tensor<3xi64> -> tensor<?x5xf32>
  // CHECK: linalg_ext.scan ins(%arg0 : tensor<?x5xf32>) outs(%arg0 : tensor<?x5xf32>) axis 1 exclusive reverse -> tensor<?x5xf32>
  %3 = linalg_ext.scan ins(%x : tensor<?x5xf32>) outs(%x : tensor<?x5xf32>) axis 1 exclusive reverse -> tensor<?x5xf32>
  // CHECK: linalg_ext.scan mul ins(%arg0 : tensor<?x5xf32>) outs(%arg0 : tensor<?x5xf32>) axis 1 -> tensor<?x5xf32>
  %product = linalg_ext.scan mul ins(%x : tensor<?x5xf32>) outs(%x : tensor<?x5xf32>) axis 1 -> tensor<?x5xf32>
  // CHECK: linalg_ext.scan logaddexp ins(%arg0 : tensor<?x5xf32>) outs(%arg0 : tensor<?x5xf32>) axis 0 reverse -> tensor<?x5xf32>
  %log = linalg_ext.scan logaddexp ins(%x : tensor<?x5xf32>) outs(%x : tensor<?x5xf32>) axis 0 reverse -> tensor<?x5xf32>
  // CHECK: linalg_ext.cholesky outs(%arg3, %arg4 : tensor<?x?xf64>, tensor<i1>) -> tensor<?x?xf64>, tensor<i1>
  %4:2 = linalg_ext.cholesky outs(%a, %ok : tensor<?x?xf64>, tensor<i1>) -> tensor<?x?xf64>, tensor<i1>
  // CHECK: linalg_ext.triangular_solve ins(%arg3 : tensor<?x?xf64>) outs(%arg3 : tensor<?x?xf64>) upper transpose unit_diagonal -> tensor<?x?xf64>
  %5 = linalg_ext.triangular_solve ins(%a : tensor<?x?xf64>) outs(%a : tensor<?x?xf64>) upper transpose unit_diagonal -> tensor<?x?xf64>
  // CHECK: linalg_ext.exchange %arg2, %arg2 : tensor<3x5xf32>
  %6, %7 = linalg_ext.exchange %y, %y : tensor<3x5xf32>
  return
}

// CHECK-LABEL: func @conditions
func.func @conditions(%ok: i1, %i: tensor<?x2xi32>, %n: index) {
  // CHECK: %[[AT:.*]] = linalg_ext.find_outside unless %arg0 in %arg1 below %arg2 : tensor<?x2xi32>
  %at = linalg_ext.find_outside unless %ok in %i below %n : tensor<?x2xi32>
  // CHECK: %[[EQUAL:.*]] = linalg_ext.compare_sizes eq %arg2, %[[AT]]
  %equal = linalg_ext.compare_sizes eq %n, %at
  // CHECK: linalg_ext.check sizes %[[EQUAL]], "found \01 and \02"(%arg2, %[[AT]])
  linalg_ext.check sizes %equal, "found \01 and \02"(%n, %at)
  // CHECK: linalg_ext.check safe data %arg0, "expected less" in "nn.gather", ", found \01"(%[[AT]]) {test.kept}
  linalg_ext.check safe data %ok, "expected less" in "nn.gather", ", found \01"(%at) {test.kept}
  // CHECK: linalg_ext.check numerics %arg0, "finite"{{$}}
  linalg_ext.check numerics %ok, "finite"
  return
}

// CHECK-LABEL: func @on_buffers
func.func @on_buffers(%x: memref<?x5xf32, strided<[?, 1], offset: ?>>, %i: memref<3xi64>, %y: memref<3x5xf32>) {
  // CHECK: linalg_ext.gather ins(%arg0, %arg1 : memref<?x5xf32, strided<[?, 1], offset: ?>>, memref<3xi64>) outs(%arg2 : memref<3x5xf32>) axis 0{{$}}
  linalg_ext.gather ins(%x, %i : memref<?x5xf32, strided<[?, 1], offset: ?>>, memref<3xi64>) outs(%y : memref<3x5xf32>) axis 0
  // CHECK: linalg_ext.scan ins(%arg2 : memref<3x5xf32>) outs(%arg2 : memref<3x5xf32>) axis 0{{$}}
  linalg_ext.scan ins(%y : memref<3x5xf32>) outs(%y : memref<3x5xf32>) axis 0
  return
}

// CHECK-LABEL: func @rows
func.func @rows(%i: tensor<?xi32>, %rows: tensor<?x4xf32>, %order: tensor<?xi64>, %counts: tensor<2048xi64>, %p: tensor<8x4xf32>, %n: index)
    -> tensor<8x4xf32> {
  // CHECK: %[[SORT:.*]]:3 = linalg_ext.argsort ins(%arg0 : tensor<?xi32>) below %arg5 outs(%arg2, %arg2, %arg3 : tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>
  %0:3 = linalg_ext.argsort ins(%i : tensor<?xi32>) below %n outs(%order, %order, %counts : tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>)
      -> tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>
  // CHECK: linalg_ext.argsort ins(%arg0 : tensor<?xi32>) below %arg5 outs(%arg2, %arg2 : tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>
  %without:2 = linalg_ext.argsort ins(%i : tensor<?xi32>) below %n outs(%order, %order : tensor<?xi64>, tensor<?xi64>)
      -> tensor<?xi64>, tensor<?xi64>
  // CHECK: %[[SUMS:.*]] = linalg_ext.combine_rows ins(%arg0, %[[SORT]]#0 : tensor<?xi32>, tensor<?xi64>) outs(%arg1 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg_ext.combine_rows ins(%i, %0#0 : tensor<?xi32>, tensor<?xi64>) outs(%rows : tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: %[[NEW:.*]]:2 = linalg_ext.update_rows all ins(%arg0, %[[SORT]]#0, %[[SUMS]] : tensor<?xi32>, tensor<?xi64>, tensor<?x4xf32>) outs(%arg4, %arg4 : tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[P:.*]]: f32, %[[Q:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[G]], %[[P]] : f32
  // CHECK-NEXT: linalg_ext.yield %[[SUM]], %[[Q]] : f32, f32
  // CHECK-NEXT: } -> tensor<8x4xf32>, tensor<8x4xf32>
  %2:2 = linalg_ext.update_rows all ins(%i, %0#0, %1 : tensor<?xi32>, tensor<?xi64>, tensor<?x4xf32>) outs(%p, %p : tensor<8x4xf32>, tensor<8x4xf32>) {
  ^bb0(%g: f32, %x: f32, %y: f32):
    %3 = arith.addf %g, %x : f32
    linalg_ext.yield %3, %y : f32, f32
  } -> tensor<8x4xf32>, tensor<8x4xf32>
  return %2#0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @insert_slices
func.func @insert_slices(%x: tensor<2x3xf32>, %y: tensor<6xf32>, %z: tensor<2x8xf32>, %i: index) -> tensor<2x8xf32> {
  // CHECK: linalg_ext.insert_slices ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<6xf32>) outs(%arg2 : tensor<2x8xf32>) at [0, 0, 1, %arg3] sizes [2, 3, 1, 6] strides [1, 1, 1, 1]{{$}}
  %0 = linalg_ext.insert_slices ins(%x, %y : tensor<2x3xf32>, tensor<6xf32>) outs(%z : tensor<2x8xf32>)
      at [0, 0, 1, %i] sizes [2, 3, 1, 6] strides [1, 1, 1, 1]
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @host_call(
// CHECK: linalg_ext.host_call "callback" 3 ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}}, %{{.*}} : tensor<i32>, tensor<2xf64>) {number = 1 : i64} -> tensor<i32>, tensor<2xf64>
// CHECK: linalg_ext.host_call "print" 0 ins() outs(%{{.*}} : memref<i32>) {number = 0 : i64}
func.func @host_call(%x: tensor<?xf32>, %status: tensor<i32>, %out: tensor<2xf64>, %buffer: memref<i32>) -> tensor<2xf64> {
  %0:2 = linalg_ext.host_call "callback" 3 ins(%x : tensor<?xf32>) outs(%status, %out : tensor<i32>, tensor<2xf64>) {number = 1 : i64} -> tensor<i32>, tensor<2xf64>
  linalg_ext.host_call "print" 0 ins() outs(%buffer : memref<i32>) {number = 0 : i64}
  return %0#1 : tensor<2xf64>
}
