//===- AutodiffPasses.td - Differentiation passes ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_PASSES
#define FLYWHEEL_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

def TrainAutodiff : Pass<"train-autodiff", "::mlir::func::FuncOp"> {
  let summary = "Replace gradients, directional derivatives and Jacobians by plain ops";
  let description = [{
    Before: `train.gradient`, `train.jvp` and `train.jacobian` ops whose targets
    and differentiated values are connected by ops that implement
    `DifferentiableOpInterface`. Calls are inlined, `train.minimize` ops
    expanded, composite ops decomposed. After: none of these; plain ops in their
    place, which have derivative rules themselves. No `train.parameter`,
    `train.stop_gradient` or `train.custom_vjp` is left either, unless the
    function still has a `train.minimize`.

    Reverse mode: cotangents flow from the differentiated values backwards
    through the ops that lie on a path from a target to one of them. A value
    with several uses gets the sum of their cotangents, the last use first.
    Nothing is emitted for other ops. Gradients are replaced in program order,
    so a gradient of a gradient differentiates plain ops. Before it is, elementwise
    ops, slices and reshapes of a `tensor.concat` of up to 64 pieces become ops on
    the pieces: then the derivative along one piece depends on few others.

    Forward mode is reverse mode applied twice: the gradient g(u) of <ys, u> is
    linear in u, so the gradient of <tangents, g(u)> with respect to u is the
    directional derivative, for every u. No op of g itself remains.

    A Jacobian is either mode for unit weights (unit tangents). The ops that
    depend on these are batched over their dimensions one after the other, the
    last first: `BatchableOpInterface` emits an op for all positions of a new
    dimension. A value that is zero except where the new dimension equals an old
    one is stored without the new one, and unit weights start so; a sum over the
    old dimension is left out, which gives a tensor with the new dimension in
    front.

    A structured op (`linalg.generic`, and every named op whose indexing maps
    only permute and drop dimensions) is differentiated through its body. A
    reduction in it is a sum, or a maximum or minimum, whose gradient the
    elements equal to it share.

    The reverse of `scf.if` computes the taken branch again. The reverse of
    `scf.for` runs backwards over the values that the iterations started with:
    the loop is replaced by one that also stores those iter_args that the
    reverse reads, in tensors with a slice for each iteration. Its trip count
    must be a constant, or bounded by one or by dimension sizes of tensors. The
    bodies of both have no side effects.

    An `scf.while` that a derivative flows through becomes an `scf.for` that
    computes the same. Its condition compares a counter, an integer that each
    iteration changes by a constant, with a loop-invariant bound; or it is the
    `arith.andi` of such a comparison with any other condition, and once that is
    false the iterations up to the bound do nothing.

    Refuses: a path through an op without a rule (a convolution of linalg's, a
    call, another `scf.while`), through an unranked tensor or through numbers
    other than f16, bf16, f32 and f64; and a target that no differentiated value
    depends on, unless the op asks for `unconnected zeros`. In a Jacobian, also
    an op with effects that depends on the weights.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
  let statistics = [
    Statistic<"numGradients", "gradients", "Gradient ops replaced">,
    Statistic<"numRules", "rules-applied", "Derivative rules applied">
  ];
}

def InsertParameters : Pass<"train-insert-parameters"> {
  let summary = "Keep the targets of derivatives apart from equal values";
  let description = [{
    Before: any module. After: each target of a `train.gradient`, `train.jvp` or
    `train.jacobian`, and each value that stops a gradient, is a
    `train.parameter`, which everything that used the value uses instead, or a
    `train.read`, which stands for its variable. So a
    derivative is along the value that the module names, whatever other values
    become equal to it where calls are inlined, loops are folded and equal ops
    are merged.
  }];
  let dependentDialects = ["::flywheel::train::TrainDialect"];
  let statistics = [
    Statistic<"numParameters", "parameters", "Parameters inserted">
  ];
}

def Detensorize : Pass<"flywheel-detensorize", "::mlir::func::FuncOp"> {
  let summary = "Carry integers through control flow as scalars, not as tensors of rank 0";
  let description = [{
    Before: any module. After, in modules that other front ends lowered: an
    iter_arg of `scf.while` or `scf.for`, or a result of `scf.if`, that is a
    tensor of integers of rank 0 is a scalar integer. An integer that is
    extracted from such a tensor is computed by scalar ops, where a `linalg` op
    without loops or an elementwise op computes the tensor. So other passes
    recognize a loop counter, and an index that is computed from it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numCarried", "carried", "Tensors carried as integers">
  ];
}

#endif // FLYWHEEL_AUTODIFF_PASSES
