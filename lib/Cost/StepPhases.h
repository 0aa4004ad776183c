//===- StepPhases.h - Which part of a step an op is of ----------*- C++ -*-===//
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

/// The phases of the ops of a function. Derivatives, and requests for them, are
/// of the backward pass. What depends on one is of the update, or of the
/// backward pass where another derivative depends on it. Assignments, and what
/// optimizers are expanded to, are of the update.
class StepPhases {
public:
  explicit StepPhases(mlir::func::FuncOp function);

  Phase get(mlir::Operation *op) const;

private:
  bool visit(mlir::Operation *op, bool isInside);
  void collectNeeded(mlir::func::FuncOp function);

  /// What depends on a derivative.
  llvm::DenseSet<mlir::Value> lateValues;
  llvm::DenseSet<mlir::Operation *> late, derivatives;
  /// What a derivative is computed from.
  llvm::DenseSet<mlir::Operation *> needed;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_COST_STEPPHASES_H
