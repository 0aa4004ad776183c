// RUN: flywheel-opt %s --train-autodiff --canonicalize --cse --split-input-file | FileCheck %s

// A rule that is written in ops of nn is batched over unit cotangents, which are
// diagonal: one number of each row is not 0.

// What other dimensions than the axis say apart stays apart: products of zeros
// are 0, and only what is stored is multiplied.
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
