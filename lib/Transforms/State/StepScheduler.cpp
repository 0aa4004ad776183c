//===- StepScheduler.cpp - The order of the ops of a step -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"
#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#include <queue>

using namespace mlir;
using namespace flywheel;
using flywheel::train::TrainDialect;

/// Bytes of a copy of `value`: many where they are not known.
static CheckedSize getBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? getNumBytes(type) : CheckedSize(1 << 30);
}

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
void StepScheduler::collectPartWriters(Value part, Value whole,
                                       llvm::SetVector<Operation *> &set) {
  SmallVector<Operation *> chain;
  while (Value overwritten = getOverwritten(part)) {
    chain.push_back(part.getDefiningOp());
    part = overwritten;
  }
  if (getRoot(part) == whole)
    set.insert(chain.begin(), chain.end());
}

/// Goes back from the last version of the storage to the first: from one op, or
/// from one chain of ops on the same destination, to the one before.
void StepScheduler::collectWriters(const StorageRange &range) {
  if (!isInPlaceOf(range.last, range.first))
    return;
  Value value = range.last;
  // What the threads of a parallel loop share, each writes a part of.
  Writers parts{range.storage, {}};
  for (Operation *user : value.getUsers())
    if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(user))
      if (insert.getDest() == value)
        collectPartWriters(insert.getSource(), value, parts.ops);
  if (!parts.ops.empty())
    writers.try_emplace(value, std::move(parts));
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
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(writer))
        collectPartWriters(insert.getSource(), insert.getDest(), group.ops);
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
  // What is passed on inside of a branch of this block, to be passed out of it.
  SmallVector<Value> inner;
  auto follow = [&](Value other) {
    if (getTopLevel(other.getDefiningOp()) != other.getDefiningOp())
      inner.push_back(other);
    else if (!blocked.contains(other.getDefiningOp()) &&
             getOverwritten(other) != version && seen.insert(other).second)
      worklist.push_back(other);
  };
  while (!worklist.empty()) {
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Value other = getPassedOn(use);
      bool isHere = other && other.getParentBlock() == &block;
      if (!isHere || blocked.contains(other.getDefiningOp()))
        uses.push_back(&use);
      if (other)
        follow(other);
    }
    while (!inner.empty())
      for (OpOperand &use : inner.pop_back_val().getUses())
        if (Value other = getPassedOn(use))
          follow(other);
  }
  return uses;
}

void StepScheduler::allowCopy(BlockArgument storage) {
  function.removeArgAttr(storage.getArgNumber(),
                         TrainDialect::getUpdatedAttrName());
}

void StepScheduler::addDependence(Operation *before, Operation *after) {
  if (before == after || !successors[before].insert(after))
    return;
  predecessors[after].push_back(before);
  ++numAwaited[after];
}

void StepScheduler::addWish(Operation *before, Operation *writer, Value version,
                            BlockArgument storage) {
  // What the terminator passes on it passes on behind everything.
  if (before == writer || before == block.getTerminator())
    return;
  wishes[writer].push_back({before, writer, version, storage});
  // What dominance asks for needs no wish, but a copy where it is not kept.
  if (!successors[before].contains(writer))
    wishers[writer].insert(before);
}

/// In a chain of ops on one destination, the readers of what one op leaves come
/// before the next.
void StepScheduler::buildChainWishes(const Writers &group) {
  for (Operation *writer : group.ops) {
    auto structured = dyn_cast<DestinationStyleOpInterface>(writer);
    if (!structured)
      continue;
    for (Value init : structured.getDpsInits())
      if (init.getDefiningOp() && group.ops.contains(init.getDefiningOp()))
        for (OpOperand *use : collectUses(init, {}))
          if (Operation *reader = getTopLevel(use->getOwner()))
            if (!group.ops.contains(reader))
              addWish(reader, writer, init, group.storage);
  }
}

void StepScheduler::buildDependences() {
  successors.clear();
  predecessors.clear();
  numAwaited.clear();
  Operation *lastCheck = nullptr;
  for (Operation *op : ops) {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *before = getTopLevel(producer))
            addDependence(before, op);
    });
    if (!isa<cf::AssertOp>(op))
      continue;
    if (lastCheck)
      addDependence(lastCheck, op);
    lastCheck = op;
  }
}

