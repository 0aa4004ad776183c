//===- ForVjp.h - The reverse of a loop -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_FORVJP_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_FORVJP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// Returns the captures of `op` that need a cotangent, with the numbers of
/// these cotangents.
llvm::SmallVector<std::pair<mlir::Value, unsigned>>
getNeededCaptures(mlir::Operation *op, llvm::ArrayRef<bool> needed);

/// Emits the cotangents of the inits and captures of `loop`, and replaces it by
/// a loop that keeps the values that they are computed from. See
/// `DifferentiableOpInterface::emitVjp`; the body has no side effects. Fails
/// with a diagnostic at the loop if its trip count is unbounded, or if a
/// carried value does not keep its dimension sizes.
llvm::LogicalResult
emitForVjp(mlir::scf::ForOp loop, mlir::OpBuilder &builder,
           llvm::ArrayRef<mlir::Value> resultCotangents,
           llvm::ArrayRef<bool> needed,
           llvm::MutableArrayRef<mlir::Value> inputCotangents);

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_FORVJP_H
