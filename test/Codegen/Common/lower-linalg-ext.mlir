// RUN: flywheel-opt %s --flywheel-lower-linalg-ext --canonicalize --split-input-file | FileCheck %s

// X12: one slice at a time; one at an index out of range is not read.
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[X:.*]]: memref<8x5xf32>, %[[I:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?x5xf32>)
// CHECK: scf.for %[[J:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK: %[[LOADED:.*]] = memref.load %[[I]][%[[J]]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[LOADED]] : i32 to index
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT]], %c8 : index
// CHECK: %[[TO:.*]] = memref.subview %[[Y]][%[[J]], 0] [1, 5] [1, 1]
// CHECK: scf.if %[[IN]] {
// CHECK: %[[FROM:.*]] = memref.subview %[[X]][%[[AT]], 0] [1, 5] [1, 1]
// CHECK: linalg.copy ins(%[[FROM]] : {{.*}}) outs(%[[TO]] :
// CHECK: } else {
// CHECK: linalg.fill ins(%cst : f32) outs(%[[TO]] :
func.func @gather(%x: memref<8x5xf32>, %i: memref<?xi32>, %y: memref<?x5xf32>) {
  linalg_ext.gather ins(%x, %i : memref<8x5xf32>, memref<?xi32>) outs(%y : memref<?x5xf32>) axis 0
  return
}

// -----

// CHECK-LABEL: func @scatter
// CHECK: scf.for %[[O:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: scf.if
// CHECK: memref.subview %{{.*}}[%[[O]], %[[J]], 0] [1, 1, 4] [1, 1, 1]
// CHECK: memref.subview %{{.*}}[%[[O]], %{{.*}}, 0] [1, 1, 4] [1, 1, 1]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: arith.addf
// CHECK-NOT: else
func.func @scatter(%i: memref<3xi64>, %u: memref<2x3x4xf32>, %y: memref<2x8x4xf32>) {
  linalg_ext.scatter add ins(%i, %u : memref<3xi64>, memref<2x3x4xf32>) outs(%y : memref<2x8x4xf32>) axis 1
  return
}

// -----

