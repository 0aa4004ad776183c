//===- LiveOps.h - Ops that the results of an entry need --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_COST_LIVEOPS_H
#define FLYWHEEL_LIB_COST_LIVEOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace flywheel {

/// The ops of a function that some of its results, or its effects, depend on.
class LiveOps {
public:
  /// Finds the ops on which the results `fetches`, by name or number, depend;
  /// without fetches, all results and effects. With `all`, every op is live.
  /// Fails with a diagnostic if a fetch names no result.
  static llvm::FailureOr<LiveOps> find(mlir::func::FuncOp function,
                                       llvm::ArrayRef<std::string> fetches,
                                       bool all);

  bool contains(mlir::Operation *op) const { return isAll || ops.contains(op); }

private:
  void add(mlir::Value value);
  void close();

  bool isAll = false;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Operation *> worklist;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_COST_LIVEOPS_H
