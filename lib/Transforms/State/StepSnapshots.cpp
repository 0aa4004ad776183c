//===- StepSnapshots.cpp - Copies of old values that a step needs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace flywheel;
using flywheel::train::TrainDialect;
using linalg_ext::StoreOp;

/// Whether an op that writes `storage` reads through `use` only the element
/// that it writes at that moment.
static bool readsWhatItWrites(OpOperand &use, Value storage) {
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!op || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  AffineMap map = op.getMatchingIndexingMap(&use);
  bool isWritten = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (getRoot(init.get()) != storage)
      continue;
    if (init.get() != use.get() || op.getMatchingIndexingMap(&init) != map)
      return false;
    isWritten = true;
  }
  return isWritten && map.isPermutation();
}

/// Whether `use` is a destination that its owner reads.
static bool isReadInit(OpOperand &use) {
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  if (!op || !op.isDpsInit(&use))
    return false;
  auto structured = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return !structured || structured.payloadUsesValueFromOperand(&use);
}

/// Whether `use`, by one of the writers of `version` or by another op, needs a
/// value that has been overwritten when the op gets to it, where `next` is made
/// in place of `version`. `top` is the op of the block that the use is in.
static bool isSelfConflict(OpOperand &use, Operation *top, Value version,
                           Value next, bool isWriter) {
  Operation *op = use.getOwner();
  // Each branch is a block that is put in order; an iteration of a loop reads
  // what the one before has written.
  if (isWriter && op != top)
    return !isa<scf::IfOp>(top);
  if (isa<StoreOp, LoopLikeOpInterface>(op))
    return false;
  auto structured = dyn_cast<DestinationStyleOpInterface>(op);
  if (!isWriter || !structured || !structured.isDpsInit(&use))
    return isWriter ? !readsWhatItWrites(use, version) : isReadInit(use);
  // Two results cannot both be made in the place of one old value.
  return use.get() == version && structured.getTiedOpResult(&use) != next &&
         isReadInit(use);
}

UsesByValue StepScheduler::findSelfReads(const StorageRange &range,
                                         Value version, Value next) {
  const llvm::SetVector<Operation *> *group = findWriters(range, version, next);
  UsesByValue conflicts;
  for (OpOperand *use : collectUses(version, {})) {
    Operation *top = getTopLevel(use->getOwner());
    if (!top)
      continue;
    bool isPassedOut = top == block.getTerminator() && version != range.last;
    bool isWriter = group && group->contains(top);
    if (isPassedOut || isSelfConflict(*use, top, version, next, isWriter))
      conflicts[use->get()].insert(use);
  }
  return conflicts;
}

const llvm::SetVector<Operation *> *
StepScheduler::findWriters(const StorageRange &range, Value version,
                           Value next) {
  if (!next) {
    auto *parts = writers.find(version);
    return parts == writers.end() ? nullptr : &parts->second.ops;
  }
  for (auto &[first, group] : writers)
    if (group.storage == range.storage &&
        group.ops.contains(next.getDefiningOp()) && isInPlaceOf(next, first))
      return &group.ops;
  return nullptr;
}

void StepScheduler::forEachSelfRead(
    function_ref<void(const StorageRange &, UsesByValue)> visit) {
  for (const StorageRange &range : ranges) {
    if (!isInPlaceOf(range.last, range.first))
      continue;
    // Nothing in this block overwrites the last version, but for parts of it.
    visit(range, findSelfReads(range, range.last, Value()));
    Value next = range.last;
    while (next != range.first) {
      Value value = getOverwritten(next);
      if (value != range.first || hasOldValue(range.storage))
        visit(range, findSelfReads(range, value, next));
      next = value;
    }
  }
}

void StepScheduler::snapshotSelfReads() {
  forEachSelfRead([&](const StorageRange &range, UsesByValue reads) {
    for (auto &[value, uses] : reads)
      snapshot(range.storage, value, uses.getArrayRef(), /*isLate=*/false,
               "by the op that overwrites it");
  });
}

/// Replaces `uses` of `value`, a version of a variable or a part of one, by a
/// copy: at the end of what has been put in order, or where the value is.
void StepScheduler::snapshot(BlockArgument storage, Value value,
                             ArrayRef<OpOperand *> uses, bool isLate,
                             StringRef reason) {
  Attribute name = getVariable(storage);
  Location loc = uses.front()->getOwner()->getLoc();
  OpBuilder b(function.getContext());
  if (isLate)
    b.setInsertionPoint(block.getTerminator());
  else if (value.getParentBlock() == &block)
    b.setInsertionPointAfterValue(value);
  else
    b.setInsertionPointToStart(&block);
  Value copy = copyVersion(b, loc, value, name);
  for (OpOperand *use : uses)
    use->set(copy);
  if (!name)
    return;
  ++numSnapshots;
  emitRemark(loc) << "the old value of variable " << name << " is needed "
                  << reason << ": one copy of " << value.getType();
}
