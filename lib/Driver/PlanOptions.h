//===- PlanOptions.h - Options of the passes that plan a step ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// flywheel-fit-workspace runs passes that the pipeline runs by themselves if
// there is no budget. Both get their options here. `options` is
// FitWorkspaceOptions, or the pass, whose options have the same names.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_PLANOPTIONS_H
#define FLYWHEEL_DRIVER_PLANOPTIONS_H

#include "flywheel/Transforms/Memory/MemoryPasses.h"
#include "flywheel/Transforms/Partition/PartitionPasses.h"

#include "llvm/ADT/STLExtras.h"

namespace flywheel {

/// Returns options to recompute as if the budget were `memoryBudget`.
template <typename Options>
RematerializeOptions makeRematerializeOptions(const Options &options,
                                              int64_t memoryBudget) {
  RematerializeOptions rematerialize;
  rematerialize.memoryBudget = memoryBudget;
  rematerialize.dimSize = options.dimSize;
  llvm::append_range(rematerialize.dimSizes, options.dimSizes);
  rematerialize.reuseOperands = options.reuseOperands;
  return rematerialize;
}

/// Returns options to share a step between `workers`.
template <typename Options>
DistributeStepOptions makeDistributeStepOptions(const Options &options,
                                                int64_t workers) {
  DistributeStepOptions distribute;
  distribute.workers = workers;
  distribute.minWork = options.minWork;
  distribute.minLoopWork = options.minLoopWork;
  distribute.report = options.report;
  return distribute;
}

template <typename Options>
PlanWorkspaceOptions makePlanWorkspaceOptions(const Options &options) {
  PlanWorkspaceOptions plan;
  plan.memoryBudget = options.memoryBudget;
  plan.dimSize = options.dimSize;
  llvm::append_range(plan.dimSizes, options.dimSizes);
  plan.boundDimSizes = options.boundDimSizes;
  plan.report = options.report;
  return plan;
}

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PLANOPTIONS_H
