//===- WidenTiles.h - Narrow numbers that wider ones are made of *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds and widens the narrow inputs of a contraction in its tiles.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_WIDENTILES_H
#define FLYWHEEL_LIB_CODEGEN_CPU_WIDENTILES_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// Returns the same op as a generic one, with its schedule and its other
/// discardable attributes.
mlir::linalg::GenericOp generalizeOp(mlir::RewriterBase &rewriter,
                                     mlir::linalg::LinalgOp op);

/// Moves the conversion of `input` at the start of the body of `op` before
/// `op`, for the whole tile: its kernel then reads narrow numbers.
void splitConversion(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                     mlir::OpOperand *input);

/// Returns true if the panel of B that one column of tiles of the whole
/// contraction `op` reads is small when widened. All rows of tiles share it, so
/// that it has the whole reduction; a large one would need the memory that
/// narrow values save if columns are few. In that case the kernel widens the
/// values that it loads, in up to 1.1 times the time (f16, 128 to 512 cubed).
bool widensPanel(mlir::linalg::LinalgOp op, codegen::FMAAttr schedule);

/// Returns true if `op` reads few panels of narrow numbers, so that a widened
/// panel is most of what all of them would be, and is not small.
bool widensMostOfPanel(mlir::linalg::LinalgOp op, codegen::FMAAttr schedule);

/// Widens the tile that `op` reads of input `number` before it, if the body
/// multiplies wider numbers: many multiply-adds read each of them. Returns the
/// op that reads the widened tile.
mlir::linalg::LinalgOp widenTile(mlir::RewriterBase &rewriter,
                                 mlir::linalg::LinalgOp op, unsigned number);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_WIDENTILES_H
