// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// The border of a padded image is filled, and one contraction reads it through
// the windows: SAME, stride 2, puts the odd row and column last.
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
// elements 2 and 0 of the filter, rows 1, 3, ... by element 1. Outputs stay
// contiguous in the filter, as there are few channels.
// CHECK-DAG: #[[$TWO:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * -2 + 2, d1 * -2 + 2, d2, d3)>
// CHECK-DAG: #[[$ONE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * -2 + 1, d1 * -2 + 1, d2, d3)>
// CHECK-LABEL: func @transpose
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 5, 5, 3] [1, 2, 2, 1] : tensor<2x9x9x3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$TWO]],
// CHECK-SAME: outs(%{{.*}} : tensor<2x2x3x4xf32>)
// CHECK: tensor.insert_slice {{.*}}[0, 0, 0, 0] [2, 5, 5, 3] [1, 2, 2, 1]
// CHECK: outs(%{{.*}} : tensor<2x1x3x4xf32>)
// CHECK: tensor.insert_slice {{.*}}[0, 0, 1, 0] [2, 5, 4, 3] [1, 2, 2, 1]
// CHECK: outs(%{{.*}} : tensor<1x2x3x4xf32>)
// CHECK: tensor.insert_slice {{.*}}[0, 1, 0, 0] [2, 4, 5, 3] [1, 2, 2, 1]
// CHECK: linalg.generic {indexing_maps = [#[[$ONE]],
// CHECK: tensor.insert_slice {{.*}}[0, 1, 1, 0] [2, 4, 4, 3] [1, 2, 2, 1]
func.func @transpose(%y: tensor<2x4x4x4xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x9x9x3xf32> {
  %x = nn.conv2d_transpose %y, %w strides [2, 2] : (tensor<2x4x4x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x9x9x3xf32>
  return %x : tensor<2x9x9x3xf32>
}

// Many channels are what is contiguous.
// CHECK-LABEL: func @transpose_many_channels
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<3x3x8x4xf32>) outs(%{{.*}} : tensor<3x3x4x8xf32>)
func.func @transpose_many_channels(%y: tensor<2x4x4x4xf32>, %w: tensor<3x3x8x4xf32>) -> tensor<2x6x6x8xf32> {
  %x = nn.conv2d_transpose %y, %w : (tensor<2x4x4x4xf32>, tensor<3x3x8x4xf32>) -> tensor<2x6x6x8xf32>
  return %x : tensor<2x6x6x8xf32>
}

// -----

// X8: the maxima and their places are found once for a value and its gradient.
// Windows do not overlap: each phase of the gradient selects.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @max_pool(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x8x8x3xf32>, %[[DY:[^:]*]]: tensor<2x4x4x3xf32>) -> (tensor<2x4x4x3xf32>, tensor<2x8x8x3xf32>)
// CHECK-NEXT: %[[C3_I32:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[C2_I32:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %[[C1_I32:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<2x2xi8>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST_2]] : f32) outs(%[[EMPTY_2]] : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty() : tensor<2x4x4x3xi32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[C0_I32]] : i32) outs(%[[EMPTY_3]] : tensor<2x4x4x3xi32>) -> tensor<2x4x4x3xi32>
// CHECK-NEXT: %[[GENERIC:.*]]:2 = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]], #[[$MAP2]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[X]], %[[EMPTY]] : tensor<2x8x8x3xf32>, tensor<2x2xi8>) outs(%[[FILL]], %[[FILL_2]] : tensor<2x4x4x3xf32>, tensor<2x4x4x3xi32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: i8, %[[ELEMENT_3:.*]]: f32, %[[ELEMENT_4:.*]]: i32):
// CHECK-NEXT: %[[INDEX:.*]] = linalg.index 4 : index
// CHECK-NEXT: %[[INDEX_2:.*]] = linalg.index 5 : index
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ugt, %[[ELEMENT]], %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf ord, %[[ELEMENT_3]], %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[CMPF]], %[[CMPF_2]] : i1
// CHECK-NEXT: %[[MULI:.*]] = arith.muli %[[INDEX]], %[[C2]] : index
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[MULI]], %[[INDEX_2]] : index
// CHECK-NEXT: %[[INDEX_CAST:.*]] = arith.index_cast %[[ADDI]] : index to i32
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[ANDI]], %[[ELEMENT]], %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[ANDI]], %[[INDEX_CAST]], %[[ELEMENT_4]] : i32
// CHECK-NEXT: linalg.yield %[[SELECT]], %[[SELECT_2]] : f32, i32
// CHECK-NEXT: } -> (tensor<2x4x4x3xf32>, tensor<2x4x4x3xi32>)
// CHECK-NEXT: %[[EMPTY_4:.*]] = tensor.empty() : tensor<2x8x8x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[EMPTY_4]][0, 0, 0, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x8x8x3xf32> to tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[GENERIC]]#1, %[[DY]] : tensor<2x4x4x3xi32>, tensor<2x4x4x3xf32>) outs(%[[EXTRACT_SLICE]] : tensor<2x4x4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_5:.*]]: i32, %[[ELEMENT_6:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi eq, %[[ELEMENT_5]], %[[C0_I32]] : i32
// CHECK-NEXT: %[[SELECT_3:.*]] = arith.select %[[CMPI]], %[[ELEMENT_6]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT_3]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[GENERIC_2]] into %[[EMPTY_4]][0, 0, 0, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x4x4x3xf32> into tensor<2x8x8x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[INSERT_SLICE]][0, 0, 1, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x8x8x3xf32> to tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[GENERIC]]#1, %[[DY]] : tensor<2x4x4x3xi32>, tensor<2x4x4x3xf32>) outs(%[[EXTRACT_SLICE_2]] : tensor<2x4x4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_8:.*]]: i32, %[[ELEMENT_9:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi eq, %[[ELEMENT_8]], %[[C1_I32]] : i32
// CHECK-NEXT: %[[SELECT_4:.*]] = arith.select %[[CMPI_2]], %[[ELEMENT_9]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT_4]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_2:.*]] = tensor.insert_slice %[[GENERIC_3]] into %[[INSERT_SLICE]][0, 0, 1, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x4x4x3xf32> into tensor<2x8x8x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_3:.*]] = tensor.extract_slice %[[INSERT_SLICE_2]][0, 1, 0, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x8x8x3xf32> to tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[GENERIC_4:.*]] = linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[GENERIC]]#1, %[[DY]] : tensor<2x4x4x3xi32>, tensor<2x4x4x3xf32>) outs(%[[EXTRACT_SLICE_3]] : tensor<2x4x4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_11:.*]]: i32, %[[ELEMENT_12:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[CMPI_3:.*]] = arith.cmpi eq, %[[ELEMENT_11]], %[[C2_I32]] : i32
// CHECK-NEXT: %[[SELECT_5:.*]] = arith.select %[[CMPI_3]], %[[ELEMENT_12]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT_5]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_3:.*]] = tensor.insert_slice %[[GENERIC_4]] into %[[INSERT_SLICE_2]][0, 1, 0, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x4x4x3xf32> into tensor<2x8x8x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_4:.*]] = tensor.extract_slice %[[INSERT_SLICE_3]][0, 1, 1, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x8x8x3xf32> to tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[GENERIC_5:.*]] = linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[GENERIC]]#1, %[[DY]] : tensor<2x4x4x3xi32>, tensor<2x4x4x3xf32>) outs(%[[EXTRACT_SLICE_4]] : tensor<2x4x4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_14:.*]]: i32, %[[ELEMENT_15:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[CMPI_4:.*]] = arith.cmpi eq, %[[ELEMENT_14]], %[[C3_I32]] : i32
// CHECK-NEXT: %[[SELECT_6:.*]] = arith.select %[[CMPI_4]], %[[ELEMENT_15]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT_6]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_4:.*]] = tensor.insert_slice %[[GENERIC_5]] into %[[INSERT_SLICE_3]][0, 1, 1, 0] [2, 4, 4, 3] [1, 2, 2, 1] : tensor<2x4x4x3xf32> into tensor<2x8x8x3xf32>
// CHECK-NEXT: return %[[GENERIC]]#0, %[[INSERT_SLICE_4]] : tensor<2x4x4x3xf32>, tensor<2x8x8x3xf32>
func.func @max_pool(%x: tensor<2x8x8x3xf32>, %dy: tensor<2x4x4x3xf32>) -> (tensor<2x4x4x3xf32>, tensor<2x8x8x3xf32>) {
  %y = nn.max_pool2d %x window [2, 2] : (tensor<2x8x8x3xf32>) -> tensor<2x4x4x3xf32>
  %dx = nn.max_pool2d_grad %x, %dy window [2, 2] : (tensor<2x8x8x3xf32>, tensor<2x4x4x3xf32>) -> tensor<2x8x8x3xf32>
  return %y, %dx : tensor<2x4x4x3xf32>, tensor<2x8x8x3xf32>
}

