// RUN: flywheel-opt %s --flywheel-check-sizes --convert-nn-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// X11: the dimension sizes of what is made outside of a branch are checked in front of
// it, where the branch is taken.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[W:.*]]: tensor<?x4xf32>, %[[C:.*]]: i1)
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[W]], %c0
// CHECK: %[[EQUAL:.*]] = linalg_ext.compare_sizes eq %[[COLUMNS]], %[[ROWS]]
// CHECK: %[[NOT:.*]] = arith.xori %[[C]], %true
// CHECK: %[[OK:.*]] = arith.ori %[[NOT]], %[[EQUAL]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected equal sizes of dimension 1 of a and dimension 0 of b, found \01 and \02" in "nn.matmul"
// CHECK: scf.if
// CHECK-NOT: linalg_ext.check
// CHECK: linalg.matmul
// CHECK: } else {
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @branch(%x: tensor<?x?xf32>, %w: tensor<?x4xf32>, %c: i1) -> tensor<?x4xf32> {
  %r = scf.if %c -> tensor<?x4xf32> {
    %y = nn.matmul %x, %w : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  } else {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x?xf32>
    %y = tensor.empty(%n) : tensor<?x4xf32>
    scf.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// X11: and where a loop has an iteration; what it carries has the same dimension sizes
// in each.
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>, %[[W:.*]]: tensor<?x?xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[W]], %c0
// CHECK-DAG: %[[EQUAL:.*]] = linalg_ext.compare_sizes eq %[[COLUMNS]], %[[ROWS]]
// CHECK-DAG: %[[NEVER:.*]] = arith.cmpi sle, %[[N]], %c0
// CHECK: %[[OK:.*]] = arith.ori %[[NEVER]], %[[EQUAL]]
// CHECK: linalg_ext.check sizes %[[OK]], "expected equal sizes of dimension 1 of a and dimension 0 of b, found \01 and \02" in "nn.matmul"
// CHECK: scf.for
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @loop(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?x?xf32> {
    %y = nn.matmul %h, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// X11: in the body of a while loop, through a branch; the batch that a cast knows.
// CHECK-LABEL: func @while
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x?x3xf32>,
// CHECK: linalg_ext.check sizes %{{.*}}, "expected an image whose height is at least 1
// CHECK: linalg_ext.check sizes %{{.*}}, "expected an image whose width is at least 1
// CHECK: scf.while
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @while(%x: tensor<?x?x?x3xf32>, %w: tensor<3x3x3x3xf32>, %c: i1) -> tensor<?x?x?x3xf32> {
  %r = scf.while (%h = %x) : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
    scf.condition(%c) %h : tensor<?x?x?x3xf32>
  } do {
  ^bb0(%h: tensor<?x?x?x3xf32>):
    %s = scf.if %c -> tensor<?x?x?x3xf32> {
      %y = nn.conv2d %h, %w padding explicit [[1, 1], [1, 1]] : (tensor<?x?x?x3xf32>, tensor<3x3x3x3xf32>) -> tensor<?x?x?x3xf32>
      %z = nn.conv2d %y, %w padding explicit [[0, 0], [0, 0]] : (tensor<?x?x?x3xf32>, tensor<3x3x3x3xf32>) -> tensor<?x?x?x3xf32>
      scf.yield %y : tensor<?x?x?x3xf32>
    } else {
      scf.yield %h : tensor<?x?x?x3xf32>
    }
    scf.yield %s : tensor<?x?x?x3xf32>
  }
  return %r : tensor<?x?x?x3xf32>
}

// -----

// X2: over nothing there is no window that is padded as the image needs it.
// CHECK: #[[$MAP:.*]] = affine_map<()[s0] -> (s0 + 1)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK: #[[$MAP2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK: #[[$MAP3:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @same(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x?x5x3xf32>) -> tensor<1x?x5x3xf32>
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[C_1_I32:.*]] = arith.constant -1 : i32
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[X]], %[[C1]] : tensor<1x?x5x3xf32>
// CHECK-NEXT: %[[CMPI:.*]] = linalg_ext.compare_sizes ge %[[DIM]], %[[C1]]
// CHECK-NEXT: linalg_ext.check sizes %[[CMPI]], "expected an image whose height is at least 1, that of one window, found \01" in "nn.max_pool2d"
// CHECK-NEXT: %[[APPLY:.*]] = affine.apply #[[$MAP]]()[%[[DIM]]]
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[APPLY]]) : tensor<1x?x6x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[EMPTY]][0, %[[DIM]], 0, 0] [1, 1, 6, 3] [1, 1, 1, 1] : tensor<1x?x6x3xf32> to tensor<1x1x6x3xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE]] : tensor<1x1x6x3xf32>) -> tensor<1x1x6x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[FILL]] into %[[EMPTY]][0, %[[DIM]], 0, 0] [1, 1, 6, 3] [1, 1, 1, 1] : tensor<1x1x6x3xf32> into tensor<1x?x6x3xf32>
// CHECK-NEXT: %[[EXTRACT_SLICE_2:.*]] = tensor.extract_slice %[[INSERT_SLICE]][0, 0, 5, 0] [1, %[[DIM]], 1, 3] [1, 1, 1, 1] : tensor<1x?x6x3xf32> to tensor<1x?x1x3xf32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EXTRACT_SLICE_2]] : tensor<1x?x1x3xf32>) -> tensor<1x?x1x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_2:.*]] = tensor.insert_slice %[[FILL_2]] into %[[INSERT_SLICE]][0, 0, 5, 0] [1, %[[DIM]], 1, 3] [1, 1, 1, 1] : tensor<1x?x1x3xf32> into tensor<1x?x6x3xf32>
// CHECK-NEXT: %[[INSERT_SLICE_3:.*]] = tensor.insert_slice %[[X]] into %[[INSERT_SLICE_2]][0, 0, 0, 0] [1, %[[DIM]], 5, 3] [1, 1, 1, 1] : tensor<1x?x5x3xf32> into tensor<1x?x6x3xf32>
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<2x2xi8>
// CHECK-NEXT: %[[EMPTY_3:.*]] = tensor.empty(%[[DIM]]) : tensor<1x?x5x3xf32>
// CHECK-NEXT: %[[FILL_3:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_3]] : tensor<1x?x5x3xf32>) -> tensor<1x?x5x3xf32>
// CHECK-NEXT: %[[EMPTY_4:.*]] = tensor.empty(%[[DIM]]) : tensor<1x?x5x3xi32>
// CHECK-NEXT: %[[FILL_4:.*]] = linalg.fill ins(%[[C_1_I32]] : i32) outs(%[[EMPTY_4]] : tensor<1x?x5x3xi32>) -> tensor<1x?x5x3xi32>
// CHECK-NEXT: %[[GENERIC:.*]]:2 = linalg.generic {indexing_maps = [#[[$MAP1]], #[[$MAP2]], #[[$MAP3]], #[[$MAP3]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[INSERT_SLICE_3]], %[[EMPTY_2]] : tensor<1x?x6x3xf32>, tensor<2x2xi8>) outs(%[[FILL_3]], %[[FILL_4]] : tensor<1x?x5x3xf32>, tensor<1x?x5x3xi32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: f32, %{{.*}}: i8, %[[ELEMENT_3:.*]]: f32, %[[ELEMENT_4:.*]]: i32):
// CHECK-NEXT: %[[INDEX:.*]] = linalg.index 1 : index
// CHECK-NEXT: %[[INDEX_2:.*]] = linalg.index 2 : index
// CHECK-NEXT: %[[INDEX_3:.*]] = linalg.index 4 : index
// CHECK-NEXT: %[[INDEX_4:.*]] = linalg.index 5 : index
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf ugt, %[[ELEMENT]], %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf ord, %[[ELEMENT_3]], %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[CMPF]], %[[CMPF_2]] : i1
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi eq, %[[ELEMENT_4]], %[[C_1_I32]] : i32
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[INDEX]], %[[INDEX_3]] : index
// CHECK-NEXT: %[[CMPI_3:.*]] = arith.cmpi ult, %[[ADDI]], %[[DIM]] : index
// CHECK-NEXT: %[[ANDI_2:.*]] = arith.andi %[[CMPI_2]], %[[CMPI_3]] : i1
// CHECK-NEXT: %[[ADDI_2:.*]] = arith.addi %[[INDEX_2]], %[[INDEX_4]] : index
// CHECK-NEXT: %[[CMPI_4:.*]] = arith.cmpi ult, %[[ADDI_2]], %[[C5]] : index
// CHECK-NEXT: %[[ANDI_3:.*]] = arith.andi %[[ANDI_2]], %[[CMPI_4]] : i1
// CHECK-NEXT: %[[ORI:.*]] = arith.ori %[[ANDI]], %[[ANDI_3]] : i1
// CHECK-NEXT: %[[MULI:.*]] = arith.muli %[[INDEX_3]], %[[C2]] : index
// CHECK-NEXT: %[[ADDI_3:.*]] = arith.addi %[[MULI]], %[[INDEX_4]] : index
// CHECK-NEXT: %[[INDEX_CAST:.*]] = arith.index_cast %[[ADDI_3]] : index to i32
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[ORI]], %[[ELEMENT]], %[[ELEMENT_3]] : f32
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[ORI]], %[[INDEX_CAST]], %[[ELEMENT_4]] : i32
// CHECK-NEXT: linalg.yield %[[SELECT]], %[[SELECT_2]] : f32, i32
// CHECK-NEXT: } -> (tensor<1x?x5x3xf32>, tensor<1x?x5x3xi32>)
// CHECK-NEXT: return %[[GENERIC]]#0 : tensor<1x?x5x3xf32>
func.func @same(%x: tensor<1x?x5x3xf32>) -> tensor<1x?x5x3xf32> {
  %y = nn.max_pool2d %x window [2, 2] strides [1, 1] padding same : (tensor<1x?x5x3xf32>) -> tensor<1x?x5x3xf32>
  return %y : tensor<1x?x5x3xf32>
}

