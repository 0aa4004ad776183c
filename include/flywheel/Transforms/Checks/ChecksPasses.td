//===- ChecksPasses.td - Passes for checks of a step -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES
#define FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES

include "mlir/Pass/PassBase.td"

def CheckSizes : Pass<"flywheel-check-sizes", "::mlir::func::FuncOp"> {
  let summary = "Check that the dimension sizes of operands agree where an op requires it";
  let description = [{
    Before: any op that requires two dynamic dimension sizes to agree: operands
    of an elementwise or structured op, the sizes of a reshape and those of its
    source, the source of a slice insertion and the slice, inputs of a
    `tensor.concat`, the operand of a `tensor.cast` to a static type, the yields
    of both branches of an `scf.if`, the iter_args of a loop, a value and its
    cotangent. Also any op that requires a size not to be negative, or an index
    to name a dimension. Upstream assumes all of that: its folds derive one size
    from the other.

    After: each requirement follows from the ops that compute the sizes, or from
    a check whose message has both sizes. The assertion is at the top
    level of the function where the sizes are known there.

    The assertions compare the values that the sizes are computed from (the
    dimension sizes of arguments, as far as possible), so that no op that
    assumes the requirement can fold the assertion. That is why the pass runs
    before the first canonicalization, and again after derivative rules have
    made new ops. A check in a branch holds where the branch is taken. If the
    sizes are known only inside a branch or a loop, the op runs only if they
    agree; otherwise its result is zeros, and the check after the branch or the
    loop fails.

    Refuses `tensor.dim` of a dimension that the tensor does not have and, as the
    last such pass, branches and loops whose sizes are not known in front of them.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numChecked", "checked", "Relations checked when a step runs">,
    Statistic<"numProved", "proved", "Relations proved">
  ];
  let options = [
    Option<"isLast", "last", "bool", "false",
           "Refuse sizes that are not known: no pass replaces ops any more">
  ];
}

def VerifyHostCalls : Pass<"flywheel-verify-host-calls", "::mlir::func::FuncOp"> {
  let summary = "Check that each call of the host runs once";
  let description = [{
    Refuses a `linalg_ext.host_call` of which a copy is used: what the function
    returns is needed in the derivative of a loop, which computes the iterations
    again. A function of the host may return something else the second time.
  }];
}

def VerifyShapes : Pass<"flywheel-verify-shapes", "::mlir::ModuleOp"> {
  let summary = "Refuse shapes that are too large or contradict their op";
  let description = [{
    Before: any module. After: the same module. No tensor, vector or buffer has
    a static dimension size above 2^56 or more than 2^56 bytes, where a dynamic
    dimension counts as one element. So sums of sizes, and products with a small
    factor, cannot overflow in the passes that compute them. The static sizes
    that a `tensor.expand_shape` lists are those of its result type.

    Refuses every other shape, at its op.
  }];
}

def VerifyCalls : Pass<"flywheel-verify-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls whose inlining makes a function too large";
  let description = [{
    Before: any module. After: the same module. No function gains more than 2^20
    ops from other functions when every call is inlined. A chain of functions
    that each call the next one twice doubles the number with each function.

    Refuses a function that gains more.
  }];
}

