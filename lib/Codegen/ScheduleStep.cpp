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

using flywheel::train::TrainDialect;
using bufferization::MaterializeInDestinationOp;

namespace {
/// Orders the ops of one function.
///
/// Beyond SSA dominance there are two rules: what writes a variable in place
/// (a destination-style op on the variable's old value, or the materialization
/// of its final value) comes after every other reader of the old value, and
/// after every check. Among what is free to go, program order decides.
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
  /// For each written variable, the ops that write its storage in place.
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

void StepScheduler::collectWriters() {
  writers.clear();
  for (BlockArgument argument : function.getArguments()) {
    if (!function.getArgAttr(argument.getArgNumber(),
                             TrainDialect::getWritesAttrName()))
      continue;
    for (OpOperand &use : argument.getUses()) {
      auto materialize = dyn_cast<MaterializeInDestinationOp>(use.getOwner());
      if (!materialize || &use != &materialize.getDestMutable())
        continue;
      llvm::SetVector<Operation *> &set = writers[argument];
      set.insert(materialize);
      SmallVector<Operation *> chain;
      if (isWrittenInto(materialize.getSource(), argument, chain))
        set.insert(chain.begin(), chain.end());
    }
  }
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
    for (Operation *writer : set) {
      for (Operation *check : checks)
        addEdge(check, writer);
      for (Operation *user : storage.getUsers()) {
        Operation *reader = getTopLevel(user);
        if (reader && !set.contains(reader))
          addEdge(reader, writer);
      }
    }
  }
  // Results are storage of the caller: a failing step leaves them alone too.
  for (Operation *op : ops)
    if (isa<MaterializeInDestinationOp>(op))
      for (Operation *check : checks)
        addEdge(check, op);
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
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : storage.getUses()) {
      Operation *reader = getTopLevel(use.getOwner());
      if (reader && isStuck.contains(reader) &&
          !writers[storage].contains(reader))
        uses.push_back(&use);
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

  SmallVector<OpOperand *> uses = stuckReaders(smallest);
  auto argument = cast<BlockArgument>(smallest);
  Attribute name = function.getArgAttr(argument.getArgNumber(),
                                       TrainDialect::getVariableAttrName());
  OpBuilder b = OpBuilder::atBlockBegin(argument.getOwner());
  Location loc = uses.front()->getOwner()->getLoc();
  // A structured copy: bufferization inserts none of its own that look alike.
  auto type = cast<RankedTensorType>(smallest.getType());
  Value buffer = tensor::EmptyOp::create(b, loc, type.getShape(),
                                         type.getElementType());
  auto copyOp = linalg::CopyOp::create(b, loc, smallest, buffer);
  copyOp->setAttr(TrainDialect::getSnapshotAttrName(), name);
  Value copy = copyOp->getResult(0);
  for (OpOperand *use : uses)
    use->set(copy);
  ++numSnapshots;
  emitRemark(loc) << "the old value of variable " << name
                  << " is needed after it is overwritten, in a cycle of "
                     "assignments: one copy of "
                  << bytesOf(smallest) << " bytes";
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
