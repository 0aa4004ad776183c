//===- TrainUpdates.cpp - Optimizer updates in value semantics ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult ProjectOp::verify() {
  return getConstraint().verifyConstraint(
      [&] { return emitOpError(); },
      cast<RankedTensorType>(getInput().getType()));
}

/// Checks what every update op has in common: state, gradient and results of
/// the parameter's type, rank-0 scalars of its element type.
template <typename OpT> static LogicalResult verifyUpdate(OpT op) {
  auto parameter = cast<RankedTensorType>(op.getParameter().getType());
  if (!isa<FloatType>(parameter.getElementType()))
    return op.emitOpError() << "expected a parameter of a floating-point type, "
                               "found "
                            << parameter;
  for (Value slot : op.getState())
    if (slot.getType() != parameter)
      return op.emitOpError() << "expected slots of the parameter's type "
                              << parameter << ", found " << slot.getType();
  if (op.getGradient().getType() != parameter)
    return op.emitOpError()
           << "expected a gradient of the parameter's type " << parameter
           << ", found " << op.getGradient().getType();
  auto scalar = RankedTensorType::get({}, parameter.getElementType());
  for (Value value : op.getScalars())
    if (value.getType() != scalar)
      return op.emitOpError() << "expected scalars of type " << scalar
                              << ", found " << value.getType();
  for (Value result : op->getResults())
    if (result.getType() != parameter)
      return op.emitOpError() << "expected results of the parameter's type "
                              << parameter << ", found " << result.getType();
  if (op->getNumResults() != op.getState().size())
    return op.emitOpError()
           << "expected one result for the parameter and each "
              "slot, "
           << op.getState().size() << ", found " << op->getNumResults();
  return success();
}

LogicalResult SGDOp::verify() { return verifyUpdate(*this); }
OperandRange SGDOp::getState() { return getOperands().take_front(2); }
Value SGDOp::getGradientOperand() { return getGradient(); }
OperandRange SGDOp::getScalars() { return getOperands().drop_front(3); }

SmallVector<Value> SGDOp::buildElementUpdate(OpBuilder &b, Location loc,
                                             ValueRange state, Value g,
                                             ValueRange scalars) {
  Value lr = scalars[0], momentum = scalars[1];
  Value decayed = arith::MulFOp::create(b, loc, momentum, state[1]);
  Value step = arith::MulFOp::create(b, loc, lr, g);
  Value velocity = arith::SubFOp::create(b, loc, decayed, step);
  if (!getNesterov())
    return {arith::AddFOp::create(b, loc, state[0], velocity), velocity};
  Value ahead = arith::MulFOp::create(b, loc, momentum, velocity);
  Value moved = arith::AddFOp::create(b, loc, state[0], ahead);
  return {arith::SubFOp::create(b, loc, moved, step), velocity};
}

LogicalResult MomentumOp::verify() { return verifyUpdate(*this); }
OperandRange MomentumOp::getState() { return getOperands().take_front(2); }
Value MomentumOp::getGradientOperand() { return getGradient(); }
OperandRange MomentumOp::getScalars() { return getOperands().drop_front(3); }

SmallVector<Value> MomentumOp::buildElementUpdate(OpBuilder &b, Location loc,
                                                  ValueRange state, Value g,
                                                  ValueRange scalars) {
  Value lr = scalars[0], momentum = scalars[1];
  Value decayed = arith::MulFOp::create(b, loc, momentum, state[1]);
  Value accumulator = arith::AddFOp::create(b, loc, decayed, g);
  Value direction = accumulator;
  if (getNesterov()) {
    Value ahead = arith::MulFOp::create(b, loc, momentum, accumulator);
    direction = arith::AddFOp::create(b, loc, g, ahead);
  }
  Value step = arith::MulFOp::create(b, loc, lr, direction);
  return {arith::SubFOp::create(b, loc, state[0], step), accumulator};
}

LogicalResult AdamOp::verify() {
  if (static_cast<bool>(getVhat()) != static_cast<bool>(getNewVhat()))
    return emitOpError() << "expected a new vhat exactly where vhat is given";
  if (!getEpsilon().isFinite() || getEpsilon().convertToDouble() < 0.0)
    return emitOpError() << "expected a finite epsilon >= 0, found "
                         << getEpsilon().convertToDouble();
  return verifyUpdate(*this);
}
OperandRange AdamOp::getState() {
  return getOperands().take_front(getVhat() ? 4 : 3);
}
Value AdamOp::getGradientOperand() { return getGradient(); }
OperandRange AdamOp::getScalars() { return getOperands().take_back(3); }

SmallVector<Value> AdamOp::buildElementUpdate(OpBuilder &b, Location loc,
                                              ValueRange state, Value g,
                                              ValueRange scalars) {
  Type type = g.getType();
  Value rate = scalars[0], beta1 = scalars[1], beta2 = scalars[2];
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
  auto mix = [&](Value beta, Value old, Value fresh) -> Value {
    Value keep = arith::MulFOp::create(b, loc, beta, old);
    Value rest = arith::SubFOp::create(b, loc, one, beta);
    Value add = arith::MulFOp::create(b, loc, rest, fresh);
    return arith::AddFOp::create(b, loc, keep, add);
  };
  Value m = mix(beta1, state[1], g);
  Value v = mix(beta2, state[2], arith::MulFOp::create(b, loc, g, g));
  SmallVector<Value> slots = {m, v};
  Value second = v;
  if (getVhat()) {
    second = arith::MaximumFOp::create(b, loc, state[3], v);
    slots.push_back(second);
  }
  Value root = math::SqrtOp::create(b, loc, second);
  Value epsilon = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(type, getEpsilon().convertToDouble()));
  Value denominator = arith::AddFOp::create(b, loc, root, epsilon);
  Value numerator = arith::MulFOp::create(b, loc, rate, m);
  Value step = arith::DivFOp::create(b, loc, numerator, denominator);
  SmallVector<Value> results = {arith::SubFOp::create(b, loc, state[0], step)};
  results.append(slots);
  return results;
}
