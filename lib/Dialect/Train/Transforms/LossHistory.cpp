//===- LossHistory.cpp - Ops that a loss is computed by -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LossHistory.h"

#include "PromoteStateToIterArgs.h"
#include "VariableAccess.h"

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Autodiff/InlineRegion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace flywheel::train {

static func::FuncOp getCallee(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

/// Returns every function that `function` calls, directly or not.
static llvm::SetVector<Operation *> getCallees(func::FuncOp function) {
  llvm::SetVector<Operation *> callees;
  auto addCallees = [&](Operation *caller) {
    caller->walk([&](func::CallOp call) {
      if (func::FuncOp callee = getCallee(call))
        callees.insert(callee);
    });
  };
  addCallees(function);
  for (size_t i = 0; i < callees.size(); ++i)
    addCallees(callees[i]);
  return callees;
}

SmallVector<func::FuncOp> getFunctionsBottomUp(Operation *root) {
  // A caller reaches everything that its callee reaches, and the callee: fewer
  // callees come first. Ties keep the order of the module.
  std::map<std::pair<size_t, size_t>, func::FuncOp> functions;
  root->walk([&](func::FuncOp function) {
    functions[{getCallees(function).size(), functions.size()}] = function;
  });
  return llvm::map_to_vector(functions,
                             [](const auto &entry) { return entry.second; });
}

/// Returns the callee of `call` if its body can take the place of the call.
static func::FuncOp getInlinableCallee(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      getCallees(callee).contains(callee) || callee->isAncestor(call))
    return {};
  return callee;
}

/// Puts the ops of `block`, for `arguments`, in the place of `op`.
static void replaceByBlock(Operation *op, Block &block, ValueRange arguments) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(cloneBlock(builder, block, arguments));
  op->erase();
}

static void inlineCall(func::CallOp call, func::FuncOp callee) {
  replaceByBlock(call, callee.getBody().front(), call.getOperands());
}

/// Inlines the calls in the history of `loss`.
static void inlineLossCalls(OpOperand &loss) {
  while (true) {
    func::CallOp call;
    func::FuncOp callee;
    // The loss itself may be a result of a call that this replaces.
    for (Value value : findDifferentiableSources(loss.get())) {
      call = value.getDefiningOp<func::CallOp>();
      if (call && (callee = getInlinableCallee(call)))
        break;
    }
    if (!callee)
      return;
    inlineCall(call, callee);
  }
}

/// Returns the constant value of `value`, if at most `maxDepth` ops in a row
/// compute it from constants; null otherwise.
static Attribute evaluate(Value value, unsigned maxDepth = 16) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isPure(op) || maxDepth == 0)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluate(operand, maxDepth - 1));
    if (!operands.back())
      return {};
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return {};
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  if (auto attribute = dyn_cast<Attribute>(result))
    return attribute;
  return evaluate(cast<Value>(result), maxDepth - 1);
}

/// Replaces `op` if it is a branch on a constant, or a loop that runs at most
/// once, by the ops that it runs.
static bool foldStaticControlFlow(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto condition =
        dyn_cast_if_present<IntegerAttr>(evaluate(branch.getCondition()));
    if (!condition)
      return false;
    bool isTaken = !condition.getValue().isZero();
    replaceByBlock(op, isTaken ? *branch.thenBlock() : *branch.elseBlock(), {});
    return true;
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  if (!trips || trips->ugt(1))
    return false;
  if (trips->isZero()) {
    op->replaceAllUsesWith(loop.getInitArgs());
    op->erase();
    return true;
  }
  SmallVector<Value> arguments{loop.getLowerBound()};
  llvm::append_range(arguments, loop.getInitArgs());
  replaceByBlock(op, *loop.getBody(), arguments);
  return true;
}

/// Inlines the calls in the history of `loss`, and control flow with a single
/// path, which may depend on a call's operand.
static void simplifyHistory(OpOperand &loss) {
  bool changed = true;
  while (changed) {
    inlineLossCalls(loss);
    changed = false;
    for (Value value : findDifferentiableSources(loss.get())) {
      Operation *op = value.getDefiningOp();
      changed = op && op->getNumRegions() && foldStaticControlFlow(op);
      if (changed)
        break;
    }
  }
}

/// Reads the variables that the regions of `op` read, but do not assign, once
/// before `op`.
static void hoistReads(Operation *op) {
  llvm::DenseSet<Attribute> assigned;
  llvm::MapVector<Attribute, SmallVector<ReadOp>> reads;
  op->walk([&](Operation *nested) {
    if (FlatSymbolRefAttr variable = getAssignedVariable(nested))
      assigned.insert(variable);
    if (auto read = dyn_cast<ReadOp>(nested))
      reads[read.getVariableAttr()].push_back(read);
  });
  OpBuilder builder(op);
  for (auto &[variable, nested] : reads) {
    if (assigned.contains(variable))
      continue;
    auto read = cast<ReadOp>(builder.clone(*nested.front()));
    for (ReadOp old : nested) {
      old.replaceAllUsesWith(read.getResult());
      old.erase();
    }
  }
}

void inlineCalls(Region &region) {
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  do {
    calls.clear();
    region.walk([&](func::CallOp call) {
      if (func::FuncOp callee = getInlinableCallee(call))
        calls.emplace_back(call, callee);
    });
    for (auto [call, callee] : calls)
      inlineCall(call, callee);
  } while (!calls.empty());
}

llvm::SetVector<Operation *> getRegionOps(Value y) {
  llvm::SetVector<Operation *> ops;
  for (Value value : findDifferentiableSources(y))
    if (Operation *op = value.getDefiningOp(); op && op->getNumRegions())
      ops.insert(op);
  return ops;
}

void exposeLossReads(OpOperand &loss,
                     const llvm::SetVector<Attribute> &targets) {
  simplifyHistory(loss);
  for (Operation *op : getRegionOps(loss.get())) {
    for (Region &region : op->getRegions())
      inlineCalls(region);
    // This may replace the op.
    carryState(op, targets);
  }
  for (Operation *op : getRegionOps(loss.get()))
    hoistReads(op);
}

} // namespace flywheel::train
