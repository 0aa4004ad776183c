//===- StepCycles.cpp - Copies that an order of a step needs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Codegen/StateVersions.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace flywheel;
using bufferization::MaterializeInDestinationOp;
using flywheel::train::TrainDialect;

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

/// Whether `use`, by one of the writers of the version or by another op, needs
/// a value that has been overwritten when the op gets to it. `top` is the op of
/// the block that the use is in.
static bool isSelfConflict(OpOperand &use, Operation *top, Value version,
                           bool isWriter) {
  Operation *op = use.getOwner();
  // Each branch is a block that is put in order; an iteration of a loop reads
  // what the one before has written.
  if (isWriter && op != top)
    return !isa<scf::IfOp>(top);
  if (isa<MaterializeInDestinationOp, LoopLikeOpInterface>(op))
    return false;
  bool isInit = false;
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    isInit = destinationStyle.isDpsInit(&use);
  // Two ops cannot both write into the old value.
  return isWriter ? !isInit && !readsWhatItWrites(use, version) : isInit;
}

UsesByValue
StepScheduler::findSelfReads(const StorageRange &range, Value version,
                             const llvm::SetVector<Operation *> *next) {
  UsesByValue conflicts;
  for (OpOperand *use : collectUses(version, {})) {
    Operation *top = getTopLevel(use->getOwner());
    if (!top)
      continue;
    bool isPassedOut = top == block.getTerminator() && version != range.last;
    if (isPassedOut ||
        isSelfConflict(*use, top, version, next && next->contains(top)))
      conflicts[use->get()].insert(use);
  }
  return conflicts;
}

const llvm::SetVector<Operation *> *StepScheduler::findWriters(Value version) {
  auto it = writers.find(version);
  if (it != writers.end())
    return &it->second.ops;
  // In the middle of a chain.
  for (auto &[first, group] : writers)
    if (group.ops.contains(version.getDefiningOp()))
      return &group.ops;
  return nullptr;
}

void StepScheduler::forEachSelfRead(
    function_ref<void(const StorageRange &, UsesByValue)> visit) {
  for (const StorageRange &range : ranges) {
    if (!isInPlaceOf(range.last, range.first))
      continue;
    // Nothing in this block overwrites the last version.
    visit(range, findSelfReads(range, range.last, nullptr));
    Value value = range.last;
    while (value != range.first) {
      value = getOverwritten(value);
      if (value != range.first || hasOldValue(range.storage))
        visit(range, findSelfReads(range, value, findWriters(value)));
    }
  }
}

void StepScheduler::snapshotSelfReads() {
  forEachSelfRead([&](const StorageRange &range, UsesByValue reads) {
    for (auto &[value, uses] : reads)
      snapshot(range.storage, value, uses.getArrayRef(),
               "by the op that overwrites it");
  });
}

/// Replaces `uses` of `value`, a version of a variable or a part of one, by a
/// copy.
void StepScheduler::snapshot(BlockArgument storage, Value value,
                             ArrayRef<OpOperand *> uses, StringRef reason) {
  Attribute name = getVariable(storage);
  Location loc = uses.front()->getOwner()->getLoc();
  OpBuilder b(function.getContext());
  if (value.getParentBlock() == &block)
    b.setInsertionPointAfterValue(value);
  else
    b.setInsertionPointToStart(&block);
  // A structured copy: bufferization inserts none of its own that look alike.
  // Not into an empty tensor, which would be replaced by where the copy goes.
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (OpFoldResult size : tensor::getMixedSizes(b, loc, value))
    if (auto dynamic = dyn_cast<Value>(size))
      sizes.push_back(dynamic);
  Value buffer = bufferization::AllocTensorOp::create(b, loc, type, sizes);
  auto copyOp = linalg::CopyOp::create(b, loc, value, buffer);
  for (OpOperand *use : uses)
    use->set(copyOp->getResult(0));
  if (!name)
    return;
  copyOp->setAttr(TrainDialect::getSnapshotAttrName(), name);
  ++numSnapshots;
  emitRemark(loc) << "the old value of variable " << name << " is needed "
                  << reason << ": one copy of " << type;
}

/// The ops that cannot be emitted before one of `from` is.
llvm::DenseSet<Operation *>
StepScheduler::findReachable(ArrayRef<Operation *> from) {
  llvm::DenseSet<Operation *> reachable;
  SmallVector<Operation *> worklist(from);
  while (!worklist.empty())
    for (Operation *next : successors[worklist.pop_back_val()])
      if (reachable.insert(next).second)
        worklist.push_back(next);
  return reachable;
}

