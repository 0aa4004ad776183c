// RUN: flywheel-opt %s --nn-decompose --split-input-file | FileCheck %s

// X4: dynamic extents too; what it is made of has no composite op.
// CHECK-LABEL: func @gelu
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
func.func @gelu(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // CHECK-NOT: nn.gelu
  // CHECK: %[[S:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
  // CHECK: %[[E:.*]] = math.erf %[[S]] : tensor<?x3xf32>
  // CHECK: arith.addf %[[E]]
  // CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<?x3xf32>
  // CHECK: return %[[Y]]
  %y = nn.gelu %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func @gelu_approximate
func.func @gelu_approximate(%x: tensor<f64>) -> tensor<f64> {
  // CHECK-NOT: nn.gelu
  // CHECK: math.tanh
  %y = nn.gelu %x {approximate} : tensor<f64>
  return %y : tensor<f64>
}

// -----

// X7: repeated along a dimension in front of each.
// CHECK-LABEL: func @tile
// CHECK: %[[B:.*]] = nn.broadcast %arg0 dims [1, 3] : (tensor<2x3xf32>) -> tensor<4x2x1x3xf32>
// CHECK: tensor.collapse_shape %[[B]] {{\[}}[0, 1], [2, 3]] : tensor<4x2x1x3xf32> into tensor<8x3xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<8x3xf32> {
  %y = nn.tile %x multiples [4, 1] : tensor<2x3xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// -----

// L6: more rows than columns, or nobody knows.
// CHECK-LABEL: func @lstsq
// CHECK-SAME: (%[[A:.*]]: tensor<?x2xf64>, %[[B:.*]]: tensor<?x1xf64>)
// CHECK: nn.matmul %[[A]], %[[A]] {transpose_a} : (tensor<?x2xf64>, tensor<?x2xf64>) -> tensor<2x2xf64>
// CHECK: nn.matmul %[[A]], %[[B]] {transpose_a}
// CHECK: arith.addf
// CHECK: %[[L:.*]] = nn.cholesky
// CHECK: nn.triangular_solve lower %[[L]], %{{.*}} : (
// CHECK: nn.triangular_solve lower %[[L]], %{{.*}} transpose : (
func.func @lstsq(%a: tensor<?x2xf64>, %b: tensor<?x1xf64>) -> tensor<2x1xf64> {
  %x = nn.lstsq %a, %b l2 0.5 : (tensor<?x2xf64>, tensor<?x1xf64>) -> tensor<2x1xf64>
  return %x : tensor<2x1xf64>
}

// -----

// L7: fewer rows than columns.
// CHECK-LABEL: func @minimum_norm
// CHECK: nn.matmul %arg0, %arg0 {transpose_b} : {{.*}} -> tensor<1x1xf64>
// CHECK-NOT: arith.addf
// CHECK: nn.cholesky
// CHECK: nn.matmul %arg0, %{{.*}} {transpose_a} : {{.*}} -> tensor<2x1xf64>
func.func @minimum_norm(%a: tensor<1x2xf64>, %b: tensor<1x1xf64>) -> tensor<2x1xf64> {
  %x = nn.lstsq %a, %b : (tensor<1x2xf64>, tensor<1x1xf64>) -> tensor<2x1xf64>
  return %x : tensor<2x1xf64>
}
