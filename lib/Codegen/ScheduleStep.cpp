//===- ScheduleStep.cpp - Checks first, updates after the last reader -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Codegen/StateVersions.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

/// Whether one of `ops` would be computed where `value` is stored.
static bool isMadeOf(Value value, const llvm::DenseSet<Operation *> &ops) {
  while (Operation *op = value.getDefiningOp()) {
    if (ops.contains(op))
      return true;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      if (isMadeOf(insert.getSource(), ops))
        return true;
    Value earlier = isView(op) ? op->getOperand(0) : getOverwritten(value);
    if (!earlier)
      return false;
    value = earlier;
  }
  return false;
}

/// Gives what the checks need a place of its own, from where it is copied to
/// where it is stored: nothing is written before the checks.
static void separateChecked(func::FuncOp function) {
  Block &entry = function.getBody().front();
  llvm::DenseSet<Operation *> checked = findNeeded(
      entry, llvm::to_vector_of<Operation *>(llvm::make_pointer_range(
                 llvm::make_filter_range(entry, llvm::IsaPred<cf::AssertOp>))));
  for (Operation &op : llvm::make_early_inc_range(entry)) {
    auto materialize = dyn_cast<MaterializeInDestinationOp>(op);
    if (!materialize || !materialize.getResult() || checked.contains(&op) ||
        materialize.getSource().getType() != materialize.getDest().getType())
      continue;
    // An update writes in place or not at all.
    auto storage = dyn_cast<BlockArgument>(getRoot(materialize.getDest()));
    if (storage && function.getArgAttr(storage.getArgNumber(),
                                       TrainDialect::getUpdatedAttrName()))
      continue;
    if (!isMadeOf(materialize.getSource(), checked))
      continue;
    OpBuilder b(materialize);
    materialize.getResult().replaceAllUsesWith(
        linalg::CopyOp::create(b, materialize.getLoc(), materialize.getSource(),
                               materialize.getDest())
            ->getResult(0));
    materialize.erase();
  }
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

/// What `function` does to the storages of its arguments, and to the buffers in
/// which it makes what it writes there at the end.
static SmallVector<StorageRange> findRanges(func::FuncOp function) {
  SmallVector<StorageRange> ranges;
  forEachStorage(function, [&](BlockArgument storage, Value last) {
    ranges.push_back({storage, storage, last});
    if (Value own = findOwnBuffer(last))
      ranges.push_back(
          {BlockArgument(), own,
           last.getDefiningOp<MaterializeInDestinationOp>().getSource()});
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
    dropMaterializations(function);
    separateChecked(function);
    SmallVector<StorageRange> ranges = findRanges(function);
    StepScheduler scheduler(function, entry, ranges);
    if (failed(scheduler.run()))
      return signalPassFailure();
    numSnapshots += scheduler.getNumSnapshots();
    markCopies(function);
  }
};
} // namespace
