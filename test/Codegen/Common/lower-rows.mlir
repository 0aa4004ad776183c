// RUN: flywheel-opt %s --flywheel-lower-linalg-ext --canonicalize --split-input-file | FileCheck %s

// A radix sort: there and back, for each 22 bits of the limit.
// CHECK-LABEL: func.func @argsort(
// CHECK-SAME: %[[I:[^:]*]]: memref<?xi32>, %[[N:[^:]*]]: index, %[[ORDER:[^:]*]]: memref<?xi64>, %[[SPARE:[^:]*]]: memref<?xi64>, %[[COUNTS:[^:]*]]: memref<2048xi64>)
// CHECK: %[[SIZE:.*]] = memref.dim %[[I]], %c0
// CHECK: scf.for %[[K:.*]] = %c0 to %[[SIZE]] step %c1 {
// CHECK: memref.store %{{.*}}, %[[ORDER]][%[[K]]]
// CHECK: math.ctlz
// CHECK: scf.for %[[BIT:.*]] = %c0 to %{{.*}} step %c22 {
// CHECK: %[[SHIFT:.*]] = arith.index_cast %[[BIT]] : index to i64
// CHECK: scf.for %{{.*}} = %c0 to %c2048 step %c1 {
// CHECK: scf.for %{{.*}} = %c0 to %[[SIZE]] step %c1 {
// CHECK: %[[P:.*]] = memref.load %[[ORDER]]
// CHECK: memref.load %[[I]]
// CHECK: arith.minui %{{.*}}, %[[N]]
// CHECK: arith.shrui %{{.*}}, %[[SHIFT]]
// CHECK: scf.for {{.*}} iter_args(
// CHECK: scf.for %{{.*}} = %c0 to %[[SIZE]] step %c1 {
// CHECK: memref.store %{{.*}}, %[[SPARE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[SHIFT]], %c11_i64
// CHECK: memref.load %[[SPARE]]
// CHECK: arith.shrui %{{.*}}, %[[NEXT]]
// CHECK: memref.store %{{.*}}, %[[ORDER]]
func.func @argsort(%i: memref<?xi32>, %limit: index, %order: memref<?xi64>, %spare: memref<?xi64>, %counts: memref<2048xi64>) {
  linalg_ext.argsort ins(%i : memref<?xi32>) below %limit outs(%order, %spare, %counts : memref<?xi64>, memref<?xi64>, memref<2048xi64>)
  return
}

// -----

// A row with the index of the one before it is added to the first of them.
// CHECK-LABEL: func.func @combine(
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : memref<6x4x5xf32> into memref<120xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args(%[[FIRST:.*]] = %c0)
// CHECK: scf.if
// CHECK: %[[SUM:.*]] = memref.subview %[[FLAT]][%{{.*}}] [20] [1]
// CHECK: %[[ROW:.*]] = memref.subview %[[FLAT]][%{{.*}}] [20] [1]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[ROW]] : {{.*}}) outs(%[[SUM]] :
// CHECK: arith.addf
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[ROW]] :
func.func @combine(%i: memref<6xi64>, %order: memref<6xi64>, %rows: memref<6x4x5xf32>) {
  linalg_ext.combine_rows ins(%i, %order : memref<6xi64>, memref<6xi64>) outs(%rows : memref<6x4x5xf32>)
  return
}

// -----

// The rows that are named, in place; one out of range is not touched.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[I:[^:]*]]: memref<3xi32>, %[[ORDER:[^:]*]]: memref<3xi64>, %[[ROWS:[^:]*]]: memref<3x4xf32>, %[[P:[^:]*]]: memref<8x4xf32>, %[[LR:[^:]*]]: f32)
// CHECK-DAG: %[[FLAT:.*]] = memref.collapse_shape %[[P]]
// CHECK-DAG: %[[G:.*]] = memref.collapse_shape %[[ROWS]]
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c8
// CHECK: %[[IS:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
// CHECK: scf.if %[[IS]] {
// CHECK: %[[ROW:.*]] = memref.subview %[[G]][%{{.*}}] [4] [1]
// CHECK: %[[PLACE:.*]] = memref.subview %[[FLAT]][%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : {{.*}}) outs(%[[PLACE]] :
// CHECK: arith.mulf %[[LR]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @update(%i: memref<3xi32>, %order: memref<3xi64>, %rows: memref<3x4xf32>, %p: memref<8x4xf32>, %lr: f32) {
  linalg_ext.update_rows ins(%i, %order, %rows : memref<3xi32>, memref<3xi64>, memref<3x4xf32>) outs(%p : memref<8x4xf32>) {
  ^bb0(%g: f32, %x: f32):
    %0 = arith.mulf %lr, %g : f32
    %1 = arith.subf %x, %0 : f32
    linalg_ext.yield %1 : f32
  }
  return
}

// -----

// All rows: those between two indices, and after the last, have a gradient of 0.
// CHECK-LABEL: func.func @all(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel"]} outs(%{{.*}} : memref<?xf32
// CHECK: arith.mulf %{{.*}}, %cst
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} ins(
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} outs(
func.func @all(%i: memref<?xi32>, %order: memref<?xi64>, %rows: memref<?x4xf32>, %p: memref<8x4xf32>, %lr: f32) {
  linalg_ext.update_rows all ins(%i, %order, %rows : memref<?xi32>, memref<?xi64>, memref<?x4xf32>) outs(%p : memref<8x4xf32>) {
  ^bb0(%g: f32, %x: f32):
    %0 = arith.mulf %lr, %g : f32
    %1 = arith.subf %x, %0 : f32
    linalg_ext.yield %1 : f32
  }
  return
}
