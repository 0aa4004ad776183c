//===- NNPasses.td - Passes of the nn dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNPASSES
#define FLYWHEEL_DIALECT_NN_NNPASSES

include "mlir/Pass/PassBase.td"

def NNDecompose : Pass<"nn-decompose"> {
  let summary = "Replace composite ops by what they are made of";
  let description = [{
    Before: any module. After: no op implements `CompositeOpInterface`: each has
    been replaced by the ops that it is made of, which have derivative rules and
    lowerings.

    Refuses an instance that its op does not support, at the op.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Composite ops replaced">
  ];
}

def NNRaiseLinalg : Pass<"nn-raise-linalg"> {
  let summary = "Replace linalg ops that have no derivative by nn ops";
  let description = [{
    Before: any module. After, in modules that other front ends lowered:

    * Convolutions and pools of `linalg` on tensors of floating-point numbers, in
      one or two dimensions and any layout, are `nn.conv2d` and nn pools on
      transposed and reshaped operands. Zeros that a `tensor.pad` puts around an
      image are the convolution's padding.
    * Products over dimensions are `nn.reduce prod`, and a `linalg.softmax` is an
      `nn.softmax`, of transposed tensors where it is not over the last dimension.
    * A `tensor.reshape` is an `expand_shape` of a `collapse_shape`, by sizes that
      are elements of its shape.
    * A `tensor.generate` that reads another tensor is a `linalg.generic`.
    * No body of a `linalg` op on tensors has a `tensor.extract`, but for tables
      that are made in it: what it read is an operand, an `nn.gather` at indices
      that an op of its own computes. So it has a derivative, and an index out of
      range is an error of the step. The same goes for floating-point inputs whose
      maps compute with the loops, as other convolutions have.
    * A result that is written in part, as by the map `(i) -> (2 * i)`, is inserted
      into its old value.

    Refuses a read that is in control flow within a body, indices that depend on a
    running sum, results written in part by a map that is no slice, and a
    `linalg.softmax` of integers.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
}

#endif // FLYWHEEL_DIALECT_NN_NNPASSES
