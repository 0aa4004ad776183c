//===- Accumulators.h - Results of a contraction in registers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_ACCUMULATORS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_ACCUMULATORS_H

#include "../Schedule/BlockTile.h"
#include "InputTile.h"

namespace flywheel {

/// The elements of a tile of C that one thread has, and the code that adds
/// products of tiles of A and B in workgroup memory to them.
class Accumulators {
public:
  virtual ~Accumulators() = default;

  /// An element of the thread's part: its row and its column in the tile.
  struct Element {
    mlir::Value row, column;
  };
  llvm::ArrayRef<Element> getElements() const { return elements; }

  /// Adds the products of the tiles in `slot` to `sums`, one for each element.
  virtual llvm::SmallVector<mlir::Value>
  multiply(llvm::ArrayRef<mlir::Value> sums, const InputTile &lhs,
           const InputTile &rhs, mlir::Value slot) = 0;
  /// Returns true if the sums are those of -C.
  virtual bool isNegated() const { return false; }

protected:
  llvm::SmallVector<Element> elements;
};

/// Creates accumulators for which each thread has its own elements, and
/// multiplies them one by one.
std::unique_ptr<Accumulators> createThreadAccumulators(ThreadEmitter &threads,
                                                       const BlockTile &tile,
                                                       mlir::Value thread);

/// Creates accumulators for which each warp has a part of the tile, in the
/// fragments of tensor cores.
std::unique_ptr<Accumulators> createMatrixAccumulators(ThreadEmitter &threads,
                                                       const BlockTile &tile,
                                                       mlir::Value thread);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_ACCUMULATORS_H
