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
void StepScheduler::collectPartWriters(Operation *writer, Value version,
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
  if (getRoot(value) == version)
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
      collectPartWriters(writer, value, group.ops);
    writers.try_emplace(value, std::move(group));
  }
}

void StepScheduler::collectWriters() {
  writers.clear();
  for (const StorageRange &range : ranges)
    collectWriters(range);
}

/// The tensors that may be in the same memory as the value of `use`, if its
/// owner only passes it on.
static Value getPassedOn(OpOperand &use) {
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

void StepScheduler::snapshotSelfReads() {
  for (auto &[version, group] : writers) {
    if (!hasOldValue(group.storage))
      continue;
    UsesByValue conflicts;
    for (OpOperand *use : collectUses(version, {})) {
      Operation *top = getTopLevel(use->getOwner());
      if (!top)
        continue;
      if (top == block.getTerminator() ||
          isSelfConflict(*use, top, version, group.ops.contains(top)))
        conflicts[use->get()].insert(use);
    }
    for (auto &[value, uses] : conflicts)
      snapshot(group.storage, value, uses.getArrayRef(),
               "by the op that overwrites it");
  }
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

/// In a chain of ops on one destination, the readers of what one op leaves come
/// before the next.
void StepScheduler::buildChainEdges(const Writers &group) {
  for (Operation *writer : group.ops) {
    auto structured = dyn_cast<DestinationStyleOpInterface>(writer);
    if (!structured)
      continue;
    for (Value init : structured.getDpsInits())
      if (init.getDefiningOp() && group.ops.contains(init.getDefiningOp()))
        for (Operation *user : init.getUsers())
          if (Operation *reader = getTopLevel(user))
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

llvm::DenseSet<Operation *>
StepScheduler::findNeeded(ArrayRef<Operation *> by) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> worklist(by);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!needed.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *before = getTopLevel(producer))
            worklist.push_back(before);
    });
  }
  return needed;
}

/// For each op that overwrites a variable, and each whose results only such ops
/// need, the one that needs them, or null where there are several: a gradient
/// has one, the rate of learning and the gradient of an activation have many.
llvm::DenseMap<Operation *, Operation *> StepScheduler::findUpdates() {
  llvm::DenseMap<Operation *, Operation *> updates;
  for (auto &[version, group] : writers)
    if (getVariable(group.storage))
      for (Operation *writer : group.ops)
        updates[writer] = writer;
  for (Operation *op : llvm::reverse(ops)) {
    if (updates.contains(op) || op->use_empty() || !isMemoryEffectFree(op))
      continue;
    llvm::SmallPtrSet<Operation *, 4> owners;
    bool isUpdate = llvm::all_of(op->getUsers(), [&](Operation *user) {
      auto it = updates.find(getTopLevel(user));
      if (it == updates.end())
        return false;
      owners.insert(it->second);
      return true;
    });
    if (isUpdate)
      updates[op] = owners.size() == 1 ? *owners.begin() : nullptr;
  }
  return updates;
}

/// The rank with which `op` goes right after what it needs, but for `early`
/// ops. A reader whose only user is another op is computed in that op's loops.
unsigned StepScheduler::getEagerRank(Operation *op,
                                     const llvm::DenseSet<Operation *> &early) {
  unsigned eager = 0;
  for (Operation *before : predecessors[op]) {
    if (early.contains(before) || isa<cf::AssertOp>(before))
      continue;
    eager = std::max(eager, rank[before]);
    if (!before->hasOneUse())
      continue;
    Operation *user = getTopLevel(*before->user_begin());
    if (user && user != op && rank.contains(user))
      eager = std::max(eager, rank[user]);
  }
  return eager;
}

void StepScheduler::computeRanks() {
  rank.clear();
  for (Operation *op : ops)
    rank[op] = position[op];
  llvm::DenseMap<Operation *, Operation *> updates = findUpdates();
  // What depends on numbers and variables alone, as a rate of learning, is no
  // reason to wait, and goes when an update needs it.
  llvm::DenseSet<Operation *> early;
  for (Operation *op : ops) {
    bool isNumber =
        isa<tensor::EmptyOp>(op) ||
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if ((isNumber || updates.contains(op)) && isMemoryEffectFree(op) &&
        updates.lookup(op) != op &&
        llvm::all_of(predecessors[op], [&](Operation *before) {
          return early.contains(before) || isa<cf::AssertOp>(before);
        }))
      early.insert(op);
  }
  for (Operation *op : ops)
    if (!early.contains(op) && updates.lookup(op))
      if (unsigned eager = getEagerRank(op, early))
        rank[op] = eager;
  for (Operation *op : llvm::reverse(ops))
    if (early.contains(op) && updates.contains(op))
      for (Operation *next : successors[op])
        rank[op] = std::min(rank[op], rank[next]);
}

SmallVector<Operation *> StepScheduler::emit() {
  // What the checks need goes first.
  llvm::DenseSet<Operation *> urgent =
      findNeeded(llvm::filter_to_vector(ops, llvm::IsaPred<cf::AssertOp>));
  computeRanks();
  using Entry = std::pair<std::tuple<bool, unsigned, unsigned>, Operation *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  auto push = [&](Operation *op) {
    ready.push({{!urgent.contains(op), rank[op], position[op]}, op});
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
      for (OpOperand &use : init.getUses()) {
        Operation *reader = getTopLevel(use.getOwner());
        if (reader && !group.ops.contains(reader) && late.contains(reader))
          reads[init].insert(&use);
      }
    }
  }
  return reads;
}

LogicalResult StepScheduler::breakCycle(Operation *stuck) {
  // Copy the smallest variable that is read in a cycle.
  auto bytesOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape())
      return std::numeric_limits<int64_t>::max();
    return type.getNumElements() *
           std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
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
    return stuck->emitOpError()
           << "depends on a value that is computed after a variable is "
              "written: a check has to come before every write";
  for (auto &[value, uses] : reads)
    snapshot(writers[smallest].storage, value, uses.getArrayRef(),
             "after it is overwritten, in a cycle of assignments");
  return success();
}

/// Puts the blocks of control flow in this one in order: by what they do to the
/// storages of this block, and to what loops carry.
LogicalResult StepScheduler::runOnNested() {
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
  for (auto &[nestedBlock, nestedRanges] : nested) {
    StepScheduler scheduler(function, *nestedBlock, nestedRanges);
    if (failed(scheduler.run()))
      return failure();
    numSnapshots += scheduler.numSnapshots;
  }
  return success();
}

LogicalResult StepScheduler::run() {
  collectOps();
  collectWriters();
  snapshotSelfReads();
  while (true) {
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
    if (failed(breakCycle(check == stuck.end() ? stuck.front() : *check)))
      return failure();
  }
}
