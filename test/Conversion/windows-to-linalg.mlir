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

// -----

// X3, X11: an operand that is less static than what produces it: the groups are
// those of the more static type.
// CHECK-LABEL: func @less_static
// CHECK-NOT: tensor.cast
// CHECK: tensor.expand_shape %arg0 {{.*}} output_shape [2, 5, 5, 2, 2] : tensor<2x5x5x4xf32> into tensor<2x5x5x2x2xf32>
func.func @less_static(%x: tensor<2x5x5x4xf32>, %w: tensor<3x3x2x4xf32>) -> tensor<?x3x3x4xf32> {
  %c = tensor.cast %x : tensor<2x5x5x4xf32> to tensor<?x5x5x4xf32>
  %y = nn.conv2d %c, %w : (tensor<?x5x5x4xf32>, tensor<3x3x2x4xf32>) -> tensor<?x3x3x4xf32>
  return %y : tensor<?x3x3x4xf32>
}

// -----

// X3, X11: the channels of an output are the filter's.
// CHECK-LABEL: func @output_channels
// CHECK: %[[CHANNELS:.*]] = tensor.dim %arg0, %c3
// CHECK: %[[SAME:.*]] = linalg_ext.compare_sizes eq %c4{{.*}}, %[[CHANNELS]]
// CHECK: cf.assert %[[SAME]], "expected equal channels of the output, found \01 and \02 in 'nn.conv2d_transpose'
// CHECK: tensor.cast %arg0 : tensor<2x?x3x?xf32> to tensor<2x3x3x4xf32>
// CHECK: linalg.generic
func.func @output_channels(%y: tensor<2x?x3x?xf32>, %w: tensor<3x3x2x4xf32>) -> tensor<2x5x5x4xf32> {
  %x = nn.conv2d_transpose %y, %w : (tensor<2x?x3x?xf32>, tensor<3x3x2x4xf32>) -> tensor<2x5x5x4xf32>
  return %x : tensor<2x5x5x4xf32>
}

// -----

// X11: nothing is padded and nothing is sliced where there is nothing; the
// gradient of a filter is zero.
// CHECK-LABEL: func @nothing
// CHECK-NOT: tensor.insert_slice
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @nothing(%x: tensor<0x5x5x3xf32>, %w: tensor<3x3x3x4xf32>, %y: tensor<0x3x3x4xf32>) -> (tensor<0x3x3x4xf32>, tensor<0x5x5x3xf32>, tensor<3x3x3x4xf32>, tensor<0x5x5x3xf32>) {
  %0 = nn.conv2d %x, %w strides [2, 2] padding same : (tensor<0x5x5x3xf32>, tensor<3x3x3x4xf32>) -> tensor<0x3x3x4xf32>
  %1 = nn.conv2d_transpose %y, %w strides [2, 2] padding same : (tensor<0x3x3x4xf32>, tensor<3x3x3x4xf32>) -> tensor<0x5x5x3xf32>
  %2 = nn.conv2d_filter_grad %x, %y strides [2, 2] padding same : (tensor<0x5x5x3xf32>, tensor<0x3x3x4xf32>) -> tensor<3x3x3x4xf32>
  %3 = nn.avg_pool2d_grad %x window [2, 2] strides [1, 1] padding same : (tensor<0x5x5x3xf32>) -> tensor<0x5x5x3xf32>
  return %0, %1, %2, %3 : tensor<0x3x3x4xf32>, tensor<0x5x5x3xf32>, tensor<3x3x3x4xf32>, tensor<0x5x5x3xf32>
}

// -----

// X8: windows that follow each other: one op gives each position its window's
// share, however large they are.
// CHECK-DAG: #[[$SHARE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d5)>
// CHECK-LABEL: func @large_pool
// CHECK: arith.divf
// CHECK: %[[BLOCKS:.*]] = linalg.generic {indexing_maps = [#[[$SHARE]], #{{.*}}], {{.*}}} {{.*}} outs(%{{.*}} : tensor<2x3x7x2x7x5xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: linalg.yield
// CHECK: %[[WHOLE:.*]] = tensor.collapse_shape %[[BLOCKS]] {{\[\[}}0], [1, 2], [3, 4], [5]]
// CHECK: return %[[WHOLE]] : tensor<2x21x14x5xf32>
func.func @large_pool(%dy: tensor<2x3x2x5xf32>) -> tensor<2x21x14x5xf32> {
  %dx = nn.avg_pool2d_grad %dy window [7, 7] : (tensor<2x3x2x5xf32>) -> tensor<2x21x14x5xf32>
  return %dx : tensor<2x21x14x5xf32>
}

// -----

// X2: phases that are many are loops of one contraction. Each position of a
// block of 8 is reached by two elements of the filter in each dimension.
// CHECK-DAG: #[[$OUTPUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1 + d6, d3 + d7, d8)>
// CHECK-DAG: #[[$FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d6, d2, d7, d4, d8, d5)>
// CHECK-LABEL: func @large_stride
// CHECK: linalg.generic {indexing_maps = [#[[$OUTPUT]], #[[$FILTER]], #{{.*}}]
// CHECK-SAME: tensor<?x18x18x8xf32>, tensor<2x8x2x8x8x4xf32>) outs(%{{.*}} : tensor<?x17x8x17x8x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: tensor.extract_slice %{{.*}}[0, 4, 4, 0] [%{{.*}}, 128, 128, 4]
func.func @large_stride(%y: tensor<?x16x16x8xf32>, %w: tensor<16x16x4x8xf32>) -> tensor<?x128x128x4xf32> {
  %x = nn.conv2d_transpose %y, %w strides [8, 8] padding same : (tensor<?x16x16x8xf32>, tensor<16x16x4x8xf32>) -> tensor<?x128x128x4xf32>
  return %x : tensor<?x128x128x4xf32>
}

// -----

// X2: what no window reaches is zero; only phases that a window reaches are ops,
// one each.
// CHECK-LABEL: func @gaps
// CHECK: linalg.fill {{.*}} tensor<1x8x8x2xf32>
// CHECK-COUNT-3: linalg.generic {{.*}}"reduction"
// CHECK-NOT: linalg.generic {{.*}}"reduction"
// CHECK: return
func.func @gaps(%y: tensor<1x1x6x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x8x8x2xf32> {
  %x = nn.conv2d_transpose %y, %w strides [1000000000, 1] : (tensor<1x1x6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x8x8x2xf32>
  return %x : tensor<1x8x8x2xf32>
}
