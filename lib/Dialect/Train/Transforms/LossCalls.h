//===- LossCalls.h - Losses that are computed by calls ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSCALLS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel::train {

/// Inlines the calls that `loss` is a differentiable function of, and those
/// that this brings in, so that the variables they read are in sight. A call
/// stays where the callee is recursive, external or of several blocks:
/// differentiation then says that it has no rule.
void inlineLossCalls(mlir::OpOperand &loss);

/// Inlines the calls of `region`, but for those that `inlineLossCalls` leaves.
void inlineCalls(mlir::Region &region);

/// The functions of `root`, callees before their callers (where calls do not
/// recurse).
llvm::SmallVector<mlir::func::FuncOp>
getFunctionsBottomUp(mlir::Operation *root);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LOSSCALLS_H
