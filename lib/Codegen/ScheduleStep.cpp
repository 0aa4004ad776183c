//===- ScheduleStep.cpp - Checks first, updates after the last reader -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Codegen/StateVersions.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_SCHEDULESTEP
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using bufferization::MaterializeInDestinationOp;
using namespace flywheel;
using flywheel::train::TrainDialect;

/// Takes what is computed in its own storage as it is: bufferization takes the
/// materialization of such a value for another writer.
static void dropMaterializations(func::FuncOp function) {
  function.walk([](MaterializeInDestinationOp materialize) {
    Value value = materialize.getSource();
    while (value != materialize.getDest()) {
      auto op = value.getDefiningOp<DestinationStyleOpInterface>();
      if (!op)
        return;
      value = op.getTiedOpOperand(cast<OpResult>(value))->get();
    }
    materialize.getResult().replaceAllUsesWith(materialize.getSource());
    materialize.erase();
  });
}

/// Whether `value` is made in a storage of the step, or in a part of one.
static bool isInArgument(func::FuncOp function, Value value) {
  value = getRoot(value);
  while (Value overwritten = getOverwritten(value))
    value = getRoot(overwritten);
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &function.getBody().front();
}

/// Marks the copies of variables that the program itself asks for, or a loop
/// that starts from one: from here on there are to be no others.
static void markCopies(func::FuncOp function) {
  StateVersions versions(function);
  auto isCopy = [&](Value source, Value target) {
    return versions.contains(source) && !versions.contains(target) &&
           !isInArgument(function, target);
  };
  function.walk([&](Operation *op) {
    if (auto materialize = dyn_cast<MaterializeInDestinationOp>(op)) {
      if (!materialize.getResult() ||
          !isCopy(materialize.getSource(), materialize.getDest()))
        return;
      OpBuilder b(op);
      auto copy = linalg::CopyOp::create(
          b, op->getLoc(), materialize.getSource(), materialize.getDest());
      op->replaceAllUsesWith(copy);
      op->erase();
      op = copy;
    }
    auto copy = dyn_cast<linalg::CopyOp>(op);
    if (copy && isCopy(copy.getInputs()[0], copy.getOutputs()[0]))
      copy->setAttr(TrainDialect::getSnapshotAttrName(),
                    versions.lookup(copy.getInputs()[0]));
  });
}

namespace {
struct ScheduleStep : flywheel::impl::ScheduleStepBase<ScheduleStep> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    dropMaterializations(function);
    SmallVector<StorageRange> ranges;
    forEachStorage(function, [&](BlockArgument storage, Value last) {
      ranges.push_back({storage, storage, last});
      if (Value own = findOwnBuffer(last))
        ranges.push_back(
            {BlockArgument(), own,
             last.getDefiningOp<MaterializeInDestinationOp>().getSource()});
    });
    StepScheduler scheduler(function, function.getBody().front(), ranges);
    if (failed(scheduler.run()))
      return signalPassFailure();
    numSnapshots += scheduler.getNumSnapshots();
    markCopies(function);
  }
};
} // namespace
