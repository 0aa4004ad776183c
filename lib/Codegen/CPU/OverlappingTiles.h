//===- OverlappingTiles.h - Last tiles that are whole -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_OVERLAPPINGTILES_H
#define FLYWHEEL_LIB_CODEGEN_CPU_OVERLAPPINGTILES_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// What decides where tiles may overlap.
struct OverlapRules {
  codegen::FMAAttr schedule;
  /// Elements of one vector of the result of the contraction.
  int64_t vectorLength;
  /// How many workers may share the loop.
  int64_t workers;
  /// Whether the tiles are divided along the columns again.
  bool dividesColumns;
};

/// Marks the loops of `tiles`, one level of tiles of `contraction` and
/// `epilogue` (or null), whose last tile is to overlap the one before. The
/// loops of `tiles` are loops `order` of the contraction.
void chooseOverlap(mlir::scf::ForallOp tiles,
                   mlir::linalg::LinalgOp contraction,
                   mlir::linalg::GenericOp epilogue,
                   llvm::ArrayRef<unsigned> order, const OverlapRules &rules);

/// Whether the last tile along loop `loop` of `tiles` is to overlap the one
/// before.
bool isOverlapping(mlir::scf::ForallOp tiles, unsigned loop);

/// The dimension of the results of `tiles` that its loop `loop` divides into
/// tiles; fails if it is not one dimension of all of them.
mlir::FailureOr<unsigned> getTiledDim(mlir::scf::ForallOp tiles, unsigned loop);

/// Moves the last tile of `loop`, along dimension `dim` of its results, back to
/// where the loop ends with it. What the tile before has computed is computed
/// again, or kept where an op reads the old value of its result.
void overlapLastTile(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                     unsigned dim);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_OVERLAPPINGTILES_H
