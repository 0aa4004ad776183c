//===- VariableVerifiers.h - What verifiers ask of variables ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_VARIABLEVERIFIERS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_VARIABLEVERIFIERS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// The variable that `symbol` names, or an error at `op`.
mlir::FailureOr<VariableOp>
lookupVariable(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol,
               mlir::SymbolTableCollection &symbols);

/// What the scalar of an optimizer is that `name` is the name of, where an
/// optimizer in the symbol table around `op` has one: a variable that
/// `-train-expand-optimizers` declares, unless the program does.
std::optional<ScalarVariableSpec> findOptimizerScalar(mlir::Operation *op,
                                                      llvm::StringRef name);

/// Whether a variable can have that name.
bool isVariableName(llvm::StringRef name);

/// Element types that a variable can have.
bool isVariableElementType(mlir::Type type);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_VARIABLEVERIFIERS_H
