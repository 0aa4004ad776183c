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

def VerifyShapes : Pass<"flywheel-verify-shapes", "::mlir::ModuleOp"> {
  let summary = "Refuse shapes that are too large or contradict their op";
  let description = [{
    Before: any module. After: the same; no tensor, vector or buffer has a static
    dimension above 2^56 or more than 2^56 bytes, where each dynamic dimension
    counts as one. So sums of sizes, and products with a small factor, cannot
    overflow in the passes that compute them. The static sizes that a
    `tensor.expand_shape` lists are those of its result.
  }];
}

def VerifyCalls : Pass<"flywheel-verify-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls that cannot all be inlined";
  let description = [{
    Before: any module. After: the same; no function has more than 2^20 ops of
    others once every call is replaced by what it calls. A chain of functions
    that each call the next one twice doubles with each.
  }];
}

def UnifyExtents : Pass<"flywheel-unify-extents", "::mlir::func::FuncOp"> {
  let summary = "Find which dynamic extents are the same number";
  let description = [{
    Before: `linalg` on tensors; every `tensor.dim` stands for itself. After:
    each extent that the structured ops force to be equal to an extent of a feed
    is read from that feed, so that two names of the batch size are one SSA
    value. The extent of a collapsed shape that a check compares is read as the
    product that it is. Arguments carry `train.extents`: for each dimension the
    number of its symbolic extent, or -1 where it is static; the function carries
    `train.symbols`, their names. A dynamic feed extent that the ops force to a
    constant is checked by a `cf.assert`.

    Refuses a result whose extent is not an extent of a feed.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CheckSlices : Pass<"flywheel-check-slices", "::mlir::func::FuncOp"> {
  let summary = "Check slices and elements that may be out of range";
  let description = [{
    Before: `tensor.extract_slice`, `tensor.insert_slice`, `tensor.extract` and
    `tensor.insert` at offsets, of sizes, or of extents that are known only when
    the step runs; out of range they are undefined. After: a `cf.assert` in front
    of each says that it is in range, but for those that are so by the bounds of
    the loops around them; it names the numbers in question. Those of what is
    inside of branches and loops are behind these, which pass on what they found,
    and marked `linalg_ext.safe`: where one fails, the op takes the start of the
    dimension if that is in range, and else does not run.

    Refuses what may be out of range in a body from which no check can be passed
    out, as that of a `tensor.pad`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CheckCarriedExtents : Pass<"flywheel-check-carried-extents", "::mlir::func::FuncOp"> {
  let summary = "Check that branches and loops keep extents";
  let description = [{
    Before: tensors of dynamic extents go into branches and loops, around loops
    and out of them. After: what comes out of an `scf.if`, or goes around an
    `scf.for` or `scf.while`, has the extents of what it replaces; where that is
    not seen, a `cf.assert` says so. Refuses branches whose extents are not known
    in front of them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LiftChecks : Pass<"flywheel-lift-checks", "::mlir::func::FuncOp"> {
  let summary = "Take checks out of the bodies of structured ops";
  let description = [{
    Before: `cf.assert` anywhere, also in the bodies of `linalg` ops on tensors
    and of `tensor.generate`, as other front ends write them. After: none in such
    a body: in front of the op, a reduction over all of its elements says whether
    each passes, and a `cf.assert` of the same message, at the same location,
    checks that. A check in a branch or a loop is marked `linalg_ext.safe`: what
    it guards has checks of its own.

    Refuses conditions that depend on what the op itself has computed before, and
    checks in other bodies.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
  let statistics = [
    Statistic<"numLifted", "lifted", "Checks that were taken out of a body">
  ];
}

def CarryChecks : Pass<"flywheel-carry-checks", "::mlir::func::FuncOp"> {
  let summary = "Take checks out of branches and loops";
  let description = [{
    Before: `cf.assert` anywhere. After: one that is marked `linalg_ext.safe`,
    because what follows it in its region does no harm where it fails, is at the
    top level of the function: an `scf.if`, `scf.for` or `scf.while` passes on,
    as one more result, whether it was true each time. An `scf.while` ends where
    it was false. Other checks, and those inside of other ops, stay where they
    are.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numCarried", "carried", "Results that pass on a check">
  ];
}

def ExpandDynamicXors : Pass<"flywheel-expand-dynamic-xors", "::mlir::func::FuncOp"> {
  let summary = "Make other ops of xors of tensors with a dynamic size";
  let description = [{
    Before: any function. After: an `arith.xori` of tensors with a dynamic size is
    the difference of an `arith.ori` and an `arith.andi`. Upstream folds `x ^ x` to
    a constant of the type of `x`, which no constant can have.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandAffineDivisions : Pass<"flywheel-expand-affine-divisions",
                                 "::mlir::func::FuncOp"> {
  let summary = "Expand affine ops that divide by a number of the step";
  let description = [{
    Before: `affine.apply`, `affine.min` and `affine.max` whose maps divide by a
    symbol, or take a remainder, which upstream defines for numbers above 0
    alone. After: each that divides by what is not constant is ops of `arith`,
    behind a `cf.assert` that each of its divisors is 1 or more. In a branch, a
    loop or a body, where the check comes only after all of it has run, a
    divisor is at least 1.

    Refuses constant divisors below 1, also where a symbol makes them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
  let statistics = [Statistic<"numExpanded", "num-expanded",
                              "Number of affine ops that were expanded">];
}

def CheckDivisions : Pass<"flywheel-check-divisions", "::mlir::func::FuncOp"> {
  let summary = "Make an integer division that has no result an error";
  let description = [{
    Before: integer divisions and remainders of tensors and scalars, of which
    LLVM leaves undefined those by zero and the smallest number by -1. After:
    each comes after a `cf.assert` that no element of its divisor is zero, so
    that a step which would divide by zero fails and changes nothing; and a
    signed one that could be by -1 is a negation there, or a remainder of 0: both
    wrap, as addition does. In a branch, a loop or a body, where the check comes
    only after all of it has run, the divisor is 1 where it would be 0. Constant
    divisors cost nothing. `math.ipowi` of 0 to a negative power is a division
    by zero.

    Refuses a constant divisor with a zero.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

#endif // FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES
