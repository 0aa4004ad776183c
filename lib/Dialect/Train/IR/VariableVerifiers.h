//===- VariableVerifiers.h - Verifiers of variables -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_VARIABLEVERIFIERS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_VARIABLEVERIFIERS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Returns the variable that `symbol` names, or an error at `op`.
mlir::FailureOr<VariableOp>
lookupVariable(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol,
               mlir::SymbolTableCollection &symbols);

/// Returns the spec of the optimizer scalar with the name `name`, if an
/// optimizer in the symbol table around `op` has one: a variable that
/// `-train-expand-optimizers` declares, unless the program does.
std::optional<ScalarVariableSpec> findOptimizerScalar(mlir::Operation *op,
                                                      llvm::StringRef name);

/// Checks the clauses of `op` around its optimizer.
llvm::LogicalResult verifyUpdateClauses(MinimizeOp op,
                                        mlir::SymbolTableCollection &symbols);
llvm::LogicalResult verifyUpdateClauses(ApplyGradientsOp op,
                                        mlir::SymbolTableCollection &symbols);

/// Returns the scalar of that name that the clauses of `op`, one of these two,
/// keep beside those of the optimizer.
std::optional<ScalarVariableSpec> findClauseScalar(mlir::Operation *op,
                                                   llvm::StringRef name);

/// Returns true if a tensor of type `gradient` may be the gradient of one of
/// type `parameter`: it has the same type, or the compute type of these
/// elements.
bool isGradientType(mlir::Type gradient, mlir::RankedTensorType parameter);

/// Returns true if a variable can have that name.
bool isVariableName(llvm::StringRef name);

/// Returns true if a variable can have elements of that type.
bool isVariableElementType(mlir::Type type);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_VARIABLEVERIFIERS_H
