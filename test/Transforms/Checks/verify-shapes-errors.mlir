// RUN: flywheel-opt %s --flywheel-verify-shapes --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --implicit-check-not=func.func

// 2^64 bytes.
func.func @bytes(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{'tensor.empty' op has a result that is too large: expected at most 2^56 bytes, found 'tensor<4611686018427387904xf32>'}}
  %0 = tensor.empty() : tensor<4611686018427387904xf32>
  return %x : tensor<f32>
}

// -----

// 2^56 elements of a byte are the most there can be.
// CHECK: func.func{{.*}} @most(
func.func @most(%x: tensor<72057594037927936xi8>) {
  return
}

// -----

// expected-error@below {{'func.func' op has an argument #1 that is too large: expected at most 2^56 bytes, found 'tensor<72057594037927937xi1>'}}
func.func @argument(%x: tensor<f32>, %y: tensor<72057594037927937xi1>) {
  return
}

// -----

// Products that are 0 modulo 2^64; a dynamic dimension counts as one.
// expected-error@below {{has an argument #0 that is too large: expected at most 2^56 bytes, found 'tensor<?x4294967296x4294967296xf32>'}}
func.func @product(%x: tensor<?x4294967296x4294967296xf32>) {
  return
}

// -----

// Nothing of what is large is nothing, but its dimensions are numbers too.
// CHECK: func.func{{.*}} @empty(
func.func @empty(%x: tensor<0x4294967296x4294967296xf32>) {
  return
}

// -----

// expected-error@below {{has an argument #0 that is too large}}
func.func @dimension(%x: tensor<9223372036854775807x0xf32>) {
  return
}

// -----

func.func @nested(%x: tensor<4xf32>, %lb: index, %ub: index, %step: index) {
  scf.for %i = %lb to %ub step %step {
    // expected-error@below {{'vector.broadcast' op has a result that is too large}}
    %0 = vector.broadcast %i : index to vector<9007199254740993xindex>
    // expected-error@below {{'memref.alloc' op has a result that is too large}}
    %1 = memref.alloc() : memref<1048576x1048576x1048576xi8>
  }
  return
}

// -----

// Upstream's verifier compares the list with nothing.
func.func @expand(%x: tensor<5x4xf32>) -> tensor<5x1x4xf32> {
  // expected-error@below {{'tensor.expand_shape' op expected output_shape to be that of the result, 'tensor<5x1x4xf32>', found 3 for dimension 2}}
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [5, 1, 3] : tensor<5x4xf32> into tensor<5x1x4xf32>
  return %0 : tensor<5x1x4xf32>
}

// -----

// CHECK: func.func{{.*}} @expand_dynamic(
func.func @expand_dynamic(%x: tensor<?x4xf32>, %n: index) -> tensor<?x2x2xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}
