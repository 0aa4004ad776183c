//===- BatchChain.h - Ops that belong into loops over batches ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_FUSION_BATCHCHAIN_H
#define FLYWHEEL_LIB_TRANSFORMS_FUSION_BATCHCHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Whether `op` is a product in several batches whose result is larger than
/// what it reads, so that it pays to keep one batch of it at a time.
bool isSeedOfBatchChain(mlir::linalg::LinalgOp op);

/// The large result of a product in batches, and everything in its block that
/// is computed from large values like it, batch by batch.
class BatchChain {
public:
  explicit BatchChain(mlir::linalg::LinalgOp seed);

  /// The number of the loops over batches: the first ones of each op, and the
  /// first dimensions of each value.
  unsigned numBatchDims = 0;

  /// Whether loops over batches store less, and one of the large values has
  /// `minBytes`: what is in a cache is read faster than computed again.
  bool pays(int64_t minBytes) const;

  /// An op of a phase needs no op outside of the chain that depends on the same
  /// phase or a later one.
  unsigned getNumPhases() const { return phases.size(); }
  llvm::ArrayRef<mlir::Operation *> getOps(unsigned phase) const {
    return phases[phase];
  }
  llvm::ArrayRef<mlir::Operation *> getAll() const { return all; }
  bool contains(mlir::Operation *op) const { return phaseOf.contains(op); }
  unsigned getPhase(mlir::Operation *op) const { return phaseOf.lookup(op); }

  /// Whether an op of the chain reads of `operand` the batch that it computes.
  bool readsBatch(mlir::OpOperand &operand) const;
  /// Whether `value`, a result of the chain, is stored for all batches where
  /// several phases need it: others are computed again.
  bool isStored(mlir::Value value) const { return small.contains(value); }
  /// The results of `phase` that are stored for all batches.
  llvm::SmallVector<mlir::Value> getLeaving(unsigned phase) const;

private:
  bool isLarge(mlir::Value value) const;
  bool isTileable(mlir::Operation *op) const;
  bool leaves(mlir::Value value) const;
  int64_t countBytes() const;
  void collect();
  void close();
  void split();
  void findKept();

  mlir::linalg::LinalgOp seed;
  llvm::SmallVector<mlir::Operation *> all;
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> phases;
  llvm::DenseMap<mlir::Operation *, unsigned> phaseOf;
  /// What is not computed again, and what of it is needed elsewhere.
  llvm::DenseSet<mlir::Value> small, kept;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_FUSION_BATCHCHAIN_H
