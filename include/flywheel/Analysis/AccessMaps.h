//===- AccessMaps.h - How loops index operands ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_ANALYSIS_ACCESSMAPS_H
#define FLYWHEEL_ANALYSIS_ACCESSMAPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns true if every result of `map` is a sum of loops and constants, with
/// non-negative constants and factors. Then a tile of the loops reads one
/// slice, from its first iteration to its last one, as tiling assumes. A
/// modulus, a division or a loop that runs backwards breaks this.
bool isTileable(mlir::AffineMap map);

/// Returns true if `isTileable` holds for every operand of `op`.
bool hasTileableMaps(mlir::linalg::LinalgOp op);

} // namespace flywheel

#endif // FLYWHEEL_ANALYSIS_ACCESSMAPS_H
