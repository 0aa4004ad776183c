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
/// made; null where it has no such clause.
struct UpdateGuards {
  VariableOp lossScale, goodSteps, microStep;
  /// The element type of the loss that is scaled; null where the program has
  /// scaled it.
  mlir::Type lossType;
};

/// Declares the variables that `op`, which updates by the optimizer `scope`,
/// needs. A variable of the program that has the name takes the place of one;
/// fails where that is of another type.
mlir::FailureOr<UpdateGuards> declareGuards(mlir::Operation *op,
                                            llvm::StringRef scope);

/// The variable `scope`/`spec.name` of the program, which starts as `spec` says
/// unless it says so itself; null where there is none. Fails where its type is
/// not `type`. `owner` is whose scalar it is, for the error.
mlir::FailureOr<VariableOp> findDeclaredScalar(mlir::Operation *op,
                                               llvm::StringRef scope,
                                               const ScalarVariableSpec &spec,
                                               mlir::RankedTensorType type,
                                               mlir::Attribute owner);

/// Puts `apply` in the branch in which its gradients are finite, divided by the
/// scale of the loss, and in the one in which it is the last of so many calls,
/// with the mean of their gradients. Returns the op there, without the two
/// clauses; `apply` itself where it has none of them.
ApplyGradientsOp guardUpdate(ApplyGradientsOp apply, UpdateGuards guards,
                             llvm::StringRef scope);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_GUARDUPDATES_H
