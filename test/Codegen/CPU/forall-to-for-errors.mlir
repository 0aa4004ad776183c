// RUN: flywheel-opt %s --flywheel-forall-to-for --split-input-file --verify-diagnostics | not grep module

// One after the other, an iteration would find what the one before has inserted.
func.func @shift(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (7) shared_outs(%o = %t) -> tensor<8xf32> {
    // expected-error @below {{expected an iteration of 'scf.forall' to read of an output only the slice that it inserts}}
    %x = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%j] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// More than it inserts.
func.func @larger(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %t) -> tensor<8xf32> {
    // expected-error @below {{'tensor.extract_slice' op expected an iteration of 'scf.forall' to read of an output only the slice that it inserts}}
    %x = tensor.extract_slice %o[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %y = tensor.extract_slice %x[1] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// Elements further apart.
func.func @strided(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<8xf32> {
    // expected-error @below {{'tensor.extract_slice' op expected an iteration of 'scf.forall' to read of an output only the slice that it inserts}}
    %x = tensor.extract_slice %o[%i] [2] [2] : tensor<8xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// All of it, by another op than a slice.
func.func @whole(%t: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> tensor<8xf32> {
    // expected-error @below {{'linalg.reduce' op expected an iteration of 'scf.forall' to read of an output only the slice that it inserts}}
    %sum = linalg.reduce {arith.addf} ins(%o : tensor<8xf32>) outs(%s : tensor<f32>) dimensions = [0]
    %x = tensor.expand_shape %sum [] output_shape [1] : tensor<f32> into tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// An inner loop reads an outer output: the value is of another iteration of the outer loop.
func.func @nested(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> tensor<8x8xf32> {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
    %q = scf.forall (%j) in (8) shared_outs(%p = %row) -> tensor<1x8xf32> {
      // expected-error @below {{'tensor.extract_slice' op expected an iteration of 'scf.forall' to read of an output only the slice that it inserts}}
      %x = tensor.extract_slice %o[%j, %i] [1, 1] [1, 1] : tensor<8x8xf32> to tensor<1x1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %x into %p[0, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x8xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
    }
  }
  return %r : tensor<8x8xf32>
}