def UnifySymbolicDims : Pass<"flywheel-unify-symbolic-dims", "::mlir::func::FuncOp"> {
  let summary = "Use one SSA value for dynamic dimension sizes that are equal";
  let description = [{
    Before: `linalg` on tensors; no two `tensor.dim` ops are known to be equal.
    After: where the structured ops require a dimension size to equal that of a
    feed, it is read from the feed, so that every use of the batch size is one
    SSA value. The size of a collapsed dimension that a check compares is
    computed as the product of the sizes that were collapsed. Arguments carry
    `train.dim_sizes`: for each dimension the number of its symbolic size, or -1
    where it is static; the function carries `train.symbols`, the names of the
    symbolic sizes. If the ops require a dynamic dimension size of a feed to be
    a constant, a `linalg_ext.check` checks that.

    Refuses a result with a dimension size that is not one of a feed.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def CheckSlices : Pass<"flywheel-check-slices", "::mlir::func::FuncOp"> {
  let summary = "Check slices and elements that may be out of range";
  let description = [{
    Before: `tensor.extract_slice`, `tensor.insert_slice`, `tensor.extract` and
    `tensor.insert` whose offsets, sizes or dimension sizes are known only when
    the step runs. Out of range, they have undefined behavior. After: a
    a check before each checks that it is in range, unless the bounds of the
    loops around it prove that; its message has the numbers in question. Checks
    of ops inside branches and loops are marked `safe` and come after
    the branch or the loop, which yields whether they passed. If such a check
    fails, the op uses offset 0 if that is in range, and otherwise does not run.

    Refuses an op that may be out of range in a body that cannot yield the
    result of a check, such as that of a `tensor.pad`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def ConvertAsserts : Pass<"flywheel-convert-asserts"> {
  let summary = "Make assertions checks of the step";
  let description = [{
    Before: `cf.assert` anywhere, as other front ends write it. After: a
    `linalg_ext.check` of data with the same message and location.
  }];
  let dependentDialects = ["::flywheel::linalg_ext::LinalgExtDialect"];
}

def LiftChecks : Pass<"flywheel-lift-checks", "::mlir::func::FuncOp"> {
  let summary = "Move checks out of the bodies of structured ops";
  let description = [{
    Before: checks anywhere, also in the bodies of `linalg` ops on tensors
    and of `tensor.generate`, as other front ends write them. After: there is
    none in such a body. In front of the op, a reduction over all elements
    computes whether the check passes for each, and a check with the same
    message and location checks the result. A check in a branch or a loop is
    marked `safe`: the op that it guards has checks of its own.

    Refuses conditions that depend on what the op itself has computed before,
    and checks in other bodies.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
  let statistics = [
    Statistic<"numLifted", "lifted", "Checks that were taken out of a body">
  ];
}

def CarryChecks : Pass<"flywheel-carry-checks", "::mlir::func::FuncOp"> {
  let summary = "Move checks out of branches and loops";
  let description = [{
    Before: checks anywhere. After: each check that is marked `safe`,
    because the ops that follow it in its region do no harm
    where it fails, is at the top level of the function. The `scf.if`, `scf.for`
    or `scf.while` around it yields one more result: whether its condition was
    true each time. An `scf.while` ends where it was false. Other checks, and
    those inside other ops, stay where they are.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
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
  let summary = "Expand affine ops whose divisor is known only when the step runs";
  let description = [{
    Before: `affine.apply`, `affine.min` and `affine.max` whose maps divide by a
    symbol, or take a remainder; upstream defines them for positive divisors
    only. After: each op with a divisor that is not constant is replaced by
    `arith` ops, behind a check that the divisor is at least 1. In a
    branch, a loop or a body, where the check runs only after the ops, the
    divisor is clamped to at least 1.

    Refuses constant divisors below 1, also those that a symbol turns out to be.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
  let statistics = [Statistic<"numExpanded", "num-expanded",
                              "Number of affine ops that were expanded">];
}

def CheckDivisions : Pass<"flywheel-check-divisions", "::mlir::func::FuncOp"> {
  let summary = "Make an integer division that has no result an error";
  let description = [{
    Before: integer divisions and remainders of tensors and scalars. LLVM leaves
    undefined a division by zero, and that of the smallest number by -1. After:
    each follows a check that no element of its divisor is zero, so that a
    step that would divide by zero fails and changes nothing. A signed division
    by -1 is a negation, and its remainder is 0: both wrap, as addition does. In
    a branch, a loop or a body, where the check runs only after the ops, a
    divisor of 0 is replaced by 1. Constant divisors cost nothing. `math.ipowi`
    of 0 to a negative power is a division by zero.

    Refuses a constant divisor that is zero, or has an element that is.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def CheckNumerics : Pass<"flywheel-check-numerics", "::mlir::func::FuncOp"> {
  let summary = "Fail a step at the first number that is NaN or infinite";
  let description = [{
    Before: a function of plain ops, with the locations that `train-autodiff`
    gave them. After: behind each op that computes numbers for other ops of the
    source, or reads a variable, and for each feed, a check that they are
    finite. Its message names the op in the source, its place, and whether it is
    the op's gradient. A step that fails changes nothing.

    Values that an op computes for itself alone may be infinite.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::flywheel::nn::NNDialect",
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numChecks", "checks", "Tensors that are checked">
  ];
}

#endif // FLYWHEEL_TRANSFORMS_CHECKS_CHECKSPASSES
