//===- FusedTiles.h - An elementwise op in tiles of its producer -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_FUSEDTILES_H
#define FLYWHEEL_LIB_CODEGEN_CPU_FUSEDTILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// Returns the elementwise op that alone uses the result of `contraction`,
/// element for element, and can be computed in tiles of it; null without one.
/// It may use the indices of elements.
mlir::linalg::GenericOp findElementwiseUser(mlir::linalg::LinalgOp contraction);

/// Returns true if an input of `contraction` is overwritten before the last
/// tile of `epilogue` is computed: by the epilogue itself or by an op between
/// the two.
bool readsOverwritten(mlir::linalg::LinalgOp contraction,
                      mlir::linalg::GenericOp epilogue);

/// A contraction and its epilogue in a loop over tiles.
struct FusedTiles {
  mlir::scf::ForallOp loop;
  /// The tiles of both; the epilogue is null if there is none.
  mlir::linalg::LinalgOp contraction;
  mlir::linalg::GenericOp epilogue;
};

/// Computes `contraction`, and `epilogue` if it is not null, in tiles of
/// `sizes`, by loops of the contraction; 0 is the whole loop. Loops are in
/// `order`, those that it lacks are innermost. The op that initializes the
/// contraction is computed in the same tiles. Emits an error and fails if
/// upstream cannot tile it.
mlir::FailureOr<FusedTiles> fuseTiles(mlir::RewriterBase &rewriter,
                                      mlir::linalg::LinalgOp contraction,
                                      mlir::linalg::GenericOp epilogue,
                                      llvm::ArrayRef<int64_t> sizes,
                                      llvm::ArrayRef<unsigned> order);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_FUSEDTILES_H
