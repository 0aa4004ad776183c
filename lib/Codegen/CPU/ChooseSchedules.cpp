//===- ChooseSchedules.cpp - How each structured op is computed -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: structured ops, in a module with a target. After: each contraction on
// tensors that is worth a kernel of its own, and each structured op on buffers,
// has a `codegen.schedule`. An op with a schedule that fits keeps it. Refuses a
// module without a target.
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"
#include "KernelFamily.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHOOSESCHEDULES
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

/// Returns true if `op` has a schedule that `TileAndFuse` obeys, on tensors.
static bool hasScheduleOfGroup(linalg::LinalgOp op) {
  codegen::ScheduleAttrInterface given = codegen::getSchedule(op);
  return given && (getFMAKernels().has(given) || !given.getTiles().empty());
}

/// Returns true if `op`, on tensors, may be computed in tiles with an epilogue.
static bool formsGroup(linalg::LinalgOp op) {
  return reusesInputs(op) || savesMemoryInTiles(op);
}

namespace {
struct ChooseSchedules : impl::ChooseSchedulesBase<ChooseSchedules> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() ||
          (op.hasPureTensorSemantics() &&
           (formsGroup(op) || hasScheduleOfGroup(op))))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    codegen::CPUAttr cpu = codegen::getCPU(getOperation());
    if (!cpu)
      return signalPassFailure();
    for (linalg::LinalgOp op : ops)
      schedule(op, cpu);
  }

private:
  void schedule(linalg::LinalgOp op, codegen::CPUAttr cpu) {
    if (codegen::ScheduleAttrInterface given = codegen::getSchedule(op)) {
      auto emitMisfit = [&] {
        return op.emitWarning()
               << "another schedule is chosen for '" << op->getName()
               << "', as " << given << " does not fit: ";
      };
      if (succeeded(verifyFit(op, given, emitMisfit)))
        return;
    }
    // On tensors, only contractions form groups. Those that do so to save
    // memory have no other use for a schedule.
    codegen::ScheduleAttrInterface chosen;
    if (op.hasPureBufferSemantics())
      chosen = chooseSchedule(op, cpu);
    else if (formsGroup(op))
      chosen = getFMAKernels().choose(op, cpu);
    if (chosen && op.hasPureTensorSemantics() && !reusesInputs(op) &&
        chosen.getTiles().empty())
      chosen = {};
    if (!chosen) {
      op->removeAttr(codegen::CodegenDialect::getScheduleAttrName());
      return;
    }
    codegen::setSchedule(op, chosen);
    ++numChosen;
    if (op.hasPureBufferSemantics() && !getFMAKernels().has(chosen) &&
        sumsReusedInputs(op))
      op.emitRemark() << "'" << op->getName() << "' is computed as " << chosen
                      << ", without its output in registers: expected C + A * "
                         "B of f32 or f64, and a loop of several iterations "
                         "along which C is contiguous and A or B constant, or "
                         "a reduction along which A and B are contiguous";
  }
};
} // namespace
} // namespace flywheel
