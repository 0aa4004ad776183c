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
