// RUN: flywheel-opt %s --nn-raise-linalg --canonicalize --split-input-file | FileCheck %s

// X2: the zeros that a pad adds are the convolution's.
// CHECK-LABEL: func @same
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x8x1xf32>, %[[W:.*]]: tensor<3x3x1x4xf32>
func.func @same(%x: tensor<?x8x8x1xf32>, %w: tensor<3x3x1x4xf32>, %e: tensor<?x8x8x4xf32>) -> tensor<?x8x8x4xf32> {
  // CHECK: %[[Y:.*]] = nn.conv2d %[[X]], %[[W]] padding explicit {{\[\[}}1, 1], [1, 1]]
  // CHECK-NEXT: return %[[Y]]
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<?x8x8x1xf32> to tensor<?x10x10x1xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x8x4xf32>) -> tensor<?x8x8x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<?x10x10x1xf32>, tensor<3x3x1x4xf32>)
      outs(%o : tensor<?x8x8x4xf32>) -> tensor<?x8x8x4xf32>
  return %y : tensor<?x8x8x4xf32>
}

// -----

// Padding that is not zero is part of the image.
// CHECK-LABEL: func @padded_with_one
func.func @padded_with_one(%x: tensor<1x2x2x1xf32>, %w: tensor<3x3x1x1xf32>, %o: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  // CHECK: %[[P:.*]] = tensor.pad
  // CHECK: %[[Y:.*]] = nn.conv2d %[[P]], %{{.*}} :
  // CHECK: arith.addf %[[Y]], %arg2
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %one : f32
  } : tensor<1x2x2x1xf32> to tensor<1x4x4x1xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>)
      outs(%o : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %y : tensor<1x2x2x1xf32>
}

// -----

// X3: groups. Elements that no window reaches are cut off.
// CHECK-LABEL: func @groups
func.func @groups(%x: tensor<2x2x3x9x6xf32>, %w: tensor<2x4x3x3x2xf32>, %o: tensor<2x2x4x3x3xf32>) -> tensor<2x2x4x3x3xf32> {
  // CHECK: tensor.extract_slice %arg0{{.*}} to tensor<2x2x3x7x6xf32>
  // CHECK: linalg.transpose
  // CHECK: tensor.collapse_shape {{.*}} into tensor<2x7x6x6xf32>
  // CHECK: linalg.transpose
  // CHECK: tensor.collapse_shape {{.*}} into tensor<3x2x3x8xf32>
  // CHECK: nn.conv2d {{.*}} strides [2, 2] : (tensor<2x7x6x6xf32>, tensor<3x2x3x8xf32>) -> tensor<2x3x3x8xf32>
  // CHECK: tensor.expand_shape {{.*}} into tensor<2x3x3x2x4xf32>
  // CHECK: linalg.transpose
  %y = linalg.conv_2d_ngchw_gfchw {strides = dense<2> : vector<2xi64>}
      ins(%x, %w : tensor<2x2x3x9x6xf32>, tensor<2x4x3x3x2xf32>) outs(%o : tensor<2x2x4x3x3xf32>) -> tensor<2x2x4x3x3xf32>
  return %y : tensor<2x2x4x3x3xf32>
}

// -----