// -----

// An op whose sizes are computed inside runs only if they are what it requires.
// CHECK-LABEL: func.func @inside(
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[N]], %[[I]]
// CHECK-NEXT: linalg_ext.check safe sizes %[[OK]], "expected equal sizes of dimension 1 of a and dimension 0 of b, found \01 and \02" in "nn.matmul"(%[[N]], %[[I]])
// CHECK-NEXT: scf.if %[[OK]]
// CHECK: linalg.matmul
// CHECK: } else {
func.func @inside(%x: tensor<?xf32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> tensor<f32> {
    %e = tensor.empty(%i, %n) : tensor<?x?xf32>
    %z = arith.constant 0.0 : f32
    %a = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = nn.matmul %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = nn.reduce sum %y axes [0, 1] : tensor<?x?xf32> -> tensor<f32>
    scf.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// The dimension sizes of a bias are checked, and it is widened to what the product is
// computed in; the second operand of a product may be transposed alone.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xbf16>, %[[W:[^:]*]]: tensor<?x?xbf16>, %[[B:[^:]*]]: tensor<?xbf16>)
// CHECK: linalg_ext.check sizes {{.*}}, "expected equal sizes of dimension 1 of x and dimension 0 of w, found \01 and \02" in "nn.dense"
// CHECK: linalg_ext.check sizes {{.*}}, "expected equal sizes of dimension 1 of w and dimension 0 of b, found \01 and \02" in "nn.dense"
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W]] : {{.*}} -> tensor<?x?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[B]] :
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[BIAS]] : bf16 to f32
// CHECK-NEXT: arith.addf %[[SUM]], %[[WIDE]] : f32
func.func @bias(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>, %b: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %0 = nn.dense %x, %w, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @transposed(
// CHECK: linalg.matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>)
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = nn.matmul %a, %b {transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
