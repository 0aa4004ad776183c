//===- CostPasses.td - Passes that count -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_COST_PASSES
#define FLYWHEEL_COST_PASSES

include "mlir/Pass/PassBase.td"

def PrintCost : Pass<"train-print-cost", "::mlir::ModuleOp"> {
  let summary = "Print the operations, bytes and memory that each entry takes";
  let description = [{
    Before and after: any module; it is not changed. Prints to standard error,
    for each entry, the floating-point operations and the bytes of the forward
    pass, the backward pass and the update, for each op of the source and in
    total; loops, whose bodies count once, with the total where their number of
    iterations is known; ops without a cost, which count 0; and the most memory
    that the tensors of the step take at a time, with the ops that make them.
    docs/Guides/CostAndProfile.md has the table of costs.

    Optimizers and gradients are expanded in a copy: the forward pass and the
    update are counted as the program has them, the backward pass as it is
    before any optimization. A module behind `flywheel-autodiff` is counted as
    it is.

    Sizes that are not known are symbols, with the names that they have in the
    manifest, unless `bind` gives a number.

    Refuses an entry, a fetch or a size that does not exist, and what optimizers
    and gradients refuse.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::flywheel::nn::NNDialect",
    "::flywheel::train::TrainDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Entries to count; by default all">,
    ListOption<"fetches", "fetches", "std::string",
               "Results to count, by name or number, with what they depend on; "
               "by default all, and all effects">,
    ListOption<"bind", "bind", "std::string",
               "Sizes of dimensions: batch=32">,
    Option<"json", "json", "bool", /*default=*/"false",
           "Print JSON instead of text">,
    Option<"wholeGraph", "whole-graph", "bool", /*default=*/"false",
           "Also count what nothing uses, and initial values of variables">
  ];
}

def CountWork : Pass<"flywheel-count-work", "::mlir::func::FuncOp"> {
  let summary = "Say what each structured op takes, for a profile";
  let description = [{
    Before: `linalg` on tensors, as fusion leaves it. After: each structured op has
    a number, `codegen.work`, which its tiles keep, and the function a table,
    `codegen.work_table`, with a record for each: the op of the source and its
    place, the part of the step, the iterations of the loops, operations and bytes
    as maps from the symbolic dimension sizes of the entry (none where they depend on
    another size), and the tensors that it reads and writes. Loops of the program
    are marked in their locations, which tells them from those of tiles.
  }];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect"];
}

#endif // FLYWHEEL_COST_PASSES
