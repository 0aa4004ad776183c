//===- ReverseSweep.h - Cotangents through a list of ops --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse-mode differentiation, as `train.gradient` and the rules of ops with
// regions share it: from the cotangents of some values to those of the values
// that they are computed from.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_REVERSESWEEP_H
#define FLYWHEEL_AUTODIFF_REVERSESWEEP_H

#include "flywheel/Autodiff/Activity.h"

#include "mlir/IR/Builders.h"

namespace flywheel {

/// Applies derivative rules to the ops between `xs` and `ys`, the last first.
class ReverseSweep {
public:
  /// Emits at the insertion point of `builder`, which must outlive this. With a
  /// `scope`, ops outside of this block are left out: their results are
  /// constants unless they are xs; so are the values `stops`.
  ReverseSweep(mlir::OpBuilder &builder, mlir::ValueRange ys,
               mlir::ValueRange xs, mlir::Block *scope = nullptr,
               mlir::ValueRange stops = {})
      : builder(builder), stops(stops.begin(), stops.end()),
        sources(findDifferentiableSources(ys, scope, stops)),
        activity(findActivity(sources, xs, scope, stops)) {}

  /// Names the op that asks for derivatives in messages.
  void setRequest(mlir::Operation *op) { request = op; }

  /// Returns true if `value` is on a path from some x to some y.
  bool isActive(mlir::Value value) const {
    return activity.values.contains(value);
  }
  /// Every value that some y is a differentiable function of.
  const llvm::SetVector<mlir::Value> &getSources() const { return sources; }

  /// Adds `cotangent` to the cotangent of `value` so far.
  void accumulate(mlir::Location loc, mlir::Value value, mlir::Value cotangent);

  /// Propagates the cotangents that were accumulated for the ys. Fails with a
  /// diagnostic at an op that has no derivative.
  llvm::LogicalResult run();

  /// Returns the cotangent of `value` so far, or null: an exact zero.
  mlir::Value getCotangent(mlir::Value value) const {
    return cotangents.lookup(value);
  }

  /// Returns sum + the cotangent of `value` so far, and resets the latter.
  mlir::Value addCotangentTo(mlir::Location loc, mlir::Value sum,
                             mlir::Value value);

  /// The number of rules applied by `run`.
  unsigned getNumRules() const { return numRules; }

private:
  llvm::LogicalResult propagate(mlir::Operation *op);
  /// Returns true if `cotangent` is computed by a loop or branch and is used by
  /// nothing so far.
  bool isOwn(mlir::Value cotangent) const;
  llvm::LogicalResult emitMissingRule(mlir::Operation *op, mlir::Type type);

  mlir::OpBuilder &builder;
  mlir::Operation *request = nullptr;
  llvm::SmallVector<mlir::Value> stops;
  llvm::SetVector<mlir::Value> sources;
  Activity activity;
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  unsigned numRules = 0;
};

/// Erases dead ops of `block`, which has a terminator: in a recomputed body,
/// mostly ops that only its results needed.
void eraseDeadOps(mlir::Block &block);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_REVERSESWEEP_H
