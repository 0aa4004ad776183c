// RUN: flywheel-opt %s --flywheel-check-sizes | FileCheck %s

// R4: what ops of nn require of the sizes of their operands, all that is not
// known from the types, and nothing else.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<?x?x?xf32>, %[[B:.*]]: tensor<?x?x?xf32>)
// CHECK: %[[A0:.*]] = tensor.dim %[[A]], %c0
// CHECK: %[[B0:.*]] = tensor.dim %[[B]], %c0
// CHECK: %[[OK0:.*]] = linalg_ext.compare_sizes eq %[[A0]], %[[B0]]
// CHECK-NEXT: linalg_ext.check sizes %[[OK0]], "expected equal sizes of dimension 0 of a and dimension 0 of b, found \01 and \02" in "nn.matmul"
// CHECK: %[[A1:.*]] = tensor.dim %[[A]], %c2
// CHECK: %[[B1:.*]] = tensor.dim %[[B]], %c1
// CHECK: %[[OK1:.*]] = linalg_ext.compare_sizes eq %[[A1]], %[[B1]]
// CHECK-NEXT: linalg_ext.check sizes %[[OK1]], "expected equal sizes of dimension 2 of a and dimension 1 of b, found \01 and \02" in "nn.matmul"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @matmul(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %y = nn.matmul %a, %b : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @matmul_transposed(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of a and dimension 0 of b, found \01 and \02" in "nn.matmul"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of a and dimension 1 of b, found \01 and \02" in "nn.matmul"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @matmul_transposed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y = nn.matmul %a, %b {transpose_a} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = nn.matmul %a, %b {transpose_b} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @dense(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 2 of x and dimension 0 of w, found \01 and \02" in "nn.dense"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of w and dimension 0 of b, found \01 and \02" in "nn.dense"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @dense(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %y = nn.dense %x, %w, %b : (tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @triangular_solve(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of a and dimension 2 of a, found \01 and \02" in "nn.triangular_solve"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of a and dimension 0 of b, found \01 and \02" in "nn.triangular_solve"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of a and dimension 1 of b, found \01 and \02" in "nn.triangular_solve"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @triangular_solve(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = nn.triangular_solve lower %a, %b : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  return %y : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @cholesky(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of a and dimension 2 of a, found \01 and \02" in "nn.cholesky"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @cholesky(%a: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = nn.cholesky %a : tensor<?x?x?xf64>
  return %y : tensor<?x?x?xf64>
}

// CHECK-LABEL: func.func @lstsq(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of a and dimension 0 of b, found \01 and \02" in "nn.lstsq"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @lstsq(%a: tensor<?x2xf32>, %b: tensor<?x1xf32>) -> tensor<2x1xf32> {
  %y = nn.lstsq %a, %b l2 0.0 : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of init and dimension 0 of updates, found \01 and \02" in "nn.scatter"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of indices and dimension 1 of updates, found \01 and \02" in "nn.scatter"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of indices and dimension 2 of updates, found \01 and \02" in "nn.scatter"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 2 of init and dimension 3 of updates, found \01 and \02" in "nn.scatter"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @scatter(%x: tensor<?x5x?xf32>, %i: tensor<?x?xi64>, %u: tensor<?x?x?x?xf32>) -> tensor<?x5x?xf32> {
  %y = nn.scatter %x, %i, %u axis 1 : (tensor<?x5x?xf32>, tensor<?x?xi64>, tensor<?x?x?x?xf32>) -> tensor<?x5x?xf32>
  return %y : tensor<?x5x?xf32>
}

