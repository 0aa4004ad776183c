//===- ScheduleStep.cpp - Checks first, updates after the last reader -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_SCHEDULESTEP
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using linalg_ext::StoreOp;

/// Takes what is computed in its own storage as it is.
static void dropStores(func::FuncOp function) {
  function.walk([](StoreOp store) {
    if (!isInPlaceOf(store.getSource(), store.getDestination()))
      return;
    store.getResult().replaceAllUsesWith(store.getSource());
    store.erase();
  });
}

/// What `function` does to the storages of its arguments.
static SmallVector<StorageRange> findRanges(func::FuncOp function) {
  SmallVector<StorageRange> ranges;
  forEachStorage(function, [&](BlockArgument storage, Value last) {
    ranges.push_back({storage, storage, last});
  });
  return ranges;
}

namespace {
struct ScheduleStep : flywheel::impl::ScheduleStepBase<ScheduleStep> {
  using ScheduleStepBase::ScheduleStepBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    Block &entry = function.getBody().front();
    if (ifDisordered &&
        StepScheduler(function, entry, findRanges(function)).isOrdered())
      return;
    dropStores(function);
    StepScheduler scheduler(function, entry, findRanges(function));
    scheduler.run();
    numSnapshots += scheduler.getNumSnapshots();
  }
};
} // namespace
