//===- BatchChain.h - Ops that belong into loops over batches ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_FUSION_BATCHCHAIN_H
#define FLYWHEEL_LIB_TRANSFORMS_FUSION_BATCHCHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns true if `op` is a batched product whose result is larger than its
/// inputs, so that it pays to store one batch of the result at a time.
bool isSeedOfBatchChain(mlir::linalg::LinalgOp op);

/// The large result of a product in batches, and everything in its block that
/// is computed from large values like it, batch by batch.
class BatchChain {
public:
  explicit BatchChain(mlir::linalg::LinalgOp seed);

  /// The number of the loops over batches: the first ones of each op, and the
  /// first dimensions of each value.
  unsigned numBatchDims = 0;

  /// Returns true if loops over batches store less, and one of the large values
  /// has at least `minBytes`: reading smaller ones from a cache is faster than
  /// recomputing them.
  bool pays(int64_t minBytes) const;

  /// Returns the number of phases. An op of a phase needs no op outside of the
  /// chain that depends on the same phase or a later one.
  unsigned getNumPhases() const { return phases.size(); }
  llvm::ArrayRef<mlir::Operation *> getOps(unsigned phase) const {
    return phases[phase];
  }
  llvm::ArrayRef<mlir::Operation *> getAll() const { return all; }
  bool contains(mlir::Operation *op) const { return phaseOf.contains(op); }
  unsigned getPhase(mlir::Operation *op) const { return phaseOf.lookup(op); }

  /// Returns true if the owner of `operand`, an op of the chain, reads from it
  /// only the batch that it computes.
  bool readsBatch(mlir::OpOperand &operand) const;
  /// Returns true if `value`, a result of the chain, is stored for all batches
  /// when several phases need it. Other values are recomputed.
  bool isStored(mlir::Value value) const { return small.contains(value); }
  /// Returns the results of `phase` that are stored for all batches.
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
  /// The values that are not recomputed, and the values that are used after
  /// their phase or outside of the chain.
  llvm::DenseSet<mlir::Value> small, kept;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_FUSION_BATCHCHAIN_H