// CHECK-LABEL: func.func @scatter_replace(
// CHECK-SAME: %[[I:[^:]*]]: memref<3xi64>, %[[U:[^:]*]]: memref<3x4xf32>, %[[Y:[^:]*]]: memref<8x4xf32>)
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[ITER:.*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK-NEXT: %[[LOAD:.*]] = memref.load %[[I]][%[[ITER]]] : memref<3xi64>
// CHECK-NEXT: %[[INDEX_CAST:.*]] = arith.index_cast %[[LOAD]] : i64 to index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ult, %[[INDEX_CAST]], %[[C8]] : index
// CHECK-NEXT: scf.if %[[CMPI]] {
// CHECK-NEXT: %[[SUBVIEW:.*]] = memref.subview %[[U]][%[[ITER]], 0] [1, 4] [1, 1] : memref<3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %[[SUBVIEW_2:.*]] = memref.subview %[[Y]][%[[INDEX_CAST]], 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT: linalg.copy ins(%[[SUBVIEW]] : memref<4xf32, strided<[1], offset: ?>>) outs(%[[SUBVIEW_2]] : memref<4xf32, strided<[1], offset: ?>>)
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
// EXAMPLE: --flywheel-lower-linalg-ext --canonicalize
func.func @scatter_replace(%i: memref<3xi64>, %u: memref<3x4xf32>, %y: memref<8x4xf32>) {
  linalg_ext.scatter replace ins(%i, %u : memref<3xi64>, memref<3x4xf32>) outs(%y : memref<8x4xf32>) axis 0
  return
}

// -----

// There is nothing to write.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %{{[^:]*}}: memref<3xi64>, %{{[^:]*}}: memref<3x0xf32>, %{{[^:]*}}: memref<8x0xf32>)
// CHECK-NEXT: return
func.func @empty(%i: memref<3xi64>, %u: memref<3x0xf32>, %y: memref<8x0xf32>) {
  linalg_ext.scatter add ins(%i, %u : memref<3xi64>, memref<3x0xf32>) outs(%y : memref<8x0xf32>) axis 0
  return
}

// -----

// X7: each row is the one before and one of x; in O(n), whole rows at a time.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: memref<9x5xf32>, %[[Y:.*]]: memref<9x5xf32>)
// CHECK: linalg.copy
// CHECK: scf.for %[[K:.*]] = %c1 to %c9 step %c1 {
// CHECK: %[[BEFORE:.*]] = arith.subi %[[K]], %c1
// CHECK-DAG: %[[Y0:.*]] = memref.subview %[[Y]][%[[BEFORE]], 0]
// CHECK-DAG: %[[X1:.*]] = memref.subview %[[X]][%[[K]], 0]
// CHECK-DAG: %[[Y1:.*]] = memref.subview %[[Y]][%[[K]], 0]
// CHECK: linalg.generic {{.*}} ins(%[[Y0]], %[[X1]] : {{.*}}) outs(%[[Y1]] :
func.func @rows(%x: memref<9x5xf32>, %y: memref<9x5xf32>) {
  linalg_ext.scan ins(%x : memref<9x5xf32>) outs(%y : memref<9x5xf32>) axis 0
  return
}

// -----

// CHECK-LABEL: func @row
// CHECK: scf.for
// CHECK: scf.for %[[K:.*]] = %c0 to %c5 step %c1 iter_args(%[[SUM:.*]] = %c0_i32) -> (i32) {
// CHECK: %[[AT:.*]] = arith.subi %c4, %[[K]]
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[NEXT:.*]] = arith.addi %[[SUM]], %[[X]]
// CHECK: memref.store %[[SUM]], %{{.*}}[%{{.*}}, %[[AT]]]
// CHECK: scf.yield %[[NEXT]]
func.func @row(%x: memref<9x5xi32>, %y: memref<9x5xi32>) {
  linalg_ext.scan ins(%x : memref<9x5xi32>) outs(%y : memref<9x5xi32>) axis 1 exclusive reverse
  return
}

// -----

