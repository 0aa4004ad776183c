//===- Recomputation.h - A block that is computed again ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_RECOMPUTATION_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_RECOMPUTATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace flywheel {

/// Erases the checks in `op`, which another op makes.
void eraseChecks(mlir::Operation *op);

/// The ops of a block that the reverse computes again. Rules may replace them,
/// for example by a loop that also keeps the values that its own reverse needs.
/// If some of their values are kept, a copy of them replaces the block.
class Recomputation {
public:
  /// Clones the ops of `block` but the terminator at the insertion point of
  /// `builder`, with `arguments` for the arguments of the block.
  Recomputation(mlir::OpBuilder &builder, mlir::Block &block,
                mlir::ValueRange arguments);

  /// Returns the recomputed operands of the terminator.
  mlir::ValueRange getOutputs() const { return last->getOperands(); }

  /// Copies the ops to the end of `body`, and returns the outputs there.
  /// `mapping` has values of `body` for some operands of the ops, and gets
  /// those of their results. Only the copies keep the checks among the ops. No
  /// rule may change the ops later.
  llvm::SmallVector<mlir::Value> finish(mlir::Block &body,
                                        mlir::IRMapping &mapping);

  /// Returns true if `op` is one of the ops, after `finish`.
  bool contains(mlir::Operation *op) const { return ops.contains(op); }

private:
  mlir::Operation *first, *last;
  llvm::DenseSet<mlir::Operation *> ops;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_RECOMPUTATION_H
