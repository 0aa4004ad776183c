//===- TrainUpdates.cpp - Optimizer updates in value semantics ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Optimizers/OptimizerSupport.h"
#include "VariableVerifiers.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/KnownSigns.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

LogicalResult ProjectOp::verify() {
  return getConstraint().verifyConstraint(
      [&] { return emitOpError(); },
      cast<RankedTensorType>(getInput().getType()));
}

SmallVector<Value> train::buildUpdate(OpBuilder &b, Location loc,
                                      Attribute optimizer, Value parameter,
                                      ValueRange slots, Value gradient,
                                      ValueRange stepValues) {
  SmallVector<Value> state = {parameter};
  llvm::append_range(state, slots);
  SmallVector<Value> scalars;
  for (Value value : stepValues)
    scalars.push_back(castScalar(b, loc, value, parameter));
  auto op = UpdateOp::create(b, loc, TypeRange(ValueRange(state)), state,
                             gradient, scalars, /*decay=*/Value(),
                             /*rounded=*/false,
                             cast<OptimizerAttrInterface>(optimizer));
  return op->getResults();
}

/// Checks that there are as many slots and scalars as the optimizer needs.
static LogicalResult verifyCounts(UpdateOp op, RankedTensorType parameter) {
  auto rule = dyn_cast<ElementwiseOptimizerAttrInterface>(op.getOptimizer());
  if (!rule)
    return op.emitOpError() << "expected an optimizer with a rule for one "
                               "element, found "
                            << op.getOptimizer();
  size_t numSlots = op.getOptimizer().getSlots(parameter).size();
  size_t numOwn = op.getState().size() - (op.getRounded() ? 1 : 0);
  if (numOwn != numSlots + 1)
    return op.emitOpError()
           << "expected a parameter and " << numSlots << " slots"
           << (op.getRounded() ? " in front of the rounded parameter" : "")
           << ", found " << numOwn << " operands";
  if (op.getStepValues().size() != rule.getNumStepValues())
    return op.emitOpError() << "expected " << rule.getNumStepValues()
                            << " scalars, found " << op.getStepValues().size();
  return success();
}

LogicalResult UpdateOp::verify() {
  if (getState().empty())
    return emitOpError() << "expected a parameter, found no operand";
  auto parameter = cast<RankedTensorType>(getState().front().getType());
  if (!isa<FloatType>(parameter.getElementType()))
    return emitOpError() << "expected a parameter of a floating-point type, "
                            "found "
                         << parameter;
  ValueRange own = getState();
  if (getRounded()) {
    Type rounded = own.back().getType();
    own = own.drop_back();
    auto narrow = cast<RankedTensorType>(rounded);
    if (own.empty() || narrow.getShape() != parameter.getShape() ||
        nn::getComputeType(narrow.getElementType()) !=
            parameter.getElementType() ||
        narrow == parameter)
      return emitOpError() << "expected the parameter " << parameter
                           << " rounded to f16 or bf16 at the end of the "
                              "state, found "
                           << rounded;
  }
  for (Value slot : own)
    if (slot.getType() != parameter)
      return emitOpError() << "expected slots of the parameter's type "
                           << parameter << ", found " << slot.getType();
  if (!isGradientType(getGradient().getType(), parameter))
    return emitOpError() << "expected a gradient of the parameter's type "
                         << parameter << ", found " << getGradient().getType();
  auto scalar =
      RankedTensorType::get({}, nn::getComputeType(parameter.getElementType()));
  for (Value value : getScalars())
    if (value.getType() != scalar)
      return emitOpError() << "expected scalars of type " << scalar
                           << ", found " << value.getType();
  if (getNumResults() != getState().size())
    return emitOpError() << "expected one result for the parameter and each "
                            "slot, "
                         << getState().size() << ", found " << getNumResults();
  for (auto [result, value] : llvm::zip_equal(getResults(), getState()))
    if (result.getType() != value.getType())
      return emitOpError() << "expected results of the types of the state, "
                           << value.getType() << ", found " << result.getType();
  return verifyCounts(*this, parameter);
}