// X8: one dimension is two, the second of dimension size 1.
// CHECK-LABEL: func @pool_1d
func.func @pool_1d(%x: tensor<?x6x3xf32>, %e: tensor<?x3x3xf32>) -> tensor<?x3x3xf32> {
  // CHECK: tensor.expand_shape %arg0 {{\[\[}}0], [1, 2], [3]] {{.*}} into tensor<?x6x1x3xf32>
  // CHECK: nn.max_pool2d %{{.*}} window [2, 1] :
  // CHECK: tensor.collapse_shape
  // CHECK-NOT: maximumf
  %least = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2xf32>
  %o = linalg.fill ins(%least : f32) outs(%e : tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %y = linalg.pooling_nwc_max {strides = dense<2> : vector<1xi64>}
      ins(%x, %window : tensor<?x6x3xf32>, tensor<2xf32>) outs(%o : tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  return %y : tensor<?x3x3xf32>
}

// -----

// CHECK-LABEL: func @pool_sum
func.func @pool_sum(%x: tensor<1x3x4x4xf32>, %o: tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32> {
  // CHECK: %[[M:.*]] = nn.avg_pool2d %{{.*}} window [2, 2] :
  // CHECK: arith.mulf %[[M]], %cst
  // CHECK: linalg.transpose
  // CHECK: arith.addf %{{.*}}, %arg1
  %window = tensor.empty() : tensor<2x2xf32>
  %y = linalg.pooling_nchw_sum {strides = dense<2> : vector<2xi64>}
      ins(%x, %window : tensor<1x3x4x4xf32>, tensor<2x2xf32>) outs(%o : tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  return %y : tensor<1x3x2x2xf32>
}

// -----

// Integers have no derivative; linalg has lowerings.
// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x4x4x1xi32>, %[[W:[^:]*]]: tensor<2x2x1x1xi32>, %[[O:[^:]*]]: tensor<1x3x3x1xi32>) -> tensor<1x3x3x1xi32>
// CHECK-NEXT: %[[CONV_2D_NHWC_HWCF:.*]] = linalg.conv_2d_nhwc_hwcf ins(%[[X]], %[[W]] : tensor<1x4x4x1xi32>, tensor<2x2x1x1xi32>) outs(%[[O]] : tensor<1x3x3x1xi32>) -> tensor<1x3x3x1xi32>
// CHECK-NEXT: return %[[CONV_2D_NHWC_HWCF]] : tensor<1x3x3x1xi32>
func.func @integers(%x: tensor<1x4x4x1xi32>, %w: tensor<2x2x1x1xi32>, %o: tensor<1x3x3x1xi32>) -> tensor<1x3x3x1xi32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x4x1xi32>, tensor<2x2x1x1xi32>)
      outs(%o : tensor<1x3x3x1xi32>) -> tensor<1x3x3x1xi32>
  return %y : tensor<1x3x3x1xi32>
}

// -----

// X7.
// CHECK-LABEL: func @product
func.func @product(%x: tensor<?x3xf32>, %o: tensor<?x1xf32>) -> tensor<?x1xf32> {
  // CHECK: %[[P:.*]] = nn.reduce prod %arg0 axes [1] keepdims
  // CHECK: arith.mulf %[[P]], %arg1
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x3xf32>) outs(%o : tensor<?x1xf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %v, %u : f32
    linalg.yield %p : f32
  } -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

// X12: rows of a table: one dimension is indexed by data, the other is a loop.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[T:.*]]: tensor<10x4xf32>, %[[I:.*]]: tensor<?xi32>
func.func @rows(%t: tensor<10x4xf32>, %i: tensor<?xi32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[AT:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<?xi32>) outs(%{{.*}} : tensor<?xi64>)
  // CHECK: %[[ROWS:.*]] = nn.gather %[[T]], %[[AT]] axis 0 : (tensor<10x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[I]], %[[ROWS]] : tensor<?xi32>, tensor<?x4xf32>)
  // CHECK-NOT: tensor.extract
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%n: i32, %out: f32):
    %r = arith.index_cast %n : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %t[%r, %c] : tensor<10x4xf32>
    %s = arith.addf %v, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Two that are: the position in row-major order, or -1.
// CHECK-LABEL: func @elements
func.func @elements(%t: tensor<?x4xf32>, %i: tensor<5xi32>, %o: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: linalg.generic
  // CHECK: arith.muli
  // CHECK: arith.cmpi ult
  // CHECK: arith.select %{{.*}}, %{{.*}}, %c-1
  // CHECK: %[[F:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]]
  // CHECK: nn.gather %[[F]], %{{.*}} axis 0 : (tensor<?xf32>, tensor<5xi64>) -> tensor<5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%i : tensor<5xi32>) outs(%o : tensor<5xf32>) {
  ^bb0(%n: i32, %out: f32):
    %r = arith.index_cast %n : i32 to index
    %v = tensor.extract %t[%r, %r] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// A reversal, by its map. An operand that is read by loops alone needs no indices.
// CHECK-LABEL: func @reversed
func.func @reversed(%x: tensor<3x4xf32>, %z: tensor<4x3xf32>, %o: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[R:.*]] = nn.gather %arg0, %{{.*}} axis 1 : (tensor<3x4xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[R]], %arg1 : tensor<3x4xf32>, tensor<4x3xf32>)
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 3 - j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x4xf32>) outs(%o : tensor<3x4xf32>) {
  ^bb0(%u: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %z[%j, %i] : tensor<4x3xf32>
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// Elements that the map of a result skips keep their values.
// CHECK-LABEL: func @written_in_part(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[O:.*]]: tensor<7xf32>)
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[X]] into %[[O]][1] [3] [2] : tensor<3xf32> into tensor<7xf32>
// CHECK: return %[[Y]]
func.func @written_in_part(%x: tensor<3xf32>, %o: tensor<7xf32>) -> tensor<7xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2 + 1)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%o : tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

// Against its order: what is written is reversed first.
// CHECK: #[[$REVERSED:.*]] = affine_map<(d0) -> (-d0 + 2)>
// CHECK-LABEL: func @written_backwards(
// CHECK-SAME: %[[X:.*]]: tensor<3xi32>, %[[O:.*]]: tensor<8xi32>)
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[$REVERSED]], #{{.*}}], {{.*}} ins(%[[X]] : tensor<3xi32>) outs(%{{.*}} : tensor<3xi32>)
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[R]] into %[[O]][2] [3] [2] : tensor<3xi32> into tensor<8xi32>
// CHECK: return %[[Y]]
func.func @written_backwards(%x: tensor<3xi32>, %o: tensor<8xi32>) -> tensor<8xi32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (6 - i * 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xi32>) outs(%o : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// -----

// One of two results, at one column, transposed.
// CHECK-LABEL: func @one_column(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[O:.*]]: tensor<?x5x?xf32>, %[[Q:.*]]: tensor<?x?xf32>)
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[E:.*]] = tensor.empty(%[[N]], %[[M]])
// CHECK: %[[P:.*]]:2 = linalg.generic {{.*}} ins(%[[X]] : tensor<?x?xf32>) outs(%[[E]], %[[Q]] : tensor<?x?xf32>, tensor<?x?xf32>)
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[P]]#0 into %[[O]][0, 3, 0] [%[[N]], 1, %[[M]]] [1, 1, 1]
// CHECK: return %[[Y]], %[[P]]#1
func.func @one_column(%x: tensor<?x?xf32>, %o: tensor<?x5x?xf32>, %q: tensor<?x?xf32>) -> (tensor<?x5x?xf32>, tensor<?x?xf32>) {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, 3, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%o, %q : tensor<?x5x?xf32>, tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<?x5x?xf32>, tensor<?x?xf32>)
  return %y#0, %y#1 : tensor<?x5x?xf32>, tensor<?x?xf32>
}

