//===- PromoteStateToIterArgs.cpp - Variables that control flow passes on
//-------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region that assigns a variable cannot be computed again, as derivatives of
// control flow do: it would assign twice. Counters, streams of random numbers
// and moving averages are assigned in bodies of loops that are differentiated.
// As carried values, they are like other values.
//
// Before: any function. After: if the function asks for derivatives, see
// train-promote-state-to-iter-args.
//
//===----------------------------------------------------------------------===//

#include "PromoteStateToIterArgs.h"

#include "LossHistory.h"
#include "VariableAccess.h"

#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINPROMOTESTATETOITERARGS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// Carries the variables of one op whose inner ops assign none.
class StateCarrier {
public:
  StateCarrier(Operation *op, const llvm::SetVector<Attribute> &targets,
               FlatSymbolRefAttr only)
      : op(op), builder(op), targets(targets), only(only) {}

  void run();

private:
  void findCarried();
  bool canCarry(FlatSymbolRefAttr symbol);
  void addResults();
  void rewriteRegion(Region &region);

  Operation *op;
  OpBuilder builder;
  const llvm::SetVector<Attribute> &targets;
  /// The one variable to carry, or null.
  FlatSymbolRefAttr only;
  /// The first assignment of each variable that is carried.
  llvm::MapVector<Attribute, Operation *> carried;
  /// The values before the op.
  SmallVector<Value> inits;
};
} // namespace

bool StateCarrier::canCarry(FlatSymbolRefAttr symbol) {
  auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(op, symbol);
  if (!variable)
    return false;
  Type type = variable.getTensorType().getElementType();
  if (!isa<FloatType>(type) && !type.isSignlessInteger())
    return false;
  bool isTarget = targets.contains(symbol) ||
                  (variable.isTrainable() && isa<FloatType>(type));
  return !op->walk([&](Operation *nested) {
              if (isa<ReadOp>(nested) && getReadVariable(nested) == symbol)
                return isTarget ? WalkResult::interrupt()
                                : WalkResult::advance();
              if (getAssignedVariable(nested) == symbol)
                // In a body of another kind of op it would not be seen.
                return nested->getParentOp() == op &&
                               nested->getResult(0).use_empty()
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              std::optional<SymbolTable::UseRange> uses =
                  SymbolTable::getSymbolUses(nested);
              bool isUsed =
                  nested->getNumRegions() == 0 && uses &&
                  llvm::any_of(*uses, [&](const SymbolTable::SymbolUse &use) {
                    return use.getSymbolRef() == symbol;
                  });
              return isUsed ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

void StateCarrier::findCarried() {
  bool isOpaque = false;
  llvm::MapVector<Attribute, Operation *> assigned;
  op->walk([&](Operation *nested) {
    FlatSymbolRefAttr variable = getAssignedVariable(nested);
    if (variable && (!only || variable == only))
      assigned.insert({variable, nested});
    // A callee may access any variable.
    isOpaque |= isa<CallOpInterface>(nested);
  });
  if (isOpaque)
    return;
  for (auto [variable, assignment] : assigned)
    if (canCarry(cast<FlatSymbolRefAttr>(variable)))
      carried.insert({variable, assignment});
}

/// Replaces the op by an op with an additional result, and in loops an
/// additional init, for each variable. They come first: the two lists of a
/// while loop only agree from the front.
void StateCarrier::addResults() {
  OperationState state(op->getLoc(), op->getName());
  state.addTypes(TypeRange(ValueRange(inits)));
  state.addTypes(op->getResultTypes());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  if (isa<LoopLikeOpInterface>(op))
    state.operands.insert(state.operands.begin() +
                              (isa<scf::ForOp>(op) ? 3 : 0),
                          inits.begin(), inits.end());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *carrying = builder.create(state);
  op->replaceAllUsesWith(carrying->getResults().drop_front(inits.size()));
  op->erase();
  op = carrying;
}

/// Returns `value`, of a variable, without its derivative: no derivative flows
/// through a variable.
static Value stopGradient(OpBuilder &b, Value value) {
  if (!isa<FloatType>(getElementTypeOrSelf(value)))
    return value;
  return StopGradientOp::create(b, value.getLoc(), value);
}

/// Replaces accesses in `region` by values, which its terminator yields.
void StateCarrier::rewriteRegion(Region &region) {
  if (region.empty()) {
    builder.createBlock(&region);
    scf::YieldOp::create(builder, op->getLoc());
  }
  llvm::SmallDenseMap<Attribute, Value> values;
  unsigned first = isa<scf::ForOp>(op) ? 1 : 0;
  for (auto [i, entry] : llvm::enumerate(carried))
    values[entry.first] =
        isa<LoopLikeOpInterface>(op)
            ? region.insertArgument(first + i, inits[i].getType(),
                                    inits[i].getLoc())
            : inits[i];
  Block &body = region.front();
  // A read in an inner op comes after what the body assigns before it.
  auto replaceReads = [&](Operation *at) {
    at->walk([&](ReadOp read) {
      Value value = values.lookup(read.getVariableAttr());
      if (!value)
        return;
      OpBuilder b(read);
      read.replaceAllUsesWith(stopGradient(b, value));
      read.erase();
    });
  };
  for (Operation &inner : llvm::make_early_inc_range(body)) {
    FlatSymbolRefAttr variable = getAssignedVariable(&inner);
    auto found = values.find(variable);
    if (!variable || found == values.end()) {
      replaceReads(&inner);
      continue;
    }
    builder.setInsertionPoint(&inner);
    Value operand = stopGradient(builder, inner.getOperand(0));
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(operand));
    bool isAdd = isa<AssignAddOp>(inner);
    if (isAdd || isa<AssignSubOp>(inner)) {
      StringRef name = isFloat ? (isAdd ? "arith.addf" : "arith.subf")
                               : (isAdd ? "arith.addi" : "arith.subi");
      Operation *sum =
          builder.create(inner.getLoc(), builder.getStringAttr(name),
                         {found->second, operand}, operand.getType());
      operand = sum->getResult(0);
    }
    found->second = operand;
    inner.erase();
  }
  Operation *terminator = body.getTerminator();
  SmallVector<Value> passed;
  for (auto &[variable, assignment] : carried)
    passed.push_back(values[variable]);
  terminator->insertOperands(isa<scf::ConditionOp>(terminator) ? 1 : 0, passed);
}

void StateCarrier::run() {
  findCarried();
  if (carried.empty())
    return;
  SmallVector<Location> locations;
  for (auto [variable, assignment] : carried) {
    locations.push_back(assignment->getLoc());
    Value init = ReadOp::create(builder, assignment->getLoc(),
                                assignment->getOperand(0).getType(),
                                cast<FlatSymbolRefAttr>(variable));
    inits.push_back(stopGradient(builder, init));
  }
  addResults();
  for (Region &region : op->getRegions())
    rewriteRegion(region);
  builder.setInsertionPointAfter(op);
  for (auto [i, entry] : llvm::enumerate(carried))
    AssignOp::create(builder, locations[i], inits[i].getType(),
                     cast<FlatSymbolRefAttr>(entry.first), op->getResult(i));
}

void carryState(Operation *root, const llvm::SetVector<Attribute> &targets,
                FlatSymbolRefAttr only) {
  // An op is replaced when its inner ops have been.
  root->walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      StateCarrier(op, targets, only).run();
  });
}

