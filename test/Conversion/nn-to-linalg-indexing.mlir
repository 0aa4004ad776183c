// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[$MAP2:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP3:.*]] = affine_map<(d0) -> ()>

// X7, X12: all indices are checked before one is used; the check does no harm
// where it comes late.
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[X:.*]]: tensor<8x5xf32>, %[[I:.*]]: tensor<?x2xi32>)
// CHECK: %[[IN:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[I]] :
// CHECK: arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.cmpi ult, %{{.*}}, %c8 : index
// CHECK: arith.andi
// CHECK: %[[OK:.*]] = tensor.extract %[[IN]][] : tensor<i1>
// CHECK: %[[AT:.*]] = linalg_ext.find_outside unless %[[OK]] in %[[I]] below %c8 : tensor<?x2xi32>
// CHECK-NEXT: linalg_ext.check safe data %[[OK]], "index out of range: expected 0 <= index < 8" in "nn.gather", ", found \01"(%[[AT]])
// CHECK: %[[N:.*]] = tensor.dim %[[I]], %c0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x2x5xf32>
// CHECK: linalg_ext.gather ins(%[[X]], %[[I]] : tensor<8x5xf32>, tensor<?x2xi32>) outs(%[[E]] : tensor<?x2x5xf32>) axis 0 -> tensor<?x2x5xf32>
func.func @gather(%x: tensor<8x5xf32>, %i: tensor<?x2xi32>) -> tensor<?x2x5xf32> {
  %0 = nn.gather %x, %i axis 0 : (tensor<8x5xf32>, tensor<?x2xi32>) -> tensor<?x2x5xf32>
  return %0 : tensor<?x2x5xf32>
}

// X12: the check names the axis, and the indices are the same ones.
// CHECK-LABEL: func @check_indices
// CHECK-SAME: (%[[I:.*]]: tensor<?xi32>, %[[X:.*]]: tensor<4x?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: linalg_ext.check safe data %{{.*}}, "index of axis 1 out of range: expected 0 <= index < \02" in "nn.check_indices", ", found \01"
// CHECK-NEXT: return %[[I]]
func.func @check_indices(%i: tensor<?xi32>, %x: tensor<4x?xf32>) -> tensor<?xi32> {
  %0 = nn.check_indices %i of %x axis 1 : tensor<?xi32>, tensor<4x?xf32>
  return %0 : tensor<?xi32>
}

// The updates go into what they are added to; zeros are made for that.
// CHECK-LABEL: func.func @scatter_add(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x5xf32>, %[[I:[^:]*]]: tensor<3xi1>, %[[U:[^:]*]]: tensor<?x3xf32>) -> (tensor<?x5xf32>, tensor<4x5xf32>)
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<i1>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[TRUE]] : i1) outs(%[[EMPTY]] : tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP2]], #[[$MAP3]]], iterator_types = ["reduction"]} ins(%[[I]] : tensor<3xi1>) outs(%[[FILL]] : tensor<i1>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: i1, %[[ELEMENT_2:.*]]: i1):
// CHECK-NEXT: %[[INDEX_CASTUI:.*]] = arith.index_castui %[[ELEMENT]] : i1 to index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ult, %[[INDEX_CASTUI]], %[[C5]] : index
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[ELEMENT_2]], %[[CMPI]] : i1
// CHECK-NEXT: linalg.yield %[[ANDI]] : i1
// CHECK-NEXT: } -> tensor<i1>
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[GENERIC]][] : tensor<i1>
// CHECK-NEXT: %[[AT:.*]] = linalg_ext.find_outside unless %[[EXTRACT]] in %[[I]] below %[[C5]] : tensor<3xi1>
// CHECK-NEXT: linalg_ext.check safe data %[[EXTRACT]], "index out of range: expected 0 <= index < 5" in "nn.scatter_add", ", found \01"(%[[AT]])
// CHECK-NEXT: %[[SCATTER:.*]] = linalg_ext.scatter add ins(%[[I]], %[[U]] : tensor<3xi1>, tensor<?x3xf32>) outs(%[[X]] : tensor<?x5xf32>) axis 1 -> tensor<?x5xf32>
// CHECK-NEXT: linalg_ext.check safe data %[[EXTRACT]], "index out of range: expected 0 <= index < 5" in "nn.scatter_add", ", found \01"(%[[AT]])
// CHECK-NEXT: %[[EMPTY_2:.*]] = tensor.empty() : tensor<4x5xf32>
// CHECK-NEXT: %[[FILL_2:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY_2]] : tensor<4x5xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: %[[SCATTER_2:.*]] = linalg_ext.scatter add ins(%[[I]], %[[U]] : tensor<3xi1>, tensor<?x3xf32>) outs(%[[FILL_2]] : tensor<4x5xf32>) axis 1 -> tensor<4x5xf32>
// CHECK-NEXT: return %[[SCATTER]], %[[SCATTER_2]] : tensor<?x5xf32>, tensor<4x5xf32>
func.func @scatter_add(%x: tensor<?x5xf32>, %i: tensor<3xi1>, %u: tensor<?x3xf32>) -> (tensor<?x5xf32>, tensor<4x5xf32>) {
  %0 = nn.scatter_add %x, %i, %u axis 1 : (tensor<?x5xf32>, tensor<3xi1>, tensor<?x3xf32>) -> tensor<?x5xf32>
  %zeros = arith.constant dense<0.0> : tensor<4x5xf32>
  %1 = nn.scatter_add %zeros, %i, %u axis 1 : (tensor<4x5xf32>, tensor<3xi1>, tensor<?x3xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x5xf32>, %[[I:[^:]*]]: tensor<?xi32>, %[[U:[^:]*]]: tensor<?x5xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<i1>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[TRUE]] : i1) outs(%[[EMPTY]] : tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP2]], #[[$MAP3]]], iterator_types = ["reduction"]} ins(%[[I]] : tensor<?xi32>) outs(%[[FILL]] : tensor<i1>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: i32, %[[ELEMENT_2:.*]]: i1):
