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
func.func @add(%x: tensor<?x5xf32>, %b: tensor<1x5xf32>, %z: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %s = tosa.add %x, %b : (tensor<?x5xf32>, tensor<1x5xf32>) -> tensor<?x5xf32>
  %t = tosa.sub %s, %z : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %t : tensor<?x5xf32>
}

// -----

// CHECK-LABEL: func @reduce
// CHECK: nn.reduce sum %{{.*}} axes [1] keepdims : tensor<?x5xf32> -> tensor<?x1xf32>
// CHECK: nn.sigmoid
func.func @reduce(%x: tensor<?x5xf32>) -> tensor<?x1xf32> {
  %s = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<?x5xf32>) -> tensor<?x1xf32>
  %t = tosa.sigmoid %s : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %t : tensor<?x1xf32>
}

// -----

// The rest is upstream's.
// CHECK-LABEL: func @conv
// CHECK-NOT: tosa.
// CHECK: linalg.conv_2d_nhwc_fhwc
func.func @conv(%x: tensor<?x5x5x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x5x5x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<?x5x5x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x5x5x4xf32>
  return %y : tensor<?x5x5x4xf32>
}

// -----

// CHECK-LABEL: func @loop
// CHECK-NOT: tosa.
// CHECK: scf.while
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
