//===- ExpandApplyGradients.h - One update, in place of its op --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_EXPANDAPPLYGRADIENTS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_EXPANDAPPLYGRADIENTS_H

#include "flywheel/Dialect/Train/Train.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace flywheel::train {

/// The variables of one optimizer. Several ops share them if it has a name.
struct OptimizerState {
  OptimizerState(OptimizerAttrInterface optimizer, mlir::Location loc,
                 llvm::StringRef scope)
      : optimizer(optimizer), loc(loc), scope(scope) {}

  OptimizerAttrInterface optimizer;
  /// The first op that uses it.
  mlir::Location loc;
  std::string scope;
  /// True if another optimizer, named like this one's kind, already has its
  /// slot names.
  bool isNameTaken = false;
  /// True if it may update a variable of f64.
  bool isDouble = false;
  llvm::SmallVector<VariableOp> scalars;
  /// The variable that a schedule counts, if no scalar is a counter of steps.
  VariableOp counter;
  /// By parameter.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<VariableOp>> slots;
  llvm::DenseMap<mlir::Operation *, VariableOp> masters;
  /// True if an op with this optimizer has variables of its own that decide
  /// when it updates.
  bool isGuarded = false;
};

/// The numbers of variables that an update has changed and declared.
struct ExpandedUpdate {
  unsigned numParameters = 0, numSlots = 0;
};

/// Replaces `apply`, which has no clause that guards it, by updates of its
/// variables and of those of its optimizer. Declares missing variables in
/// `state`. Fails if the program has other variables of their names.
llvm::FailureOr<ExpandedUpdate> expandApplyGradients(ApplyGradientsOp apply,
                                                     OptimizerState &state);

/// Emits the rate of `schedule` at step `step`, an integer of rank 0, as a
/// tensor of `type`.
mlir::Value emitRate(mlir::OpBuilder &builder, mlir::Location loc,
                     ScheduleAttrInterface schedule, mlir::Value step,
                     mlir::Type type);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_EXPANDAPPLYGRADIENTS_H
