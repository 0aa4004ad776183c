//===- StepScheduler.cpp - The order of the ops of a step -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Codegen/StateVersions.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#include <queue>

using namespace mlir;
using namespace flywheel;
using bufferization::MaterializeInDestinationOp;
using flywheel::train::TrainDialect;

void StepScheduler::collectOps() {
  ops.clear();
  position.clear();
  for (Operation &op : block.without_terminator()) {
    position[&op] = ops.size();
    ops.push_back(&op);
  }
}

/// Writing a slice of the storage may start before the slice is inserted: where
/// what is inserted was computed in that slice.
void StepScheduler::collectPartWriters(Operation *writer,
                                       llvm::SetVector<Operation *> &set) {
  auto insert = dyn_cast<tensor::InsertSliceOp>(writer);
  if (!insert)
    return;
  SmallVector<Operation *> chain;
  Value value = insert.getSource();
  while (auto op = value.getDefiningOp<DestinationStyleOpInterface>()) {
    chain.push_back(op);
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  if (getRoot(value) == insert.getDest())
    set.insert(chain.begin(), chain.end());
}

/// Goes back from the last version of the storage to the first: from one op, or
/// from one chain of ops on the same destination, to the one before.
void StepScheduler::collectWriters(const StorageRange &range) {
  if (!isInPlaceOf(range.last, range.first))
    return;
  Value value = range.last;
  while (value != range.first) {
    Writers group{range.storage, {}};
    bool isChain =
        value.getDefiningOp<DestinationStyleOpInterface>() != nullptr;
    do {
      group.ops.insert(value.getDefiningOp());
      value = getOverwritten(value);
    } while (isChain && value != range.first &&
             value.getDefiningOp<DestinationStyleOpInterface>());
    for (Operation *writer : llvm::to_vector(group.ops))
      collectPartWriters(writer, group.ops);
    writers.try_emplace(value, std::move(group));
  }
}

void StepScheduler::collectWriters() {
  writers.clear();
  for (const StorageRange &range : ranges)
    collectWriters(range);
}

Value flywheel::getPassedOn(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isView(user) && use.getOperandNumber() == 0)
    return user->getResult(0);
  if (isa<arith::SelectOp>(user))
    return user->getResult(0);
  if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
    return user->getParentOp()->getResult(use.getOperandNumber());
  return {};
}

/// The uses of `version` and of what may be in the same memory, but for those
/// that pass it on at the level of this block: by an op that is not in
/// `blocked`, which comes too late to pass on the old value.
SmallVector<OpOperand *>
StepScheduler::collectUses(Value version,
                           const llvm::DenseSet<Operation *> &blocked) {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> worklist = {version};
  llvm::DenseSet<Value> seen = {version};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Value other = getPassedOn(use);
      if (!other || other.getParentBlock() != &block ||
          blocked.contains(other.getDefiningOp()))
        uses.push_back(&use);
      else if (getOverwritten(other) != version && seen.insert(other).second)
        worklist.push_back(other);
    }
  return uses;
}

/// In a chain of ops on one destination, the readers of what one op leaves come
/// before the next.
void StepScheduler::buildChainEdges(const Writers &group) {
  for (Operation *writer : group.ops) {
    auto structured = dyn_cast<DestinationStyleOpInterface>(writer);
    if (!structured)
      continue;
    for (Value init : structured.getDpsInits())
      if (init.getDefiningOp() && group.ops.contains(init.getDefiningOp()))
        for (OpOperand *use : collectUses(init, {}))
          if (Operation *reader = getTopLevel(use->getOwner()))
            if (!group.ops.contains(reader))
              addEdge(reader, writer);
  }
}

void StepScheduler::buildEdges() {
  successors.clear();
  predecessors.clear();
  numPredecessors.clear();
  SmallVector<Operation *> checks;
  for (Operation *op : ops) {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *before = getTopLevel(producer))
            addEdge(before, op);
    });
    if (isa<cf::AssertOp>(op)) {
      if (!checks.empty())
        addEdge(checks.back(), op);
      checks.push_back(op);
    }
  }
  for (auto &[version, group] : writers) {
    llvm::SetVector<Operation *> readers;
    for (OpOperand *use : collectUses(version, {}))
      if (Operation *reader = getTopLevel(use->getOwner()))
        if (!group.ops.contains(reader))
          readers.insert(reader);
    for (Operation *writer : group.ops) {
      // A failing step may leave anything in a buffer of its own.
      if (group.storage)
        for (Operation *check : checks)
          addEdge(check, writer);
      for (Operation *reader : readers)
        addEdge(reader, writer);
    }
    buildChainEdges(group);
  }
}

