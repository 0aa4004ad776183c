//===- CostAnalysis.h - Counts what a step costs ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_COST_COSTANALYSIS_H
#define FLYWHEEL_COST_COSTANALYSIS_H

#include "flywheel/Cost/CostReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace flywheel {

struct CostOptions {
  /// Names of entries; empty for all public functions.
  std::vector<std::string> entries;
  /// Names, or numbers, of the results to count, with the ops that they depend
  /// on; empty for all results and effects.
  std::vector<std::string> fetches;
  /// Sizes of dimensions by name: `batch` is 32.
  llvm::StringMap<int64_t> bindings;
  /// Refuse a binding of a size that no entry has.
  bool checksBindings = true;
  /// Also count dead ops, and the initial values of variables.
  bool wholeGraph = false;
};

/// Counts the ops of `module` as they are. Gradients that have not been
/// expanded cost nothing. Fails with a diagnostic if an option refers to an
/// unknown name.
llvm::FailureOr<CostReport> countCost(mlir::ModuleOp module,
                                      const CostOptions &options);

/// Counts a module whose gradients may still be requests: the forward pass and
/// the updates as they are written, the backward pass as gradient ops are made.
/// `expand` replaces optimizers by updates and inlines calls; `differentiate`
/// replaces gradients. Both work on `module`, and emit a diagnostic on failure.
llvm::FailureOr<CostReport>
countSourceCost(mlir::ModuleOp module, const CostOptions &options,
                llvm::function_ref<llvm::LogicalResult()> expand,
                llvm::function_ref<llvm::LogicalResult()> differentiate);

/// `batch=32`.
llvm::Error addBinding(CostOptions &options, llvm::StringRef text);

} // namespace flywheel

#endif // FLYWHEEL_COST_COSTANALYSIS_H