// -----

// X8: a mean divides by the positions of the image that the window covers.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @avg_pool(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x7x7x3xf32>) -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[C7:.*]] = arith.constant 7 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<2x9x9x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[EMPTY]][0, 0, 0, 0] [2, 1, 9, 3] [1, 1, 1, 1] : tensor<2x9x9x3xf32> to tensor<2x1x9x3xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE]] : tensor<2x1x9x3xf32>) -> tensor<2x1x9x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[FILL]] into %[[EMPTY]][0, 0, 0, 0] [2, 1, 9, 3] [1, 1, 1, 1] : tensor<2x1x9x3xf32> into tensor<2x9x9x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[INSERT_SLICE]][0, 8, 0, 0] [2, 1, 9, 3] [1, 1, 1, 1] : tensor<2x9x9x3xf32> to tensor<2x1x9x3xf32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE_2]] : tensor<2x1x9x3xf32>) -> tensor<2x1x9x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_2:.*]] = tensor.insert_slice %[[FILL_2]] into %[[INSERT_SLICE]][0, 8, 0, 0] [2, 1, 9, 3] [1, 1, 1, 1] : tensor<2x1x9x3xf32> into tensor<2x9x9x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_3:.*]] = tensor.extract_slice %[[INSERT_SLICE_2]][0, 1, 0, 0] [2, 7, 1, 3] [1, 1, 1, 1] : tensor<2x9x9x3xf32> to tensor<2x7x1x3xf32>
// CHECK-NEXT: %[[FILL_3:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE_3]] : tensor<2x7x1x3xf32>) -> tensor<2x7x1x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_3:.*]] = tensor.insert_slice %[[FILL_3]] into %[[INSERT_SLICE_2]][0, 1, 0, 0] [2, 7, 1, 3] [1, 1, 1, 1] : tensor<2x7x1x3xf32> into tensor<2x9x9x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_4:.*]] = tensor.extract_slice %[[INSERT_SLICE_3]][0, 1, 8, 0] [2, 7, 1, 3] [1, 1, 1, 1] : tensor<2x9x9x3xf32> to tensor<2x7x1x3xf32>
// CHECK-NEXT: %[[FILL_4:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE_4]] : tensor<2x7x1x3xf32>) -> tensor<2x7x1x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_4:.*]] = tensor.insert_slice %[[FILL_4]] into %[[INSERT_SLICE_3]][0, 1, 8, 0] [2, 7, 1, 3] [1, 1, 1, 1] : tensor<2x7x1x3xf32> into tensor<2x9x9x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_5:.*]] = tensor.insert_slice %[[X]] into %[[INSERT_SLICE_4]][0, 1, 1, 0] [2, 7, 7, 3] [1, 1, 1, 1] : tensor<2x7x7x3xf32> into tensor<2x9x9x3xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<3x3xi8>
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty() : tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[FILL_5:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_3]] : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]], #[[$MAP2]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[INSERT_SLICE_5]], %[[EMPTY_2]] : tensor<2x9x9x3xf32>, tensor<3x3xi8>) outs(%[[FILL_5]] : tensor<2x4x4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: i8, %[[ELEMENT_3:.*]]: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT_3]], %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x3xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[GENERIC]] : tensor<2x4x4x3xf32>) outs(%[[EMPTY_3]] : tensor<2x4x4x3xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_4:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK-NEXT: %[[MULI:.*]] = arith.muli %[[INDEX]], %[[C2]] : index
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[MULI]], %[[C1]] : index
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[MULI]], %[[C2]] : index
// CHECK-NEXT: %[[MAXSI:.*]] = arith.maxsi %[[SUBI]], %[[C0]] : index
// CHECK-NEXT: %[[MINSI:.*]] = arith.minsi %[[ADDI]], %[[C7]] : index
// CHECK-NEXT: %[[SUBI_2:.*]] = arith.subi %[[MINSI]], %[[MAXSI]] : index
// CHECK-NEXT: %[[INDEX_2:.*]] = linalg.index 2 : index
// CHECK-NEXT: %[[MULI_2:.*]] = arith.muli %[[INDEX_2]], %[[C2]] : index
// CHECK-NEXT: %[[SUBI_3:.*]] = arith.subi %[[MULI_2]], %[[C1]] : index
// CHECK-NEXT: %[[ADDI_2:.*]] = arith.addi %[[MULI_2]], %[[C2]] : index
// CHECK-NEXT: %[[MAXSI_2:.*]] = arith.maxsi %[[SUBI_3]], %[[C0]] : index
// CHECK-NEXT: %[[MINSI_2:.*]] = arith.minsi %[[ADDI_2]], %[[C7]] : index
// CHECK-NEXT: %[[SUBI_4:.*]] = arith.subi %[[MINSI_2]], %[[MAXSI_2]] : index
// CHECK-NEXT: %[[MULI_3:.*]] = arith.muli %[[SUBI_2]], %[[SUBI_4]] : index
// CHECK-NEXT: %[[INDEX_CAST:.*]] = arith.index_cast %[[MULI_3]] : index to i32
// CHECK-NEXT: %[[SITOFP:.*]] = arith.sitofp %[[INDEX_CAST]] : i32 to f32
// CHECK-NEXT: %[[DIVF:.*]] = arith.divf %[[ELEMENT_4]], %[[SITOFP]] : f32
// CHECK-NEXT: linalg.yield %[[DIVF]] : f32
// CHECK-NEXT: } -> tensor<2x4x4x3xf32>
// CHECK-NEXT: return %[[GENERIC_2]] : tensor<2x4x4x3xf32>
func.func @avg_pool(%x: tensor<2x7x7x3xf32>) -> tensor<2x4x4x3xf32> {
  %y = nn.avg_pool2d %x window [3, 3] strides [2, 2] padding same : (tensor<2x7x7x3xf32>) -> tensor<2x4x4x3xf32>
  return %y : tensor<2x4x4x3xf32>
}

