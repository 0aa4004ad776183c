//===- SplitOps.h - Loops over blocks of structured ops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_PARTITION_SPLITOPS_H
#define FLYWHEEL_LIB_TRANSFORMS_PARTITION_SPLITOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// The assumed value of dynamic sizes and trip counts, which mostly are batch
/// sizes.
constexpr int64_t kAssumedTrips = 32;
/// The same where an estimate bounds work from above: a large batch.
constexpr int64_t kAssumedLargeTrips = 256;

/// Estimates the iterations of `loop`. A dynamic trip count counts as
/// `unknown`.
int64_t estimateTrips(mlir::scf::ForOp loop, int64_t unknown);

/// Estimates the scalar operations of `op` and of the ops inside of it. A
/// dynamic size or trip count counts as `unknown`.
int64_t estimateWork(mlir::Operation *op, int64_t unknown);

/// Returns true if `op` is a structured op or a copy with a parallel dimension
/// that has several blocks.
bool canSplit(mlir::Operation *op);

/// Returns true if `op` is a reduction whose parallel dimensions have too few
/// blocks for an even share of each worker, and which has a reduction dimension
/// with enough of them.
bool canSplitReduction(mlir::linalg::LinalgOp op);

/// The ops that replace a split op.
struct SplitOp {
  /// The loop over full blocks.
  mlir::scf::ForOp loop;
  /// The loop behind it over the rest, or null.
  mlir::scf::ForOp tail;
  /// Combines the results of the blocks of a reduction; null for other ops.
  mlir::Operation *combination = nullptr;
};

/// Replaces `op`, for which `canSplit` holds, by a loop over full blocks, and a
/// loop over the rest if the last block is not full. Blocks are the same in
/// every op that has a dimension of this size. If `fill` is given, whose
/// `findFilledSum` is `op`, it is in the same loop.
SplitOp split(mlir::RewriterBase &rewriter, mlir::Operation *op,
              mlir::linalg::FillOp fill = {});

/// Replaces `op`, for which `canSplitReduction` holds, by the same loops over
/// blocks of a reduction dimension. Each block has results of its own, which
/// `combination` combines in the order of the blocks.
SplitOp splitReduction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Returns the sum of products right behind `fill` that uses it as its init and
/// can be split in parallel; null if there is none. In one loop, both are one
/// kernel, which does not read the filled buffer.
mlir::linalg::LinalgOp findFilledSum(mlir::linalg::FillOp fill);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_SPLITOPS_H
