//===- PartitionCounts.h - Cost of a shared step ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARTITIONCOUNTS_H
#define FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARTITIONCOUNTS_H

#include "StepItems.h"

namespace flywheel {

/// Estimated counts for one execution of a shared step. Loops with a dynamic
/// trip count count as `kAssumedTrips` iterations, and both sides of a branch
/// are counted.
struct PartitionCounts {
  uint64_t barriers = 0;
  /// Bytes of buffers that one worker reads and another one wrote. A buffer is
  /// counted once for each time that it is written.
  uint64_t crossingBytes = 0;
};

PartitionCounts
countPartition(const std::vector<StepItem> &items,
               llvm::function_ref<bool(mlir::Operation *)> hasBarrier);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARTITIONCOUNTS_H
