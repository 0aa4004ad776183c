//===- LoopCut.h - Values to keep for a reverse loop ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_LOOPCUT_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_LOOPCUT_H

#include "Recomputation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace flywheel {

/// Returns values of `block` that are together smaller than the tensor `start`
/// and from which all values that depend on `start` can be computed: for
/// example, the elements that are read from a tensor that a loop writes in
/// part. They are results of ops that are recomputed. Returns nullopt if
/// another op uses `start`, or all of a tensor that is computed from it.
std::optional<llvm::SmallVector<mlir::Value>>
findSmallerCut(mlir::Value start, mlir::Block &block,
               const Recomputation &again);

/// Returns true if the owner of `use` needs nothing but dimension sizes of it.
bool needsOnlySizes(mlir::OpOperand &use);

/// Returns the dimension sizes of `value`, which ops of `block` compute, as
/// attributes and values from outside of the block. `block` knows the sizes of
/// each of `starts`, which are those of the value of `like` with its number.
/// Returns none if one of them is not known.
std::optional<llvm::SmallVector<mlir::OpFoldResult>>
findSizesOutside(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value value, mlir::Block *block,
                 llvm::ArrayRef<mlir::Value> starts, mlir::ValueRange like);

/// Replaces results of `loop` that have no uses and that no other value depends
/// on by their inits, also in inner loops.
void dropUnusedResults(mlir::scf::ForOp loop);

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_LOOPCUT_H
