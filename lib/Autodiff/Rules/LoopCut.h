//===- LoopCut.h - What of an iteration is kept for the reverse -*- C++ -*-===//
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
/// and from which everything in it is computed that is computed of `start`:
/// what is read of a tensor that a loop writes in part, for example. They are
/// results of ops that compute something again. Returns none if another op uses
/// `start` or all of a tensor that is computed of it.
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

/// Lets the results of `loop` that nothing uses, and that are computed for
/// themselves alone, be what the loop starts with. So do loops inside.
void dropUnusedResults(mlir::scf::ForOp loop);

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_LOOPCUT_H
