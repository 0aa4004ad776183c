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
/// `second` plus `shift`: a lower triangle if `first` is that of the columns.
struct KeptTriangle {
  unsigned first, second;
  int64_t shift;

  bool operator==(const KeptTriangle &other) const {
    return first == other.first && second == other.second &&
           shift == other.shift;
  }
};

/// Returns the elements of `operand` that the results of `op` depend on, by
/// loops of `op`, which visits each element once; none if that may be all. The
/// other elements are read only by an `arith.select` that takes its other
/// operand for them.
std::optional<KeptTriangle> findKeptTriangle(mlir::linalg::GenericOp op,
                                             mlir::OpOperand &operand);

/// Returns true if there may be tiles outside of the elements of `contraction`
/// that an epilogue keeps, and skipping them is worthwhile: `schedule` has
/// several tiles along one of the loops that bound these elements.
bool paysToSkipTiles(mlir::linalg::LinalgOp contraction,
                     codegen::FMAAttr schedule, const KeptTriangle &kept);

/// Computes the tile `contraction` of a product only if an element of it is
/// kept; otherwise the epilogue discards the values in its buffer. The tile has
/// `sizes` and starts at the sums of `offsets`, one list for each level of
/// tiles, both by the loops of the epilogue.
void skipDiscardedTile(
    mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp contraction,
    const KeptTriangle &kept,
    llvm::ArrayRef<llvm::SmallVector<mlir::OpFoldResult>> offsets,
    llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H
