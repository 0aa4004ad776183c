//===- StepItems.h - Execution of the ops of a step -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_PARTITION_STEPITEMS_H
#define FLYWHEEL_LIB_TRANSFORMS_PARTITION_STEPITEMS_H

#include "ParallelLoop.h"

#include "mlir/IR/PatternMatch.h"

#include <vector>

namespace flywheel {

/// Describes how several workers execute one op of a step.
struct StepItem {
  enum class Kind {
    /// Every worker executes it. It writes no memory.
    Every,
    /// The first worker executes it.
    First,
    /// A loop that workers share, with its tail.
    Shared,
    /// Branches and loops that every worker executes, with the items in them.
    Control,
  };

  Kind kind = Kind::Every;
  mlir::Operation *op = nullptr;
  /// Its accesses; empty for control flow.
  llvm::SmallVector<Access> accesses;
  /// The description of a shared loop.
  ParallelLoop parallel;
  /// The blocks of the regions of control flow.
  std::vector<std::vector<StepItem>> blocks;
};

/// Decides how each op of a step is executed, and makes loops over blocks of
/// the ops that are to be shared.
class StepReader {
public:
  /// Loops of less than `minLoopWork` scalar operations are not shared. At most
  /// `workers` execute the step.
  StepReader(mlir::RewriterBase &rewriter, int64_t minLoopWork, int64_t workers)
      : rewriter(rewriter), minLoopWork(minLoopWork), workers(workers) {}

  /// Reads the items of `block`. Fails, with the op, if the accesses of an op
  /// are unknown.
  mlir::FailureOr<std::vector<StepItem>> read(mlir::Block &block);

  /// Returns the op that made `read` fail.
  mlir::Operation *getObstacle() const { return obstacle; }

private:
  bool isWorthSharing(mlir::Operation *op);
  bool isToBeSplit(mlir::Operation *op);
  std::optional<ParallelLoop> findShared(mlir::Operation *op);
  bool containsShared(mlir::Operation *op);
  mlir::FailureOr<StepItem> readOp(mlir::Operation *op);
  mlir::FailureOr<StepItem> readControl(mlir::Operation *op);

  mlir::RewriterBase &rewriter;
  int64_t minLoopWork, workers;
  mlir::Operation *obstacle = nullptr;
  /// The blocks of split ops.
  llvm::SmallPtrSet<mlir::Operation *, 8> parts;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_STEPITEMS_H
