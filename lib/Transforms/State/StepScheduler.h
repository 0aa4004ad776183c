//===- StepScheduler.h - The order of the ops of a step ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_STATE_STEPSCHEDULER_H
#define FLYWHEEL_LIB_TRANSFORMS_STATE_STEPSCHEDULER_H

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
  /// value that a loop carries.
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

/// Orders the ops of one block, and of the blocks in it that write.
///
/// SSA dominance is the one rule that always holds. Beyond it there are wishes:
/// what overwrites a version of a variable or a result (a destination-style op
/// on it, a store, or control flow that does so inside) comes after every other
/// reader of that version, and after every check. Where no order grants all of
/// them, the wish that costs the fewest bytes is given up: the readers that
/// come too late read a copy, or, behind a check that is, the variable is
/// written elsewhere until then, as bufferization finds out. So there always is
/// an order. Among what is free to go, program order decides, but an update and
/// what only updates need go as soon as they can: the gradients and activations
/// that they read need not be kept.
class StepScheduler {
public:
  StepScheduler(mlir::func::FuncOp function, mlir::Block &block,
                llvm::ArrayRef<StorageRange> ranges)
      : function(function), block(block), ranges(ranges) {}

  void run();
  /// Whether the block, and the blocks in it that write, are in such an order
  /// already, without a read that needs a copy.
  bool isOrdered();
  unsigned getNumSnapshots() const { return numSnapshots; }

private:
  /// A wish: `before` is not to come behind `writer`, which overwrites
  /// `version`.
  struct Wish {
    mlir::Operation *before, *writer;
    mlir::Value version;
    mlir::BlockArgument storage;
  };

  void collectOps();
  void collectWriters();
  void collectWriters(const StorageRange &range);
  void collectPartWriters(mlir::Value part, mlir::Value whole,
                          llvm::SetVector<mlir::Operation *> &set);
  /// Gives each op that cannot read the old value of the variable it overwrites
  /// a copy of what it reads.
  void snapshotSelfReads();
  /// The reads of one version of a storage, in the place of which `next` is
  /// made, by ops that cannot read the old value. `next` is null for the last.
  UsesByValue findSelfReads(const StorageRange &range, mlir::Value version,
                            mlir::Value next);
  /// Calls `visit` with each storage and its reads of that kind.
  void forEachSelfRead(
      llvm::function_ref<void(const StorageRange &, UsesByValue)> visit);
  /// The ops of this block that make `next` in the place of `version`, and what
  /// comes after and before it in a chain; those that write parts of `version`
  /// where `next` is null.
  const llvm::SetVector<mlir::Operation *> *
  findWriters(const StorageRange &range, mlir::Value version, mlir::Value next);
  void snapshot(mlir::BlockArgument storage, mlir::Value value,
                llvm::ArrayRef<mlir::OpOperand *> uses, bool isLate,
                llvm::StringRef reason);
  llvm::SmallVector<mlir::OpOperand *>
  collectUses(mlir::Value version,
              const llvm::DenseSet<mlir::Operation *> &blocked);
  /// Says that `storage` is not updated in place: a check needs the new value.
  void allowCopy(mlir::BlockArgument storage);
  void addDependence(mlir::Operation *before, mlir::Operation *after);
  void addWish(mlir::Operation *before, mlir::Operation *writer,
               mlir::Value version, mlir::BlockArgument storage);
  void buildDependences();
  void buildWishes();
  void buildChainWishes(const Writers &group);
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> findUpdates();
  void computeRanks();
  unsigned getEagerRank(mlir::Operation *op,
                        const llvm::DenseSet<mlir::Operation *> &early);
  /// For each op that a check needs, the number of the first such check.
  llvm::DenseMap<mlir::Operation *, unsigned> findUrgencies();
  void emit();
  /// Of the ops that only wishes hold back, the one that costs least.
  mlir::Operation *findCheapest();
  /// Gives up the wishes that hold `writer` back.
  void giveUp(mlir::Operation *writer);
  void runOnNested();
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
  /// By dominance and by wishes.
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>>
      successors;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      predecessors;
  /// How many ops have to come before one by dominance, and are not there yet.
  llvm::DenseMap<mlir::Operation *, unsigned> numAwaited;
  /// The wishes for ops that overwrite something, and how many are open.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Wish>> wishes;
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>> wishers;
  llvm::DenseSet<mlir::Operation *> emitted;
  /// Among the ops that are free to go, the one of least rank does.
  llvm::DenseMap<mlir::Operation *, unsigned> rank;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_STATE_STEPSCHEDULER_H
