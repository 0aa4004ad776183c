// RUN: flywheel-opt %s --flywheel-check-sizes --split-input-file --verify-diagnostics \
// RUN:   | not grep module

func.func @negative(%x: tensor<?x8xf32>) -> tensor<?x8x1xf32> {
  %c = arith.constant -1 : index
  // expected-error@below {{'tensor.dim' op expected a dimension from 0 to 1 of 'tensor<?x8xf32>', found -1}}
  %d = tensor.dim %x, %c : tensor<?x8xf32>
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
  return %y : tensor<?x8x1xf32>
}

// -----

func.func @rank(%x: tensor<?x8xf32>) -> index {
  %one = arith.constant 1 : index
  %c = arith.addi %one, %one : index
  // expected-error@below {{'tensor.dim' op expected a dimension from 0 to 1 of 'tensor<?x8xf32>', found 2}}
  %d = tensor.dim %x, %c : tensor<?x8xf32>
  return %d : index
}

// -----

// Also where nothing uses it.
func.func @dead(%x: tensor<8xf32>) {
  %c = arith.constant 1 : index
  // expected-error@below {{'tensor.dim' op expected a dimension from 0 to 0 of 'tensor<8xf32>', found 1}}
  %d = tensor.dim %x, %c : tensor<8xf32>
  return
}

// -----

func.func @body(%x: tensor<?xf32>, %sizes: tensor<?xindex>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = tensor.generate %n {
  ^bb0(%i: index):
    %k = tensor.extract %sizes[%i] : tensor<?xindex>
    // expected-error@below {{'tensor.empty' op expected sizes that are known in front of 'tensor.generate', found some that are computed inside of it}}
    %e = tensor.empty(%k) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %v = tensor.extract %f[%c0] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Sizes that never are equal, by the types before casts.
func.func @never_equal(%x: tensor<3x?xf32>, %n: index) -> tensor<2x?x?xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.cast %x : tensor<3x?xf32> to tensor<?x?xf32>
  %d = tensor.dim %y, %c0 : tensor<?x?xf32>
  // expected-error@below {{'tensor.expand_shape' op expected dimensions [0, 1] of the result to make up dimension 0 of the source, found 6 and 3}}
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, %d, %n] : tensor<?x?xf32> into tensor<2x?x?xf32>
  return %z : tensor<2x?x?xf32>
}

// -----

// The same by the checks of the ops before.
func.func @never_both(%x: tensor<?xf32>, %y: tensor<3xf32>, %z: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
  %b = tensor.cast %z : tensor<4xf32> to tensor<?xf32>
  %c = arith.addf %x, %a : tensor<?xf32>
  // expected-error@below {{'arith.addf' op expected equal sizes of dimension 0 of operand 0 and operand 1, found 3 and 4}}
  %d = arith.addf %x, %b : tensor<?xf32>
  return %c, %d : tensor<?xf32>, tensor<?xf32>
}

// -----

// An existing check that never holds.
func.func @checked(%x: tensor<3xf32>) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %ok = linalg_ext.compare_sizes eq %c6, %c3
  linalg_ext.check sizes %ok, "expected equal sizes"
  %y = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  // expected-error@below {{'tensor.expand_shape' op expected dimensions [0, 1] of the result to make up dimension 0 of the source, found 6 and 3}}
  %z = tensor.expand_shape %y [[0, 1]] output_shape [%c2, %c3] : tensor<?xf32> into tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// In a loop that runs once.
func.func @loop(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %b = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%h = %a) -> tensor<?xf32> {
    // expected-error@below {{'arith.addf' op expected equal sizes of dimension 0 of operand 0 and operand 1, found 3 and 4}}
    %s = arith.addf %h, %b : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
