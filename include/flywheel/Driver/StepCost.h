//===- StepCost.h - What a model costs, before and after ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_STEPCOST_H
#define FLYWHEEL_DRIVER_STEPCOST_H

#include "flywheel/Cost/CostAnalysis.h"
#include "flywheel/Driver/Compiler.h"

namespace flywheel {

/// The costs of a model as it is written, and after everything that changes
/// which ops there are: folding, common subexpressions, dead code, fusion.
struct StepCost {
  CostReport before;
  /// None where fetches limit what is counted: a step is compiled as a whole.
  std::optional<CostReport> after;
};

/// Counts a module that has been through no stage. On failure diagnostics have
/// been emitted.
llvm::FailureOr<StepCost>
countStepCost(mlir::OwningOpRef<mlir::ModuleOp> module,
              const CompilerOptions &options, const CostOptions &costs);

/// As text, or as a JSON object with `before` and `after`.
std::string formatStepCost(const StepCost &cost, bool isJSON);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_STEPCOST_H
