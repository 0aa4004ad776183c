//===- LossHistory.h - Ops that a loss is computed by -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSHISTORY_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSHISTORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel::train {

/// Makes the variables of which `loss` is a differentiable function visible.
///
/// Inlines the calls in its history, and the calls that this brings in. A call
/// stays if the callee is recursive, external or has several blocks:
/// differentiation then reports that it has no rule. Control flow with one path
/// (a branch on a flag that a call gives as a constant) is replaced by that
/// path. A variable that an op reads in its regions (a weight in the body of a
/// loop) is read before the op, unless the op also assigns it; `carryState`
/// handles variables that it assigns.
void exposeLossReads(mlir::OpOperand &loss,
                     const llvm::SetVector<mlir::Attribute> &targets);

/// Returns the ops with regions that `y` is a differentiable function of.
llvm::SetVector<mlir::Operation *> getRegionOps(mlir::Value y);

/// Inlines the calls of `region`, but for those that `exposeLossReads` leaves.
void inlineCalls(mlir::Region &region);

/// Returns the functions of `root`, callees before their callers, except for
/// recursive calls.
llvm::SmallVector<mlir::func::FuncOp>
getFunctionsBottomUp(mlir::Operation *root);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSHISTORY_H
