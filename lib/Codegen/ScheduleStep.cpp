//===- ScheduleStep.cpp - Checks first, updates after the last reader -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_SCHEDULESTEP
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using bufferization::MaterializeInDestinationOp;
using flywheel::train::TrainDialect;

namespace {
/// Whether the result of `op` is a part or another shape of its first operand.
bool isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op);
}

Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Orders the ops of one function.
///
/// Beyond SSA dominance there are two rules: what writes a variable or a result
/// in place (a destination-style op on its storage, or the materialization of
/// its final value) comes after every other reader of the old value, and after
/// every check. Among what is free to go, program order decides.
class StepScheduler {
public:
  explicit StepScheduler(func::FuncOp function) : function(function) {}

  LogicalResult run();
  /// Returns what was computed in its own storage as it is: bufferization takes
  /// the materialization of such a value for another writer.
  void dropMaterializations();
  unsigned getNumSnapshots() const { return numSnapshots; }

private:
  void collectOps();
  void collectWriters();
  void collectPartWriters(Operation *writer, Value storage,
                          llvm::SetVector<Operation *> &set);
  /// Gives each op that cannot read the old value of the variable it overwrites
  /// a copy of what it reads.
  void snapshotSelfReads();
  void snapshot(Value value, ArrayRef<OpOperand *> uses, StringRef reason);
  void addEdge(Operation *before, Operation *after) {
    if (before != after && successors[before].insert(after))
      ++numPredecessors[after];
  }
  void buildEdges();
  /// Emits in order what can be emitted; returns the ops that could not.
  SmallVector<Operation *> emit();
  LogicalResult breakCycle(ArrayRef<Operation *> stuck);

  /// The op of the function's own block that contains `op`.
  Operation *getTopLevel(Operation *op) {
    return function.getBody().front().findAncestorOpInBlock(*op);
  }

  func::FuncOp function;
  unsigned numSnapshots = 0;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> position;
  /// For the storage of each result and each written variable, the ops that
  /// write it in place.
  llvm::MapVector<Value, llvm::SetVector<Operation *>> writers;
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> successors;
  llvm::DenseMap<Operation *, unsigned> numPredecessors;
};
} // namespace

void StepScheduler::collectOps() {
  ops.clear();
  position.clear();
  for (Operation &op : function.getBody().front().without_terminator()) {
    position[&op] = ops.size();
    ops.push_back(&op);
  }
}

/// Whether `value` is produced from the old value `storage` by writing into it:
/// follows the tied destinations back.
static bool isWrittenInto(Value value, Value storage,
                          SmallVectorImpl<Operation *> &chain) {
  while (value != storage) {
    auto op = value.getDefiningOp<DestinationStyleOpInterface>();
    if (!op)
      return false;
    chain.push_back(op);
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  return true;
}

/// Writing a slice of the storage may start before the slice is inserted: where
/// what is inserted was computed in that slice.
void StepScheduler::collectPartWriters(Operation *writer, Value storage,
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
  if (getRoot(value) == storage)
    set.insert(chain.begin(), chain.end());
}

void StepScheduler::collectWriters() {
  writers.clear();
  // What is returned is the final value of each result, then of each variable.
  auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  unsigned next = 0;
  for (StringRef name :
       {TrainDialect::getResultAttrName(), TrainDialect::getWritesAttrName()})
    for (BlockArgument argument : function.getArguments()) {
      if (!function.getArgAttr(argument.getArgNumber(), name))
        continue;
      llvm::SetVector<Operation *> &set = writers[argument];
      Value value = ret.getOperand(next++);
      if (auto materialize =
              value.getDefiningOp<MaterializeInDestinationOp>()) {
        set.insert(materialize);
        value = materialize.getSource();
      }
      SmallVector<Operation *> chain;
      if (!isWrittenInto(value, argument, chain))
        continue;
      set.insert(chain.begin(), chain.end());
      for (Operation *writer : chain)
        collectPartWriters(writer, argument, set);
    }
}

/// The uses of `storage` and of parts of it, but for those that make the parts.
static SmallVector<OpOperand *> collectUses(Value storage) {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> worklist = {storage};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isView(user) && use.getOperandNumber() == 0)
        worklist.push_back(user->getResult(0));
      else
        uses.push_back(&use);
    }
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

/// Whether `use`, by one of the writers of the storage or by another op, needs
/// a value that has been overwritten when the op gets to it.
static bool isSelfConflict(OpOperand &use, Value storage, bool isWriter) {
  Operation *op = use.getOwner();
  bool isInit = false;
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    isInit = destinationStyle.isDpsInit(&use);
  if (isa<MaterializeInDestinationOp>(op))
    return false;
  // Two ops cannot both write into the old value.
  return isWriter ? !isInit && !readsWhatItWrites(use, storage) : isInit;
}

