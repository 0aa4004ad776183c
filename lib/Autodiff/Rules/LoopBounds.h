//===- LoopBounds.h - Bounds of the trip count of a loop --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_LOOPBOUNDS_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_LOOPBOUNDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace flywheel {

/// Returns a constant that `value`, an index or an integer, never exceeds, if
/// one is known.
std::optional<int64_t> getConstantBound(mlir::Value value);

/// Returns true if `value`, an index, is bounded by dimension sizes of tensors.
bool isBoundedByDimSizes(mlir::Value value);

/// Returns true if `value`, an index, is known to be at least `least`.
bool isAtLeast(mlir::Value value, int64_t least);

/// Returns true if dimension `dim` of carried value number `i` has the same
/// size after every iteration of `loop`.
bool keepsDimSize(mlir::scf::ForOp loop, unsigned i, int64_t dim);

/// Returns true if dimension `dim` of `value` has the size of dimension
/// `likeDim` of `like`, in the body of `loop`, provided that carried values
/// keep their dimension sizes.
bool hasDimSizeOf(mlir::scf::ForOp loop, mlir::Value value, int64_t dim,
                  mlir::Value like, int64_t likeDim);

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_LOOPBOUNDS_H
