// RUN: flywheel-opt %s --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
#swapped = affine_map<(i, j) -> (j, i)>

// The column operand is loaded once per row and stays scalar as long as it can.
// CHECK-LABEL: func.func @broadcast
// CHECK: scf.for %[[I:.*]] = %c0 to %c4
// CHECK: %[[X:.*]] = memref.load %arg1[%[[I]]]
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16
// CHECK: %[[R:.*]] = vector.load %arg0[%[[J]]]
// CHECK: %[[N:.*]] = arith.negf %[[X]] : f32
// CHECK: %[[V:.*]] = vector.broadcast %[[N]]
// CHECK: %[[S:.*]] = arith.addf %[[R]], %[[V]] : vector<16xf32>
// CHECK: vector.store %[[S]], %arg2[%[[I]], %[[J]]]
// CHECK: %[[MASK:.*]] = vector.constant_mask [8]
// CHECK: vector.maskedload %arg0[%c32], %[[MASK]]
// CHECK: vector.maskedstore %arg2[%[[I]], %c32], %[[MASK]]
func.func @broadcast(%r: memref<40xf32>, %c: memref<4xf32>, %out: memref<4x40xf32>) {
  linalg.generic {indexing_maps = [#row, #column, #id], iterator_types = ["parallel", "parallel"]}
    ins(%r, %c : memref<40xf32>, memref<4xf32>) outs(%out : memref<4x40xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %n = arith.negf %y : f32
    %s = arith.addf %x, %n : f32
    linalg.yield %s : f32
  }
  return
}

// Both states are read before either is written.
// CHECK-LABEL: func.func @momentum
// CHECK: %[[V:.*]] = vector.load %arg1
// CHECK: %[[W:.*]] = vector.load %arg2
// CHECK: %[[G:.*]] = vector.load %arg0
// CHECK: vector.store %{{.*}}, %arg1
// CHECK: vector.store %{{.*}}, %arg2
// CHECK: vector.create_mask
// CHECK: vector.maskedload %arg1
func.func @momentum(%g: memref<?xf32>, %v: memref<?xf32>, %w: memref<?xf32>) {
  %mu = arith.constant 0.9 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%g : memref<?xf32>) outs(%v, %w : memref<?xf32>, memref<?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = arith.mulf %y, %mu : f32
    %b = arith.addf %a, %x : f32
    %c = arith.subf %z, %b : f32
    linalg.yield %b, %c : f32, f32
  }
  return
}

// A small tile on the stack is unrolled, so that LLVM can promote it.
// CHECK-LABEL: func.func @tile_on_stack
// CHECK-NOT: scf.for
// CHECK-COUNT-8: vector.store
func.func @tile_on_stack(%out: memref<4x32xf32>) {
  %tile = memref.alloca() : memref<4x32xf32>
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%tile : memref<4x32xf32>) outs(%out : memref<4x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %zero : f32
    linalg.yield %m : f32
  }
  return
}

// CHECK-LABEL: func.func @index_and_cast
// CHECK: %[[IOTA:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[BASE:.*]] = vector.broadcast %[[J]] : index to vector<16xindex>
// CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[IOTA]]
// CHECK: arith.index_cast %[[AT]] : vector<16xindex> to vector<16xi32>
// CHECK: vector.store
func.func @index_and_cast(%out: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%out : memref<64xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  }
  return
}

// Booleans are a byte each in memory: they are accessed one by one.
// CHECK-LABEL: func.func @booleans
// CHECK-NOT: vector.load {{.*}}i1
// CHECK-COUNT-16: memref.load %arg0{{.*}} : memref<16xi1>
// CHECK: vector.from_elements {{.*}} : vector<16xi1>
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
func.func @booleans(%p: memref<16xi1>, %x: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%p : memref<16xi1>) outs(%x : memref<16xf32>) {
  ^bb0(%c: i1, %o: f32):
    %s = arith.select %c, %o, %zero : f32
    linalg.yield %s : f32
  }
  return
}

// Lanes that are not in use must not trap.
// CHECK-LABEL: func.func @divide
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : vector<16xi32>
// CHECK-DAG: %[[MASK:.*]] = vector.constant_mask [3]
// CHECK: %[[D:.*]] = arith.select %[[MASK]], %{{.*}}, %[[ONES]]
// CHECK: arith.divsi %{{.*}}, %[[D]]
func.func @divide(%x: memref<3xi32>, %y: memref<3xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : memref<3xi32>) outs(%y : memref<3xi32>) {
  ^bb0(%a: i32, %b: i32):
    %q = arith.divsi %b, %a : i32
    linalg.yield %q : i32
  }
  return
}

