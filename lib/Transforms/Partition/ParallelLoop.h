//===- ParallelLoop.h - Loops whose iterations are independent --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARALLELLOOP_H
#define FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARALLELLOOP_H

#include "Accesses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// A loop whose iterations may be executed by several workers at the same time.
struct ParallelLoop {
  mlir::scf::ForOp loop;
  /// The loop right behind it that computes the rest of the last block, or
  /// null.
  mlir::scf::ForOp tail;
  Share share;
  /// The accesses of the workers.
  llvm::SmallVector<Access> accesses;
};

/// Proves that no iteration of `loop`, which starts at 0, accesses an element
/// that another one writes: in each outside buffer that it writes, an iteration
/// only accesses its own block of one dimension. `tail` is a loop over the rest
/// of the last block, or null. At most `workers` share the loop: two
/// neighbouring iterations may access the same elements if one worker runs
/// both.
std::optional<ParallelLoop>
proveParallel(mlir::scf::ForOp loop, mlir::scf::ForOp tail, int64_t workers);

/// Returns the loop behind `loop` that continues with the same step where
/// `loop` ends; null if there is none.
mlir::scf::ForOp findTail(mlir::scf::ForOp loop);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARALLELLOOP_H
