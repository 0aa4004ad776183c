// RUN: flywheel-opt %s --train-autodiff --split-input-file | FileCheck %s

// CHECK-LABEL: func @dense
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[W:.*]]: tensor<3x4xf32>, %{{.*}}: tensor<4xf32>, %[[G:.*]]: tensor<?x4xf32>)
// CHECK: nn.matmul %[[G]], %[[W]] {transpose_b} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
// CHECK: nn.matmul %[[X]], %[[G]] {transpose_a} : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<3x4xf32>
// CHECK: nn.reduce sum %[[G]] axes [0] : tensor<?x4xf32> -> tensor<4xf32>
func.func @dense(%x: tensor<?x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>, %g: tensor<?x4xf32>)
    -> (tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32>) {
  %y = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %d:3 = train.gradient %y wrt %x, %w, %b grad_ys %g
      : (tensor<?x4xf32>, tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<?x4xf32>)
      -> (tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32>)
  return %d#0, %d#1, %d#2 : tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @matmul_both_transposed
// CHECK-SAME: (%[[A:.*]]: tensor<3x2xf32>, %[[B:.*]]: tensor<4x3xf32>, %[[G:.*]]: tensor<2x4xf32>)
// CHECK: nn.matmul %[[B]], %[[G]] {transpose_a, transpose_b} : (tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
// CHECK: nn.matmul %[[G]], %[[A]] {transpose_a, transpose_b} : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
func.func @matmul_both_transposed(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>, %g: tensor<2x4xf32>)
    -> (tensor<3x2xf32>, tensor<4x3xf32>) {
  %y = nn.matmul %a, %b {transpose_a, transpose_b} : (tensor<3x2xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g
      : (tensor<2x4xf32>, tensor<3x2xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> (tensor<3x2xf32>, tensor<4x3xf32>)
  return %d#0, %d#1 : tensor<3x2xf32>, tensor<4x3xf32>
}

// -----

// relu'(0) = 0.
// CHECK-LABEL: func @relu
// CHECK: %[[Y:.*]] = nn.relu
// CHECK: %[[ZERO:.*]] = nn.broadcast %{{.*}} dims [] like %[[Y]]
// CHECK: %[[POSITIVE:.*]] = arith.cmpf ogt, %[[Y]], %[[ZERO]]
// CHECK: arith.select %[[POSITIVE]], %{{.*}}, %[[ZERO]]
func.func @relu(%x: tensor<?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> {
  %y = nn.relu %x : tensor<?xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// A mean divides by the batch, which is known when the step runs.
// CHECK-LABEL: func @sparse_loss
// CHECK-SAME: (%[[Z:.*]]: tensor<?x4xf32>, %[[L:.*]]: tensor<?xi32>)
// CHECK: %[[BATCH:.*]] = tensor.dim %[[Z]]
// CHECK: %[[WEIGHT:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: %[[WEIGHTS:.*]] = nn.broadcast %[[WEIGHT]] dims [] like %[[Z]]
// CHECK: %[[P:.*]] = nn.softmax %[[Z]]
// CHECK: %[[LABELS:.*]] = nn.broadcast %{{.*}} dims [0] like %[[Z]]
// CHECK: %[[CLASSES:.*]] = nn.iota axis 1 like %[[Z]]
// CHECK: %[[HIT:.*]] = arith.cmpi eq, %[[CLASSES]], %[[LABELS]]
// CHECK: %[[T:.*]] = arith.select %[[HIT]]
// CHECK: %[[D:.*]] = arith.subf %[[P]], %[[T]]
// CHECK: arith.mulf %[[D]], %[[WEIGHTS]]
func.func @sparse_loss(%z: tensor<?x4xf32>, %l: tensor<?xi32>) -> tensor<?x4xf32> {
  %y = nn.sparse_softmax_cross_entropy %z, %l : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>
  %d = train.gradient %y wrt %z : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %d : tensor<?x4xf32>
}

// -----

// Elements that equal the maximum, or are NaN as it, share its cotangent.
// CHECK-LABEL: func @reduce_max
// CHECK: %[[Y:.*]] = nn.reduce max %[[X:.*]] axes [1]
// CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %[[X]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK: %[[HIT:.*]] = arith.ori %[[EQUAL]], %[[NAN]]
// CHECK: %[[TIES:.*]] = nn.reduce sum %{{.*}} axes [1]
// CHECK: %[[SHARE:.*]] = arith.divf %{{.*}}, %[[TIES]]
// CHECK: %[[SPREAD:.*]] = nn.broadcast %[[SHARE]] dims [0] like
// CHECK: arith.select %[[HIT]], %[[SPREAD]]
func.func @reduce_max(%x: tensor<?x4xf32>, %g: tensor<?xf32>) -> tensor<?x4xf32> {
  %y = nn.reduce max %x axes [1] : tensor<?x4xf32> -> tensor<?xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?xf32>, tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32>
  return %d : tensor<?x4xf32>
}

// -----

// The gradient of a broadcast operand is summed; `like` carries none.
// CHECK-LABEL: func @broadcast
// CHECK: nn.reduce sum %[[G:.*]] axes [1] keepdims : tensor<5x?x3xf32> -> tensor<5x1x3xf32>
// CHECK: nn.reduce sum %{{.*}} axes [0] : tensor<5x1x3xf32> -> tensor<1x3xf32>
func.func @broadcast(%b: tensor<1x3xf32>, %x: tensor<5x?x3xf32>, %g: tensor<5x?x3xf32>) -> tensor<1x3xf32> {
  %y = nn.broadcast %b dims [1, 2] like %x : (tensor<1x3xf32>, tensor<5x?x3xf32>) -> tensor<5x?x3xf32>
  %d = train.gradient %y wrt %b grad_ys %g : (tensor<5x?x3xf32>, tensor<1x3xf32>, tensor<5x?x3xf32>) -> tensor<1x3xf32>
  return %d : tensor<1x3xf32>
}

// -----

// CHECK-LABEL: func @triangle
// CHECK-SAME: (%{{.*}}: tensor<?x3xf32>, %[[G:.*]]: tensor<?x3xf32>)
// CHECK: nn.triangle upper %[[G]] diagonal 1 : tensor<?x3xf32>
func.func @triangle(%x: tensor<?x3xf32>, %g: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = nn.triangle upper %x diagonal 1 fill 5.0 : tensor<?x3xf32>
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %d : tensor<?x3xf32>
}