void StepScheduler::buildWishes() {
  wishes.clear();
  wishers.clear();
  SmallVector<Operation *> checks = llvm::to_vector(
      llvm::make_filter_range(ops, llvm::IsaPred<cf::AssertOp>));
  // Nothing can come after a check that needs it.
  llvm::DenseSet<Operation *> checked = findNeeded(block, checks);
  Operation *lastCheck = checks.empty() ? nullptr : checks.back();
  for (auto &[version, group] : writers) {
    llvm::SetVector<Operation *> readers;
    for (OpOperand *use : collectUses(version, {}))
      if (Operation *reader = getTopLevel(use->getOwner()))
        if (!group.ops.contains(reader))
          readers.insert(reader);
    for (Operation *writer : group.ops) {
      // A failing step may leave anything in a buffer of its own.
      if (group.storage && checked.contains(writer))
        allowCopy(group.storage);
      else if (group.storage && lastCheck)
        addWish(lastCheck, writer, version, group.storage);
      for (Operation *reader : readers)
        addWish(reader, writer, version, group.storage);
    }
    buildChainWishes(group);
  }
  for (auto &[writer, before] : wishers)
    for (Operation *op : before) {
      successors[op].insert(writer);
      predecessors[writer].push_back(op);
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

Operation *StepScheduler::findCheapest() {
  Operation *cheapest = nullptr;
  std::tuple<int64_t, unsigned> least;
  for (auto &[writer, open] : wishers) {
    if (emitted.contains(writer) || numAwaited.lookup(writer) > 0)
      continue;
    llvm::SmallDenseSet<Value> copied;
    CheckedSize bytes = 0;
    for (const Wish &wish : wishes[writer]) {
      if (emitted.contains(wish.before))
        continue;
      // The variable is copied to where it is written, and back.
      bool isCheck = isa<cf::AssertOp>(wish.before);
      if (!isCheck && !copied.insert(wish.version).second)
        continue;
      bytes += getBytes(wish.version) * (isCheck ? 4 : 1);
    }
    std::tuple<int64_t, unsigned> cost = {bytes.getSaturated(),
                                          position.lookup(writer)};
    if (cheapest && cost >= least)
      continue;
    cheapest = writer;
    least = cost;
  }
  return cheapest;
}

void StepScheduler::giveUp(Operation *writer) {
  llvm::DenseSet<Operation *> late;
  for (Operation *op : ops)
    if (!emitted.contains(op))
      late.insert(op);
  llvm::SmallMapVector<Value, BlockArgument, 4> versions;
  for (const Wish &wish : wishes[writer]) {
    if (emitted.contains(wish.before))
      continue;
    if (isa<cf::AssertOp>(wish.before))
      allowCopy(wish.storage);
    else
      versions.insert({wish.version, wish.storage});
  }
  for (auto [version, storage] : versions) {
    // The old value of a result is nothing.
    if (!hasOldValue(storage) && isa<BlockArgument>(version))
      continue;
    UsesByValue reads;
    for (OpOperand *use : collectUses(version, late)) {
      Operation *reader = getTopLevel(use->getOwner());
      if (!reader || reader == writer || !late.contains(reader))
        continue;
      // What only passes the old value on has no wish, but those that read it.
      Value passedOn = getPassedOn(*use);
      if ((passedOn && passedOn.getDefiningOp() == reader) ||
          llvm::any_of(wishes[writer],
                       [&](const Wish &wish) { return wish.before == reader; }))
        reads[use->get()].insert(use);
    }
    for (auto &[value, uses] : reads)
      snapshot(storage, value, uses.getArrayRef(), /*isLate=*/true,
               "after it is overwritten, in a cycle of assignments");
  }
  wishers[writer].clear();
}

void StepScheduler::emit() {
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
  auto pushIfReady = [&](Operation *op) {
    if (numAwaited.lookup(op) > 0 || emitted.contains(op))
      return;
    auto open = wishers.find(op);
    if (open == wishers.end() || open->second.empty())
      ready.push({{getUrgency(op), rank[op], position[op]}, op});
  };
  emitted.clear();
  for (Operation *op : ops)
    pushIfReady(op);
  Operation *terminator = block.getTerminator();
  while (emitted.size() < ops.size()) {
    if (ready.empty()) {
      Operation *writer = findCheapest();
      giveUp(writer);
      pushIfReady(writer);
    }
    Operation *op = ready.top().second;
    ready.pop();
    op->moveBefore(terminator);
    emitted.insert(op);
    for (Operation *next : successors[op]) {
      auto open = wishers.find(next);
      if (open == wishers.end() || !open->second.remove(op)) {
        auto awaited = numAwaited.find(next);
        if (awaited == numAwaited.end() || awaited->second == 0)
          continue;
        --awaited->second;
      }
      pushIfReady(next);
    }
  }
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
    if (!isa<RegionBranchOpInterface>(op))
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
void StepScheduler::runOnNested() {
  for (auto &[nestedBlock, nestedRanges] : findNestedBlocks()) {
    StepScheduler scheduler(function, *nestedBlock, nestedRanges);
    scheduler.run();
    numSnapshots += scheduler.numSnapshots;
  }
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
  buildDependences();
  buildWishes();
  for (auto &[writer, before] : wishers)
    for (Operation *op : before)
      if (position.lookup(op) > position.lookup(writer))
        return false;
  return llvm::all_of(findNestedBlocks(), [&](auto &nested) {
    return StepScheduler(function, *nested.first, nested.second).isOrdered();
  });
}

void StepScheduler::run() {
  collectOps();
  collectWriters();
  snapshotSelfReads();
  collectOps();
  collectWriters();
  buildDependences();
  buildWishes();
  emit();
  runOnNested();
}