bool asksForDerivatives(Operation *op) {
  return isa<GradientOp, JvpOp, JacobianOp>(op);
}

llvm::SetVector<Attribute> findTargetVariables(Operation *root) {
  llvm::SetVector<Attribute> targets;
  root->walk([&](Operation *op) {
    if (!asksForDerivatives(op))
      return;
    for (Value operand : op->getOperands())
      if (auto read = operand.getDefiningOp<ReadOp>())
        targets.insert(read.getVariableAttr());
  });
  return targets;
}

/// Returns the values of which `op` computes derivatives.
static SmallVector<Value> getDifferentiated(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<GradientOp, JvpOp>(
          [](auto op) { return llvm::to_vector(op.getYs()); })
      .Case([](JacobianOp op) { return SmallVector<Value>{op.getY()}; });
}

namespace {
struct TrainPromoteStateToIterArgs
    : impl::TrainPromoteStateToIterArgsBase<TrainPromoteStateToIterArgs> {
  void runOnOperation() override {
    SmallVector<Operation *> derivatives;
    getOperation().walk([&](Operation *op) {
      if (asksForDerivatives(op))
        derivatives.push_back(op);
    });
    llvm::SetVector<Attribute> targets = findTargetVariables(getOperation());
    for (Operation *derivative : derivatives) {
      llvm::SetVector<Operation *> ops;
      for (Value y : getDifferentiated(derivative))
        ops.insert_range(getRegionOps(y));
      for (Operation *op : ops)
        carryState(op, targets);
    }
  }
};
} // namespace

} // namespace flywheel::train
