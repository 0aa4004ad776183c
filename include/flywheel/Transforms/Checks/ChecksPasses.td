//===- ChecksPasses.td - Passes for checks of a step -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES
#define FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES

include "mlir/Pass/PassBase.td"

def CheckSizes : Pass<"flywheel-check-sizes", "::mlir::func::FuncOp"> {
  let summary = "Check the sizes that ops require";
  let description = [{
    Before: any op that requires two dynamic sizes to agree: operands of an
    elementwise or structured op, the sizes of a reshape and those of its source,
    what is put into a slice and the slice, inputs of a `tensor.concat`, a
    `tensor.cast` to a static type, both branches of an `scf.if`, what a loop
    carries, a value and its cotangent; or that a size is not negative, or that
    an index is that of a dimension. Upstream takes all of that for granted: its
    folds decide one size by the other. After: each of them follows from the ops
    that the sizes come from or from a `cf.assert`, at the top level of the
    function where the sizes are known there, with both sizes in its message.

    The assertions compare what the sizes are computed from (the extents of
    arguments, as far as possible), so that nothing that relies on one can decide
    it. That is why the pass runs in front of the first canonicalization, and
    again where rules have made new ops. A check in a branch holds where the
    branch is taken. Where sizes are known only inside of a branch or a loop, the
    op runs only if they agree, and gives zeros else until the check behind the
    loop fails.

    Refuses `tensor.dim` of a dimension that the tensor does not have.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numChecked", "checked", "Relations checked when a step runs">,
    Statistic<"numProved", "proved", "Relations proved">
  ];
}

#endif // FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES
