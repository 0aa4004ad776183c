// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// The border of a padded image is filled, and one contraction reads it through
// the windows: SAME, stride 2, puts the odd row and column behind.
// X2:
// CHECK-DAG: #[[$X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d6)>
// CHECK-DAG: #[[$W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: #[[$Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func @same
// CHECK: %[[WHOLE:.*]] = tensor.empty(%{{.*}}) : tensor<?x31x31x6xf32>
// CHECK: tensor.extract_slice %[[WHOLE]][0, 0, 0, 0] [%{{.*}}, 1, 31, 6]
// CHECK-NEXT: linalg.fill
// CHECK: tensor.extract_slice %{{.*}}[0, 29, 0, 0] [%{{.*}}, 2, 31, 6]
// CHECK-NEXT: linalg.fill
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0, 0] [%{{.*}}, 28, 1, 6]
// CHECK-NEXT: linalg.fill
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 29, 0] [%{{.*}}, 28, 2, 6]
// CHECK-NEXT: linalg.fill
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 1, 1, 0] [%{{.*}}, 28, 28, 6]
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$W]], #[[$Y]]]
// CHECK-SAME: ins(%[[PADDED]], %arg1 :
func.func @same(%x: tensor<?x28x28x6xf32>, %w: tensor<5x5x6x16xf32>) -> tensor<?x14x14x16xf32> {
  %y = nn.conv2d %x, %w strides [2, 2] padding same : (tensor<?x28x28x6xf32>, tensor<5x5x6x16xf32>) -> tensor<?x14x14x16xf32>
  return %y : tensor<?x14x14x16xf32>
}

// -----

// Nothing is padded for VALID; halves are summed in f32.
// CHECK-LABEL: func @valid
// CHECK-NOT: insert_slice
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<2x8x8x3xf16>, tensor<3x3x3x4xf16>) outs(%{{.*}} : tensor<2x6x6x4xf32>)
// CHECK: arith.extf
// CHECK: arith.truncf
func.func @valid(%x: tensor<2x8x8x3xf16>, %w: tensor<3x3x3x4xf16>) -> tensor<2x6x6x4xf16> {
  %y = nn.conv2d %x, %w : (tensor<2x8x8x3xf16>, tensor<3x3x3x4xf16>) -> tensor<2x6x6x4xf16>
  return %y : tensor<2x6x6x4xf16>
}

// -----

// X3: the channels are split by group, or where a group has one of each, the
// groups are a loop like those of the image.
// CHECK-DAG: #[[$GROUPED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 + d5, d2 + d6, d3, d7)>
// CHECK-DAG: #[[$DEPTH:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK-LABEL: func @groups
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0], [1], [2], [3, 4]]
// CHECK: tensor.expand_shape %arg1 {{\[\[}}0], [1], [2], [3, 4]]
// CHECK: linalg.generic {indexing_maps = [#[[$GROUPED]],
// CHECK: tensor.collapse_shape
// CHECK: tensor.collapse_shape %arg2 {{\[\[}}0], [1], [2, 3]]
// CHECK: linalg.generic {indexing_maps = [#[[$DEPTH]],
func.func @groups(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x2x6xf32>, %d: tensor<3x3x1x4xf32>) -> (tensor<2x6x6x6xf32>, tensor<2x6x6x4xf32>) {
  %y = nn.conv2d %x, %w : (tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x6x6x6xf32>
  %z = nn.conv2d %x, %d : (tensor<2x8x8x4xf32>, tensor<3x3x1x4xf32>) -> tensor<2x6x6x4xf32>
  return %y, %z : tensor<2x6x6x6xf32>, tensor<2x6x6x4xf32>
}

// -----

// The gradient of a filter is one contraction over the batch and the output.
// CHECK-LABEL: func @filter_grad
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]
// CHECK-SAME: outs(%{{.*}} : tensor<3x3x3x4xf32>)
func.func @filter_grad(%x: tensor<2x8x8x3xf32>, %y: tensor<2x6x6x4xf32>) -> tensor<3x3x3x4xf32> {
  %w = nn.conv2d_filter_grad %x, %y : (tensor<2x8x8x3xf32>, tensor<2x6x6x4xf32>) -> tensor<3x3x3x4xf32>
  return %w : tensor<3x3x3x4xf32>
}

// -----

