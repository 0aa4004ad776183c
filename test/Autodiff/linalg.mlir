// RUN: flywheel-opt %s --train-autodiff --split-input-file | FileCheck %s

// CHECK-LABEL: func @transpose
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x3x2xf32>
// CHECK: linalg.transpose ins(%{{.*}} : tensor<3x2x?xf32>) outs(%[[E]] : tensor<?x3x2xf32>) permutation = [2, 0, 1]
func.func @transpose(%x: tensor<?x3x2xf32>, %e: tensor<3x2x?xf32>, %g: tensor<3x2x?xf32>) -> tensor<?x3x2xf32> {
  %y = linalg.transpose ins(%x : tensor<?x3x2xf32>) outs(%e : tensor<3x2x?xf32>) permutation = [1, 2, 0]
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<3x2x?xf32>, tensor<?x3x2xf32>, tensor<3x2x?xf32>) -> tensor<?x3x2xf32>
  return %d : tensor<?x3x2xf32>
}

// -----

// What a reduction starts from is added to.
// CHECK-LABEL: func @reduce
// CHECK-SAME: %[[G:[a-z0-9]*]]: tensor<3xf32>)
// CHECK: %[[DX:.*]] = nn.broadcast %[[G]] dims [1] like
// CHECK: return %[[DX]], %[[G]]
func.func @reduce(%x: tensor<?x3xf32>, %init: tensor<3xf32>, %g: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %y = linalg.reduce { arith.addf } ins(%x : tensor<?x3xf32>) outs(%init : tensor<3xf32>) dimensions = [0]
  %d:2 = train.gradient %y wrt %x, %init grad_ys %g
      : (tensor<3xf32>, tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>)
  return %d#0, %d#1 : tensor<?x3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @matmul
// CHECK: nn.matmul %[[G:.*]], %{{.*}} {transpose_b} : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x3xf32>
// CHECK: nn.matmul %{{.*}}, %[[G]] {transpose_a} : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<3x2xf32>
func.func @matmul(%a: tensor<?x3xf32>, %b: tensor<3x2xf32>, %c: tensor<?x2xf32>, %g: tensor<?x2xf32>)
    -> (tensor<?x3xf32>, tensor<3x2xf32>) {
  %y = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x2xf32>) outs(%c : tensor<?x2xf32>) -> tensor<?x2xf32>
  %d:2 = train.gradient %y wrt %a, %b grad_ys %g
      : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<3x2xf32>, tensor<?x2xf32>) -> (tensor<?x3xf32>, tensor<3x2xf32>)
  return %d#0, %d#1 : tensor<?x3xf32>, tensor<3x2xf32>
}
