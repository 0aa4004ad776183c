// RUN: flywheel-opt %s --flywheel-index-on-gpu --split-input-file | FileCheck %s

// A gather is a structured op on its result; what is out of range is 0.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:[^:]*]]: memref<5x3xf32>, %[[I:[^:]*]]: memref<?xi32>, %[[OUT:[^:]*]]: memref<?x3xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: outs(%[[OUT]]
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: memref.load %[[I]][%[[ROW]]]
// CHECK: %[[INDEX:.*]] = arith.index_cast
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[INDEX]], %c5
// CHECK: scf.if %[[IN]] -> (f32)
// CHECK: memref.load %[[X]][%[[INDEX]], %[[COLUMN]]]
func.func @gather(%x: memref<5x3xf32>, %i: memref<?xi32>, %out: memref<?x3xf32>) {
  linalg_ext.gather ins(%x, %i : memref<5x3xf32>, memref<?xi32>) outs(%out : memref<?x3xf32>) axis 0
  return
}

// -----

// A thread for each element of a slice goes over the indices: sums are those of a loop.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[I:[^:]*]]: memref<3xi64>, %[[U:[^:]*]]: memref<2x3x4xf32>, %[[Y:[^:]*]]: memref<2x8x4xf32>)
// CHECK: gpu.launch
// CHECK: scf.for %[[E:.*]] =
// CHECK: %[[C:.*]] = arith.remui %[[E]], %c4
// CHECK: %[[O:.*]] = arith.divui %[[E]], %c4
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c3
// CHECK: memref.load %[[I]][%[[J]]]
// CHECK: %[[INDEX:.*]] = arith.index_cast
// CHECK: scf.if
// CHECK: %[[UPDATE:.*]] = memref.load %[[U]][%[[O]], %[[J]], %[[C]]]
// CHECK: %[[SUM:.*]] = memref.load %[[Y]][%[[O]], %[[INDEX]], %[[C]]]
// CHECK: %[[NEW:.*]] = arith.addf %[[SUM]], %[[UPDATE]]
// CHECK: memref.store %[[NEW]], %[[Y]][%[[O]], %[[INDEX]], %[[C]]]
// CHECK: gpu.terminator
func.func @scatter(%i: memref<3xi64>, %u: memref<2x3x4xf32>, %y: memref<2x8x4xf32>) {
  linalg_ext.scatter add ins(%i, %u : memref<3xi64>, memref<2x3x4xf32>) outs(%y : memref<2x8x4xf32>) axis 1
  return
}

// -----

// CHECK-LABEL: func.func @replace(
// CHECK: gpu.launch
// CHECK-NOT: arith.addf
// CHECK: memref.store
func.func @replace(%i: memref<i32>, %u: memref<4xf32>, %y: memref<8x4xf32>) {
  linalg_ext.scatter replace ins(%i, %u : memref<i32>, memref<4xf32>) outs(%y : memref<8x4xf32>) axis 0
  return
}

// -----

// The initializer is the host's.
// CHECK-LABEL: func.func @init(
// CHECK: linalg_ext.gather
func.func @init(%x: memref<5x3xf32>, %i: memref<2xi32>, %out: memref<2x3xf32>) attributes {train.initializer} {
  linalg_ext.gather ins(%x, %i : memref<5x3xf32>, memref<2xi32>) outs(%out : memref<2x3xf32>) axis 0
  return
}
