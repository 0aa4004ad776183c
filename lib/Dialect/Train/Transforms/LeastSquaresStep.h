//===- LeastSquaresStep.h - The linear system of least squares --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LEASTSQUARESSTEP_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LEASTSQUARESSTEP_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// The step from one x.
struct LeastSquaresStep {
  /// What is subtracted from x, one of the type of each of its parts.
  llvm::SmallVector<mlir::Value> deltas;
  /// Whether it could be computed, a scalar tensor; null where failing is an
  /// error, or cannot happen. Where it is false the deltas are any numbers.
  mlir::Value success;
};

/// Emits the step of `op` from `xs`, where the residuals are `residuals`, with
/// `regularizer`, a scalar tensor.
LeastSquaresStep emitLeastSquaresStep(mlir::OpBuilder &builder,
                                      LeastSquaresOp op, mlir::ValueRange xs,
                                      mlir::ValueRange residuals,
                                      mlir::Value regularizer);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LEASTSQUARESSTEP_H