// CHECK-LABEL: func.func @scatter_add(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of indices and dimension 0 of updates, found \01 and \02" in "nn.scatter_add"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of init and dimension 1 of updates, found \01 and \02" in "nn.scatter_add"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @scatter_add(%x: tensor<5x?xf32>, %i: tensor<?xi64>, %u: tensor<?x?xf32>) -> tensor<5x?xf32> {
  %y = nn.scatter_add %x, %i, %u axis 0 : (tensor<5x?xf32>, tensor<?xi64>, tensor<?x?xf32>) -> tensor<5x?xf32>
  return %y : tensor<5x?xf32>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of the input and dimension 1 of the result, found \01 and \02" in "nn.broadcast"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @broadcast(%b: tensor<?x1xf32>, %l: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %y = nn.broadcast %b dims [1, 2] like %l : (tensor<?x1xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @max_pool_select(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of x and dimension 0 of v, found \01 and \02" in "nn.max_pool2d_select"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 3 of x and dimension 3 of v, found \01 and \02" in "nn.max_pool2d_select"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @max_pool_select(%x: tensor<?x8x8x?xf32>, %v: tensor<?x8x8x?xf32>) -> tensor<?x4x4x?xf32> {
  %y = nn.max_pool2d_select %x, %v window [2, 2] : (tensor<?x8x8x?xf32>, tensor<?x8x8x?xf32>) -> tensor<?x4x4x?xf32>
  return %y : tensor<?x4x4x?xf32>
}

// CHECK-LABEL: func.func @max_pool_gradient(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of the image and dimension 0 of the output, found \01 and \02" in "nn.max_pool2d_grad"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 3 of the image and dimension 3 of the output, found \01 and \02" in "nn.max_pool2d_grad"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @max_pool_gradient(%x: tensor<?x8x8x?xf32>, %dy: tensor<?x4x4x?xf32>) -> tensor<?x8x8x?xf32> {
  %y = nn.max_pool2d_grad %x, %dy window [2, 2] : (tensor<?x8x8x?xf32>, tensor<?x4x4x?xf32>) -> tensor<?x8x8x?xf32>
  return %y : tensor<?x8x8x?xf32>
}

// CHECK-LABEL: func.func @filter_gradient(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of the image and dimension 0 of the output, found \01 and \02" in "nn.conv2d_filter_grad"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @filter_gradient(%x: tensor<?x8x8x3xf32>, %dy: tensor<?x7x7x5xf32>) -> tensor<2x2x3x5xf32> {
  %y = nn.conv2d_filter_grad %x, %dy : (tensor<?x8x8x3xf32>, tensor<?x7x7x5xf32>) -> tensor<2x2x3x5xf32>
  return %y : tensor<2x2x3x5xf32>
}

// CHECK-LABEL: func.func @softmax_cross_entropy(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of logits and dimension 0 of labels, found \01 and \02" in "nn.softmax_cross_entropy"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of logits and dimension 1 of labels, found \01 and \02" in "nn.softmax_cross_entropy"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @softmax_cross_entropy(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<f32> {
  %l = nn.softmax_cross_entropy %x, %y reduction mean : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @sparse_softmax_cross_entropy(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of logits and dimension 0 of label, found \01 and \02" in "nn.sparse_softmax_cross_entropy"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of logits and dimension 1 of label, found \01 and \02" in "nn.sparse_softmax_cross_entropy"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @sparse_softmax_cross_entropy(%x: tensor<?x?x10xf32>, %i: tensor<?x?xi32>) -> tensor<f32> {
  %l = nn.sparse_softmax_cross_entropy %x, %i reduction mean : (tensor<?x?x10xf32>, tensor<?x?xi32>) -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @sigmoid_cross_entropy(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of logits and dimension 0 of labels, found \01 and \02" in "nn.sigmoid_cross_entropy"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @sigmoid_cross_entropy(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %l = nn.sigmoid_cross_entropy %x, %y reduction mean : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @mean_squared_error(
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 0 of prediction and dimension 0 of target, found \01 and \02" in "nn.mean_squared_error"
// CHECK: linalg_ext.check sizes %{{.*}}, "expected equal sizes of dimension 1 of prediction and dimension 1 of target, found \01 and \02" in "nn.mean_squared_error"
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @mean_squared_error(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<f32> {
  %l = nn.mean_squared_error %x, %y reduction mean : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
