//===- PartitionCounts.h - What a shared step costs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARTITIONCOUNTS_H
#define FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARTITIONCOUNTS_H

#include "StepItems.h"

namespace flywheel {

/// What an execution of a shared step has, about: of loops whose trip count is
/// known only when the step runs there are `kAssumedTrips` iterations, and both
/// sides of a branch are counted.
struct PartitionCounts {
  uint64_t barriers = 0;
  /// Of buffers that a worker reads and others wrote: each buffer is counted
  /// once for each time that it is written.
  uint64_t crossingBytes = 0;
};

PartitionCounts
countPartition(const std::vector<StepItem> &items,
               llvm::function_ref<bool(mlir::Operation *)> hasBarrier);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_PARTITIONCOUNTS_H
