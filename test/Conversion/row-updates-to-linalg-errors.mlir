// RUN: flywheel-opt %s --convert-row-updates-to-linalg --verify-diagnostics --split-input-file

// A lazy update along a dense gradient updates every row, and says so.
func.func @dense(%p: tensor<8x4xf32>, %v: tensor<8x4xf32>, %g: tensor<8x4xf32>, %lr: tensor<f32>) -> tensor<8x4xf32> {
  // expected-warning@+1 {{expected a gradient of rows for an update with 'sparse lazy', found one of all elements: every row is updated}}
  %0:2 = train.update %p, %v along %g with %lr, %lr
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
      by #train.sgd {train.lazy}
  return %0#0 : tensor<8x4xf32>
}

// -----

func.func @place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 'train.lazy' on an update of an optimizer, found it here}}
  %0 = arith.negf %x {train.lazy} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
