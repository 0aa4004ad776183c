// RUN: flywheel-opt %s --flywheel-convert-tosa --split-input-file | FileCheck %s

// A size of 1 stretches where it is 1 by its type; dynamic sizes are those of
// arith and are checked to be equal.
// CHECK-LABEL: func @add
// CHECK-SAME: (%[[X:.*]]: tensor<?x5xf32>, %[[B:.*]]: tensor<1x5xf32>, %[[Z:.*]]: tensor<?x5xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[LIKE:.*]] = tensor.empty(%[[N]]) : tensor<?x5xf32>
// CHECK: %[[WIDE:.*]] = nn.broadcast %[[B]] dims [0, 1] like %[[LIKE]]
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[WIDE]] : tensor<?x5xf32>
// CHECK: %[[T:.*]] = arith.subf %[[S]], %[[Z]] : tensor<?x5xf32>
// CHECK: return %[[T]]
// EXAMPLE: --flywheel-convert-tosa
func.func @add(%x: tensor<?x5xf32>, %b: tensor<1x5xf32>, %z: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %s = tosa.add %x, %b : (tensor<?x5xf32>, tensor<1x5xf32>) -> tensor<?x5xf32>
  %t = tosa.sub %s, %z : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %t : tensor<?x5xf32>
}

// -----

// CHECK-LABEL: func.func @reduce(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x5xf32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce sum %[[X]] axes [1] keepdims : tensor<?x5xf32> -> tensor<?x1xf32>
// CHECK-NEXT: %[[SIGMOID:.*]] = nn.sigmoid %[[REDUCE]] : tensor<?x1xf32>
// CHECK-NEXT: return %[[SIGMOID]] : tensor<?x1xf32>
func.func @reduce(%x: tensor<?x5xf32>) -> tensor<?x1xf32> {
  %s = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<?x5xf32>) -> tensor<?x1xf32>
  %t = tosa.sigmoid %s : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %t : tensor<?x1xf32>
}

// -----

// The rest is upstream's.
// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK: #[[$MAP1:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x5x5x3xf32>, %[[W:[^:]*]]: tensor<4x3x3x3xf32>, %[[B:[^:]*]]: tensor<4xf32>) -> tensor<?x5x5x4xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[X]], %[[C0]] : tensor<?x5x5x3xf32>
// CHECK-NEXT: %[[PAD:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 1, 0] {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT: tensor.yield %[[CST]] : f32
// CHECK-NEXT: } : tensor<?x5x5x3xf32> to tensor<?x7x7x3xf32>
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x5x5x4xf32>
// CHECK-NEXT: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP1]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[B]] : tensor<4xf32>) outs(%[[EMPTY]] : tensor<?x5x5x4xf32>) {
// CHECK-NEXT: ^bb0(%[[ELEMENT_5:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[ELEMENT_5]] : f32
// CHECK-NEXT: } -> tensor<?x5x5x4xf32>
// CHECK-NEXT: %[[CONV_2D_NHWC_FHWC:.*]] = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%[[PAD]], %[[W]] : tensor<?x7x7x3xf32>, tensor<4x3x3x3xf32>) outs(%[[GENERIC]] : tensor<?x5x5x4xf32>) -> tensor<?x5x5x4xf32>
// CHECK-NEXT: return %[[CONV_2D_NHWC_FHWC]] : tensor<?x5x5x4xf32>
func.func @conv(%x: tensor<?x5x5x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x5x5x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<?x5x5x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x5x5x4xf32>
  return %y : tensor<?x5x5x4xf32>
}

// -----

// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:[^:]*]]: tensor<i32>) -> tensor<i32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<3> : tensor<i32>
// CHECK-NEXT: %[[WHILE:.*]] = scf.while (%[[ITER:.*]] = %[[X]]) : (tensor<i32>) -> tensor<i32> {
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi slt, %[[ITER]], %[[CST]] : tensor<i32>
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[CMPI]][] : tensor<i1>
// CHECK-NEXT: scf.condition(%[[EXTRACT]]) %[[ITER]] : tensor<i32>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: tensor<i32>):
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[ELEMENT]], %[[ELEMENT]] : tensor<i32>
// CHECK-NEXT: scf.yield %[[ADDI]] : tensor<i32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[WHILE]] : tensor<i32>
func.func @loop(%x: tensor<i32>) -> tensor<i32> {
  %0 = tosa.while_loop (%a = %x) : (tensor<i32>) -> tensor<i32> {
    %c = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %2 = tosa.greater %c, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %2 : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>):
    %2 = tosa.add %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %2 : tensor<i32>
  }
  return %0 : tensor<i32>
}