// With stride 2 there are four phases. Rows 0, 2, ... of the image are reached by
// elements 2 and 0 of the filter, rows 1, 3, ... by element 1.
// CHECK-DAG: #[[$TWO:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * -2 + 2, d1 * -2 + 2, d3, d2)>
// CHECK-DAG: #[[$ONE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * -2 + 1, d1 * -2 + 1, d3, d2)>
// CHECK-LABEL: func @transpose
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 5, 5, 3] [1, 2, 2, 1] : tensor<2x9x9x3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$TWO]],
// CHECK-SAME: outs(%{{.*}} : tensor<2x2x4x3xf32>)
// CHECK: tensor.insert_slice {{.*}}[0, 0, 0, 0] [2, 5, 5, 3] [1, 2, 2, 1]
// CHECK: outs(%{{.*}} : tensor<2x1x4x3xf32>)
// CHECK: tensor.insert_slice {{.*}}[0, 0, 1, 0] [2, 5, 4, 3] [1, 2, 2, 1]
// CHECK: outs(%{{.*}} : tensor<1x2x4x3xf32>)
// CHECK: tensor.insert_slice {{.*}}[0, 1, 0, 0] [2, 4, 5, 3] [1, 2, 2, 1]
// CHECK: linalg.generic {indexing_maps = [#[[$ONE]],
// CHECK: tensor.insert_slice {{.*}}[0, 1, 1, 0] [2, 4, 4, 3] [1, 2, 2, 1]
func.func @transpose(%y: tensor<2x4x4x4xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x9x9x3xf32> {
  %x = nn.conv2d_transpose %y, %w strides [2, 2] : (tensor<2x4x4x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x9x9x3xf32>
  return %x : tensor<2x9x9x3xf32>
}

// -----

// X8: the maxima and their places are found once for a value and its gradient.
// Windows do not overlap: each phase of the gradient selects.
// CHECK-LABEL: func @max_pool
// CHECK: %[[M:.*]]:2 = linalg.generic
// CHECK: arith.cmpf ugt
// CHECK-NOT: arith.cmpf ugt
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel"]} ins(%[[M]]#1, %arg1
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.cmpi eq
// CHECK-NEXT: arith.select
// CHECK-NEXT: linalg.yield
// CHECK: return %[[M]]#0
func.func @max_pool(%x: tensor<2x8x8x3xf32>, %dy: tensor<2x4x4x3xf32>) -> (tensor<2x4x4x3xf32>, tensor<2x8x8x3xf32>) {
  %y = nn.max_pool2d %x window [2, 2] : (tensor<2x8x8x3xf32>) -> tensor<2x4x4x3xf32>
  %dx = nn.max_pool2d_grad %x, %dy window [2, 2] : (tensor<2x8x8x3xf32>, tensor<2x4x4x3xf32>) -> tensor<2x8x8x3xf32>
  return %y, %dx : tensor<2x4x4x3xf32>, tensor<2x8x8x3xf32>
}

// -----

// X8: a mean divides by the positions of the image that the window covers.
// CHECK-LABEL: func @avg_pool
// CHECK: arith.addf
// CHECK: linalg.index 1
// CHECK: arith.minsi
// CHECK: arith.sitofp
// CHECK: arith.divf
func.func @avg_pool(%x: tensor<2x7x7x3xf32>) -> tensor<2x4x4x3xf32> {
  %y = nn.avg_pool2d %x window [3, 3] strides [2, 2] padding same : (tensor<2x7x7x3xf32>) -> tensor<2x4x4x3xf32>
  return %y : tensor<2x4x4x3xf32>
}

// -----

// X11: extents that only the step knows: the image is checked for a window.
// CHECK-LABEL: func @dynamic
// CHECK: cf.assert %{{.*}}, "expected an image whose height is at least 3, that of one window in 'nn.conv2d' at {{.*}}"
// CHECK: cf.assert %{{.*}}, "expected an image whose width is at least 2, that of one window in 'nn.conv2d' at {{.*}}"
// CHECK: affine.apply
func.func @dynamic(%x: tensor<?x?x?x3xf32>, %w: tensor<3x2x3x4xf32>) -> tensor<?x?x?x4xf32> {
  %y = nn.conv2d %x, %w : (tensor<?x?x?x3xf32>, tensor<3x2x3x4xf32>) -> tensor<?x?x?x4xf32>
  return %y : tensor<?x?x?x4xf32>
}