// -----

// X11: dimension sizes that only the step knows.
// CHECK-LABEL: func @dynamic
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
// CHECK-DAG: #[[$FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d6, d2, d7, d4, d5, d8)>
// CHECK-LABEL: func @large_stride
// CHECK: linalg.generic {indexing_maps = [#[[$OUTPUT]], #[[$FILTER]], #{{.*}}]
// CHECK-SAME: tensor<?x18x18x8xf32>, tensor<2x8x2x8x4x8xf32>) outs(%{{.*}} : tensor<?x17x8x17x8x4xf32>)
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

// -----

// A depthwise convolution takes less time than a copy of its image with a border: of windows in the first and last rows and
// columns, and of the others, each kind is an op that reads what of the image there is.
// CHECK-LABEL: func @depthwise_border
// CHECK-SAME: (%[[X:.*]]: tensor<?x9x8x16xf32>
// CHECK-NOT: tensor<?x11x10x16xf32>
// CHECK: %[[W:.*]] = tensor.collapse_shape %{{.*}} : tensor<3x3x1x16xf32> into tensor<3x3x16xf32>
// CHECK: tensor.extract_slice %[[X]][0, 0, 0, 0] [%{{.*}}, 2, 2, 16]
// CHECK: tensor.extract_slice %[[W]][1, 1, 0] [2, 2, 16]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x1x1x16xf32>)
// CHECK: tensor.extract_slice %[[X]][0, 0, 0, 0] [%{{.*}}, 2, 8, 16]
// CHECK: tensor.extract_slice %[[W]][1, 0, 0] [2, 3, 16]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x1x6x16xf32>)
// CHECK-COUNT-2: linalg.generic
// CHECK: tensor.extract_slice %[[X]][0, 0, 0, 0] [%{{.*}}, 9, 8, 16]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : {{.*}} outs(%{{.*}} : tensor<?x7x6x16xf32>)
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @depthwise_border(%x: tensor<?x9x8x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<?x9x8x16xf32> {
  %y = nn.conv2d %x, %w padding explicit [[1, 1], [1, 1]] : (tensor<?x9x8x16xf32>, tensor<3x3x1x16xf32>) -> tensor<?x9x8x16xf32>
  return %y : tensor<?x9x8x16xf32>
}

// -----

// With stride 2 the last windows of eight rows end where the image does. Each part of the sum adds to the elements of the
// filter that are in the image.
// CHECK-LABEL: func @depthwise_filter_grad
// CHECK-NOT: tensor.insert_slice %arg0
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x16xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x16xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x2x16xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x3x16xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @depthwise_filter_grad(%x: tensor<2x8x8x16xf32>, %dy: tensor<2x4x4x16xf32>) -> tensor<3x3x1x16xf32> {
  %w = nn.conv2d_filter_grad %x, %dy strides [2, 2] padding explicit [[1, 1], [1, 1]]
    : (tensor<2x8x8x16xf32>, tensor<2x4x4x16xf32>) -> tensor<3x3x1x16xf32>
  return %w : tensor<3x3x1x16xf32>
}

// -----

// Three of the four phases have parts that read less of the output. The parts of a phase have slices of one turned filter.
// CHECK-LABEL: func @depthwise_transpose
// CHECK: %[[TURNED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[TURNED]] : {{.*}} outs(%{{.*}} : tensor<2x3x3x16xf32>)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[TURNED]][0, 0, 0] [2, 1, 16]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[PART]] : {{.*}} outs(%{{.*}} : tensor<2x3x1x16xf32>)
// CHECK-NOT: tensor<2x5x5x16xf32>
// CHECK: return
func.func @depthwise_transpose(%dy: tensor<2x4x4x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32> {
  %x = nn.conv2d_transpose %dy, %w strides [2, 2] padding explicit [[1, 1], [1, 1]]
    : (tensor<2x4x4x16xf32>, tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32>
  return %x : tensor<2x8x8x16xf32>
}

// -----

// Windows of 5x5 are of five kinds in each dimension, too many for ops of their own.
// CHECK-LABEL: func @depthwise_wide_border
// CHECK: tensor.insert_slice %arg0 into %{{.*}} : tensor<2x8x8x16xf32> into tensor<2x12x12x16xf32>
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @depthwise_wide_border(%x: tensor<2x8x8x16xf32>, %w: tensor<5x5x1x16xf32>) -> tensor<2x8x8x16xf32> {
  %y = nn.conv2d %x, %w padding explicit [[2, 2], [2, 2]] : (tensor<2x8x8x16xf32>, tensor<5x5x1x16xf32>) -> tensor<2x8x8x16xf32>
  return %y : tensor<2x8x8x16xf32>
}