// A product of nothing is 1.
// CHECK-LABEL: func @products
// CHECK: linalg.fill ins(%cst : f32)
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args(%[[PRODUCT:.*]] = %c1_i32) -> (i32) {
// CHECK: arith.muli %[[PRODUCT]],
func.func @products(%x: memref<9x5xf32>, %y: memref<9x5xf32>, %i: memref<9x5xi32>, %j: memref<9x5xi32>) {
  linalg_ext.scan mul ins(%x : memref<9x5xf32>) outs(%y : memref<9x5xf32>) axis 0 exclusive
  linalg_ext.scan mul ins(%i : memref<9x5xi32>) outs(%j : memref<9x5xi32>) axis 1
  return
}

// -----

// The exponential is of no positive number, and of 0 where both are equal.
// CHECK-LABEL: func @logarithms
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args(%[[SUM:.*]] = %[[NONE]]) -> (f32) {
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[MAX:.*]] = arith.maximumf %[[SUM]], %[[X]]
// CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %[[SUM]], %[[X]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[SUM]], %[[X]]
// CHECK: %[[ABS:.*]] = math.absf %[[DIFFERENCE]]
// CHECK: %[[DISTANCE:.*]] = arith.select %[[EQUAL]], %[[ZERO]], %[[ABS]]
// CHECK: %[[EXPONENT:.*]] = arith.negf %[[DISTANCE]]
// CHECK: %[[SHARE:.*]] = math.exp %[[EXPONENT]]
// CHECK: %[[REST:.*]] = math.log1p %[[SHARE]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[MAX]], %[[REST]]
// CHECK: scf.yield %[[NEXT]]
func.func @logarithms(%x: memref<9x5xf32>, %y: memref<9x5xf32>) {
  linalg_ext.scan logaddexp ins(%x : memref<9x5xf32>) outs(%y : memref<9x5xf32>) axis 1
  return
}

// -----

// L14: rows of what is found already are products of vectors.
// CHECK-LABEL: func @cholesky
// CHECK-SAME: (%[[A:.*]]: memref<9x9xf32>, %[[OK:.*]]: memref<i1>)
// CHECK: %[[U:.*]] = memref.alloca() {{.*}} : memref<9x9xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[U]] :
// CHECK: scf.for %[[J:.*]] = %c0 to %c9 step %c1 {
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: arith.subf
// CHECK: %[[SQUARE:.*]] = memref.load %[[U]][%[[J]], %[[J]]]
// CHECK: arith.cmpf ogt, %[[SQUARE]]
// CHECK: arith.andi
// CHECK: %[[ROOT:.*]] = math.sqrt %[[SQUARE]]
// CHECK: arith.divf %{{.*}}, %[[ROOT]]
// CHECK: memref.store %[[ROOT]], %[[U]][%[[J]], %[[J]]]
// The triangle alone goes back.
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c9 step %c1 {
// CHECK: linalg.copy
func.func @cholesky(%a: memref<9x9xf32>, %ok: memref<i1>) {
  linalg_ext.cholesky outs(%a, %ok : memref<9x9xf32>, memref<i1>)
  return
}

// -----

// L14: blocks of 32 columns. The contribution of the columns before one is
// subtracted as products of matrices, from the block and from the rows below,
// of which 64 at a time are then solved for. The last block is smaller.
// CHECK-LABEL: func @blocked_cholesky
// CHECK-SAME: (%[[A:.*]]: memref<100x100xf64>
// CHECK-DAG: %[[BLOCK:.*]] = memref.alloca() {{.*}} : memref<32x32xf64>
// CHECK-DAG: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<128x32xf64>
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<32x64xf64>
// CHECK: scf.for %[[K:.*]] = %c0 to %c96 step %c32 {
// CHECK: scf.for %[[P:.*]] = %c0 to %[[K]] step %c128 {
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : memref<32x32xf64
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : memref<?x32xf64
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c1
// CHECK: math.sqrt
// CHECK: scf.for %{{.*}} step %c64 {
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c1
// CHECK: memref.subview %[[A]][96, 96] [4, 4]
// CHECK: math.sqrt
func.func @blocked_cholesky(%a: memref<100x100xf64>, %ok: memref<i1>) {
  linalg_ext.cholesky outs(%a, %ok : memref<100x100xf64>, memref<i1>)
  return
}

// -----

// An upper triangle is solved from its last row on.
// CHECK: #[[$ROW:.*]] = affine_map<()[s0] -> (-s0 + 8)>
// CHECK: #[[$NEXT:.*]] = affine_map<()[s0] -> (-s0 + 9)>
// CHECK-LABEL: func @triangular_solve
// CHECK-SAME: (%[[A:.*]]: memref<9x9xf32>, %[[B:.*]]: memref<9x4xf32>)
// CHECK: scf.for %[[K:.*]] = %c0 to %c9 step %c1 {
// CHECK-DAG: %[[ROW:.*]] = affine.apply #[[$ROW]]()[%[[K]]]
// CHECK-DAG: %[[NEXT:.*]] = affine.apply #[[$NEXT]]()[%[[K]]]
// CHECK-DAG: %[[X:.*]] = memref.subview %[[B]][%[[ROW]], 0] [1, 4]
// CHECK-DAG: %[[T:.*]] = memref.subview %[[A]][%[[ROW]], %[[NEXT]]] [1, %[[K]]]
// CHECK-DAG: %[[KNOWN:.*]] = memref.subview %[[B]][%[[NEXT]], 0] [%[[K]], 4]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[T]], %[[KNOWN]] : {{.*}}) outs(%[[X]] :
// CHECK: arith.divf
func.func @triangular_solve(%a: memref<9x9xf32>, %b: memref<9x4xf32>) {
  linalg_ext.triangular_solve ins(%a : memref<9x9xf32>) outs(%b : memref<9x4xf32>) upper
  return
}

// -----

// CHECK-LABEL: func @unit_diagonal
// CHECK: arith.subf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @unit_diagonal(%a: memref<9x9xf32>, %b: memref<9x4xf32>) {
  linalg_ext.triangular_solve ins(%a : memref<9x9xf32>) outs(%b : memref<9x4xf32>) unit_diagonal
  return
}

// -----

// Blocks of 32 rows, after those that are solved for.
// CHECK-LABEL: func @blocked_solve
// CHECK-SAME: (%[[A:.*]]: memref<100x100xf64>, %[[B:.*]]: memref<100x40xf64>)
// CHECK: scf.for %[[K:.*]] = %c0 to %c96 step %c32 {
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c1 {
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : memref<4x40xf64
func.func @blocked_solve(%a: memref<100x100xf64>, %b: memref<100x40xf64>) {
  linalg_ext.triangular_solve ins(%a : memref<100x100xf64>) outs(%b : memref<100x40xf64>)
  return
}

// -----

// With one column and a transposed triangle, the contribution of a row is
// subtracted from the others: a row of a is contiguous.
// CHECK-LABEL: func @column
// CHECK-SAME: (%[[A:.*]]: memref<100x100xf64>, %[[B:.*]]: memref<100x1xf64>)
// CHECK: scf.for %[[K:.*]] = %c0 to %c100 step %c1 {
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}} : memref<?xf64, strided<[1], offset: ?>>)
func.func @column(%a: memref<100x100xf64>, %b: memref<100x1xf64>) {
  linalg_ext.triangular_solve ins(%a : memref<100x100xf64>) outs(%b : memref<100x1xf64>) transpose
  return
}

