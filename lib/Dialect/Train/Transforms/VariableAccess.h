//===- VariableAccess.h - Variables that an op accesses ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_VARIABLEACCESS_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_VARIABLEACCESS_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Returns the variable whose value `op` is, or null.
inline mlir::FlatSymbolRefAttr getReadVariable(mlir::Operation *op) {
  if (auto read = llvm::dyn_cast_or_null<ReadOp>(op))
    return read.getVariableAttr();
  if (auto read = llvm::dyn_cast_or_null<InitializedValueOp>(op))
    return read.getVariableAttr();
  return {};
}

/// Returns the variable that `op` assigns, or null.
inline mlir::FlatSymbolRefAttr getAssignedVariable(mlir::Operation *op) {
  if (auto assign = llvm::dyn_cast_or_null<AssignOp>(op))
    return assign.getVariableAttr();
  if (auto assign = llvm::dyn_cast_or_null<AssignAddOp>(op))
    return assign.getVariableAttr();
  if (auto assign = llvm::dyn_cast_or_null<AssignSubOp>(op))
    return assign.getVariableAttr();
  return {};
}

/// Returns the variable that `op` assigns, or the list of variables of which it
/// assigns one; null if it assigns none.
inline mlir::Attribute getAssigned(mlir::Operation *op) {
  if (auto assign = llvm::dyn_cast_or_null<AssignNthOp>(op))
    return assign.getVariablesAttr();
  return getAssignedVariable(op);
}

/// Returns the variable whose value `op` reads or assigns, or null.
inline mlir::FlatSymbolRefAttr getAccessedVariable(mlir::Operation *op) {
  mlir::FlatSymbolRefAttr variable = getReadVariable(op);
  return variable ? variable : getAssignedVariable(op);
}

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_VARIABLEACCESS_H
