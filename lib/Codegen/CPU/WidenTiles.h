//===- WidenTiles.h - Narrow numbers that wider ones are made of *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where in the tiles of a contraction its narrow inputs are rounded and
// widened.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_WIDENTILES_H
#define FLYWHEEL_LIB_CODEGEN_CPU_WIDENTILES_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// The same op as a generic one, with its schedule and what else is said of it.
mlir::linalg::GenericOp generalizeOp(mlir::RewriterBase &rewriter,
                                     mlir::linalg::LinalgOp op);

/// Computes the conversion at the start of the body of `op` of what it reads of
/// `input` in front of it, for the whole tile: its kernel reads narrow numbers
/// then.
void splitConversion(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                     mlir::OpOperand *input);

/// Whether the panel of B that one column of tiles of the whole contraction
/// `op` reads is small when widened: it has all of the reduction, as all rows
/// of tiles share it, and would cost the room that narrow values save where
/// columns are few. Then the kernel widens what it loads, in up to 1.1 times
/// the time (f16, 128 to 512 cubed).
bool widensPanel(mlir::linalg::LinalgOp op, codegen::FMAAttr schedule);

/// Widens the tile that `op` reads of input `number` in front of it, where the
/// body multiplies wider numbers: each is read by many multiply-adds. Returns
/// the op that reads what is widened.
mlir::linalg::LinalgOp widenTile(mlir::RewriterBase &rewriter,
                                 mlir::linalg::LinalgOp op, unsigned number);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_WIDENTILES_H