SmallVector<Value> UpdateOp::buildElementUpdate(OpBuilder &b, Location loc,
                                                ValueRange state,
                                                Value gradient,
                                                ValueRange scalars) {
  Type element = state.front().getType();
  Type compute = nn::getComputeType(element);
  Value rounded;
  if (getRounded()) {
    rounded = state.back();
    state = state.drop_back();
  }
  SmallVector<Value> wide;
  for (Value value : state)
    wide.push_back(widen(b, loc, value, compute));
  if (rounded)
    wide.front() = selectMaster(b, loc, wide.front(), rounded);
  SmallVector<Value> updated =
      cast<ElementwiseOptimizerAttrInterface>(getOptimizer())
          .buildElementUpdate(b, loc, wide, widen(b, loc, gradient, compute),
                              scalars.take_front(getStepValues().size()));
  if (getDecay())
    updated.front() = Expr(b, loc, updated.front()) -
                      Expr(b, loc, scalars.back()) * Expr(b, loc, wide.front());
  for (Value &value : updated)
    value = narrow(b, loc, value, element);
  if (rounded)
    updated.push_back(narrow(b, loc, updated.front(), rounded.getType()));
  return updated;
}

Value flywheel::train::selectMaster(OpBuilder &b, Location loc, Value master,
                                    Value rounded) {
  Value again = arith::TruncFOp::create(b, loc, rounded.getType(), master);
  Value wide = arith::ExtFOp::create(b, loc, master.getType(), rounded);
  Value isSame =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, again, rounded);
  return arith::SelectOp::create(b, loc, isSame, master, wide);
}

//===----------------------------------------------------------------------===//
// Elements without a gradient
//===----------------------------------------------------------------------===//

namespace {
/// Simplifies an update rule for a gradient of 0 by propagating zeros.
class ZeroAnalysis {
public:
  /// `positive` are the elements of the state that are above 0.
  ZeroAnalysis(Value gradient, llvm::SmallDenseSet<Value> positive)
      : gradient(gradient), positive(std::move(positive)) {}

  /// Returns a simpler value that equals `value`; null if it is 0.
  Value simplify(Value value);

private:
  Value simplifySum(Operation *op, Value lhs, Value rhs);

  bool isPositive(Value value) {
    auto isAssumed = [&](Value other) { return positive.contains(other); };
    return nn::KnownSigns(isAssumed).isPositive(value);
  }

  Value gradient;
  llvm::SmallDenseSet<Value> positive;
  llvm::DenseMap<Value, Value> known;
};
} // namespace

Value ZeroAnalysis::simplifySum(Operation *op, Value lhs, Value rhs) {
  if (!rhs)
    return lhs;
  return !lhs && isa<arith::AddFOp>(op) ? rhs : op->getResult(0);
}

Value ZeroAnalysis::simplify(Value value) {
  if (value == gradient || matchPattern(value, m_AnyZeroFloat()))
    return {};
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(simplify(operand));
  Value result = value;
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    result = simplifySum(op, operands[0], operands[1]);
  else if (isa<arith::MulFOp>(op) && (!operands[0] || !operands[1]))
    result = {};
  else if (isa<arith::NegFOp, math::SqrtOp, math::AbsFOp>(op) && !operands[0])
    result = {};
  else if (isa<arith::DivFOp>(op) && !operands[0] &&
           isPositive(op->getOperand(1)))
    result = {};
  // Widening and rounding back does not change a number.
  else if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    result = operands[0];
  return known[value] = result;
}

bool flywheel::train::leavesState(Operation *update) {
  auto op = cast<OptimizerUpdateOpInterface>(update);
  Location loc = update->getLoc();
  Block rule;
  auto addArgument = [&](Value tensor) -> Value {
    return rule.addArgument(getElementTypeOrSelf(tensor), loc);
  };
  SmallVector<Value> state = llvm::map_to_vector(op.getState(), addArgument);
  SmallVector<Value> scalars =
      llvm::map_to_vector(op.getScalars(), addArgument);
  Value gradient = addArgument(op.getGradientOperand());
  OpBuilder b(update->getContext());
  b.setInsertionPointToStart(&rule);
  SmallVector<Value> updated =
      op.buildElementUpdate(b, loc, state, gradient, scalars);
  llvm::SmallDenseSet<Value> positive;
  if (auto own = dyn_cast<UpdateOp>(update))
    for (auto [index, slot] : llvm::enumerate(own.getOptimizer().getSlots(
             cast<RankedTensorType>(op.getState().front().getType()))))
      if (slot.staysPositive)
        positive.insert(state[index + 1]);
  ZeroAnalysis analysis(gradient, std::move(positive));
  return llvm::all_of(llvm::zip_equal(state, updated), [&](auto pair) {
    return analysis.simplify(std::get<1>(pair)) == std::get<0>(pair);
  });
}
