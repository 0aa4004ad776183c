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

/// The facts that decide which tiles may overlap.
struct OverlapRules {
  codegen::FMAAttr schedule;
  /// Elements of one vector of the result of the contraction.
  int64_t vectorLength;
  /// The number of workers that may share the loop.
  int64_t workers;
  /// True if the tiles are divided along the columns again.
  bool dividesColumns;
};

/// Marks the loops of `tiles`, one level of tiles of `contraction` and
/// `epilogue` (or null), whose last tile is to overlap the tile before it. The
/// loops of `tiles` are loops `order` of the contraction.
void chooseOverlap(mlir::scf::ForallOp tiles,
                   mlir::linalg::LinalgOp contraction,
                   mlir::linalg::GenericOp epilogue,
                   llvm::ArrayRef<unsigned> order, const OverlapRules &rules);

/// Returns true if the last tile along loop `loop` of `tiles` is to overlap the
/// tile before it.
bool isOverlapping(mlir::scf::ForallOp tiles, unsigned loop);

/// Returns the dimension of the results of `tiles` that its loop `loop` divides
/// into tiles; fails if it is not the same dimension of all results.
mlir::FailureOr<unsigned> getTiledDim(mlir::scf::ForallOp tiles, unsigned loop);

/// Moves the last tile of `loop`, along dimension `dim` of its results, back so
/// that it ends where the loop ends. Elements that the tile before has computed
/// are computed again, or kept if an op reads the old value of its result.
void overlapLastTile(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                     unsigned dim);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_OVERLAPPINGTILES_H
