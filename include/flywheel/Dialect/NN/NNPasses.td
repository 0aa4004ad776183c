//===- NNPasses.td - Passes of the nn dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNPASSES
#define FLYWHEEL_DIALECT_NN_NNPASSES

include "mlir/Pass/PassBase.td"

def NNDecompose : Pass<"nn-decompose"> {
  let summary = "Decompose composite ops into ops with derivatives and lowerings";
  let description = [{
    Before: any module. After: no op implements `CompositeOpInterface`: each is
    replaced by its decomposition, whose ops have derivative rules and
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

    * Convolutions and pools of `linalg` on tensors of floating-point numbers,
      in one or two dimensions and any layout, are `nn.conv2d` and nn pools on
      transposed and reshaped operands. Zeros that a `tensor.pad` puts around an
      image are the padding of the convolution.
    * Products over dimensions are `nn.reduce prod`, and a `linalg.softmax` is
      an `nn.softmax`, of a transposed tensor where it is not over the last
      dimension.
    * A `tensor.reshape` is an `expand_shape` of a `collapse_shape`, whose sizes
      are elements of its shape operand.
    * A `tensor.generate` that reads another tensor is a `linalg.generic`.
    * No body of a `linalg` op on tensors has a `tensor.extract`, except from
      tables that are made in the body: the value that it read is an operand,
      the result of an `nn.gather` at indices that another op computes. So it
      has a derivative, and an index out of range is an error of the step. The
      same holds for floating-point inputs whose indexing maps compute with the
      loops, as other convolutions have.
    * A result that is written in part, as by the map `(i) -> (2 * i)`, is
      inserted into its old value.

    Refuses a read that is in control flow within a body, indices that depend on
    a running sum, results that are written in part by a map that is not a slice,
    a `linalg.softmax` of integers, and a `codegen.schedule` on an op that is
    replaced.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
}

def NNCheckLabels : Pass<"nn-check-labels", "::mlir::func::FuncOp"> {
  let summary = "Check the labels of losses that nobody reads";
  let description = [{
    Before: gradients are plain ops. After: the labels of each dead
    `nn.sparse_softmax_cross_entropy` are checked to be classes: a step may read
    its gradient alone. The lowering of a loss makes this check, but a dead loss
    is erased before.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numChecked", "checked", "Losses whose labels are checked">
  ];
}

def NNHoistGathers : Pass<"nn-hoist-gathers"> {
  let summary = "Gather rows of a table before arithmetic on all of it";
  let description = [{
    Before: `arith` and `nn` ops on tensors. After: an `nn.gather` of fewer rows
    than a variable or constant has, from what cheap elementwise ops compute of
    it, gathers rows of what they read, and they compute these rows only: an
    embedding table of f16, or of i8 with scales, is not converted whole. The
    numbers are the same.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::flywheel::nn::NNDialect"
  ];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Gathers that have moved">
  ];
}

#endif // FLYWHEEL_DIALECT_NN_NNPASSES