// Squares of vectors are transposed in registers.
// CHECK-LABEL: func.func @transpose
// CHECK-COUNT-16: vector.load %arg0
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store {{.*}}, %arg1
func.func @transpose(%x: memref<64x32xf32>, %y: memref<32x64xf32>) {
  linalg.transpose ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) permutation = [1, 0]
  return
}

// Four vectors of partial sums, then one, then a masked one. The four are sums
// of blocks of blocks of 128 vectors, each of which starts from zeros.
// CHECK-LABEL: func.func @row_sum
// CHECK: %[[ZERO:.*]] = arith.constant dense<{{-?}}0.000000e+00> : vector<16xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %c8
// CHECK: %[[WIDE:.*]]:4 = scf.for %[[OUTER:.*]] = %c0 to %{{.*}} step %c1048576 iter_args
// CHECK: %[[BLOCKS:.*]]:4 = scf.for %[[BLOCK:.*]] = %[[OUTER]] to %{{.*}} step %c8192 iter_args({{.*}} = %[[ZERO]],
// CHECK: %[[PART:.*]]:4 = scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %c64 iter_args({{.*}} = %[[ZERO]],
// CHECK: arith.addf %{{.*}}, %[[PART]]#0
// CHECK: arith.addf %{{.*}}, %[[BLOCKS]]#0
// CHECK: %[[ONE:.*]] = scf.for %{{.*}} step %c16 iter_args(%{{.*}} = %[[WIDE]]#0)
// CHECK: scf.for %{{.*}} step %c16 iter_args(%{{.*}} = %[[ONE]])
// CHECK: vector.create_mask
// CHECK: arith.select
// CHECK: %[[SUM:.*]] = vector.reduction <add>, %{{.*}} fastmath<reassoc>
// CHECK: %[[INIT:.*]] = memref.load %arg1[%[[I]]]
// CHECK: %[[TOTAL:.*]] = arith.addf %[[SUM]], %[[INIT]]
// CHECK: memref.store %[[TOTAL]], %arg1[%[[I]]]
func.func @row_sum(%x: memref<8x?xf32>, %y: memref<8xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<8x?xf32>) outs(%y : memref<8xf32>) dimensions = [1]
  return
}

// Sums of columns stay in registers over the rows.
// CHECK-LABEL: func.func @column_sum
// CHECK: scf.for %[[J:.*]] = %c0 to %c128 step %c64
// CHECK-COUNT-4: vector.load %arg1
// CHECK: %[[S:.*]]:4 = scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-4: arith.addf
// CHECK: vector.store %[[S]]#0, %arg1[%[[J]]]
func.func @column_sum(%x: memref<8x128xf32>, %y: memref<128xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<8x128xf32>) outs(%y : memref<128xf32>) dimensions = [0]
  return
}

// No partial results of a difference can be combined: vectors run along rows.
// CHECK-LABEL: func.func @not_associative
// CHECK-NOT: vector.reduction
// CHECK: arith.subf {{.*}} : vector<16xf32>
func.func @not_associative(%x: memref<32x64xf32>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<32x64xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.subf %o, %a : f32
    linalg.yield %d : f32
  }
  return
}

// Control flow has no vector form.
// CHECK-LABEL: func.func @control_flow
// CHECK: scf.for
// CHECK: memref.load
// CHECK: scf.if
// CHECK: memref.store
func.func @control_flow(%x: memref<64xf32>, %p: i1) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<64xf32>) {
  ^bb0(%a: f32):
    %r = scf.if %p -> f32 {
      %n = arith.negf %a : f32
      scf.yield %n : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %r : f32
  }
  return
}

// A column by itself: lanes are loaded one by one, and added side by side.
// CHECK-LABEL: func.func @one_column
// CHECK: vector.from_elements
// CHECK: vector.reduction <add>
func.func @one_column(%x: memref<64x1xf32>, %y: memref<1xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<64x1xf32>) outs(%y : memref<1xf32>) dimensions = [0]
  return
}
