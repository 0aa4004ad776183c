//===- GuardUpdates.h - Updates that not every call makes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_GUARDUPDATES_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_GUARDUPDATES_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// The variables of the clauses of one op that decide whether its update is
/// made; null if it has no such clause.
struct UpdateGuards {
  VariableOp lossScale, goodSteps, microStep;
  /// The element type of the loss that is scaled; null if the program itself
  /// has scaled it.
  mlir::Type lossType;
};

/// Declares the variables that `op`, which updates by the optimizer `scope`,
/// needs. A variable of the program with the same name is used instead; fails
/// if its type differs.
mlir::FailureOr<UpdateGuards> declareGuards(mlir::Operation *op,
                                            llvm::StringRef scope);

/// Returns the variable `scope`/`spec.name` of the program, with the initial
/// value of `spec` unless it has one; null if there is none. Fails if its type
/// is not `type`. The error names `owner`, whose scalar it is.
mlir::FailureOr<VariableOp> findDeclaredScalar(mlir::Operation *op,
                                               llvm::StringRef scope,
                                               const ScalarVariableSpec &spec,
                                               mlir::RankedTensorType type,
                                               mlir::Attribute owner);

/// Moves `apply` into two branches: one in which its gradients are finite,
/// divided by the scale of the loss, and one in which it is the last of
/// `accumulate` calls, with the mean of their gradients. Returns the op there,
/// without the two clauses; `apply` itself if it has neither.
ApplyGradientsOp guardUpdate(ApplyGradientsOp apply, UpdateGuards guards,
                             llvm::StringRef scope);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_GUARDUPDATES_H
