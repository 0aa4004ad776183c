//===- Activity.h - What a derivative flows through -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_ACTIVITY_H
#define FLYWHEEL_AUTODIFF_ACTIVITY_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace flywheel {

/// Returns true if values of `type` can carry a derivative. Integers, booleans
/// and indices (and shaped types of them) cannot; no derivative flows through
/// them.
bool carriesDerivative(mlir::Type type);

/// Returns true if a derivative can flow from the results of the operand's
/// owner to the operand. An op without a rule is assumed to let it through, so
/// that the error about the missing rule is reported where the rule is needed.
bool hasDerivative(mlir::OpOperand &operand);

/// The values from above that the regions of `op` use and that can carry a
/// derivative.
llvm::SmallVector<mlir::Value> getDifferentiableCaptures(mlir::Operation *op);

/// Returns every value of which some y is a differentiable function, the ys
/// included, in the order of a breadth-first search. With a `scope`, the search
/// stops at ops outside of this block; it also stops at the values `stops`.
llvm::SetVector<mlir::Value>
findDifferentiableSources(mlir::ValueRange ys, mlir::Block *scope = nullptr,
                          mlir::ValueRange stops = {});

/// The same, with the values inside of branches and loops that their results
/// are computed from, such as reads of variables.
llvm::SetVector<mlir::Value>
findDifferentiableHistory(mlir::ValueRange ys, mlir::ValueRange stops = {});

/// The same through steps too: the operands of ops such as `math.floor`, whose
/// derivative is 0 wherever there is one. `train.stop_gradient`, integers and
/// booleans end a path.
llvm::SetVector<mlir::Value> findHistoryThroughSteps(mlir::ValueRange ys);

/// Returns true if a tensor that has no elements, by its type, is among the
/// values that some y are computed from. Ops on such tensors are folded away,
/// and the paths through them with them: a y that depends on a value by no
/// other path has the derivative 0.
bool dependsOnEmptyTensor(mlir::ValueRange ys);

/// Returns true if the ys are computed from tensors that have no elements, by
/// their types, and constants alone: not from an element of a feed or of a
/// variable. Nothing is left then that says on what they would depend.
bool isOfNoExamples(mlir::ValueRange ys);

/// The values on a path from some x to some y.
struct Activity {
  llvm::DenseSet<mlir::Value> values;
  /// The ops on those paths, in program order.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Finds the paths from `xs` to the values of `sources`, which
/// `findDifferentiableSources` returned for the same scope and stops.
Activity findActivity(const llvm::SetVector<mlir::Value> &sources,
                      mlir::ValueRange xs, mlir::Block *scope = nullptr,
                      mlir::ValueRange stops = {});

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_ACTIVITY_H
