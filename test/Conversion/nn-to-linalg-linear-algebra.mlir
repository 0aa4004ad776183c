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
// CHECK: linalg_ext.check safe data %[[OK]], "Cholesky decomposition was not successful" in "nn.cholesky"
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[L]]#0 :
// CHECK: return %[[COPY]]
func.func @cholesky(%a: tensor<?x3x3xf64>) -> tensor<?x3x3xf64> {
  %0 = nn.cholesky %a : tensor<?x3x3xf64>
  return %0 : tensor<?x3x3xf64>
}

// L3: whether there are factors is a result, which nothing checks.
// CHECK-LABEL: func @try_cholesky
// CHECK: %[[L:.*]]:2 = linalg_ext.cholesky
// CHECK-NOT: linalg_ext.check
// CHECK: return %[[L]]#0, %[[L]]#1
func.func @try_cholesky(%a: tensor<?x3x3xf64>) -> (tensor<?x3x3xf64>, tensor<i1>) {
  %0, %1 = nn.try_cholesky %a : tensor<?x3x3xf64>
  return %0, %1 : tensor<?x3x3xf64>, tensor<i1>
}

// CHECK-LABEL: func @triangular_solve
// CHECK-SAME: (%[[A:.*]]: tensor<3x3xf32>, %[[B:.*]]: tensor<3x?xf32>)
// CHECK: linalg_ext.triangular_solve ins(%[[A]] : tensor<3x3xf32>) outs(%{{.*}} : tensor<3x?xf32>) upper transpose unit_diagonal -> tensor<3x?xf32>
func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = nn.triangular_solve upper %a, %b transpose unit_diagonal : (tensor<3x3xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// Dynamic sizes: as many rows in a and b, and as many columns in a.
// CHECK-LABEL: func.func @solve_dynamic(
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x?x?xf64>, %[[B:[^:]*]]: tensor<?x?x3xf64>) -> tensor<?x?x3xf64>
// CHECK-NEXT: %[[TRIANGULAR_SOLVE:.*]] = linalg_ext.triangular_solve ins(%[[A]] : tensor<?x?x?xf64>) outs(%[[B]] : tensor<?x?x3xf64>) -> tensor<?x?x3xf64>
// CHECK-NEXT: return %[[TRIANGULAR_SOLVE]] : tensor<?x?x3xf64>
func.func @solve_dynamic(%a: tensor<?x?x?xf64>, %b: tensor<?x?x3xf64>) -> tensor<?x?x3xf64> {
  %0 = nn.triangular_solve lower %a, %b : (tensor<?x?x?xf64>, tensor<?x?x3xf64>) -> tensor<?x?x3xf64>
  return %0 : tensor<?x?x3xf64>
}
