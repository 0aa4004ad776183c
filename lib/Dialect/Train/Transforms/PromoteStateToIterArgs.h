//===- PromoteStateToIterArgs.h - State as what loops carry -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CARRYSTATE_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CARRYSTATE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel::train {

/// If `op` is an `scf.if`, `scf.for` or `scf.while`, turns the variables that
/// its regions assign into values that it yields: they are read before `op` and
/// assigned after it, so that the regions can be computed again for
/// differentiation. A read of such a variable in the regions is a constant for
/// a derivative. So a variable stays if the regions read it and it is trainable
/// or one of `targets` (symbols), or if it is accessed by other ops than reads
/// and assignments. Inner ops are handled first; ops are replaced. If `only` is
/// given, no other variable is carried.
void carryState(mlir::Operation *op,
                const llvm::SetVector<mlir::Attribute> &targets,
                mlir::FlatSymbolRefAttr only = {});

/// Returns true if `op` asks for derivatives, which replace it.
bool asksForDerivatives(mlir::Operation *op);

/// Returns the symbols of the variables with respect to whose values
/// derivatives in `root` are requested.
llvm::SetVector<mlir::Attribute> findTargetVariables(mlir::Operation *root);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CARRYSTATE_H
