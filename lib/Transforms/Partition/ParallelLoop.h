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
  /// The loop right behind it that computes what is left over of its last
  /// block, or null.
  mlir::scf::ForOp tail;
  Share share;
  /// The accesses of the workers.
  llvm::SmallVector<Access> accesses;
};

/// Proves that no iteration of `loop`, a loop from 0, touches what another one
/// writes: each buffer of outside that an iteration writes, it touches in its
/// own block of one dimension only. `tail` is a loop over the rest of the last
/// block, or null. At most `workers` share it: what two neighbouring iterations
/// both touch is no obstacle where one worker has both.
std::optional<ParallelLoop>
proveParallel(mlir::scf::ForOp loop, mlir::scf::ForOp tail, int64_t workers);

/// The loop behind `loop`, if it goes on with the same step where `loop` ends.
mlir::scf::ForOp findTail(mlir::scf::ForOp loop);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARALLELLOOP_H
