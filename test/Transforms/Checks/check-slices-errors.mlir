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

// Nothing is taken from somewhere, too.
func.func @nothing(%x: tensor<8xf32>) -> (tensor<0xf32>, tensor<0xf32>) {
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %0 = tensor.extract_slice %x[%c8] [0] [1] : tensor<8xf32> to tensor<0xf32>
  // expected-error@below {{expected a slice in range of dimension 0 of size 8, found 0 positions from 9 with a stride of 1}}
  %1 = tensor.extract_slice %x[%c9] [0] [1] : tensor<8xf32> to tensor<0xf32>
  return %0, %1 : tensor<0xf32>, tensor<0xf32>
}

// The last position is a number of more than 64 bits.
func.func @far(%x: tensor<8xf32>) -> tensor<5xf32> {
  // expected-error@below {{found 5 positions from 0 with a stride of 4611686018427387904}}
  %0 = tensor.extract_slice %x[0] [5] [4611686018427387904] : tensor<8xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// No zero stands for what is not read.
func.func @complex(%c: i1, %x: tensor<?xcomplex<f32>>, %k: index, %z: complex<f32>) -> complex<f32> {
  %0 = scf.if %c -> complex<f32> {
    // expected-error@below {{expected numbers, found 'complex<f32>'}}
    %e = tensor.extract %x[%k] : tensor<?xcomplex<f32>>
    scf.yield %e : complex<f32>
  } else {
    scf.yield %z : complex<f32>
  }
  return %0 : complex<f32>
}