llvm::DenseMap<Operation *, unsigned> StepScheduler::findUrgencies() {
  llvm::DenseMap<Operation *, unsigned> urgencies;
  unsigned number = 0;
  for (Operation *check : ops) {
    if (!isa<cf::AssertOp>(check))
      continue;
    SmallVector<Operation *> worklist = {check};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (!urgencies.try_emplace(op, number).second)
        continue;
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (Operation *producer = operand.getDefiningOp())
            if (Operation *before = getTopLevel(producer))
              worklist.push_back(before);
      });
    }
    ++number;
  }
  return urgencies;
}

SmallVector<Operation *> StepScheduler::emit() {
  // What the checks need goes first, and what the first ones need before the
  // others: a check of sizes guards an op that a check of values needs.
  llvm::DenseMap<Operation *, unsigned> urgencies = findUrgencies();
  auto getUrgency = [&](Operation *op) {
    auto it = urgencies.find(op);
    return it == urgencies.end() ? ~0u : it->second;
  };
  computeRanks();
  using Entry =
      std::pair<std::tuple<unsigned, unsigned, unsigned>, Operation *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  auto push = [&](Operation *op) {
    ready.push({{getUrgency(op), rank[op], position[op]}, op});
  };
  for (Operation *op : ops)
    if (numPredecessors[op] == 0)
      push(op);
  Operation *terminator = block.getTerminator();
  llvm::DenseSet<Operation *> done;
  while (!ready.empty()) {
    Operation *op = ready.top().second;
    ready.pop();
    op->moveBefore(terminator);
    done.insert(op);
    for (Operation *next : successors[op])
      if (--numPredecessors[next] == 0)
        push(next);
  }
  SmallVector<Operation *> stuck;
  for (Operation *op : ops)
    if (!done.contains(op))
      stuck.push_back(op);
  return stuck;
}

llvm::MapVector<Block *, SmallVector<StorageRange>>
StepScheduler::findNestedBlocks() {
  llvm::DenseMap<Value, BlockArgument> storages;
  for (const StorageRange &range : ranges)
    if (isInPlaceOf(range.last, range.first))
      for (Value value = range.last; value != range.first;
           value = getOverwritten(value))
        storages[value] = range.storage;
  llvm::MapVector<Block *, SmallVector<StorageRange>> nested;
  for (Operation &op : block) {
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      continue;
    for (Region &region : op.getRegions())
      if (!region.empty())
        nested[&region.front()];
    for (OpResult result : op.getResults()) {
      auto it = storages.find(result);
      bool isCarried = isa<LoopLikeOpInterface>(op) &&
                       isa<RankedTensorType>(result.getType()) &&
                       getOverwritten(result);
      if (it == storages.end() && !isCarried)
        continue;
      for (auto [region, versions] :
           llvm::zip(op.getRegions(),
                     getRegionVersions(&op, result.getResultNumber())))
        nested[&region.front()].push_back(
            {it == storages.end() ? BlockArgument() : it->second,
             versions.first, versions.second});
    }
  }
  return nested;
}

/// Puts the blocks of control flow in this one in order.
LogicalResult StepScheduler::runOnNested() {
  for (auto &[nestedBlock, nestedRanges] : findNestedBlocks()) {
    StepScheduler scheduler(function, *nestedBlock, nestedRanges);
    if (failed(scheduler.run()))
      return failure();
    numSnapshots += scheduler.numSnapshots;
  }
  return success();
}

bool StepScheduler::isOrdered() {
  collectOps();
  collectWriters();
  bool isOrdered = true;
  forEachSelfRead([&](const StorageRange &, UsesByValue reads) {
    isOrdered &= reads.empty();
  });
  if (!isOrdered)
    return false;
  buildEdges();
  for (auto &[before, after] : successors)
    for (Operation *next : after)
      if (position.contains(before) && position.contains(next) &&
          position[before] > position[next])
        return false;
  return llvm::all_of(findNestedBlocks(), [&](auto &nested) {
    return StepScheduler(function, *nested.first, nested.second).isOrdered();
  });
}

LogicalResult StepScheduler::run() {
  collectOps();
  collectWriters();
  snapshotSelfReads();
  // Each round makes one cycle less: there are no more than ops.
  for (size_t rounds = ops.size() + 1;; --rounds) {
    collectOps();
    collectWriters();
    buildEdges();
    SmallVector<Operation *> stuck = emit();
    if (stuck.empty())
      return runOnNested();
    // What was emitted stands before what was not: put the rest back behind.
    for (Operation *op : stuck)
      op->moveBefore(block.getTerminator());
    auto check = llvm::find_if(stuck, llvm::IsaPred<cf::AssertOp>);
    Operation *first = check == stuck.end() ? stuck.front() : *check;
    if (rounds == 0)
      return reportCycle(first);
    if (failed(breakCycle(first)))
      return failure();
  }
}
