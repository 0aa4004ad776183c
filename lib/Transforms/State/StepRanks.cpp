//===- StepRanks.cpp - What goes first in a step ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepScheduler.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;

llvm::DenseSet<Operation *> flywheel::findNeeded(Block &block,
                                                 SmallVector<Operation *> ops) {
  llvm::DenseSet<Operation *> needed;
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!needed.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *before = block.findAncestorOpInBlock(*producer))
            ops.push_back(before);
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
