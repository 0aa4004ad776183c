//===- LossHistory.h - What a loss is computed from -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSHISTORY_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSHISTORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel::train {

/// Brings the variables that `loss` is a differentiable function of in sight.
///
/// Calls in its history are inlined, and those that this brings in. A call
/// stays where the callee is recursive, external or of several blocks:
/// differentiation then says that it has no rule. Of control flow with one path
/// (a branch on a flag that a call gives as a constant) that path is left. What
/// an op reads in its
/// regions (a weight in the body of a loop) is read in front of it, unless the
/// op also assigns it; what it assigns is passed on as `carryState` does.
void exposeLossReads(mlir::OpOperand &loss,
                     const llvm::SetVector<mlir::Attribute> &targets);

/// The ops with regions that `y` is a differentiable function of.
llvm::SetVector<mlir::Operation *> getRegionOps(mlir::Value y);

/// Inlines the calls of `region`, but for those that `exposeLossReads` leaves.
void inlineCalls(mlir::Region &region);

/// The functions of `root`, callees before their callers (where calls do not
/// recurse).
llvm::SmallVector<mlir::func::FuncOp>
getFunctionsBottomUp(mlir::Operation *root);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSHISTORY_H
