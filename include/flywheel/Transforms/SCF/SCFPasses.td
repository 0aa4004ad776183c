//===- SCFPasses.td - Passes on scf control flow -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_SCF_SCFPASSES
#define FLYWHEEL_TRANSFORMS_SCF_SCFPASSES

include "mlir/Pass/PassBase.td"

def LowerControlFlow : Pass<"flywheel-lower-control-flow", "::mlir::func::FuncOp"> {
  let summary = "Lower structured control flow to branches between blocks";
  let description = [{
    Before: ops of the scf dialect. After: branches between blocks, as
    `convert-scf-to-cf` makes them, in time that is linear in the number of ops.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def LowerSwitches : Pass<"flywheel-lower-switches", "::mlir::func::FuncOp"> {
  let summary = "Lower scf.index_switch to scf.if";
  let description = [{
    Before: any `scf.index_switch`. After: an `scf.if` for each case, each in
    the else region of the previous one; the innermost else region is the
    default. So everything that handles branches handles switches: gradients,
    assignments, checks.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NormalizeLoopIndices : Pass<"flywheel-normalize-loop-indices", "::mlir::func::FuncOp"> {
  let summary = "Make scf.for count with a signed index";
  let description = [{
    Before: any `scf.for`. After: the induction variable of each is an index
    with signed comparison. A loop over another integer type has its bounds
    extended, and its body casts the induction variable back. An unsigned loop
    over 64 bits counts from 0 to its trip count, behind a `cf.assert` that its
    step is not 0; `flywheel-check-sizes` checks that any other step is at least
    1.

    Refuses integers of more than 64 bits, and constant steps below 1.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

#endif // FLYWHEEL_TRANSFORMS_SCF_SCFPASSES
