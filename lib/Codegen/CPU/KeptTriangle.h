//===- KeptTriangle.h - What an epilogue keeps of a matrix ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H
#define FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace flywheel {

/// The elements of a matrix whose index along `first` is at most that along
/// `second` plus `shift`: a lower triangle where `first` is that of the
/// columns.
struct KeptTriangle {
  unsigned first, second;
  int64_t shift;

  bool operator==(const KeptTriangle &other) const {
    return first == other.first && second == other.second &&
           shift == other.shift;
  }
};

/// The elements of `operand` that the results of `op` depend on, by loops of
/// `op`, which visits each element once; none if that may be all. The others
/// reach nothing but an `arith.select` that takes its other operand for them.
std::optional<KeptTriangle> findKeptTriangle(mlir::linalg::GenericOp op,
                                             mlir::OpOperand &operand);

/// Whether tiles outside of what an epilogue keeps of `contraction` are worth
/// skipping, and there may be some: `schedule` has several tiles along one of
/// the loops that bound it.
bool paysToSkipTiles(mlir::linalg::LinalgOp contraction,
                     codegen::FMAAttr schedule, const KeptTriangle &kept);

/// Computes the tile `contraction` of a product only if an element of it is
/// kept: else the epilogue discards what is in its place. The tile is where the
/// sums of `offsets`, one list for each level of tiles, say, and has `sizes`,
/// by the loops of the epilogue.
void skipDiscardedTile(
    mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp contraction,
    const KeptTriangle &kept,
    llvm::ArrayRef<llvm::SmallVector<mlir::OpFoldResult>> offsets,
    llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H
