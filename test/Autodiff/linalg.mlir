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

// The initial value of a reduction is added to the result: its gradient is that of the result.
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

// -----

// The gradient of each operand computes the body again, and sums over the
// dimensions that the operand lacks; a dimension of dimension size 1 comes back.
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$ONE:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func @generic
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[U:.*]]: tensor<?x1xf32>, %{{.*}}: tensor<?x3xf32>, %[[G:.*]]: tensor<?x3xf32>)
// CHECK: %[[DX:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ONE]], #[[$ID]], #[[$ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: ins(%[[X]], %[[U]], %[[G]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[DY:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]] : f32
// CHECK-NEXT: %[[DE:.*]] = arith.mulf %[[DY]], %[[B]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[DE]], %[[E]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ONE]], #[[$ID]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: outs(%[[ZERO]] : tensor<?xf32>)
// CHECK: arith.addf %{{.*}} : f32
// CHECK: %[[DU:.*]] = tensor.expand_shape %[[SUM]] {{\[}}[0, 1]] output_shape [%{{.*}}, 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK: return %[[DX]], %[[DU]]
func.func @generic(%x: tensor<?x3xf32>, %u: tensor<?x1xf32>, %e: tensor<?x3xf32>, %g: tensor<?x3xf32>)
    -> (tensor<?x3xf32>, tensor<?x1xf32>) {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %u : tensor<?x3xf32>, tensor<?x1xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x3xf32>
  %d:2 = train.gradient %y wrt %x, %u grad_ys %g
      : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x1xf32>)
  return %d#0, %d#1 : tensor<?x3xf32>, tensor<?x1xf32>
}

// -----

// Elements that equal a maximum share its gradient (G12).
// CHECK-LABEL: func @maximum
// CHECK-SAME: (%[[X:.*]]: tensor<4x3xf32>, %[[INIT:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>)
// CHECK: %[[Y:.*]] = linalg.reduce
// CHECK: arith.cmpf oeq, %[[INIT]], %[[Y]]
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[Y]] :
// CHECK: %[[SHARE:.*]] = arith.divf %[[G]], %[[COUNT]] : tensor<4xf32>
// CHECK: %[[DX:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[SHARE]], %[[Y]] :
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK-NEXT: linalg.yield
// CHECK: return %[[DX]]
func.func @maximum(%x: tensor<4x3xf32>, %init: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4x3xf32> {
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<4x3xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<4xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return %d : tensor<4x3xf32>
}

// -----

// A sum of half-precision numbers is made in single precision.
// CHECK-LABEL: func @half
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<3xf32>)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : tensor<3xf32> to tensor<3xf16>
func.func @half(%b: tensor<3xf16>, %e: tensor<4x3xf16>, %g: tensor<4x3xf16>) -> tensor<3xf16> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%b : tensor<3xf16>) outs(%e : tensor<4x3xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<4x3xf16>
  %d = train.gradient %y wrt %b grad_ys %g : (tensor<4x3xf16>, tensor<3xf16>, tensor<4x3xf16>) -> tensor<3xf16>
  return %d : tensor<3xf16>
}