// CHECK-NEXT: %[[INDEX_CAST:.*]] = arith.index_cast %[[ELEMENT]] : i32 to index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ult, %[[INDEX_CAST]], %[[C4]] : index
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[ELEMENT_2]], %[[CMPI]] : i1
// CHECK-NEXT: linalg.yield %[[ANDI]] : i1
// CHECK-NEXT: } -> tensor<i1>
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[GENERIC]][] : tensor<i1>
// CHECK-NEXT: %[[AT:.*]] = linalg_ext.find_outside unless %[[EXTRACT]] in %[[I]] below %[[C4]] : tensor<?xi32>
// CHECK-NEXT: linalg_ext.check safe data %[[EXTRACT]], "index out of range: expected 0 <= index < 4" in "nn.scatter", ", found \01"(%[[AT]])
// CHECK-NEXT: %[[SCATTER:.*]] = linalg_ext.scatter replace ins(%[[I]], %[[U]] : tensor<?xi32>, tensor<?x5xf32>) outs(%[[X]] : tensor<4x5xf32>) axis 0 -> tensor<4x5xf32>
// CHECK-NEXT: return %[[SCATTER]] : tensor<4x5xf32>
func.func @scatter(%x: tensor<4x5xf32>, %i: tensor<?xi32>, %u: tensor<?x5xf32>) -> tensor<4x5xf32> {
  %0 = nn.scatter %x, %i, %u axis 0 : (tensor<4x5xf32>, tensor<?xi32>, tensor<?x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Every index is checked against the axis alone; the numbers of the elements are
// those of one row of them all.
// CHECK-LABEL: func @take_along_axis
// CHECK-SAME: (%[[X:.*]]: tensor<3x5x?xf32>, %[[I:.*]]: tensor<3x2x?xi32>)
// CHECK: arith.cmpi ult, %{{.*}}, %c5 : index
// CHECK: linalg_ext.check safe data %{{.*}}, "index out of range: expected 0 <= index < 5" in "nn.take_along_axis", ", found \01"
// CHECK: %[[LAST:.*]] = tensor.dim %[[X]], %c2
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<3x2x?xi32>) outs(%{{.*}} : tensor<3x2x?xi64>)
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[AT:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[ROWS:.*]] = arith.muli %[[ROW]], %c5
// CHECK: %[[BOTH:.*]] = arith.addi %[[ROWS]], %[[AT]]
// CHECK: %[[SCALED:.*]] = arith.muli %[[BOTH]], %[[LAST]]
// CHECK: arith.addi %[[SCALED]], %{{.*}}
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]] : tensor<3x5x?xf32> into tensor<?xf32>
// CHECK: linalg_ext.gather ins(%[[FLAT]], %[[N]] : tensor<?xf32>, tensor<3x2x?xi64>) outs(%{{.*}} : tensor<3x2x?xf32>) axis 0
func.func @take_along_axis(%x: tensor<3x5x?xf32>, %i: tensor<3x2x?xi32>) -> tensor<3x2x?xf32> {
  %0 = nn.take_along_axis %x, %i axis 1 : (tensor<3x5x?xf32>, tensor<3x2x?xi32>) -> tensor<3x2x?xf32>
  return %0 : tensor<3x2x?xf32>
}

