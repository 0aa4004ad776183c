// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse | FileCheck %s

// L3, L14: the lower triangle is factorized; what comes of it is checked, and
// copied then: nothing that the step writes holds it before.
// CHECK-LABEL: func @cholesky
// CHECK-SAME: (%[[A:.*]]: tensor<?x3x3xf64>)
// CHECK: %[[LOWER:.*]] = linalg.generic {{.*}} ins(%[[A]] :
// CHECK: arith.select
// CHECK: %[[YES:.*]] = linalg.fill ins(%true : i1)
// CHECK: %[[L:.*]]:2 = linalg_ext.cholesky outs(%[[LOWER]], %[[YES]] : tensor<?x3x3xf64>, tensor<i1>) -> tensor<?x3x3xf64>, tensor<i1>
// CHECK: %[[OK:.*]] = tensor.extract %[[L]]#1[] : tensor<i1>
// CHECK: cf.assert %[[OK]], "Cholesky decomposition was not successful in 'nn.cholesky' at {{.*}}nn-to-linalg-linear-algebra.mlir:[[#@LINE+4]]:8" {linalg_ext.safe}
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[L]]#0 :
// CHECK: return %[[COPY]]
func.func @cholesky(%a: tensor<?x3x3xf64>) -> tensor<?x3x3xf64> {
  %0 = nn.cholesky %a : tensor<?x3x3xf64>
  return %0 : tensor<?x3x3xf64>
}

// Extents that no type knows are checked.
// CHECK-LABEL: func @unknown_extents
// CHECK: cf.assert %{{.*}}, "expected equal rows and columns of a, found \01 and \02 in 'nn.cholesky' at {{[^{]*$}}
func.func @unknown_extents(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = nn.cholesky %a : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func @triangular_solve
// CHECK-SAME: (%[[A:.*]]: tensor<3x3xf32>, %[[B:.*]]: tensor<3x?xf32>)
// CHECK: linalg_ext.triangular_solve ins(%[[A]] : tensor<3x3xf32>) outs(%{{.*}} : tensor<3x?xf32>) upper transpose unit_diagonal -> tensor<3x?xf32>
func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = nn.triangular_solve upper %a, %b transpose unit_diagonal : (tensor<3x3xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
