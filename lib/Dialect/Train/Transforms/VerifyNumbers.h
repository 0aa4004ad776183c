//===- VerifyNumbers.h - Numbers in the types that use them -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_VERIFYNUMBERS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_VERIFYNUMBERS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Emits an error at `op` and fails if one of `numbers`, which are written in
/// `owner`, is not finite in `type`, is 0 there but not in the text, or must be
/// below 1 and is not. Denormal numbers count as 0, as they do in steps.
llvm::LogicalResult verifyNumbers(mlir::Operation *op, mlir::Attribute owner,
                                  llvm::ArrayRef<NamedNumber> numbers,
                                  mlir::Type type);

/// Verifies all numbers of `apply`: those of its optimizer and schedule in
/// `scalarType`, the type of rates and other scalar variables; those of `l2`
/// and `weight_decay` in the compute types of its variables; and that of
/// `clip_value` in those of its gradients.
llvm::LogicalResult verifyNumbers(ApplyGradientsOp apply,
                                  mlir::Type scalarType);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_VERIFYNUMBERS_H
