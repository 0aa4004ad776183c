//===- CommitAfterChecks.cpp - Writes that a check depends on -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check may depend on an op that writes a storage: on a branch or a loop that
// has the check inside, next to an assignment. Then the step writes into a
// buffer of its own, and the storage gets what is there at the end.
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Codegen/StateVersions.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using bufferization::AllocTensorOp;
using bufferization::MaterializeInDestinationOp;
using flywheel::train::TrainDialect;

/// The number of what `function` returns for `storage`.
static unsigned getReturnedNumber(func::FuncOp function,
                                  BlockArgument storage) {
  unsigned number = 0, next = 0;
  forEachStorage(function, [&](BlockArgument argument, Value) {
    if (argument == storage)
      number = next;
    ++next;
  });
  return number;
}

Value flywheel::findOwnBuffer(Value last) {
  auto commit = last.getDefiningOp<MaterializeInDestinationOp>();
  Value value = commit ? commit.getSource() : Value();
  while (value) {
    auto copy = value.getDefiningOp<linalg::CopyOp>();
    if (copy && copy->hasAttr(TrainDialect::getSnapshotAttrName()))
      return value == commit.getSource() ? Value() : value;
    value = getOverwritten(value);
  }
  return {};
}

/// Computes the versions of the storage of `range` in a buffer of the step, and
/// writes the last one at the end.
void StepScheduler::commitAtEnd(StorageRange &range) {
  BlockArgument storage = range.storage;
  Operation *terminator = block.getTerminator();
  Location loc = range.last.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  llvm::SmallPtrSet<Operation *, 4> readers;
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(storage.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim)) {
      sizes.push_back(tensor::DimOp::create(b, loc, storage, dim));
      readers.insert(sizes.back().getDefiningOp());
    }
  Value own = AllocTensorOp::create(b, loc, type, sizes);
  if (Attribute variable = getVariable(storage)) {
    auto copy = linalg::CopyOp::create(b, loc, storage, own);
    copy->setAttr(TrainDialect::getSnapshotAttrName(), variable);
    readers.insert(copy);
    own = copy->getResult(0);
    ++numSnapshots;
    emitRemark(loc) << "variable " << variable
                    << " is written before a check that depends on how: its "
                       "values are kept apart until the check has passed, two "
                       "copies of "
                    << type;
    // Not in place any more.
    function.removeArgAttr(storage.getArgNumber(),
                           TrainDialect::getUpdatedAttrName());
  }
  storage.replaceUsesWithIf(
      own, [&](OpOperand &use) { return !readers.contains(use.getOwner()); });
  // The only write may have been a materialization itself.
  b.setInsertionPoint(terminator);
  Value last = range.last;
  auto commit = MaterializeInDestinationOp::create(b, loc, type, last, storage);
  terminator->setOperand(getReturnedNumber(function, storage),
                         commit.getResult());
  range.last = commit.getResult();
  ranges.push_back({BlockArgument(), own, last});
}

bool StepScheduler::commitAfterChecks(Operation *check) {
  if (&block != &function.getBody().front())
    return false;
  llvm::DenseSet<Operation *> needed = findNeeded(block, {check});
  llvm::SetVector<BlockArgument> storages;
  for (auto &[version, group] : writers)
    if (group.storage && llvm::any_of(group.ops, [&](Operation *writer) {
          return needed.contains(writer);
        }))
      storages.insert(group.storage);
  for (BlockArgument storage : storages) {
    auto *range = llvm::find_if(ranges, [&](const StorageRange &candidate) {
      return candidate.storage == storage;
    });
    commitAtEnd(*range);
  }
  return !storages.empty();
}
