// RUN: flywheel-opt %s --flywheel-map-to-gpu --canonicalize --cse | FileCheck %s

#rows = affine_map<(i, j) -> (i, j)>
#sums = affine_map<(i, j) -> (j)>

// One thread for each column, which sums its rows in order.
// CHECK-LABEL: func.func @column_sums(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x?xf32>, %[[Y:[^:]*]]: memref<?xf32>)
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[COLUMNS]], %c128
// CHECK: %[[SOME:.*]] = arith.maxui %[[BLOCKS]], %c1
// CHECK: %[[GRID:.*]] = arith.minui %[[SOME]], %c65536
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %[[GRID]], {{.*}} = %c1, {{.*}} = %c1) threads({{.*}}) in ({{.*}} = %c128, {{.*}} = %c1, {{.*}} = %c1)
// CHECK: scf.for %[[J:.*]] = {{.*}} to %[[COLUMNS]] step
// CHECK:   %[[START:.*]] = memref.load %[[Y]][%[[J]]]
// CHECK:   %[[SUM:.*]] = scf.for %[[I:.*]] = %c0 to %[[ROWS]] step %c1 iter_args(%[[PART:.*]] = %[[START]])
// CHECK:     %[[ELEMENT:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:     %[[NEXT:.*]] = arith.addf %[[PART]], %[[ELEMENT]]
// CHECK:     scf.yield %[[NEXT]]
// CHECK:   memref.store %[[SUM]], %[[Y]][%[[J]]]
func.func @column_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Neighbours are along the last dimension; an index is the thread's own.
// CHECK-LABEL: func.func @positions(
// CHECK: gpu.launch
// CHECK: scf.for %[[N:.*]] =
// CHECK:   %[[J:.*]] = arith.remui %[[N]], %c6
// CHECK:   %[[I:.*]] = arith.divui %[[N]], %c6
// CHECK:   %[[SUM:.*]] = arith.addi %[[I]], %[[J]]
// CHECK:   memref.store %[[SUM]], %{{.*}}[%[[I]], %[[J]]] : memref<4x6xindex>
func.func @positions(%y: memref<4x6xindex>) {
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<4x6xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.addi %i, %j : index
    linalg.yield %0 : index
  }
  return
}

// A copy is a kernel, also of a buffer without gaps.
// CHECK-LABEL: func.func @copy(
// CHECK: gpu.launch
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copy(%x: memref<7xf32>, %y: memref<7xf32>) {
  memref.copy %x, %y : memref<7xf32> to memref<7xf32>
  return
}

// The host initializes.
// CHECK-LABEL: func.func @init.kernel(
// CHECK-NOT: gpu.launch
// CHECK: linalg.fill
func.func @init.kernel(%x: memref<7xf32>) attributes {train.initializer} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<7xf32>)
  return
}

// An output that a reduction writes along its own loop, as running sums, is written in each
// iteration.
// CHECK-LABEL: func.func @running(
// CHECK-SAME: %[[X:[^:]*]]: memref<8x4xf32>, %[[Y:[^:]*]]: memref<8x4xf32>, %[[Z:[^:]*]]: memref<4xf32>)
// CHECK: gpu.launch
// CHECK: scf.for %[[J:.*]] = {{.*}} to %c4 step
// CHECK:   scf.for %[[I:.*]] = %c0 to %c8 step %c1 {
// CHECK:     %[[ELEMENT:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:     %[[SUM:.*]] = arith.addf %{{.*}}, %[[ELEMENT]]
// CHECK-DAG: memref.store %[[SUM]], %[[Y]][%[[I]], %[[J]]]
// CHECK-DAG: memref.store %[[SUM]], %[[Z]][%[[J]]]
func.func @running(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<4xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows, #sums], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<8x4xf32>) outs(%y, %z : memref<8x4xf32>, memref<4xf32>) {
  ^bb0(%a: f32, %out: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0, %0 : f32, f32
  }
  return
}
