// RUN: flywheel-opt %s --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=linalg.

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
// CHECK-LABEL: func.func @tile_on_stack(
// CHECK-SAME: %[[OUT:[^:]*]]: memref<4x32xf32>)
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C16:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NEXT: %[[ALLOCA:.*]] = memref.alloca() : memref<4x32xf32>
// CHECK-NEXT: %[[LOAD:.*]] = vector.load %[[ALLOCA]][%[[C0]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF:.*]] = arith.maximumf %[[LOAD]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF]], %[[OUT]][%[[C0]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_2:.*]] = vector.load %[[ALLOCA]][%[[C0]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_2:.*]] = arith.maximumf %[[LOAD_2]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_2]], %[[OUT]][%[[C0]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_3:.*]] = vector.load %[[ALLOCA]][%[[C1]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_3:.*]] = arith.maximumf %[[LOAD_3]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_3]], %[[OUT]][%[[C1]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_4:.*]] = vector.load %[[ALLOCA]][%[[C1]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_4:.*]] = arith.maximumf %[[LOAD_4]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_4]], %[[OUT]][%[[C1]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_5:.*]] = vector.load %[[ALLOCA]][%[[C2]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_5:.*]] = arith.maximumf %[[LOAD_5]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_5]], %[[OUT]][%[[C2]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_6:.*]] = vector.load %[[ALLOCA]][%[[C2]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_6:.*]] = arith.maximumf %[[LOAD_6]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_6]], %[[OUT]][%[[C2]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_7:.*]] = vector.load %[[ALLOCA]][%[[C3]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_7:.*]] = arith.maximumf %[[LOAD_7]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_7]], %[[OUT]][%[[C3]], %[[C0]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[LOAD_8:.*]] = vector.load %[[ALLOCA]][%[[C3]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: %[[MAXIMUMF_8:.*]] = arith.maximumf %[[LOAD_8]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[MAXIMUMF_8]], %[[OUT]][%[[C3]], %[[C16]]] : memref<4x32xf32>, vector<16xf32>
// CHECK-NEXT: return
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
// EXAMPLE: --flywheel-attach-target=cpu=x86-64-v4 --flywheel-choose-schedules --flywheel-vectorize-kernels --canonicalize --cse
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

// The last square of a loop ends with it, and overlaps the one before: there is one
// network of shuffles, without masks.
// CHECK-LABEL: func.func @transpose_odd
// CHECK: arith.minsi %{{.*}}, %c17
// CHECK-NOT: mask
// CHECK-COUNT-64: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @transpose_odd(%x: memref<64x33xf32>, %y: memref<33x64xf32>) {
  linalg.transpose ins(%x : memref<64x33xf32>) outs(%y : memref<33x64xf32>) permutation = [1, 0]
  return
}

