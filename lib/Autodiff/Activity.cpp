//===- Activity.cpp - What a derivative flows through ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/Activity.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

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
  SetVector<Value> captures;
  getUsedValuesDefinedAbove(op->getRegions(), captures);
  return llvm::filter_to_vector(
      captures, [](Value value) { return carriesDerivative(value.getType()); });
}

/// The operands of `op` that its result number `result` is, on one of the paths
/// through its regions; they are in its regions, or initial values. None where
/// the op says nothing of it.
static SmallVector<Value> getPassedOut(Operation *op, unsigned result) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(result),
            branch.elseYield().getOperand(result)};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[result], loop.getYieldedValues()[result]};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getArgs()[result]};
  return {};
}

/// As `getPassedOut`, of an argument of a block in a region of `op`.
static SmallVector<Value> getPassedIn(Operation *op, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return number == 0 ? SmallVector<Value>() : getPassedOut(op, number - 1);
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return {};
  if (argument.getOwner() == loop.getAfterBody())
    return {loop.getConditionOp().getArgs()[number]};
  return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
}

/// Adds to `sources` the values around `result`'s owner, a branch or a loop,
/// that the result depends on: not those that only other results depend on.
static void addSourcesOf(OpResult result, SetVector<Value> &sources) {
  Operation *op = result.getOwner();
  SmallVector<Value> first = getPassedOut(op, result.getResultNumber());
  SetVector<Value> inner(first.begin(), first.end());
  for (size_t i = 0; i < inner.size(); ++i) {
    Value value = inner[i];
    if (!carriesDerivative(value.getType()))
      continue;
    Operation *owner = value.getParentBlock()->getParentOp();
    if (!op->isAncestor(owner)) {
      sources.insert(value);
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      for (Value passed : getPassedIn(owner, argument))
        inner.insert(passed);
      continue;
    }
    auto made = cast<OpResult>(value);
    SmallVector<Value> passed =
        getPassedOut(made.getOwner(), made.getResultNumber());
    inner.insert(passed.begin(), passed.end());
    if (!passed.empty())
      continue;
    for (OpOperand &operand : made.getOwner()->getOpOperands())
      if (hasDerivative(operand))
        inner.insert(operand.get());
    for (Value capture : getDifferentiableCaptures(made.getOwner()))
      inner.insert(capture);
  }
}

/// The op of `scope` that computes `value`, or null. Every block is in the null
/// scope.
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
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op)) {
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