void StepScheduler::snapshotSelfReads() {
  for (BlockArgument storage : function.getArguments()) {
    if (!function.getArgAttr(storage.getArgNumber(),
                             TrainDialect::getVariableAttrName()))
      continue;
    llvm::SetVector<Operation *> &set = writers[storage];
    llvm::MapVector<Value, SmallVector<OpOperand *>> conflicts;
    for (OpOperand *use : collectUses(storage)) {
      Operation *top = getTopLevel(use->getOwner());
      if (top && isSelfConflict(*use, storage, set.contains(top)))
        conflicts[use->get()].push_back(use);
    }
    for (auto &[value, uses] : conflicts)
      snapshot(value, uses, "by the op that overwrites it");
  }
}

/// Replaces `uses` of `value`, a variable or a part of one, by a copy.
void StepScheduler::snapshot(Value value, ArrayRef<OpOperand *> uses,
                             StringRef reason) {
  auto argument = cast<BlockArgument>(getRoot(value));
  Attribute name = function.getArgAttr(argument.getArgNumber(),
                                       TrainDialect::getVariableAttrName());
  Location loc = uses.front()->getOwner()->getLoc();
  OpBuilder b(function.getContext());
  b.setInsertionPointAfterValue(value);
  // A structured copy: bufferization inserts none of its own that look alike.
  auto type = cast<RankedTensorType>(value.getType());
  Value buffer = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, value), type.getElementType());
  auto copyOp = linalg::CopyOp::create(b, loc, value, buffer);
  copyOp->setAttr(TrainDialect::getSnapshotAttrName(), name);
  for (OpOperand *use : uses)
    use->set(copyOp->getResult(0));
  ++numSnapshots;
  emitRemark(loc) << "the old value of variable " << name << " is needed "
                  << reason << ": one copy of " << type;
}

void StepScheduler::buildEdges() {
  successors.clear();
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
  for (auto &[storage, set] : writers) {
    llvm::SetVector<Operation *> readers;
    for (OpOperand *use : collectUses(storage))
      if (Operation *reader = getTopLevel(use->getOwner()))
        if (!set.contains(reader))
          readers.insert(reader);
    for (Operation *writer : set) {
      for (Operation *check : checks)
        addEdge(check, writer);
      for (Operation *reader : readers)
        addEdge(reader, writer);
    }
  }
}

SmallVector<Operation *> StepScheduler::emit() {
  // What the checks need goes first; then program order.
  llvm::DenseSet<Operation *> urgent;
  SmallVector<Operation *> worklist;
  for (Operation *op : ops)
    if (isa<cf::AssertOp>(op))
      worklist.push_back(op);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!urgent.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *before = getTopLevel(producer))
            worklist.push_back(before);
    });
  }
  using Entry = std::pair<std::pair<bool, unsigned>, Operation *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  auto push = [&](Operation *op) {
    ready.push({{!urgent.contains(op), position[op]}, op});
  };
  for (Operation *op : ops)
    if (numPredecessors[op] == 0)
      push(op);
  Operation *terminator = function.getBody().front().getTerminator();
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

LogicalResult StepScheduler::breakCycle(ArrayRef<Operation *> stuck) {
  // Copy the smallest variable that has a stuck reader and a stuck writer.
  llvm::DenseSet<Operation *> isStuck(stuck.begin(), stuck.end());
  Value smallest;
  auto bytesOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() *
           std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  };
  auto stuckReaders = [&](Value storage) {
    llvm::MapVector<Value, SmallVector<OpOperand *>> uses;
    for (OpOperand *use : collectUses(storage)) {
      Operation *reader = getTopLevel(use->getOwner());
      if (reader && isStuck.contains(reader) &&
          !writers[storage].contains(reader))
        uses[use->get()].push_back(use);
    }
    return uses;
  };
  for (auto &[storage, set] : writers)
    if (!stuckReaders(storage).empty() &&
        llvm::any_of(set, [&](Operation *op) { return isStuck.contains(op); }))
      if (!smallest || bytesOf(storage) < bytesOf(smallest))
        smallest = storage;
  if (!smallest)
    return stuck.front()->emitOpError()
           << "depends on a value that is computed after a variable is "
              "written: a check has to come before every write";

  for (auto &[value, uses] : stuckReaders(smallest))
    snapshot(value, uses, "after it is overwritten, in a cycle of assignments");
  return success();
}

void StepScheduler::dropMaterializations() {
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto materialize = dyn_cast<MaterializeInDestinationOp>(op);
    SmallVector<Operation *> chain;
    if (!materialize ||
        !isWrittenInto(materialize.getSource(), materialize.getDest(), chain))
      continue;
    materialize.getResult().replaceAllUsesWith(materialize.getSource());
    materialize.erase();
  }
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
      return success();
    // What was emitted stands before what was not: put the rest back behind.
    Operation *terminator = function.getBody().front().getTerminator();
    for (Operation *op : stuck)
      op->moveBefore(terminator);
    if (failed(breakCycle(stuck)))
      return failure();
  }
}

namespace {
struct ScheduleStep : flywheel::impl::ScheduleStepBase<ScheduleStep> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    StepScheduler scheduler(getOperation());
    if (failed(scheduler.run()))
      return signalPassFailure();
    scheduler.dropMaterializations();
    numSnapshots += scheduler.getNumSnapshots();
  }
};
} // namespace
