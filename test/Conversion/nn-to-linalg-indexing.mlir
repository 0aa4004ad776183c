// RUN: flywheel-opt %s --convert-nn-to-linalg --canonicalize --cse | FileCheck %s

// X7, X12: all indices are checked before one is used; the check does no harm
// where it comes late.
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[X:.*]]: tensor<8x5xf32>, %[[I:.*]]: tensor<?x2xi32>)
// CHECK: %[[IN:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[I]] :
// CHECK: arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.cmpi ult, %{{.*}}, %c8 : index
// CHECK: arith.andi
// CHECK: %[[OK:.*]] = tensor.extract %[[IN]][] : tensor<i1>
// CHECK: cf.assert %[[OK]], "index out of range: expected 0 <= index < 8 in 'nn.gather' at {{.*}}nn-to-linalg-indexing.mlir:[[#@LINE+5]]:8" {linalg_ext.safe}
// CHECK: %[[N:.*]] = tensor.dim %[[I]], %c0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x2x5xf32>
// CHECK: linalg_ext.gather ins(%[[X]], %[[I]] : tensor<8x5xf32>, tensor<?x2xi32>) outs(%[[E]] : tensor<?x2x5xf32>) axis 0 -> tensor<?x2x5xf32>
func.func @gather(%x: tensor<8x5xf32>, %i: tensor<?x2xi32>) -> tensor<?x2x5xf32> {
  %0 = nn.gather %x, %i axis 0 : (tensor<8x5xf32>, tensor<?x2xi32>) -> tensor<?x2x5xf32>
  return %0 : tensor<?x2x5xf32>
}

// The updates go into what they are added to; zeros are made for that.
// CHECK-LABEL: func @scatter_add
// CHECK-SAME: (%[[X:.*]]: tensor<?x5xf32>, %[[I:.*]]: tensor<3xi1>, %[[U:.*]]: tensor<?x3xf32>)
// CHECK: arith.index_castui %{{.*}} : i1 to index
// CHECK: linalg_ext.scatter add ins(%[[I]], %[[U]] : tensor<3xi1>, tensor<?x3xf32>) outs(%[[X]] : tensor<?x5xf32>) axis 1
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: linalg_ext.scatter add ins(%[[I]], %[[U]] : tensor<3xi1>, tensor<?x3xf32>) outs(%[[ZEROS]] : tensor<4x5xf32>) axis 1
func.func @scatter_add(%x: tensor<?x5xf32>, %i: tensor<3xi1>, %u: tensor<?x3xf32>) -> (tensor<?x5xf32>, tensor<4x5xf32>) {
  %0 = nn.scatter_add %x, %i, %u axis 1 : (tensor<?x5xf32>, tensor<3xi1>, tensor<?x3xf32>) -> tensor<?x5xf32>
  %zeros = arith.constant dense<0.0> : tensor<4x5xf32>
  %1 = nn.scatter_add %zeros, %i, %u axis 1 : (tensor<4x5xf32>, tensor<3xi1>, tensor<?x3xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func @scatter
// CHECK: cf.assert %{{.*}}, "index out of range: expected 0 <= index < 4 in 'nn.scatter' at
// CHECK: linalg_ext.scatter replace
func.func @scatter(%x: tensor<4x5xf32>, %i: tensor<?xi32>, %u: tensor<?x5xf32>) -> tensor<4x5xf32> {
  %0 = nn.scatter %x, %i, %u axis 0 : (tensor<4x5xf32>, tensor<?xi32>, tensor<?x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
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
