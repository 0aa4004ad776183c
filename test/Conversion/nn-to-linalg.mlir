// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[$POINT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$ROW0:.*]] = affine_map<(d0, d1) -> (0, d1)>

// CHECK-DAG: #[[$AMK:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[$BNK:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[$CMN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>

// X1, X11: a product, then one elementwise op for the bias; its dimension sizes come
// from the operands.
// CHECK-LABEL: func.func @dense(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[W:[^:]*]]: tensor<64x10xf32>, %[[B:[^:]*]]: tensor<10xf32>) -> tensor<?x10xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[X]], %[[C0]] : tensor<?x64xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x10xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<?x10xf32>) -> tensor<?x10xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<?x64xf32>, tensor<64x10xf32>) outs(%[[FILL]] : tensor<?x10xf32>) -> tensor<?x10xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel"]} ins(%[[MATMUL]], %[[B]] : tensor<?x10xf32>, tensor<10xf32>) outs(%[[EMPTY]] : tensor<?x10xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %[[ELEMENT_2:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ELEMENT]], %[[ELEMENT_2]] : f32
// CHECK-NEXT: linalg.yield %[[ADDF]] : f32
// CHECK-NEXT: } -> tensor<?x10xf32>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel"]} ins(%[[GENERIC]] : tensor<?x10xf32>) outs(%[[EMPTY]] : tensor<?x10xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_4:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MAXIMUMF:.*]] = arith.maximumf %[[ELEMENT_4]], %[[CST]] : f32
// CHECK-NEXT: linalg.yield %[[MAXIMUMF]] : f32
// CHECK-NEXT: } -> tensor<?x10xf32>
// CHECK-NEXT: return %[[GENERIC_2]] : tensor<?x10xf32>
func.func @dense(%x: tensor<?x64xf32>, %w: tensor<64x10xf32>, %b: tensor<10xf32>) -> tensor<?x10xf32> {
  %0 = nn.dense %x, %w, %b : (tensor<?x64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %1 = nn.relu %0 : tensor<?x10xf32>
  return %1 : tensor<?x10xf32>
}

// V3, X1: f16 products accumulate in f32 and round once; no transpose is made.
// CHECK-LABEL: func @half_matmul
// CHECK-NOT: linalg.transpose
// CHECK: linalg.matmul indexing_maps = [{{.*}}] ins(%arg0, %arg0 : tensor<8x4xf16>, tensor<8x4xf16>) outs(%{{.*}} : tensor<4x4xf32>)
// CHECK: linalg.generic
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half_matmul(%x: tensor<8x4xf16>) -> tensor<4x4xf16> {
  %0 = nn.matmul %x, %x {transpose_a} : (tensor<8x4xf16>, tensor<8x4xf16>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// Dimension sizes that no type knows have been checked.
// CHECK-LABEL: func @unknown_dim_sizes
// CHECK-NOT: linalg_ext.check
func.func @unknown_dim_sizes(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = nn.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = nn.relu %0 : tensor<?x?xf32>
  %2 = arith.addf %0, %1 : tensor<?x?xf32>
  %3 = nn.softmax_cross_entropy %1, %2 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  return %2 : tensor<?x?xf32>
}

// X5: labels are checked; a loss and the softmax of its gradient share the row
// maxima, the exponentials and the sums. The scores of the labels are read in
// front of the exponentials, which can be computed in place of the logits then.
// CHECK-LABEL: func @loss_and_softmax
// CHECK: %[[IN:.*]] = linalg.generic
// CHECK: arith.cmpi ult, %{{.*}}, %c10 : index
// CHECK: %[[ALL:.*]] = tensor.extract %[[IN]][] : tensor<i1>
// CHECK: %[[AT:.*]] = linalg_ext.find_outside unless %[[ALL]] in %arg1 below %c10 : tensor<?xi32>
// CHECK-NEXT: linalg_ext.check safe data %[[ALL]], "label out of range: expected 0 <= label < 10" in "nn.sparse_softmax_cross_entropy", ", found \01"(%[[AT]])
// CHECK-COUNT-1: arith.maximumf
// CHECK: linalg.index 1
// CHECK-COUNT-1: math.exp
// CHECK-NOT: {{math.exp|arith.maximumf}}
// CHECK: math.log
// CHECK-NOT: {{math.exp|arith.maximumf}}
// CHECK: return
func.func @loss_and_softmax(%x: tensor<?x10xf32>, %label: tensor<?xi32>) -> (tensor<f32>, tensor<?x10xf32>) {
  %0 = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<f32>
  %1 = nn.softmax %x : tensor<?x10xf32>
  return %0, %1 : tensor<f32>, tensor<?x10xf32>
}

// A batch of nothing.
// CHECK-LABEL: func @no_rows
// CHECK-NOT: = nn.
// CHECK: return
func.func @no_rows(%x: tensor<0x10xf32>, %label: tensor<0xi32>) -> tensor<f32> {
  %0 = nn.sparse_softmax_cross_entropy %x, %label : (tensor<0x10xf32>, tensor<0xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// X7: a dimension size of 1 stretches, in the map.
// CHECK-LABEL: func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[$ROW0]], #[[$POINT]]], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<1x10xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[$COLUMN]], #[[$POINT]]], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<10xf32>)
// CHECK: linalg.fill ins(%cst{{.*}} : f32)
func.func @broadcast(%a: tensor<1x10xf32>, %b: tensor<10xf32>, %like: tensor<?x10xf32>) -> (tensor<?x10xf32>, tensor<?x10xf32>, tensor<?x10xf32>) {
  %0 = nn.broadcast %a dims [0, 1] like %like : (tensor<1x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %1 = nn.broadcast %b dims [1] like %like : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %c = arith.constant dense<2.0> : tensor<f32>
  %2 = nn.broadcast %c dims [] like %like : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return %0, %1, %2 : tensor<?x10xf32>, tensor<?x10xf32>, tensor<?x10xf32>
}

// X7:
// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<?x4xf32>, %i: tensor<2x3xi32>) -> (tensor<?x1xf32>, tensor<f32>, tensor<i32>, tensor<2x3xi32>, tensor<?xi64>) {
  // CHECK: linalg.generic {indexing_maps = [#[[$POINT]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]}
  // CHECK: arith.maximumf
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [%{{.*}}, 1] : tensor<?xf32> into tensor<?x1xf32>
  %0 = nn.reduce max %x axes [1] keepdims : tensor<?x4xf32> -> tensor<?x1xf32>
  // The number of elements is known when the step runs.
  // CHECK: iterator_types = ["reduction", "reduction"]
  // CHECK: arith.sitofp %{{.*}} : i64 to f32
  // CHECK: arith.divf
  %1 = nn.reduce mean %x axes [0, 1] : tensor<?x4xf32> -> tensor<f32>
  // CHECK: linalg.fill ins(%c2147483647_i32 : i32)
  // CHECK: arith.minsi
  %2 = nn.reduce min %i axes [0, 1] : tensor<2x3xi32> -> tensor<i32>
  %3 = nn.reduce sum %i axes [] : tensor<2x3xi32> -> tensor<2x3xi32>
  // CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xi64>)
  // CHECK: arith.cmpf ugt
  // CHECK: return {{.*}}, %arg1, %{{.*}}#1 :
  %4 = nn.argmax %x axis 1 : tensor<?x4xf32> -> tensor<?xi64>
  return %0, %1, %2, %3, %4 : tensor<?x1xf32>, tensor<f32>, tensor<i32>, tensor<2x3xi32>, tensor<?xi64>
}

// X7: bits of floats are ordered as integers, all rows are sorted at once, then by rows.
// CHECK-LABEL: func @argsort
// CHECK: linalg.generic
// CHECK: arith.cmpf oeq
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.shrsi
// CHECK: arith.cmpf uno
// CHECK: arith.extui %{{.*}} : i32 to i64
// CHECK: tensor.collapse_shape
// CHECK: %[[ORDER:.*]]:3 = linalg_ext.argsort ins({{.*}}) below %c4294967296
// CHECK: linalg_ext.gather
// CHECK: linalg_ext.argsort
// CHECK: linalg_ext.gather
// CHECK: tensor.expand_shape
// CHECK: arith.trunci %{{.*}} : i64 to i32
func.func @argsort(%x: tensor<?x4xf32>) -> tensor<?x4xi32> {
  %0 = nn.argsort %x axis 1 : tensor<?x4xf32> -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// A list of 64 bits is sorted by its low bits, then by its high ones; reversed
// bits give the descending order.
// CHECK-LABEL: func @argsort_wide
// CHECK: arith.andi %{{.*}}, %c4294967295{{.*}} : i64
// CHECK: linalg_ext.argsort
// CHECK: arith.xori %{{.*}}, %c-1_i64
// CHECK: arith.shrui
// CHECK: linalg_ext.gather
// CHECK: linalg_ext.argsort
// CHECK: linalg_ext.gather
// CHECK-NOT: linalg_ext.argsort
func.func @argsort_wide(%x: tensor<9xi64>) -> tensor<9xi32> {
  %0 = nn.argsort %x axis 0 descending : tensor<9xi64> -> tensor<9xi32>
  return %0 : tensor<9xi32>
}

// X7:
// CHECK-LABEL: func @one_hot
// CHECK: %[[WANTED:.*]] = arith.index_cast %{{.*}} : i8 to index
// CHECK: %[[HERE:.*]] = linalg.index 1 : index
// CHECK: arith.cmpi eq, %[[HERE]], %[[WANTED]] : index
func.func @one_hot(%i: tensor<?xi8>) -> tensor<?x5xf16> {
  %0 = nn.one_hot %i : tensor<?xi8> -> tensor<?x5xf16>
  return %0 : tensor<?x5xf16>
}

// X4: elementwise ops; destinations are fresh, constants are scalars, and
// attributes stay.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[Y:[^:]*]]: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[CST:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-NEXT: %[[CST_2:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[X]], %[[C0]] : tensor<?x4xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x4xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST_2]] : f32) outs(%[[EMPTY]] : tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<?x4xf32>) outs(%[[EMPTY]] : tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[ELEMENT]] : f32
// CHECK-NEXT: linalg.yield %[[TANH]] : f32
// CHECK-NEXT: } -> tensor<?x4xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty(%[[DIM]]) : tensor<?x4xi1>
// CHECK-NEXT: %[[GENERIC_2:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel"]} ins(%[[GENERIC]], %[[FILL]] : tensor<?x4xf32>, tensor<?x4xf32>) outs(%[[EMPTY_2]] : tensor<?x4xi1>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_3:.*]]: f32, %[[ELEMENT_4:.*]]: f32, %{{.*}}: i1):
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf olt, %[[ELEMENT_3]], %[[ELEMENT_4]] : f32
// CHECK-NEXT: linalg.yield %[[CMPF]] : i1
// CHECK-NEXT: } -> tensor<?x4xi1>
// CHECK-NEXT: %[[GENERIC_3:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel"]} ins(%[[GENERIC_2]], %[[GENERIC]], %[[X]] : tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%[[EMPTY]] : tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_6:.*]]: i1, %[[ELEMENT_7:.*]]: f32, %[[ELEMENT_8:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[ELEMENT_6]], %[[ELEMENT_7]], %[[ELEMENT_8]] : f32
// CHECK-NEXT: linalg.yield %[[SELECT]] : f32
// CHECK-NEXT: } -> tensor<?x4xf32>
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %[[GENERIC_4:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel"]} ins(%[[Y]] : tensor<4xf32>) outs(%[[EMPTY_3]] : tensor<4xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_10:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ELEMENT_10]], %[[CST]] fastmath<contract> : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: return %[[GENERIC_3]], %[[GENERIC_4]] : tensor<?x4xf32>, tensor<4xf32>
func.func @elementwise(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %two = arith.constant 2.0 : f32
  %c = tensor.splat %two[%d] : tensor<?x4xf32>
  %0 = math.tanh %x : tensor<?x4xf32>
  %1 = arith.cmpf olt, %0, %c : tensor<?x4xf32>
  %2 = arith.select %1, %0, %x : tensor<?x4xi1>, tensor<?x4xf32>
  %k = arith.constant dense<3.0> : tensor<4xf32>
  %3 = arith.mulf %y, %k fastmath<contract> : tensor<4xf32>
  return %2, %3 : tensor<?x4xf32>, tensor<4xf32>
}

// Rank 0, and a scalar condition.
// CHECK-LABEL: func @rank0
// CHECK: linalg.generic {{.*}}iterator_types = []
// CHECK: arith.select %arg0
func.func @rank0(%c: i1, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = arith.select %c, %x, %y : tensor<f32>
  return %0 : tensor<f32>
}

// X7: elements stay by comparing positions in each matrix.
// CHECK-LABEL: func.func @triangle(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x3x4xf16>) -> tensor<?x3x4xf16>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 9.997550e-02 : f16
// CHECK-NEXT: %[[C_1:.*]] = arith.constant -1 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[X]], %[[C0]] : tensor<?x3x4xf16>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x3x4xf16>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]] : tensor<?x3x4xf16>) outs(%[[EMPTY]] : tensor<?x3x4xf16>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK-NEXT: %[[INDEX_2:.*]] = linalg.index 2 : index
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[INDEX]], %[[C_1]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi sle, %[[INDEX_2]], %[[ADDI]] : index
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ELEMENT]], %[[CST]] : f16
// CHECK-NEXT: linalg.yield %[[SELECT]] : f16
// CHECK-NEXT: } -> tensor<?x3x4xf16>
// CHECK-NEXT: return %[[GENERIC]] : tensor<?x3x4xf16>
func.func @triangle(%x: tensor<?x3x4xf16>) -> tensor<?x3x4xf16> {
  %0 = nn.triangle lower %x diagonal -1 fill 0.1 : tensor<?x3x4xf16>
  return %0 : tensor<?x3x4xf16>
}

// X1: one product an index of the leading dimensions, each checked.
// CHECK-LABEL: func @batched_matmul
// CHECK-SAME: (%[[A:.*]]: tensor<?x2x?x8xf16>, %[[B:.*]]: tensor<?x2x5x8xf16>)
// CHECK: linalg.contract indexing_maps = [#[[$AMK]], #[[$BNK]], #[[$CMN]]] ins(%[[A]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<?x2x?x5xf32>)
// CHECK: arith.truncf
func.func @batched_matmul(%a: tensor<?x2x?x8xf16>, %b: tensor<?x2x5x8xf16>) -> tensor<?x2x?x5xf16> {
  %0 = nn.matmul %a, %b {transpose_b} : (tensor<?x2x?x8xf16>, tensor<?x2x5x8xf16>) -> tensor<?x2x?x5xf16>
  return %0 : tensor<?x2x?x5xf16>
}

// X1, X11: rows are one dimension of one product.
// CHECK-LABEL: func @dense_rows
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK: linalg.matmul ins(%[[ROWS]], %[[W]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[T:.*]] = tensor.dim %[[X]], %c1
// CHECK: tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2]] output_shape [%[[N]], %[[T]], 4]
func.func @dense_rows(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<?x?x4xf32> {
  %0 = nn.dense %x, %w, %b : (tensor<?x?x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
  return %0 : tensor<?x?x4xf32>
}

// X5: a softmax and its logarithm share the maxima, exponentials and sums.
// CHECK-LABEL: func @log_softmax
// CHECK-COUNT-1: arith.maximumf
// CHECK-COUNT-1: math.exp
// CHECK-NOT: {{math.exp|arith.maximumf}}
// CHECK: math.log
// CHECK: return
func.func @log_softmax(%x: tensor<?x3x10xf32>) -> (tensor<?x3x10xf32>, tensor<?x3x10xf32>) {
  %0 = nn.log_softmax %x : tensor<?x3x10xf32>
  %1 = nn.softmax %x : tensor<?x3x10xf32>
  return %0, %1 : tensor<?x3x10xf32>, tensor<?x3x10xf32>
}

// X5: max(x, 0) - x z + log1p(exp(-|x|)).
// CHECK-LABEL: func @sigmoid_cross_entropy
// CHECK: %[[H:.*]] = arith.maximumf
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: math.absf
// CHECK: arith.negf
// CHECK: math.exp
// CHECK: %[[R:.*]] = math.log1p
// CHECK: %[[L:.*]] = arith.subf %[[H]], %[[P]]
// CHECK: arith.addf %[[L]], %[[R]]
// CHECK: iterator_types = ["reduction", "reduction"]
// CHECK: arith.divf
func.func @sigmoid_cross_entropy(%x: tensor<?x3xf32>, %z: tensor<?x3xf32>) -> tensor<f32> {
  %0 = nn.sigmoid_cross_entropy %x, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// X5: labels of sequences.
// CHECK-LABEL: func @sequence_loss
// CHECK: linalg.index 2
// CHECK: iterator_types = ["reduction", "reduction"]
func.func @sequence_loss(%x: tensor<?x3x10xf32>, %label: tensor<?x3xi32>) -> tensor<f32> {
  %0 = nn.sparse_softmax_cross_entropy %x, %label : (tensor<?x3x10xf32>, tensor<?x3xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x4xf32>, %[[W:[^:]*]]: tensor<4x2xf32>)
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<8x4xf32>, tensor<4x2xf32>) outs(%[[ZERO]]
// CHECK: linalg.generic {{.*}} ins(%[[Y]] : tensor<8x2xf32>)
// CHECK: arith.maximumf
// EXAMPLE: --convert-nn-to-linalg --canonicalize
func.func @layer(%x: tensor<8x4xf32>, %w: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %y = nn.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %a = nn.relu %y : tensor<8x2xf32>
  return %a : tensor<8x2xf32>
}
