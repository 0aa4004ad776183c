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

/// Where `op` is an `scf.if`, `scf.for` or `scf.while`: makes variables that
/// its regions assign values that it passes on, read in front of it and
/// assigned behind it, so that the regions can be computed again to
/// differentiate them. What they read of such a variable is constant to a
/// derivative: so where they read a trainable one or one of `targets` (symbols)
/// it stays, as does one that is accessed in other ways than reads and
/// assignments. Inner ops come first; ops are replaced. With `only`, no other
/// variable is carried.
void carryState(mlir::Operation *op,
                const llvm::SetVector<mlir::Attribute> &targets,
                mlir::FlatSymbolRefAttr only = {});

/// Whether `op` is one that derivatives take the place of.
bool asksForDerivatives(mlir::Operation *op);

/// The symbols of the variables whose values, as they are read, derivatives in
/// `root` are asked for with respect to.
llvm::SetVector<mlir::Attribute> findTargetVariables(mlir::Operation *root);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_TRANSFORMS_CARRYSTATE_H
