//===- LowerProjections.h - Constraints to linalg ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CONVERSION_TRAINTOLINALG_LOWERPROJECTIONS_H
#define FLYWHEEL_LIB_CONVERSION_TRAINTOLINALG_LOWERPROJECTIONS_H

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// Returns the projection, element by element, of the new parameter that
/// `update` computes; null if there is none.
train::ProjectOp getElementProjection(mlir::Operation *update);

/// Emits the projection of one element by a constraint without an axis.
mlir::Value projectElement(mlir::OpBuilder &b, mlir::Location loc,
                           train::ConstraintAttrInterface constraint,
                           mlir::Value element);

/// Replaces a projection by linalg ops, the last of which has the input as its
/// destination: bufferization projects in place.
void lowerProjection(mlir::RewriterBase &rewriter, train::ProjectOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CONVERSION_TRAINTOLINALG_LOWERPROJECTIONS_H
