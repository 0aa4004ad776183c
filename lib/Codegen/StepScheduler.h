//===- StepScheduler.h - The order of the ops of a step ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_STEPSCHEDULER_H
#define FLYWHEEL_LIB_CODEGEN_STEPSCHEDULER_H

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel {

/// What one block does to one storage.
struct StorageRange {
  /// The argument of the function, or null for a buffer of the step: that of a
  /// value that a loop carries, or that a variable is made in.
  mlir::BlockArgument storage;
  /// The versions in which the block finds and leaves it.
  mlir::Value first, last;
};

/// The ops of a block that overwrite one version, and the storage it lives in.
struct Writers {
  mlir::BlockArgument storage;
  llvm::SetVector<mlir::Operation *> ops;
};

/// Uses that one copy can serve: those of the same value.
using UsesByValue =
    llvm::MapVector<mlir::Value, llvm::SetVector<mlir::OpOperand *>>;

/// The tensor that may be in the same memory as the value of `use`, if its
/// owner only passes it on; null otherwise.
mlir::Value getPassedOn(mlir::OpOperand &use);

/// The ops of `block` that `ops` of it need, and these themselves.
llvm::DenseSet<mlir::Operation *>
findNeeded(mlir::Block &block, llvm::SmallVector<mlir::Operation *> ops);
/// The buffer of the step that the versions of a variable are made in, as the
/// step finds it, where `last` is what is written at the end; else null.
mlir::Value findOwnBuffer(mlir::Value last);

/// Orders the ops of one block, and of the blocks in it that write.
///
/// Beyond SSA dominance there are two rules: what overwrites a version of a
/// variable or a result (a destination-style op on it, a materialization, or
/// control flow that does so inside) comes after every other reader of that
/// version, and after every check. Among what is free to go, program order
/// decides, but an update and what only updates need go as soon as they can:
/// the gradients and activations that they read need not be kept.
class StepScheduler {
public:
  StepScheduler(mlir::func::FuncOp function, mlir::Block &block,
                llvm::ArrayRef<StorageRange> ranges)
      : function(function), block(block), ranges(ranges) {}

  llvm::LogicalResult run();
  /// Whether the block, and the blocks in it that write, are in such an order
  /// already, without a read that needs a copy.
  bool isOrdered();
  unsigned getNumSnapshots() const { return numSnapshots; }

private:
  void collectOps();
  void collectWriters();
  void collectWriters(const StorageRange &range);
  void collectPartWriters(mlir::Operation *writer,
                          llvm::SetVector<mlir::Operation *> &set);
  /// Gives each op that cannot read the old value of the variable it overwrites
  /// a copy of what it reads.
  void snapshotSelfReads();
  /// The reads of one version of a storage, which `next` overwrite, by ops that
  /// cannot read the old value.
  UsesByValue findSelfReads(const StorageRange &range, mlir::Value version,
                            const llvm::SetVector<mlir::Operation *> *next);
  /// Calls `visit` with each storage and its reads of that kind.
  void forEachSelfRead(
      llvm::function_ref<void(const StorageRange &, UsesByValue)> visit);
  /// The ops of this block that overwrite `version`, and what comes after it in
  /// a chain: null for the last.
  const llvm::SetVector<mlir::Operation *> *findWriters(mlir::Value version);
  void snapshot(mlir::BlockArgument storage, mlir::Value value,
                llvm::ArrayRef<mlir::OpOperand *> uses, llvm::StringRef reason);
  llvm::SmallVector<mlir::OpOperand *>
  collectUses(mlir::Value version,
              const llvm::DenseSet<mlir::Operation *> &blocked);
  void addEdge(mlir::Operation *before, mlir::Operation *after) {
    if (before == after || !successors[before].insert(after))
      return;
    predecessors[after].push_back(before);
    ++numPredecessors[after];
  }
  void buildEdges();
  void buildChainEdges(const Writers &group);
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> findUpdates();
  void computeRanks();
  unsigned getEagerRank(mlir::Operation *op,
                        const llvm::DenseSet<mlir::Operation *> &early);
  /// For each op that a check needs, the number of the first such check.
  llvm::DenseMap<mlir::Operation *, unsigned> findUrgencies();
  /// Emits in order what can be emitted; returns the ops that could not.
  llvm::SmallVector<mlir::Operation *> emit();
  llvm::DenseSet<mlir::Operation *>
  findReachable(llvm::ArrayRef<mlir::Operation *> from);
  UsesByValue findCyclicReads(mlir::Value version, const Writers &group);
  UsesByValue findCyclicChainReads(const Writers &group);
  llvm::LogicalResult breakCycle(mlir::Operation *stuck);
  llvm::LogicalResult reportCycle(mlir::Operation *stuck);
  /// Writes, at the end of the function, the storages that `check` depends on
  /// writes of. False where there are none.
  bool commitAfterChecks(mlir::Operation *check);
  void commitAtEnd(StorageRange &range);
  llvm::LogicalResult runOnNested();
  /// The blocks in this one that write its storages, or what loops carry, with
  /// what each does to them.
  llvm::MapVector<mlir::Block *, llvm::SmallVector<StorageRange>>
  findNestedBlocks();

  /// The op of this block that contains `op`, or null.
  mlir::Operation *getTopLevel(mlir::Operation *op) {
    return block.findAncestorOpInBlock(*op);
  }
  /// The variable whose storage it is, or null.
  mlir::Attribute getVariable(mlir::BlockArgument storage) {
    return storage
               ? function.getArgAttr(storage.getArgNumber(),
                                     train::TrainDialect::getVariableAttrName())
               : mlir::Attribute();
  }
  /// Whether the old value may be needed: not that of a result.
  bool hasOldValue(mlir::BlockArgument storage) {
    return !storage || getVariable(storage);
  }

  mlir::func::FuncOp function;
  mlir::Block &block;
  llvm::SmallVector<StorageRange> ranges;
  unsigned numSnapshots = 0;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  /// For each version that is overwritten in this block, the ops that do it.
  llvm::MapVector<mlir::Value, Writers> writers;
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>>
      successors;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      predecessors;
  llvm::DenseMap<mlir::Operation *, unsigned> numPredecessors;
  /// Among the ops that are free to go, the one of least rank does.
  llvm::DenseMap<mlir::Operation *, unsigned> rank;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_STEPSCHEDULER_H
