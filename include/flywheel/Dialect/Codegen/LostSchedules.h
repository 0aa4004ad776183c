//===- LostSchedules.h - Schedules that a rewrite drops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_CODEGEN_LOSTSCHEDULES_H
#define FLYWHEEL_DIALECT_CODEGEN_LOSTSCHEDULES_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <functional>

namespace flywheel::codegen {

/// Tells of each op with a schedule that a rewriter erases, unless it is
/// replaced by one that has the same schedule.
class LostSchedules : public mlir::RewriterBase::Listener {
public:
  /// Starts a diagnostic at an op that is about to be erased; its schedule is
  /// appended.
  using Emit = std::function<mlir::InFlightDiagnostic(mlir::Operation *)>;

  explicit LostSchedules(Emit emit) : emit(std::move(emit)) {}

  /// Returns true if a schedule was lost.
  bool any() const { return isAny; }

  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange replacement) override;
  void notifyOperationErased(mlir::Operation *op) override;

private:
  Emit emit;
  bool isAny = false;
  /// The ops that were replaced by ops with their schedule, and are not erased
  /// yet.
  llvm::SmallPtrSet<mlir::Operation *, 4> kept;
};

} // namespace flywheel::codegen

#endif // FLYWHEEL_DIALECT_CODEGEN_LOSTSCHEDULES_H
