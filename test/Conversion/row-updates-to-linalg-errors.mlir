// RUN: flywheel-opt %s --convert-row-updates-to-linalg --verify-diagnostics --split-input-file

// A lazy update along a dense gradient updates every row, and says so.
func.func @dense(%p: tensor<8x4xf32>, %v: tensor<8x4xf32>, %g: tensor<8x4xf32>, %lr: tensor<f32>) -> tensor<8x4xf32> {
  // expected-warning@+1 {{expected a gradient of rows for an update with 'sparse lazy', found gradients of all elements: every row is updated}}
  %0:2 = train.update %p, %v along %g with %lr, %lr
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
      by #train.sgd {train.lazy}
  return %0#0 : tensor<8x4xf32>
}

// -----

// A weight beside a table has a gradient of all elements, which is not reported.
func.func @beside(%t: tensor<8x4xf32>, %w: tensor<4xf32>, %ids: tensor<2xi32>, %rows: tensor<2x4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<8x4xf32>
  %sum = nn.scatter_add %zeros, %ids, %rows axis 0 : (tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  %0 = train.update %t along %sum with %lr : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
      by #train.gradient_descent<lr = 0.1> {train.lazy} loc("minimize")
  %1 = train.update %w along %g with %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      by #train.gradient_descent<lr = 0.1> {train.lazy} loc("minimize")
  return %0, %1 : tensor<8x4xf32>, tensor<4xf32>
}

// -----

func.func @place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 'train.lazy' on an update of an optimizer, found it here}}
  %0 = arith.negf %x {train.lazy} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
