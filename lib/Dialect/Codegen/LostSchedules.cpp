//===- LostSchedules.cpp - Schedules that a rewrite drops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/LostSchedules.h"

using namespace mlir;

namespace flywheel::codegen {

void LostSchedules::notifyOperationReplaced(Operation *op,
                                            ValueRange replacement) {
  ScheduleAttrInterface schedule = getSchedule(op);
  if (schedule && llvm::all_of(replacement, [&](Value value) {
        Operation *other = value.getDefiningOp();
        return other && getSchedule(other) == schedule;
      }))
    kept.insert(op);
}

void LostSchedules::notifyOperationErased(Operation *op) {
  ScheduleAttrInterface schedule = getSchedule(op);
  if (!schedule || kept.erase(op))
    return;
  emit(op) << schedule;
  isAny = true;
}

} // namespace flywheel::codegen
