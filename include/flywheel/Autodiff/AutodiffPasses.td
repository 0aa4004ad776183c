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
    Before: `train.gradient`, `train.jvp` and `train.jacobian` ops whose targets and
    differentiated values are connected by ops that implement
    `DifferentiableOpInterface`. Calls have been
    inlined, `train.minimize` ops expanded, composite ops decomposed. After: none of these is
    left; in its place are plain ops, which have rules themselves. No
    `train.stop_gradient` or `train.custom_vjp` is left either, unless the
    function still has a `train.minimize`.

    Reverse mode: cotangents flow from the differentiated values backwards
    through the ops that lie on a path from a target to one of them, and are
    added up where a value has several uses, the last use first. Nothing is
    emitted for other ops. Gradients are replaced in program order, so a
    gradient of a gradient differentiates plain ops.

    Forward mode is reverse mode twice: the gradient g(u) of <ys, u> is linear in
    u, so that the gradient of <tangents, g(u)> with respect to u is the
    directional derivative, wherever u is; nothing of g itself stays.

    A Jacobian is either mode for unit weights (unit tangents). What depends on
    them is batched over one dimension of theirs after the other, the last first:
    `BatchableOpInterface` emits an op for all positions of a new dimension. A
    value that is zero but where the new dimension meets an old one is stored
    without the new one, which is how unit weights start; a sum over the old one
    makes a tensor with the new dimension in front of it by leaving the sum out.

    A structured op (`linalg.generic`, and every named op whose indexing maps
    only permute and drop dimensions) is differentiated through its body. What
    it reduces must be a sum, or a maximum or minimum, whose gradient those
    equal to it share.

    The reverse of `scf.if` computes the taken branch again. The reverse of
    `scf.for` goes backwards over what the iterations started with: the loop is
    replaced by one that also keeps those of its carried values that the
    reverse reads, in tensors with a slice for each iteration. Its trip count
    must be a constant, or limited by one or by extents of tensors. Bodies of
    both have no side effects.

    An `scf.while` that a derivative flows through becomes an `scf.for` that
    computes the same. Its condition compares a counter, an integer that each
    iteration changes by a constant, with a bound that stays the same; or it is
    the `arith.andi` of such a comparison with what else ends the loop, after
    which the iterations up to the bound do nothing.

    Refuses: a path through an op without a rule (a convolution of linalg's, a
    call, another `scf.while`), through an unranked tensor or through numbers other than
    f16, bf16, f32 and f64; and a target that no differentiated value depends
    on, unless the op asks for `unconnected zeros`. In a Jacobian, also an op with
    effects that depends on the weights.
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

def Detensorize : Pass<"flywheel-detensorize", "::mlir::func::FuncOp"> {
  let summary = "Carry integers through control flow, not tensors of one";
  let description = [{
    Before: any module. After, in modules that other front ends lowered: what
    `scf.while` and `scf.for` carry, and `scf.if` gives, as a tensor of integers
    of rank 0 is an integer; and an integer that is taken from such a tensor is
    computed by scalar ops, where a `linalg` op without loops, or an elementwise
    op, computes the tensor. So a loop that counts, and an index that it counts
    with, can be told from others.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numCarried", "carried", "Tensors carried as integers">
  ];
}

def TestListDerivativeRules : Pass<"test-list-derivative-rules"> {
  let summary = "Print the name of every op that has a derivative";
  let description = [{
    For tests: prints the ops with a derivative rule and the composite ops, one name a line on standard output, in alphabetical order,
    and leaves the module alone.
  }];
}

#endif // FLYWHEEL_AUTODIFF_PASSES