// -----

// The search for what a message names is in a branch of its own.
// CHECK-LABEL: func @outside
// CHECK-SAME: (%[[OK:.*]]: i1, %[[I:.*]]: memref<?x2xi32>, %[[N:.*]]: index)
// CHECK: %[[AT:.*]] = scf.if %[[OK]] -> (index) {
// CHECK-NEXT: scf.yield %c0
// CHECK-NEXT: } else {
// CHECK: %[[ALL:.*]]:2 = scf.for %[[J:.*]] = {{.*}} iter_args(%[[NONE:.*]] = %true, %[[FOUND:.*]] = %c0
// CHECK-NEXT: %[[ROW:.*]]:2 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[NONE2:.*]] = %[[NONE]], %[[FOUND2:.*]] = %[[FOUND]])
// CHECK-NEXT: %[[LOADED:.*]] = memref.load %[[I]][%[[J]], %[[K]]]
// CHECK-NEXT: %[[INDEX:.*]] = arith.index_cast %[[LOADED]] : i32 to index
// CHECK-NEXT: %[[FIRST:.*]] = arith.select %[[NONE2]], %[[INDEX]], %[[FOUND2]]
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[INDEX]], %[[N]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[NONE2]], %[[IN]]
// CHECK-NEXT: scf.yield %[[BOTH]], %[[FIRST]]
// CHECK: scf.yield %[[ROW]]#0, %[[ROW]]#1
// CHECK: scf.yield %[[ALL]]#1
// CHECK-NOT: linalg_ext
// CHECK: cf.assert %[[OK]]
// CHECK: return %[[AT]]
func.func @outside(%ok: i1, %i: memref<?x2xi32>, %n: index) -> index {
  %at = linalg_ext.find_outside unless %ok in %i below %n : memref<?x2xi32>
  linalg_ext.check data %ok, "\01"(%at)
  return %at : index
}
