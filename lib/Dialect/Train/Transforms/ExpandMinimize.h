//===- ExpandMinimize.h - Gradients of a loss, to be applied ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_EXPANDMINIMIZE_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_EXPANDMINIMIZE_H

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/BuiltinOps.h"

namespace flywheel::train {

/// Replaces `minimize` by the gradient of its loss with respect to the
/// variables of its list, or the trainable ones of `root` that the loss depends
/// on, and by the op that applies them, which is returned. The gradients are
/// those of the loss times `lossScale`, if that is not null.
llvm::FailureOr<ApplyGradientsOp>
expandMinimize(MinimizeOp minimize, mlir::ModuleOp root, VariableOp lossScale);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_EXPANDMINIMIZE_H