/// The uses of `version` by ops that also need what its writers compute: which
/// have to come both before and after them. None where the version itself does.
UsesByValue StepScheduler::findCyclicReads(Value version,
                                           const Writers &group) {
  UsesByValue reads;
  llvm::DenseSet<Operation *> reachable =
      findReachable(group.ops.getArrayRef());
  if (reachable.contains(version.getDefiningOp()))
    return reads;
  llvm::DenseSet<Operation *> late = reachable;
  late.insert(group.ops.begin(), group.ops.end());
  for (OpOperand *use : collectUses(version, late)) {
    Operation *reader = getTopLevel(use->getOwner());
    Value passedOn = getPassedOn(*use);
    bool isLate =
        reader && reachable.contains(reader) && !group.ops.contains(reader);
    bool isPassedOn = reader && passedOn && group.ops.contains(reader) &&
                      passedOn.getDefiningOp() == reader &&
                      getOverwritten(passedOn) != version;
    if (isLate || isPassedOn)
      reads[use->get()].insert(use);
  }
  return reads;
}

/// The uses of what an op of a chain leaves by ops that need what the next one
/// in `group` makes of it.
UsesByValue StepScheduler::findCyclicChainReads(const Writers &group) {
  UsesByValue reads;
  for (Operation *writer : group.ops) {
    auto structured = dyn_cast<DestinationStyleOpInterface>(writer);
    if (!structured)
      continue;
    llvm::DenseSet<Operation *> late = findReachable(writer);
    for (Value init : structured.getDpsInits()) {
      if (!init.getDefiningOp() || !group.ops.contains(init.getDefiningOp()))
        continue;
      for (OpOperand *use : collectUses(init, late)) {
        Operation *reader = getTopLevel(use->getOwner());
        if (reader && !group.ops.contains(reader) && late.contains(reader))
          reads[use->get()].insert(use);
      }
    }
  }
  return reads;
}

/// Says which write `stuck`, a check where one is, can only come after.
LogicalResult StepScheduler::reportCycle(Operation *stuck) {
  llvm::DenseSet<Operation *> needed = findNeeded(block, {stuck});
  auto blocking = llvm::find_if(writers, [&](auto &entry) {
    return llvm::any_of(entry.second.ops, [&](Operation *writer) {
      return needed.contains(writer);
    });
  });
  std::string what = "a value";
  if (blocking != writers.end()) {
    BlockArgument storage = blocking->second.storage;
    llvm::raw_string_ostream stream(what);
    if (Attribute variable = getVariable(storage))
      (stream << " that is computed after variable " << variable)
          << " is written";
    else if (storage)
      stream << " that is computed after a result is written";
    else
      stream << " that is computed after what a loop carries is overwritten";
  }
  auto check = dyn_cast<cf::AssertOp>(stuck);
  if (!check)
    return stuck->emitOpError() << "depends on " << what << ", after it";
  return emitError(check.getLoc())
         << "the check '" << check.getMsg() << "' depends on " << what
         << ": a check has to come before every write";
}

LogicalResult StepScheduler::breakCycle(Operation *stuck) {
  // Copy the smallest variable that is read in a cycle.
  auto bytesOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape())
      return std::numeric_limits<int64_t>::max();
    return getNumBytes(type).getSaturated();
  };
  Value smallest;
  UsesByValue reads;
  for (auto &[version, group] : writers) {
    if (!hasOldValue(group.storage) ||
        (smallest && bytesOf(version) >= bytesOf(smallest)))
      continue;
    UsesByValue found = findCyclicReads(version, group);
    if (found.empty())
      continue;
    smallest = version;
    reads = std::move(found);
  }
  if (!smallest)
    for (auto &[version, group] : writers) {
      UsesByValue found = findCyclicChainReads(group);
      for (auto &[value, uses] : found)
        snapshot(group.storage, value, uses.getArrayRef(),
                 "after it is overwritten, by what is made of it");
      if (!found.empty())
        return success();
    }
  if (!smallest && isa<cf::AssertOp>(stuck) && commitAfterChecks(stuck))
    return success();
  if (!smallest)
    return reportCycle(stuck);
  for (auto &[value, uses] : reads)
    snapshot(writers[smallest].storage, value, uses.getArrayRef(),
             "after it is overwritten, in a cycle of assignments");
  return success();
}
