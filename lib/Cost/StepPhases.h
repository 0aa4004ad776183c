//===- StepPhases.h - Phases of the ops of a step ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_COST_STEPPHASES_H
#define FLYWHEEL_LIB_COST_STEPPHASES_H

#include "flywheel/Cost/CostReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace flywheel {

/// The phases of the ops of a function:
///
/// * Derivatives, and requests for them, belong to the backward pass.
/// * Ops that depend on a derivative belong to the update, or to the backward
///   pass if another derivative depends on them.
/// * Assignments, and the ops that optimizers are expanded to, belong to the
///   update.
/// * Other ops belong to the forward pass.
class StepPhases {
public:
  explicit StepPhases(mlir::func::FuncOp function);

  Phase get(mlir::Operation *op) const;

private:
  bool visit(mlir::Operation *op, bool isInside);
  void collectNeeded(mlir::func::FuncOp function);

  /// The values that depend on a derivative.
  llvm::DenseSet<mlir::Value> lateValues;
  llvm::DenseSet<mlir::Operation *> late, derivatives;
  /// The ops that derivatives are computed from.
  llvm::DenseSet<mlir::Operation *> needed;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_COST_STEPPHASES_H
