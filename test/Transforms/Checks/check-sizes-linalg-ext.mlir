// RUN: flywheel-opt %s --flywheel-check-sizes --split-input-file | FileCheck %s

// The rules of linalg_ext's verifiers for static sizes are checked for dynamic ones.

// CHECK-LABEL: func.func @gather
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of the slices and dimension 0 of the indices, found \01 and \02" in "linalg_ext.gather"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of the slices and dimension 1 of the whole, found \01 and \02" in "linalg_ext.gather"
// CHECK-NOT: linalg_ext.check
func.func @gather(%x: tensor<?x?xf32>, %i: tensor<?xi32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg_ext.gather ins(%x, %i : tensor<?x?xf32>, tensor<?xi32>)
      outs(%init : tensor<?x?xf32>) axis 0 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @scatter
// CHECK: linalg_ext.check {{.*}}in "linalg_ext.scatter"
// CHECK: linalg_ext.check {{.*}}in "linalg_ext.scatter"
// CHECK-NOT: linalg_ext.check
func.func @scatter(%i: tensor<?xi32>, %updates: tensor<?x?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg_ext.scatter add ins(%i, %updates : tensor<?xi32>, tensor<?x?xf32>)
      outs(%init : tensor<?x?xf32>) axis 0 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @scan
// CHECK: linalg_ext.check {{.*}}of x and {{.*}}in "linalg_ext.scan"
// CHECK-NOT: linalg_ext.check
func.func @scan(%x: tensor<?x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg_ext.scan ins(%x : tensor<?x4xf32>) outs(%init : tensor<?x4xf32>) axis 1
      -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @solve
// CHECK: linalg_ext.check {{.*}}the matrices and {{.*}}in "linalg_ext.triangular_solve"
// CHECK: linalg_ext.check {{.*}}the triangles and {{.*}}in "linalg_ext.triangular_solve"
// CHECK-NOT: linalg_ext.check
func.func @solve(%a: tensor<?x?xf64>, %b: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %y = linalg_ext.triangular_solve ins(%a : tensor<?x?xf64>) outs(%b : tensor<?x3xf64>)
      -> tensor<?x3xf64>
  return %y : tensor<?x3xf64>
}

// -----

// CHECK-LABEL: func.func @sort
// CHECK: linalg_ext.check {{.*}}the order and {{.*}}in "linalg_ext.argsort"
// CHECK: linalg_ext.check {{.*}}the spare room and {{.*}}in "linalg_ext.argsort"
// CHECK-NOT: linalg_ext.check
func.func @sort(%i: tensor<?xi32>, %n: index, %order: tensor<?xi64>, %spare: tensor<?xi64>, %counts: tensor<2048xi64>) -> tensor<?xi64> {
  %y, %s, %c = linalg_ext.argsort ins(%i : tensor<?xi32>) below %n
      outs(%order, %spare, %counts : tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>)
      -> tensor<?xi64>, tensor<?xi64>, tensor<2048xi64>
  return %y : tensor<?xi64>
}

// -----

// CHECK-LABEL: func.func @combine
// CHECK: linalg_ext.check {{.*}}the order and {{.*}}in "linalg_ext.combine_rows"
// CHECK: linalg_ext.check {{.*}}the rows and {{.*}}in "linalg_ext.combine_rows"
// CHECK-NOT: linalg_ext.check
func.func @combine(%i: tensor<?xi32>, %order: tensor<?xi64>, %rows: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg_ext.combine_rows ins(%i, %order : tensor<?xi32>, tensor<?xi64>)
      outs(%rows : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @update
// CHECK: linalg_ext.check {{.*}}the order and {{.*}}in "linalg_ext.update_rows"
// CHECK: linalg_ext.check {{.*}}the rows and {{.*}}the indices{{.*}}in "linalg_ext.update_rows"
// CHECK: linalg_ext.check {{.*}}the rows and {{.*}}the tables{{.*}}in "linalg_ext.update_rows"
// CHECK: linalg_ext.check {{.*}}a table and {{.*}}another{{.*}}in "linalg_ext.update_rows"
func.func @update(%i: tensor<?xi32>, %order: tensor<?xi64>, %rows: tensor<?x?xf32>, %p: tensor<?x?xf32>, %m: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y:2 = linalg_ext.update_rows ins(%i, %order, %rows : tensor<?xi32>, tensor<?xi64>, tensor<?x?xf32>)
      outs(%p, %m : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%g: f32, %a: f32, %b: f32):
    linalg_ext.yield %g, %b : f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %y#0, %y#1 : tensor<?x?xf32>, tensor<?x?xf32>
}
