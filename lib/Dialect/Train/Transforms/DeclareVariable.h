//===- DeclareVariable.h - Variables that passes make -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_DECLAREVARIABLE_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_DECLAREVARIABLE_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Adds a variable that is not trainable to the symbol table `table`, after its
/// last variable. A name that is taken gets the first suffix `_1`, `_2`, ...
/// that is free. `owner`, if any, is the parameter that it belongs to: the
/// variable is on its device, and is its slot if it has the same type.
VariableOp declareVariable(mlir::Operation *table, mlir::Location loc,
                           const llvm::Twine &name, mlir::RankedTensorType type,
                           mlir::Attribute initialValue, VariableOp owner = {});

/// Returns a tensor of `type`, of a floating-point type or i64, with `value`
/// everywhere.
mlir::DenseElementsAttr getSplatOf(mlir::RankedTensorType type, double value);

/// Returns the same for integers, which a double may not hold.
mlir::DenseElementsAttr getCounterOf(mlir::RankedTensorType type,
                                     int64_t value);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_DECLAREVARIABLE_H