// Not where the destination is read: it has the sum already.
// CHECK-LABEL: func.func @add_transpose_odd
// CHECK-NOT: arith.minsi
// CHECK-COUNT-65: vector.shuffle
// CHECK: return
func.func @add_transpose_odd(%x: memref<64x33xf32>, %y: memref<33x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x33xf32>) outs(%y : memref<33x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
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
// CHECK-LABEL: func.func @control_flow(
// CHECK-SAME: %[[X:[^:]*]]: memref<64xf32>, %[[P:[^:]*]]: i1)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[ITER:.*]] = %[[C0]] to %[[C64]] step %[[C1]] {
// CHECK-NEXT: %[[LOAD:.*]] = memref.load %[[X]][%[[ITER]]] : memref<64xf32>
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[P]] -> (f32) {
// CHECK-NEXT: %[[NEGF:.*]] = arith.negf %[[LOAD]] : f32
// CHECK-NEXT: scf.yield %[[NEGF]] : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[LOAD]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[IF]], %[[X]][%[[ITER]]] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
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

// A column of a wider matrix: lanes are loaded one by one, and added side by side.
// CHECK-LABEL: func.func @one_column(
// CHECK-SAME: %[[X:[^:]*]]: memref<64x1xf32, strided<[2, 1]>>, %[[Y:[^:]*]]: memref<1xf32>)
// CHECK-NEXT: %[[C63:.*]] = arith.constant 63 : index
// CHECK-NEXT: %[[C62:.*]] = arith.constant 62 : index
// CHECK-NEXT: %[[C61:.*]] = arith.constant 61 : index
// CHECK-NEXT: %[[C60:.*]] = arith.constant 60 : index
// CHECK-NEXT: %[[C59:.*]] = arith.constant 59 : index
// CHECK-NEXT: %[[C58:.*]] = arith.constant 58 : index
// CHECK-NEXT: %[[C57:.*]] = arith.constant 57 : index
// CHECK-NEXT: %[[C56:.*]] = arith.constant 56 : index
// CHECK-NEXT: %[[C55:.*]] = arith.constant 55 : index
// CHECK-NEXT: %[[C54:.*]] = arith.constant 54 : index
// CHECK-NEXT: %[[C53:.*]] = arith.constant 53 : index
// CHECK-NEXT: %[[C52:.*]] = arith.constant 52 : index
// CHECK-NEXT: %[[C51:.*]] = arith.constant 51 : index
// CHECK-NEXT: %[[C50:.*]] = arith.constant 50 : index
// CHECK-NEXT: %[[C49:.*]] = arith.constant 49 : index
// CHECK-NEXT: %[[C48:.*]] = arith.constant 48 : index
// CHECK-NEXT: %[[C47:.*]] = arith.constant 47 : index
// CHECK-NEXT: %[[C46:.*]] = arith.constant 46 : index
// CHECK-NEXT: %[[C45:.*]] = arith.constant 45 : index
// CHECK-NEXT: %[[C44:.*]] = arith.constant 44 : index
// CHECK-NEXT: %[[C43:.*]] = arith.constant 43 : index
// CHECK-NEXT: %[[C42:.*]] = arith.constant 42 : index
// CHECK-NEXT: %[[C41:.*]] = arith.constant 41 : index
// CHECK-NEXT: %[[C40:.*]] = arith.constant 40 : index
// CHECK-NEXT: %[[C39:.*]] = arith.constant 39 : index
// CHECK-NEXT: %[[C38:.*]] = arith.constant 38 : index
// CHECK-NEXT: %[[C37:.*]] = arith.constant 37 : index
// CHECK-NEXT: %[[C36:.*]] = arith.constant 36 : index
// CHECK-NEXT: %[[C35:.*]] = arith.constant 35 : index
// CHECK-NEXT: %[[C34:.*]] = arith.constant 34 : index
// CHECK-NEXT: %[[C33:.*]] = arith.constant 33 : index
// CHECK-NEXT: %[[C32:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[C31:.*]] = arith.constant 31 : index
// CHECK-NEXT: %[[C30:.*]] = arith.constant 30 : index
// CHECK-NEXT: %[[C29:.*]] = arith.constant 29 : index
// CHECK-NEXT: %[[C28:.*]] = arith.constant 28 : index
// CHECK-NEXT: %[[C27:.*]] = arith.constant 27 : index
// CHECK-NEXT: %[[C26:.*]] = arith.constant 26 : index
// CHECK-NEXT: %[[C25:.*]] = arith.constant 25 : index
// CHECK-NEXT: %[[C24:.*]] = arith.constant 24 : index
// CHECK-NEXT: %[[C23:.*]] = arith.constant 23 : index
// CHECK-NEXT: %[[C22:.*]] = arith.constant 22 : index
// CHECK-NEXT: %[[C21:.*]] = arith.constant 21 : index
// CHECK-NEXT: %[[C20:.*]] = arith.constant 20 : index
// CHECK-NEXT: %[[C19:.*]] = arith.constant 19 : index
// CHECK-NEXT: %[[C18:.*]] = arith.constant 18 : index
// CHECK-NEXT: %[[C17:.*]] = arith.constant 17 : index
// CHECK-NEXT: %[[C16:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[C15:.*]] = arith.constant 15 : index
// CHECK-NEXT: %[[C14:.*]] = arith.constant 14 : index
// CHECK-NEXT: %[[C13:.*]] = arith.constant 13 : index
// CHECK-NEXT: %[[C12:.*]] = arith.constant 12 : index
// CHECK-NEXT: %[[C11:.*]] = arith.constant 11 : index
// CHECK-NEXT: %[[C10:.*]] = arith.constant 10 : index
// CHECK-NEXT: %[[C9:.*]] = arith.constant 9 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C7:.*]] = arith.constant 7 : index
// CHECK-NEXT: %[[C6:.*]] = arith.constant 6 : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[LOAD:.*]] = memref.load %[[X]][%[[C0]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_2:.*]] = memref.load %[[X]][%[[C1]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_3:.*]] = memref.load %[[X]][%[[C2]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_4:.*]] = memref.load %[[X]][%[[C3]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_5:.*]] = memref.load %[[X]][%[[C4]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_6:.*]] = memref.load %[[X]][%[[C5]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_7:.*]] = memref.load %[[X]][%[[C6]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_8:.*]] = memref.load %[[X]][%[[C7]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_9:.*]] = memref.load %[[X]][%[[C8]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_10:.*]] = memref.load %[[X]][%[[C9]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_11:.*]] = memref.load %[[X]][%[[C10]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_12:.*]] = memref.load %[[X]][%[[C11]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_13:.*]] = memref.load %[[X]][%[[C12]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_14:.*]] = memref.load %[[X]][%[[C13]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_15:.*]] = memref.load %[[X]][%[[C14]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_16:.*]] = memref.load %[[X]][%[[C15]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[FROM_ELEMENTS:.*]] = vector.from_elements %[[LOAD]], %[[LOAD_2]], %[[LOAD_3]], %[[LOAD_4]], %[[LOAD_5]], %[[LOAD_6]], %[[LOAD_7]], %[[LOAD_8]], %[[LOAD_9]], %[[LOAD_10]], %[[LOAD_11]], %[[LOAD_12]], %[[LOAD_13]], %[[LOAD_14]], %[[LOAD_15]], %[[LOAD_16]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[FROM_ELEMENTS]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: %[[LOAD_17:.*]] = memref.load %[[X]][%[[C16]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_18:.*]] = memref.load %[[X]][%[[C17]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_19:.*]] = memref.load %[[X]][%[[C18]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_20:.*]] = memref.load %[[X]][%[[C19]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_21:.*]] = memref.load %[[X]][%[[C20]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_22:.*]] = memref.load %[[X]][%[[C21]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_23:.*]] = memref.load %[[X]][%[[C22]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_24:.*]] = memref.load %[[X]][%[[C23]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_25:.*]] = memref.load %[[X]][%[[C24]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_26:.*]] = memref.load %[[X]][%[[C25]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_27:.*]] = memref.load %[[X]][%[[C26]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_28:.*]] = memref.load %[[X]][%[[C27]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_29:.*]] = memref.load %[[X]][%[[C28]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_30:.*]] = memref.load %[[X]][%[[C29]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_31:.*]] = memref.load %[[X]][%[[C30]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_32:.*]] = memref.load %[[X]][%[[C31]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[FROM_ELEMENTS_2:.*]] = vector.from_elements %[[LOAD_17]], %[[LOAD_18]], %[[LOAD_19]], %[[LOAD_20]], %[[LOAD_21]], %[[LOAD_22]], %[[LOAD_23]], %[[LOAD_24]], %[[LOAD_25]], %[[LOAD_26]], %[[LOAD_27]], %[[LOAD_28]], %[[LOAD_29]], %[[LOAD_30]], %[[LOAD_31]], %[[LOAD_32]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[FROM_ELEMENTS_2]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: %[[LOAD_33:.*]] = memref.load %[[X]][%[[C32]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_34:.*]] = memref.load %[[X]][%[[C33]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_35:.*]] = memref.load %[[X]][%[[C34]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_36:.*]] = memref.load %[[X]][%[[C35]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_37:.*]] = memref.load %[[X]][%[[C36]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_38:.*]] = memref.load %[[X]][%[[C37]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_39:.*]] = memref.load %[[X]][%[[C38]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_40:.*]] = memref.load %[[X]][%[[C39]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_41:.*]] = memref.load %[[X]][%[[C40]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_42:.*]] = memref.load %[[X]][%[[C41]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_43:.*]] = memref.load %[[X]][%[[C42]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_44:.*]] = memref.load %[[X]][%[[C43]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_45:.*]] = memref.load %[[X]][%[[C44]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_46:.*]] = memref.load %[[X]][%[[C45]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_47:.*]] = memref.load %[[X]][%[[C46]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_48:.*]] = memref.load %[[X]][%[[C47]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[FROM_ELEMENTS_3:.*]] = vector.from_elements %[[LOAD_33]], %[[LOAD_34]], %[[LOAD_35]], %[[LOAD_36]], %[[LOAD_37]], %[[LOAD_38]], %[[LOAD_39]], %[[LOAD_40]], %[[LOAD_41]], %[[LOAD_42]], %[[LOAD_43]], %[[LOAD_44]], %[[LOAD_45]], %[[LOAD_46]], %[[LOAD_47]], %[[LOAD_48]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF_3:.*]] = arith.addf %[[FROM_ELEMENTS_3]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: %[[LOAD_49:.*]] = memref.load %[[X]][%[[C48]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_50:.*]] = memref.load %[[X]][%[[C49]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_51:.*]] = memref.load %[[X]][%[[C50]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_52:.*]] = memref.load %[[X]][%[[C51]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_53:.*]] = memref.load %[[X]][%[[C52]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_54:.*]] = memref.load %[[X]][%[[C53]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_55:.*]] = memref.load %[[X]][%[[C54]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_56:.*]] = memref.load %[[X]][%[[C55]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_57:.*]] = memref.load %[[X]][%[[C56]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_58:.*]] = memref.load %[[X]][%[[C57]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_59:.*]] = memref.load %[[X]][%[[C58]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_60:.*]] = memref.load %[[X]][%[[C59]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_61:.*]] = memref.load %[[X]][%[[C60]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_62:.*]] = memref.load %[[X]][%[[C61]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_63:.*]] = memref.load %[[X]][%[[C62]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[LOAD_64:.*]] = memref.load %[[X]][%[[C63]], %[[C0]]] : memref<64x1xf32, strided<[2, 1]>>
// CHECK-NEXT: %[[FROM_ELEMENTS_4:.*]] = vector.from_elements %[[LOAD_49]], %[[LOAD_50]], %[[LOAD_51]], %[[LOAD_52]], %[[LOAD_53]], %[[LOAD_54]], %[[LOAD_55]], %[[LOAD_56]], %[[LOAD_57]], %[[LOAD_58]], %[[LOAD_59]], %[[LOAD_60]], %[[LOAD_61]], %[[LOAD_62]], %[[LOAD_63]], %[[LOAD_64]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF_4:.*]] = arith.addf %[[FROM_ELEMENTS_4]], %[[CST]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF_5:.*]] = arith.addf %[[ADDF_2]], %[[ADDF]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF_6:.*]] = arith.addf %[[ADDF_3]], %[[ADDF_5]] : vector<16xf32>
// CHECK-NEXT: %[[ADDF_7:.*]] = arith.addf %[[ADDF_4]], %[[ADDF_6]] : vector<16xf32>
// CHECK-NEXT: %[[REDUCTION:.*]] = vector.reduction <add>, %[[ADDF_7]] fastmath<reassoc> : vector<16xf32> into f32
// CHECK-NEXT: %[[LOAD_65:.*]] = memref.load %[[Y]][%[[C0]]] : memref<1xf32>
// CHECK-NEXT: %[[ADDF_8:.*]] = arith.addf %[[REDUCTION]], %[[LOAD_65]] : f32
// CHECK-NEXT: memref.store %[[ADDF_8]], %[[Y]][%[[C0]]] : memref<1xf32>
// CHECK-NEXT: return
func.func @one_column(%x: memref<64x1xf32, strided<[2, 1]>>, %y: memref<1xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<64x1xf32, strided<[2, 1]>>) outs(%y : memref<1xf32>) dimensions = [0]
  return
}

