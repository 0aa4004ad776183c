// RUN: flywheel-opt %s --train-autodiff --canonicalize --cse --split-input-file | FileCheck %s

// A rule that is written in ops of nn is batched over unit cotangents, which are
// diagonal: one number of each row is not 0.

// Elements that differ in dimensions other than the axis stay apart: products
// of zeros are 0, and only the stored elements are multiplied.
// CHECK-LABEL: func @products
// CHECK: nn.cumprod %{{.*}} axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NOT: nn.cumprod
func.func @products(%x: tensor<3x4xf32>) -> tensor<4x3x4xf32> {
  %y = train.custom_vjp %x : (tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<3x4xf32>):
    %s = nn.reduce sum %a axes [0] : tensor<3x4xf32> -> tensor<4xf32>
    train.vjp_yield %s : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<3x4xf32>, %g: tensor<4xf32>):
    %all = nn.broadcast %g dims [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %p = nn.cumprod %all axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
    train.vjp_yield %p : tensor<3x4xf32>
  }
  %j = train.jacobian %y wrt %x : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4x3x4xf32>
  return %j : tensor<4x3x4xf32>
}

// -----

// The product of no element is 1: zeros do not stay zeros.
// CHECK-LABEL: func @exclusive_products
// CHECK: nn.cumprod %{{.*}} axis 1 exclusive : tensor<4x3x4xf32> -> tensor<4x3x4xf32>
func.func @exclusive_products(%x: tensor<3x4xf32>) -> tensor<4x3x4xf32> {
  %y = train.custom_vjp %x : (tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<3x4xf32>):
    %s = nn.reduce sum %a axes [0] : tensor<3x4xf32> -> tensor<4xf32>
    train.vjp_yield %s : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<3x4xf32>, %g: tensor<4xf32>):
    %all = nn.broadcast %g dims [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %p = nn.cumprod %all axis 0 exclusive : tensor<3x4xf32> -> tensor<3x4xf32>
    train.vjp_yield %p : tensor<3x4xf32>
  }
  %j = train.jacobian %y wrt %x : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4x3x4xf32>
  return %j : tensor<4x3x4xf32>
}

// -----

// The logarithm of the sum of one exponential of 0 is 0, of more it is not.
// CHECK-LABEL: func @logarithms
// CHECK: nn.logcumsumexp %{{.*}} axis 1 : tensor<4x3x4xf32> -> tensor<4x3x4xf32>
func.func @logarithms(%x: tensor<3x4xf32>) -> tensor<4x3x4xf32> {
  %y = train.custom_vjp %x : (tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<3x4xf32>):
    %s = nn.reduce sum %a axes [0] : tensor<3x4xf32> -> tensor<4xf32>
    train.vjp_yield %s : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<3x4xf32>, %g: tensor<4xf32>):
    %all = nn.broadcast %g dims [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %p = nn.logcumsumexp %all axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
    train.vjp_yield %p : tensor<3x4xf32>
  }
  %j = train.jacobian %y wrt %x : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4x3x4xf32>
  return %j : tensor<4x3x4xf32>
}

// -----

// The order of zeros is not 0: all positions are stored.
// CHECK-LABEL: func @orders
// CHECK: nn.argsort %{{.*}} axis 1 descending : tensor<4x3x4xf32> -> tensor<4x3x4xi32>
func.func @orders(%x: tensor<3x4xf32>) -> tensor<4x3x4xf32> {
  %y = train.custom_vjp %x : (tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<3x4xf32>):
    %s = nn.reduce sum %a axes [0] : tensor<3x4xf32> -> tensor<4xf32>
    train.vjp_yield %s : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<3x4xf32>, %g: tensor<4xf32>):
    %all = nn.broadcast %g dims [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %o = nn.argsort %all axis 0 descending : tensor<3x4xf32> -> tensor<3x4xi32>
    %p = arith.sitofp %o : tensor<3x4xi32> to tensor<3x4xf32>
    train.vjp_yield %p : tensor<3x4xf32>
  }
  %j = train.jacobian %y wrt %x : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4x3x4xf32>
  return %j : tensor<4x3x4xf32>
}

// -----

// Rows are added to by themselves: where only one row of each position is not 0,
// only that is stored.
// CHECK-LABEL: func @rows
// CHECK: nn.scatter_add_along_axis %{{.*}}, %{{.*}}, %{{.*}} axis 1 : (tensor<3x4xf32>, tensor<3x1xi32>, tensor<3x1xf32>) -> tensor<3x4xf32>
// CHECK-NOT: nn.scatter_add_along_axis
func.func @rows(%x: tensor<3x4xf32>, %i: tensor<3x1xi32>) -> tensor<3x3x4xf32> {
  %y = nn.take_along_axis %x, %i axis 1 : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>
  %z = nn.reduce sum %y axes [1] : tensor<3x1xf32> -> tensor<3xf32>
  %j = train.jacobian %z wrt %x : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x3x4xf32>
  return %j : tensor<3x3x4xf32>
}

// -----

// For any other tensors, positions are a leading dimension.
// CHECK-LABEL: func @mixed
// CHECK: nn.scatter_add_along_axis %{{.*}}, %{{.*}}, %{{.*}} axis 1 : (tensor<2x4xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x4xf32>
func.func @mixed(%x: tensor<4xf32>, %i: tensor<3xi32>, %w: tensor<3x2xf32>) -> tensor<2x4xf32> {
  %y = nn.take_along_axis %x, %i axis 0 : (tensor<4xf32>, tensor<3xi32>) -> tensor<3xf32>
  %row = tensor.expand_shape %y [[0, 1]] output_shape [1, 3] : tensor<3xf32> into tensor<1x3xf32>
  %p = nn.matmul %row, %w : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  %z = tensor.collapse_shape %p [[0, 1]] : tensor<1x2xf32> into tensor<2xf32>
  %j = train.jacobian %z wrt %x : (tensor<2xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %j : tensor<2x4xf32>
}
