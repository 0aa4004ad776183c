//===- ChooseSchedules.cpp - How each structured op is computed -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: structured ops, in a module with a target. After: each contraction on
// tensors that is worth a kernel of its own, and each structured op on buffers,
// has a `codegen.schedule`. What has one that fits keeps it. Refuses a module
// that says of no target.
//
//===----------------------------------------------------------------------===//

#include "KernelFamily.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHOOSESCHEDULES
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

/// Whether `op` sums something of two inputs or more, all of which are read
/// again in other iterations of the parallel loops: work that is worth a kernel
/// of its own.
static bool isSumOfReused(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      op.getNumDpsInputs() < 2 ||
      !op.getBlock()
           ->getTerminator()
           ->getOperand(0)
           .getDefiningOp<arith::AddFOp>())
    return false;
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return llvm::any_of(parallel, [&](unsigned loop) {
      return sizes[loop] != 1 && !map.isFunctionOfDim(loop);
    });
  });
}

namespace {
struct ChooseSchedules : impl::ChooseSchedulesBase<ChooseSchedules> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() ||
          (op.hasPureTensorSemantics() &&
           (reusesInputs(op) ||
            isa_and_present<codegen::FMAAttr>(codegen::getSchedule(op)))))
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
      std::string reason = getKernelFamily(given).explainMisfit(op, given);
      if (reason.empty())
        return;
      op.emitWarning() << "the schedule of '" << op->getName() << "', " << given
                       << ", does not fit: " << reason
                       << "; another one is chosen";
    }
    // On tensors only groups are formed, which are those of contractions.
    codegen::ScheduleAttrInterface chosen;
    if (op.hasPureBufferSemantics())
      chosen = chooseSchedule(op, cpu);
    else if (reusesInputs(op))
      chosen = getFMAKernels().choose(op, cpu);
    if (chosen)
      codegen::setSchedule(op, chosen);
    else
      op->removeAttr(codegen::CodegenDialect::getScheduleAttrName());
    ++numChosen;
    if (op.hasPureBufferSemantics() && !isa<codegen::FMAAttr>(chosen) &&
        isSumOfReused(op))
      op.emitRemark() << "'" << op->getName() << "' is computed as " << chosen
                      << ", without its output in registers: expected C + A * "
                         "B of f32 or f64, and a loop along which C is "
                         "contiguous and A or B constant";
  }
};
} // namespace
} // namespace flywheel
