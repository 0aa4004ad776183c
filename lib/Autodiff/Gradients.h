//===- Gradients.h - The replacement of derivatives -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_GRADIENTS_H
#define FLYWHEEL_LIB_AUTODIFF_GRADIENTS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel {

/// Replaces `gradient` by plain ops before it, and returns the gradients. Adds
/// the number of rules that it applied to `numRules`. Fails with a diagnostic.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
emitGradients(train::GradientOp gradient, unsigned &numRules);

/// Emits forward mode likewise, by applying reverse mode twice: the gradient of
/// <ys, u>, J^T u, is linear in u, and the gradient of <tangents, J^T u> with
/// respect to u is J tangents for every u.
llvm::LogicalResult emitJvp(train::JvpOp jvp, unsigned &numRules);

/// Emits a Jacobian likewise: the ops of reverse or forward mode that depend on
/// the weights, or tangents, are emitted for all unit vectors at once.
llvm::LogicalResult emitJacobian(train::JacobianOp jacobian,
                                 unsigned &numRules);

/// Returns the name of a value in messages.
std::string describe(mlir::Value value);

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_GRADIENTS_H
