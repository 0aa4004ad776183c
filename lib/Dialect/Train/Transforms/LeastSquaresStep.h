//===- LeastSquaresStep.h - The linear system of least squares --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LEASTSQUARESSTEP_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LEASTSQUARESSTEP_H

#include "flywheel/Dialect/Train/Train.h"

#include <memory>

namespace flywheel::train {

/// The step from one x.
struct LeastSquaresStep {
  /// The values that are subtracted from x, one for each of its parts.
  llvm::SmallVector<mlir::Value> deltas;
  /// A scalar tensor that is true if the step could be computed; null if
  /// failing is an error, or cannot happen. If it is false, the deltas are
  /// unspecified.
  mlir::Value success;
};

/// The linear system at one x, which has a step for each regularizer.
class LeastSquaresSystem {
public:
  virtual ~LeastSquaresSystem() = default;

  /// Emits the step with `regularizer`, a scalar tensor.
  virtual LeastSquaresStep emitStep(mlir::Value regularizer) = 0;
};

/// Emits the system of `op` at `xs` with the residuals `residuals`. Its steps
/// are emitted at the position of `builder`.
std::unique_ptr<LeastSquaresSystem>
emitLeastSquaresSystem(mlir::OpBuilder &builder, LeastSquaresOp op,
                       mlir::ValueRange xs, mlir::ValueRange residuals);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_LEASTSQUARESSTEP_H
