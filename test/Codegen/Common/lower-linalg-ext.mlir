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
func.func @scatter_replace(%i: memref<3xi64>, %u: memref<3x4xf32>, %y: memref<8x4xf32>) {
  linalg_ext.scatter replace ins(%i, %u : memref<3xi64>, memref<3x4xf32>) outs(%y : memref<8x4xf32>) axis 0
  return
}

// -----

// Nothing is there to be written.
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
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] = %c0 to %[[I]] step %c1 {
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: arith.cmpf ogt
// CHECK: arith.andi
// CHECK: math.sqrt
func.func @cholesky(%a: memref<9x9xf32>, %ok: memref<i1>) {
  linalg_ext.cholesky outs(%a, %ok : memref<9x9xf32>, memref<i1>)
  return
}

// -----

// An upper triangle is solved from its last row on.
// CHECK-LABEL: func @triangular_solve
// CHECK-SAME: (%[[A:.*]]: memref<9x9xf32>, %[[B:.*]]: memref<9x4xf32>)
// CHECK: scf.for %[[K:.*]] = %c0 to %c9 step %c1 {
// CHECK: %[[ROW:.*]] = arith.subi %c8, %[[K]]
// CHECK: %[[NEXT:.*]] = arith.subi %c9, %[[K]]
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

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @unit_diagonal(
// CHECK-SAME: %[[A:[^:]*]]: memref<9x9xf32>, %[[B:[^:]*]]: memref<9x4xf32>)
// CHECK-NEXT: %[[C9:.*]] = arith.constant 9 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[ITER:.*]] = %[[C0]] to %[[C9]] step %[[C1]] {
// CHECK-NEXT: %[[SUBVIEW:.*]] = memref.subview %[[B]][%[[ITER]], 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %[[SUBVIEW_2:.*]] = memref.subview %[[A]][%[[ITER]], 0] [1, %[[ITER]]] [1, 1] : memref<9x9xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %[[SUBVIEW_3:.*]] = memref.subview %[[B]][0, 0] [%[[ITER]], 4] [1, 1] : memref<9x4xf32> to memref<?x4xf32, strided<[4, 1]>>
// CHECK-NEXT: linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]], iterator_types = ["parallel", "reduction"]} ins(%[[SUBVIEW_2]], %[[SUBVIEW_3]] : memref<?xf32, strided<[1], offset: ?>>, memref<?x4xf32, strided<[4, 1]>>) outs(%[[SUBVIEW]] : memref<4xf32, strided<[1], offset: ?>>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32, %[[ELEMENT_3:.*]]: f32):
// CHECK-NEXT: %[[NEGF:.*]] = arith.negf %[[ELEMENT]] : f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[NEGF]], %[[ELEMENT_2]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_3]], %[[MULF]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @unit_diagonal(%a: memref<9x9xf32>, %b: memref<9x4xf32>) {
  linalg_ext.triangular_solve ins(%a : memref<9x9xf32>) outs(%b : memref<9x4xf32>) unit_diagonal
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
  %named = linalg_ext.name_numbers %ok, %at
  cf.assert %named, "\01"
  return %at : index
}