// -----

// The elements that are read are extracted.
// CHECK-LABEL: func @read(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[O:.*]]: tensor<7xf32>)
// CHECK: %[[E:.*]] = tensor.extract_slice %[[O]][1] [3] [2] : tensor<7xf32> to tensor<3xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<3xf32>) outs(%[[E]] : tensor<3xf32>)
// CHECK: tensor.insert_slice %[[P]] into %[[O]][1] [3] [2]
func.func @read(%x: tensor<3xf32>, %o: tensor<7xf32>) -> tensor<7xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2 + 1)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%o : tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[OUT:.*]]: tensor<?x4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.softmax %[[X]] : tensor<?x4xf32>
// CHECK-NEXT: return %[[Y]]
// EXAMPLE: --nn-raise-linalg
func.func @softmax(%x: tensor<?x4xf32>, %out: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @softmax_of_columns(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf64>, %[[OUT:.*]]: tensor<2x3x4xf64>
// CHECK: %[[COLUMNS:.*]] = linalg.transpose ins(%[[X]] : tensor<2x3x4xf64>) outs(%{{.*}} : tensor<4x3x2xf64>) permutation = [2, 1, 0]
// CHECK: %[[Y:.*]] = nn.softmax %[[COLUMNS]] : tensor<4x3x2xf64>
// CHECK: %[[BACK:.*]] = linalg.transpose ins(%[[Y]] : tensor<4x3x2xf64>) outs(%{{.*}} : tensor<2x3x4xf64>) permutation = [2, 1, 0]
// CHECK: return %[[BACK]]
func.func @softmax_of_columns(%x: tensor<2x3x4xf64>, %out: tensor<2x3x4xf64>) -> tensor<2x3x4xf64> {
  %y = linalg.softmax dimension(0) ins(%x : tensor<2x3x4xf64>) outs(%out : tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
}

// -----

// CHECK-LABEL: func.func @dilated(
// CHECK-SAME: %[[X:.*]]: tensor<1x9x9x2xf32>, %[[W:.*]]: tensor<3x3x2x4xf32>, %[[O:.*]]: tensor<1x5x3x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = nn.conv2d %[[X]], %[[W]] dilations [2, 3] :
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[Y]], %[[O]]
// CHECK-NEXT: return %[[SUM]]
func.func @dilated(%x: tensor<1x9x9x2xf32>, %w: tensor<3x3x2x4xf32>, %o: tensor<1x5x3x4xf32>) -> tensor<1x5x3x4xf32> {
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<[2, 3]> : vector<2xi64>}
      ins(%x, %w : tensor<1x9x9x2xf32>, tensor<3x3x2x4xf32>) outs(%o : tensor<1x5x3x4xf32>) -> tensor<1x5x3x4xf32>
  return %y : tensor<1x5x3x4xf32>
}

// -----

// A minimum starts from nothing at infinity, and is never above where it starts.
// CHECK-LABEL: func.func @bounded_minimum(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x1xf32>,
// CHECK: %[[START:.*]] = linalg.fill
// CHECK: %[[NEGATED:.*]] = arith.negf %[[X]]
// CHECK: %[[MAX:.*]] = nn.max_pool2d %[[NEGATED]] window [2, 2] strides [1, 1]
// CHECK: %[[MIN:.*]] = arith.negf %[[MAX]]
// CHECK: %[[Y:.*]] = arith.minimumf %[[MIN]], %[[START]]
// CHECK: nn.max_pool2d
// CHECK: %[[Z:.*]] = arith.negf
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @bounded_minimum(%x: tensor<1x4x4x1xf32>, %w: tensor<2x2xf32>, %e: tensor<1x3x3x1xf32>) -> (tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %most = arith.constant 0x7F800000 : f32
  %from_least = linalg.fill ins(%least : f32) outs(%e : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %y = linalg.pooling_nhwc_min ins(%x, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%from_least : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %from_most = linalg.fill ins(%most : f32) outs(%e : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %z = linalg.pooling_nhwc_min ins(%x, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%from_most : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %y, %z : tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>
}

// -----

// CHECK-LABEL: func.func @bounded_maximum(
// CHECK: %[[START:.*]] = linalg.fill
// CHECK: %[[MAX:.*]] = nn.max_pool2d
// CHECK: %[[Y:.*]] = arith.maximumf %[[MAX]], %[[START]]
// CHECK-NEXT: return %[[Y]]
func.func @bounded_maximum(%x: tensor<1x4x4x1xf32>, %w: tensor<2x2xf32>, %e: tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32> {
  %most = arith.constant 0x7F800000 : f32
  %from_most = linalg.fill ins(%most : f32) outs(%e : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %z = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%from_most : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %z : tensor<1x3x3x1xf32>
}

// -----

// The sizes of the result are those of the start, in the order of nn's layout.
// CHECK-LABEL: func.func @dynamic_groups(
// CHECK: %[[Y:.*]] = nn.conv2d {{.*}} -> tensor<?x?x?x8xf32>
// CHECK: %[[N:.*]] = tensor.dim %arg2, %c0
// CHECK: %[[H:.*]] = tensor.dim %arg2, %c3
// CHECK: %[[W:.*]] = tensor.dim %arg2, %c4
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Y]] {{.*}} output_shape [%[[N]], %[[H]], %[[W]], 2, 4]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : {{.*}} permutation = [0, 3, 4, 1, 2]
// CHECK: %[[SUM:.*]] = arith.addf %[[T]], %arg2
// CHECK: return %[[SUM]]
func.func @dynamic_groups(%x: tensor<?x2x3x?x?xf32>, %w: tensor<2x4x3x3x2xf32>, %o: tensor<?x2x4x?x?xf32>) -> tensor<?x2x4x?x?xf32> {
  %y = linalg.conv_2d_ngchw_gfchw
      ins(%x, %w : tensor<?x2x3x?x?xf32>, tensor<2x4x3x3x2xf32>)
      outs(%o : tensor<?x2x4x?x?xf32>) -> tensor<?x2x4x?x?xf32>
  return %y : tensor<?x2x4x?x?xf32>
}

// -----

// No window at all: nothing is read, and nothing written.
// CHECK-LABEL: func @no_windows
// CHECK-SAME: %[[Y:[^:]*]]: tensor<0xf32>, %[[Z:[^:]*]]: tensor<1x0x2x4xf32>)
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @no_windows(%x: tensor<2xf32>, %w: tensor<3xf32>, %i: tensor<1x2x4x3xf32>, %f: tensor<3x3x3x4xf32>, %y: tensor<0xf32>, %z: tensor<1x0x2x4xf32>) -> (tensor<0xf32>, tensor<1x0x2x4xf32>) {
  %0 = linalg.conv_1d ins(%x, %w : tensor<2xf32>, tensor<3xf32>) outs(%y : tensor<0xf32>) -> tensor<0xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%i, %f : tensor<1x2x4x3xf32>, tensor<3x3x3x4xf32>) outs(%z : tensor<1x0x2x4xf32>) -> tensor<1x0x2x4xf32>
  return %0, %1 : tensor<0xf32>, tensor<1x0x2x4xf32>
}

// -----

// A border of channels is none of a convolution, nor is what a negative padding cuts
// off; a pool has no zeros around it.
// CHECK-LABEL: func.func @borders(
// CHECK-COUNT-3: tensor.pad
// CHECK-NOT: explicit
// CHECK: return
func.func @borders(%x: tensor<1x5x5x2xf32>, %w: tensor<3x3x3x4xf32>, %v: tensor<3x3x2x4xf32>, %k: tensor<2x3xf32>)
    -> (tensor<1x3x3x4xf32>, tensor<1x1x1x4xf32>, tensor<1x6x5x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x5x5x2xf32> to tensor<1x5x5x3xf32>
  %e0 = arith.constant dense<0.0> : tensor<1x3x3x4xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%0, %w : tensor<1x5x5x3xf32>, tensor<3x3x3x4xf32>) outs(%e0 : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %2 = tensor.pad %x low[0, -1, -1, 0] high[0, -1, -1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x5x5x2xf32> to tensor<1x3x3x2xf32>
  %e1 = arith.constant dense<0.0> : tensor<1x1x1x4xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%2, %v : tensor<1x3x3x2xf32>, tensor<3x3x2x4xf32>) outs(%e1 : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  %4 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x5x5x2xf32> to tensor<1x7x7x2xf32>
  %e2 = arith.constant dense<0xFF800000> : tensor<1x6x5x2xf32>
  %5 = linalg.pooling_nhwc_max ins(%4, %k : tensor<1x7x7x2xf32>, tensor<2x3xf32>) outs(%e2 : tensor<1x6x5x2xf32>) -> tensor<1x6x5x2xf32>
  return %1, %3, %5 : tensor<1x3x3x4xf32>, tensor<1x1x1x4xf32>, tensor<1x6x5x2xf32>
}

// -----

// A sum is the mean of as many as there are in a window, and starts from what is
// there.
// CHECK-LABEL: func.func @sum(
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00>
// CHECK-DAG: %[[SIX:.*]] = arith.constant dense<6.000000e+00>
// CHECK: %[[MEAN:.*]] = nn.avg_pool2d
// CHECK: %[[SUM:.*]] = arith.mulf %[[MEAN]], %[[SIX]]
// CHECK: arith.addf %[[SUM]], %[[ONES]]
func.func @sum(%x: tensor<1x5x5x2xf32>, %k: tensor<2x3xf32>) -> tensor<1x4x3x2xf32> {
  %e = arith.constant dense<1.0> : tensor<1x4x3x2xf32>
  %0 = linalg.pooling_nhwc_sum ins(%x, %k : tensor<1x5x5x2xf32>, tensor<2x3xf32>) outs(%e : tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  return %0 : tensor<1x4x3x2xf32>
}

// -----

// Our pools have no holes, our windows are of floats, and over something.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: max_pool2d
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK-NOT: max_pool2d
// CHECK: return
func.func @others(%x: tensor<1x5x5x2xf32>, %k: tensor<2x2xf32>, %e: tensor<1x3x3x2xf32>, %n: tensor<1x3x3x2xi32>,
                  %w: tensor<2x2x2x4xi32>, %i: tensor<1x2x2x4xi32>, %none: tensor<0x2xf32>, %f: tensor<1x6x4x2xf32>)
    -> (tensor<1x3x3x2xf32>, tensor<1x2x2x4xi32>, tensor<1x6x4x2xf32>) {
  %0 = linalg.pooling_nhwc_max {dilations = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x5x5x2xf32>, tensor<2x2xf32>) outs(%e : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%n, %w : tensor<1x3x3x2xi32>, tensor<2x2x2x4xi32>) outs(%i : tensor<1x2x2x4xi32>) -> tensor<1x2x2x4xi32>
  %2 = linalg.pooling_nhwc_max ins(%x, %none : tensor<1x5x5x2xf32>, tensor<0x2xf32>) outs(%f : tensor<1x6x4x2xf32>) -> tensor<1x6x4x2xf32>
  return %0, %1, %2 : tensor<1x3x3x2xf32>, tensor<1x2x2x4xi32>, tensor<1x6x4x2xf32>
}

// -----

// One position of several is a part; a product of more than the elements is none.
// CHECK-LABEL: func.func @parts(
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [4, 1] [1, 1]
// CHECK-NOT: nn.reduce
// CHECK: return
#id = affine_map<(i) -> (i)>
#first = affine_map<(i) -> (i, 0)>
#none = affine_map<(i) -> ()>
func.func @parts(%x: tensor<4xf32>, %y: tensor<4x2xf32>, %s: tensor<f32>) -> (tensor<4x2xf32>, tensor<f32>) {
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4x2xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<4x2xf32>
  %1 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%s : tensor<f32>) {
  ^bb0(%e: f32, %o: f32):
    %unused = math.exp %e : f32
    %p = arith.mulf %e, %o : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  return %0, %1 : tensor<4x2xf32>, tensor<f32>
}

// -----

// Sizes that a reshape is given and its type has are compared.
// CHECK-LABEL: func.func @reshape(
// CHECK: linalg_ext.check data {{.*}}, "size of dimension 1 is not that of the result's type
// CHECK: tensor.expand_shape
func.func @reshape(%x: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x3xf32> {
  %0 = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// An op that only gets another operand keeps its schedule.
// CHECK-LABEL: func @scheduled_read
// CHECK: nn.gather
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.loops
func.func @scheduled_read(%t: tensor<10xf32>, %i: tensor<4xindex>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"], codegen.schedule = #codegen.loops} ins(%i : tensor<4xindex>) outs(%o : tensor<4xf32>) {
  ^bb0(%n: index, %out: f32):
    %e = tensor.extract %t[%n] : tensor<10xf32>
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