// Sums of many columns: eight vectors of a row together, then what is left.
// CHECK-LABEL: func.func @columns
// CHECK: scf.for %[[J:.*]] = %c0 to %c256 step %c128
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-8: vector.load %arg0
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: vector.load %arg0
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: vector.load %arg0
// CHECK: %[[REST:.*]] = vector.constant_mask [3]
// CHECK: vector.maskedload %arg0[%{{.*}}, %c336], %[[REST]]
func.func @columns(%x: memref<64x339xf32>, %out: memref<339xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
    ins(%x : memref<64x339xf32>) outs(%out : memref<339xf32>)
    attrs = {codegen.schedule = #codegen.vector<along = 1, lanes = 16, interleave = 8>} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  return
}

// Rows of a copy that are few vectors have no loop, as in a panel of a product;
// longer ones do.
// CHECK-LABEL: func.func @copied_panel
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c50 step %c1
// CHECK-NOT: scf.for
// CHECK: vector.store {{.*}}[%[[ROW]], %c0]
// CHECK: vector.store {{.*}}[%[[ROW]], %c16]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: return
func.func @copied_panel(%b: memref<50x32xf32, strided<[1024, 1]>>, %panel: memref<50x32xf32>,
                        %wide: memref<50x96xf32, strided<[1024, 1]>>, %copy: memref<50x96xf32>) {
  linalg.copy ins(%b : memref<50x32xf32, strided<[1024, 1]>>) outs(%panel : memref<50x32xf32>)
  linalg.copy ins(%wide : memref<50x96xf32, strided<[1024, 1]>>) outs(%copy : memref<50x96xf32>)
  return
}

// One with functions, whose code would be long, is a loop, and so is one of more registers than there are.
// CHECK-LABEL: func.func @functions_on_stack(
// CHECK: scf.for
// CHECK: math.tanh {{.*}} : vector<16xf32>
// CHECK-NOT: math.tanh
func.func @functions_on_stack(%out: memref<8x16xf32>) {
  %tile = memref.alloca() : memref<8x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%tile : memref<8x16xf32>) outs(%out : memref<8x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = math.tanh %x : f32
    %1 = math.exp %0 : f32
    %2 = math.sin %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// CHECK-LABEL: func.func @many_on_stack(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.negf {{.*}} : vector<32xf16>
// CHECK-NOT: arith.negf
func.func @many_on_stack(%out: memref<4x160xf16>) {
  %tile = memref.alloca() : memref<4x160xf16>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%tile : memref<4x160xf16>) outs(%out : memref<4x160xf16>) {
  ^bb0(%x: f16, %o: f16):
    %0 = arith.negf %x : f16
    linalg.yield %0 : f16
  }
  return
}
