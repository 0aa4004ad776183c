// RUN: flywheel-opt %s --train-autodiff --canonicalize --cse | FileCheck %s

// G19: what a sum spreads over its terms is a constant that is folded, so that the second derivative sums the exponentials
// once: no product with ones is summed again.
// CHECK-LABEL: func.func @log_sum_exp(
// CHECK: nn.reduce sum
// CHECK-NOT: nn.reduce sum
// CHECK: return
func.func @log_sum_exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = math.exp %x : tensor<4xf32>
  %s = nn.reduce sum %e axes [0] : tensor<4xf32> -> tensor<f32>
  %l = math.log %s : tensor<f32>
  %g = train.gradient %l wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %t = nn.reduce sum %g axes [0] : tensor<4xf32> -> tensor<f32>
  %h = train.gradient %t wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