// If there are no rows, nothing is taken, whatever the rest is.
// CHECK-LABEL: func @take_of_nothing
// CHECK-NOT: tensor.collapse_shape
// CHECK-NOT: linalg_ext.gather
// CHECK: return %{{.*}} : tensor<0x2x?xf32>
func.func @take_of_nothing(%x: tensor<0x5x?xf32>, %i: tensor<0x2x?xi32>) -> tensor<0x2x?xf32> {
  %0 = nn.take_along_axis %x, %i axis 1 : (tensor<0x5x?xf32>, tensor<0x2x?xi32>) -> tensor<0x2x?xf32>
  return %0 : tensor<0x2x?xf32>
}

// CHECK-LABEL: func @scatter_add_along_axis
// CHECK: linalg_ext.check safe data %{{.*}}, "index out of range: expected 0 <= index < 5" in "nn.scatter_add_along_axis"
// CHECK: %[[S:.*]] = linalg_ext.scatter add ins(%{{.*}}, %{{.*}} : tensor<6xi64>, tensor<6xf32>) outs(%{{.*}} : tensor<15xf32>) axis 0 -> tensor<15xf32>
// CHECK: tensor.expand_shape %[[S]] {{\[\[}}0, 1]] output_shape [3, 5] : tensor<15xf32> into tensor<3x5xf32>
// CHECK: arith.truncf
func.func @scatter_add_along_axis(%x: tensor<3x5xbf16>, %i: tensor<3x2xi32>, %u: tensor<3x2xbf16>) -> tensor<3x5xbf16> {
  %0 = nn.scatter_add_along_axis %x, %i, %u axis 1 : (tensor<3x5xbf16>, tensor<3x2xi32>, tensor<3x2xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// V3: running sums of 16-bit floats are in f32.
// CHECK-LABEL: func @cumsum
// CHECK: arith.extf
// CHECK: %[[S:.*]] = linalg_ext.scan ins(%{{.*}} : tensor<?x5xf32>) outs(%{{.*}} : tensor<?x5xf32>) axis 0 exclusive reverse -> tensor<?x5xf32>
// CHECK: ins(%[[S]] :
// CHECK: arith.truncf
func.func @cumsum(%x: tensor<?x5xbf16>) -> tensor<?x5xbf16> {
  %0 = nn.cumsum %x axis 0 exclusive reverse : tensor<?x5xbf16> -> tensor<?x5xbf16>
  return %0 : tensor<?x5xbf16>
}

// CHECK-LABEL: func @cumprod
// CHECK: arith.extf
// CHECK: %[[P:.*]] = linalg_ext.scan mul ins(%{{.*}} : tensor<?x5xf32>) outs(%{{.*}} : tensor<?x5xf32>) axis 0 exclusive reverse -> tensor<?x5xf32>
// CHECK: ins(%[[P]] :
// CHECK: arith.truncf
func.func @cumprod(%x: tensor<?x5xf16>) -> tensor<?x5xf16> {
  %0 = nn.cumprod %x axis 0 exclusive reverse : tensor<?x5xf16> -> tensor<?x5xf16>
  return %0 : tensor<?x5xf16>
}

// CHECK-LABEL: func @logcumsumexp
// CHECK: arith.extf
// CHECK: %[[S:.*]] = linalg_ext.scan logaddexp ins(%{{.*}} : tensor<?x5xf32>) outs(%{{.*}} : tensor<?x5xf32>) axis 0 reverse -> tensor<?x5xf32>
// CHECK: ins(%[[S]] :
// CHECK: arith.truncf
func.func @logcumsumexp(%x: tensor<?x5xf16>) -> tensor<?x5xf16> {
  %0 = nn.logcumsumexp %x axis 0 reverse : tensor<?x5xf16> -> tensor<?x5xf16>
  return %0 : tensor<?x5xf16>
}

// X9:
// CHECK-LABEL: func @iota
// CHECK: linalg.generic
// CHECK: %[[AT:.*]] = linalg.index 1 : index
// CHECK: arith.index_cast %[[AT]] : index to i16
func.func @iota(%x: tensor<?x5xf32>) -> tensor<?x5xi16> {
  %0 = nn.iota axis 1 like %x : (tensor<?x5xf32>) -> tensor<?x5xi16>
  return %0 : tensor<?x5xi16>
}

// The smallest so far starts from the largest number.
// CHECK-LABEL: func @argmin
// CHECK: linalg.fill ins(%c2147483647_i32 : i32)
// CHECK: arith.cmpi slt
func.func @argmin(%x: tensor<?x5xi32>) -> tensor<?xi32> {
  %0 = nn.argmin %x axis 1 : tensor<?x5xi32> -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
