//===- FMAChoice.h - Steps of choosing a schedule ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of a contraction is chosen in three steps, each of which adds to
// a choice what later steps are based on: the roles of its loops and the tile
// in registers, the parts of its reduction, and the tiles on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_FMACHOICE_H
#define FLYWHEEL_LIB_CODEGEN_CPU_FMACHOICE_H

#include "FMASchedule.h"
#include "KernelEmitter.h"

namespace flywheel {

/// A contraction whose schedule is being chosen: what is known of it and what
/// has been decided.
struct FMAChoice {
  FMAChoice(mlir::linalg::LinalgOp op, codegen::CPUAttr cpu);

  AccessKind access(mlir::OpOperand *operand, unsigned loop) const;
  mlir::Type getElement() const {
    return mlir::getElementTypeOrSelf(contraction.c->get());
  }
  /// Returns the size of `loop`, or a typical one if it is dynamic.
  int64_t estimateSize(unsigned loop) const;
  /// Returns the number of rows, which may be dynamic.
  int64_t countRows() const;
  /// Returns true if most of the time is for writing C, in the order of memory.
  bool isShort() const;
  /// Returns true if A is contiguous along the rows, so that it is transposed.
  bool hasContiguousRows() const;
  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
  /// Returns true if an input is decoded in the tiles of the contraction.
  bool isDecoded() const;

  mlir::linalg::LinalgOp op;
  codegen::CPUAttr cpu;
  /// The sizes of the loops, and those that are parallel.
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<unsigned> parallel;
  /// The roles of the loops and operands.
  Contraction contraction;
  /// The part of C in registers.
  ContractionTile tile{};
  /// True if all vectors of B that a window needs are in registers.
  bool slides = false;
  /// True if a tile of B is copied to a panel.
  bool pack = false;
};

/// Chooses the roles of loops and operands, and the tile in registers. Returns
/// false if no roles fit.
bool chooseRoles(FMAChoice &choice);

/// Divides the reduction, once there are roles: into passes around all other
/// loops if one would read inputs too large for the caches repeatedly, or into
/// blocks if few rows wait for B.
void divideReduction(FMAChoice &choice);

/// Returns the tiles of each level, on tensors, and decides if tiles of B are
/// packed. Returns no tiles for a contraction that is computed as a whole.
llvm::SmallVector<mlir::DenseI64ArrayAttr> chooseTiles(FMAChoice &choice);

/// Returns the tiles of each level, on tensors, of a contraction both of whose
/// inputs are read as vectors. A filter that is decoded is so for the tiles of
/// the first level. With `hasEpilogue`, tiles are small enough to be on the
/// stack until the epilogue has read them.
llvm::SmallVector<llvm::SmallVector<int64_t>>
chooseLaneTiles(const FMAChoice &choice, bool hasEpilogue);

/// Returns true if a tile of B is worth a copy with contiguous rows.
bool packsPanel(const FMAChoice &choice);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_FMACHOICE_H
