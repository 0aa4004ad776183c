//===- Activity.cpp - Paths of derivatives --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/Activity.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/Captures.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"
#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {

bool carriesDerivative(Type type) {
  return !isa<IntegerType, IndexType, NoneType>(getElementTypeOrSelf(type));
}

bool hasDerivative(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<train::StopGradientOp>(op) ||
      !carriesDerivative(operand.get().getType()))
    return false;
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  return !rule || rule.hasDerivative(operand.getOperandNumber());
}

SmallVector<Value> getDifferentiableCaptures(Operation *op) {
  if (op->getNumRegions() == 0 || op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return {};
  return llvm::filter_to_vector(
      findCaptures(op->getRegions()),
      [](Value value) { return carriesDerivative(value.getType()); });
}

/// Returns true if the owner computes floating-point results from the operand
/// and does not stop its derivative, though that may be 0 everywhere.
static bool isFloatingInput(OpOperand &operand) {
  return !isa<train::StopGradientOp>(operand.getOwner()) &&
         carriesDerivative(operand.get().getType());
}

/// Adds to `values` those from which `value` is computed in one step: the
/// values that are forwarded to it, or the operands of its op that `follows`
/// accepts and the captures of the op.
static void addInputsOf(Value value, SetVector<Value> &values,
                        llvm::function_ref<bool(OpOperand &)> follows) {
  SmallVector<Value> forwarded = getForwardedValues(value);
  values.insert(forwarded.begin(), forwarded.end());
  Operation *made = value.getDefiningOp();
  if (!made || !forwarded.empty())
    return;
  for (OpOperand &operand : made->getOpOperands())
    if (follows(operand))
      values.insert(operand.get());
  for (Value capture : getDifferentiableCaptures(made))
    values.insert(capture);
}

/// Adds to `sources` the values around `result`'s owner, a branch or a loop,
/// that the result depends on: not those that only other results depend on.
static void addSourcesOf(OpResult result, SetVector<Value> &sources) {
  Operation *op = result.getOwner();
  SmallVector<Value> first = getForwardedValues(result);
  SetVector<Value> inner(first.begin(), first.end());
  for (size_t i = 0; i < inner.size(); ++i) {
    Value value = inner[i];
    if (!carriesDerivative(value.getType()))
      continue;
    if (op->isAncestor(value.getParentBlock()->getParentOp()))
      addInputsOf(value, inner, hasDerivative);
    else
      sources.insert(value);
  }
}

static SetVector<Value>
findHistory(ValueRange ys, ValueRange stops,
            llvm::function_ref<bool(OpOperand &)> follows) {
  SetVector<Value> history(ys.begin(), ys.end());
  for (size_t i = 0; i < history.size(); ++i) {
    Value value = history[i];
    if (carriesDerivative(value.getType()) && !llvm::is_contained(stops, value))
      addInputsOf(value, history, follows);
  }
  return history;
}

SetVector<Value> findDifferentiableHistory(ValueRange ys, ValueRange stops) {
  return findHistory(ys, stops, hasDerivative);
}

SetVector<Value> findHistoryThroughSteps(ValueRange ys) {
  return findHistory(ys, /*stops=*/{}, isFloatingInput);
}

/// Returns true if the type of `value` says that it has no elements.
static bool isEmptyTensor(Value value) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  return shaped && shaped.hasRank() && llvm::is_contained(shaped.getShape(), 0);
}

bool dependsOnEmptyTensor(ValueRange ys) {
  return llvm::any_of(findHistoryThroughSteps(ys), isEmptyTensor);
}

/// Returns true if `value` is known from where it is defined on: a feed, or
/// what a variable holds.
static bool isFeedOrVariable(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return isa<train::ReadOp>(value.getDefiningOp());
  // A region that is not finished belongs to no op.
  return isa_and_nonnull<FunctionOpInterface>(
             argument.getOwner()->getParentOp()) &&
         argument.getOwner()->isEntryBlock();
}

bool isOfNoExamples(ValueRange ys) {
  SetVector<Value> history(ys.begin(), ys.end());
  bool isEmpty = false;
  for (size_t i = 0; i < history.size(); ++i) {
    Value value = history[i];
    if (isEmptyTensor(value)) {
      isEmpty = true;
      continue;
    }
    // A size is not an element.
    if (value.getDefiningOp<tensor::DimOp>())
      continue;
    if (isFeedOrVariable(value))
      return false;
    addInputsOf(value, history, [](OpOperand &) { return true; });
  }
  return isEmpty;
}

/// Returns the op of `scope` that computes `value`; null if there is none. A
/// null scope includes every block.
static Operation *getDefiningOpIn(Block *scope, Value value) {
  Operation *op = value.getDefiningOp();
  return op && (!scope || op->getBlock() == scope) ? op : nullptr;
}

SetVector<Value> findDifferentiableSources(ValueRange ys, Block *scope,
                                           ValueRange stops) {
  SetVector<Value> sources(ys.begin(), ys.end());
  for (size_t i = 0; i < sources.size(); ++i) {
    Operation *op = getDefiningOpIn(scope, sources[i]);
    if (!op || llvm::is_contained(stops, sources[i]))
      continue;
    if (!getForwardedValues(sources[i]).empty()) {
      addSourcesOf(cast<OpResult>(sources[i]), sources);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (hasDerivative(operand))
        sources.insert(operand.get());
    for (Value capture : getDifferentiableCaptures(op))
      sources.insert(capture);
  }
  return sources;
}

Activity findActivity(const SetVector<Value> &sources, ValueRange xs,
                      Block *scope, ValueRange stops) {
  Activity activity;
  for (Value x : xs)
    if (sources.contains(x))
      activity.values.insert(x);

  SetVector<Operation *> ops;
  for (Value value : sources)
    if (Operation *op = getDefiningOpIn(scope, value))
      if (!llvm::is_contained(stops, value))
        ops.insert(op);
  for (Operation *op : topologicalSort(ops)) {
    auto isActive = [&](Value value) {
      return activity.values.contains(value);
    };
    bool reached = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      return isActive(operand.get()) && hasDerivative(operand);
    });
    if (!reached && !llvm::any_of(getDifferentiableCaptures(op), isActive))
      continue;
    activity.ops.push_back(op);
    for (Value result : op->getResults())
      if (sources.contains(result) && !llvm::is_contained(stops, result))
        activity.values.insert(result);
  }
  return activity;
}

} // namespace flywheel
