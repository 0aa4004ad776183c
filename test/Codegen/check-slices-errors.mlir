// RUN: flywheel-opt %s --flywheel-check-slices --verify-diagnostics \
// RUN:   | not grep module

func.func @body(%x: tensor<4xf32>, %k: index) -> tensor<6xf32> {
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    // expected-error@below {{expected the index to be known to be in range of dimension 0 in the body of 'tensor.pad', where it cannot be checked}}
    %e = tensor.extract %x[%k] : tensor<4xf32>
    tensor.yield %e : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// Upstream looks at the end of a dimension alone.
func.func @backwards(%x: tensor<8xf32>) -> tensor<3xf32> {
  // expected-error@below {{expected a slice in range of dimension 0 of size 8, found 3 positions from 0 with a stride of -1}}
  %0 = tensor.extract_slice %x[0] [3] [-1] : tensor<8xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}
