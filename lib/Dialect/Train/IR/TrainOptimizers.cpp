//===- TrainOptimizers.cpp - Optimizer attributes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How `train.minimize` becomes variables and update ops, one section an
// optimizer. The element-wise rules themselves are methods of the update ops.
//
//===----------------------------------------------------------------------===//

#include "VariableVerifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace flywheel::train;

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// A rank-0 tensor constant of the type of `like`.
static Value constantLike(OpBuilder &b, Location loc, Value like,
                          double value) {
  auto type = cast<RankedTensorType>(like.getType());
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          type, b.getFloatAttr(type.getElementType(), value).getValue()));
}

/// A rank-0 tensor in the element type of `parameter`.
static Value castScalar(OpBuilder &b, Location loc, Value scalar,
                        Value parameter) {
  auto from = cast<FloatType>(getElementTypeOrSelf(scalar));
  auto to = cast<FloatType>(getElementTypeOrSelf(parameter));
  auto type = RankedTensorType::get({}, to);
  if (from == to)
    return scalar;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, loc, type, scalar);
  if (from.getWidth() > to.getWidth())
    return arith::TruncFOp::create(b, loc, type, scalar);
  auto wide = RankedTensorType::get({}, b.getF32Type());
  return arith::TruncFOp::create(b, loc, type,
                                 arith::ExtFOp::create(b, loc, wide, scalar));
}

/// A counter as a number of the type of `like`, and the counter plus one.
static std::pair<Value, Value> readCounter(OpBuilder &b, Location loc,
                                           Value counter, Value like) {
  Value number = arith::SIToFPOp::create(b, loc, like.getType(), counter);
  auto type = cast<RankedTensorType>(counter.getType());
  Value one = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getI64IntegerAttr(1).getValue()));
  return {number, arith::AddIOp::create(b, loc, counter, one)};
}

/// lr / (1 + decay * iterations), with the counter from before the step.
static Value decayedRate(OpBuilder &b, Location loc, Value lr, Value decay,
                         Value iterations) {
  Value scaled = arith::MulFOp::create(b, loc, decay, iterations);
  Value divisor =
      arith::AddFOp::create(b, loc, constantLike(b, loc, lr, 1.0), scaled);
  return arith::DivFOp::create(b, loc, lr, divisor);
}

static LogicalResult verifyFraction(EmitErrorFn emitError, StringRef name,
                                    double value) {
  if (value >= 0.0 && value < 1.0)
    return success();
  return emitError() << "expected " << name << " within [0, 1), found "
                     << value;
}

static LogicalResult verifyFinite(EmitErrorFn emitError, StringRef name,
                                  double value) {
  if (std::isfinite(value))
    return success();
  return emitError() << "expected a finite " << name << ", found " << value;
}

static LogicalResult verifyNonNegative(EmitErrorFn emitError, StringRef name,
                                       double value) {
  if (std::isfinite(value) && value >= 0.0)
    return success();
  return emitError() << "expected a finite " << name << " >= 0, found "
                     << value;
}

/// A name becomes the first part of names of variables.
static LogicalResult verifyName(EmitErrorFn emitError, StringAttr name) {
  if (!name || isVariableName(name))
    return success();
  return emitError() << "expected a name of an optimizer without whitespace, "
                        "':' and '^', found "
                     << name;
}

//===----------------------------------------------------------------------===//
// SGD
//===----------------------------------------------------------------------===//

LogicalResult SGDAttr::verify(EmitErrorFn emitError, Real lr, Real momentum,
                              Real decay, bool, StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyNonNegative(emitError, "momentum", momentum)) &&
      succeeded(verifyNonNegative(emitError, "decay", decay)) &&
      succeeded(verifyName(emitError, name)));
}

StringRef SGDAttr::getOptimizerName() const { return "SGD"; }

SmallVector<ScalarVariableSpec> SGDAttr::getScalarVariables() const {
  SmallVector<ScalarVariableSpec> specs = {{"iterations", true, 0.0},
                                           {"lr", false, getLr()},
                                           {"momentum", false, getMomentum()}};
  if (getDecay() > 0.0)
    specs.push_back({"decay", false, getDecay()});
  return specs;
}

SmallVector<SlotSpec> SGDAttr::getSlots() const { return {SlotSpec{}}; }

void SGDAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                        SmallVectorImpl<Value> &stepValues,
                        MutableArrayRef<Value> newScalars) const {
  Value lr = scalars[1];
  auto [iterations, next] = readCounter(b, loc, scalars[0], lr);
  newScalars[0] = next;
  if (getDecay() > 0.0)
    lr = decayedRate(b, loc, lr, scalars[3], iterations);
  stepValues.assign({lr, scalars[2]});
}

SmallVector<Value> SGDAttr::buildParameterUpdate(OpBuilder &b, Location loc,
                                                 Value parameter,
                                                 ValueRange slots,
                                                 Value gradient,
                                                 ValueRange stepValues) const {
  auto op = SGDOp::create(
      b, loc, parameter.getType(), parameter.getType(), parameter, slots[0],
      gradient, castScalar(b, loc, stepValues[0], parameter),
      castScalar(b, loc, stepValues[1], parameter), getNesterov());
  return op->getResults();
}

//===----------------------------------------------------------------------===//
// Momentum
//===----------------------------------------------------------------------===//

LogicalResult MomentumAttr::verify(EmitErrorFn emitError, Real lr,
                                   Real momentum, bool, StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyNonNegative(emitError, "momentum", momentum)) &&
      succeeded(verifyName(emitError, name)));
}

StringRef MomentumAttr::getOptimizerName() const { return "Momentum"; }

SmallVector<ScalarVariableSpec> MomentumAttr::getScalarVariables() const {
  return {{"lr", false, getLr()}, {"momentum", false, getMomentum()}};
}

SmallVector<SlotSpec> MomentumAttr::getSlots() const { return {SlotSpec{}}; }

void MomentumAttr::buildStep(OpBuilder &, Location, ValueRange scalars,
                             SmallVectorImpl<Value> &stepValues,
                             MutableArrayRef<Value>) const {
  stepValues.assign({scalars[0], scalars[1]});
}

SmallVector<Value>
MomentumAttr::buildParameterUpdate(OpBuilder &b, Location loc, Value parameter,
                                   ValueRange slots, Value gradient,
                                   ValueRange stepValues) const {
  auto op = MomentumOp::create(
      b, loc, parameter.getType(), parameter.getType(), parameter, slots[0],
      gradient, castScalar(b, loc, stepValues[0], parameter),
      castScalar(b, loc, stepValues[1], parameter), getNesterov());
  return op->getResults();
}

//===----------------------------------------------------------------------===//
// Adam
//===----------------------------------------------------------------------===//

LogicalResult AdamAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                               Real beta2, Real epsilon, Real decay, bool,
                               StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyFraction(emitError, "beta_1", beta1)) &&
                 succeeded(verifyFraction(emitError, "beta_2", beta2)) &&
                 succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
                 succeeded(verifyNonNegative(emitError, "decay", decay)) &&
                 succeeded(verifyName(emitError, name)));
}

StringRef AdamAttr::getOptimizerName() const { return "Adam"; }

SmallVector<ScalarVariableSpec> AdamAttr::getScalarVariables() const {
  SmallVector<ScalarVariableSpec> specs = {{"iterations", true, 0.0},
                                           {"lr", false, getLr()},
                                           {"beta_1", false, getBeta_1()},
                                           {"beta_2", false, getBeta_2()}};
  if (getDecay() > 0.0)
    specs.push_back({"decay", false, getDecay()});
  return specs;
}

SmallVector<SlotSpec> AdamAttr::getSlots() const {
  return SmallVector<SlotSpec>(getAmsgrad() ? 3 : 2);
}

void AdamAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                         SmallVectorImpl<Value> &stepValues,
                         MutableArrayRef<Value> newScalars) const {
  Value lr = scalars[1], beta1 = scalars[2], beta2 = scalars[3];
  auto [iterations, next] = readCounter(b, loc, scalars[0], lr);
  newScalars[0] = next;
  if (getDecay() > 0.0)
    lr = decayedRate(b, loc, lr, scalars[4], iterations);
  // lr_t = lr sqrt(1 - beta_2^t) / (1 - beta_1^t), t = iterations + 1.
  Value one = constantLike(b, loc, lr, 1.0);
  Value t = arith::AddFOp::create(b, loc, iterations, one);
  auto complement = [&](Value beta) -> Value {
    Value power = math::PowFOp::create(b, loc, beta, t);
    return arith::SubFOp::create(b, loc, one, power);
  };
  Value root = math::SqrtOp::create(b, loc, complement(beta2));
  Value scaled = arith::MulFOp::create(b, loc, lr, root);
  Value rate = arith::DivFOp::create(b, loc, scaled, complement(beta1));
  stepValues.assign({rate, beta1, beta2});
}

SmallVector<Value> AdamAttr::buildParameterUpdate(OpBuilder &b, Location loc,
                                                  Value parameter,
                                                  ValueRange slots,
                                                  Value gradient,
                                                  ValueRange stepValues) const {
  Type type = parameter.getType();
  Value vhat = getAmsgrad() ? slots[2] : Value();
  auto op =
      AdamOp::create(b, loc, type, type, type, getAmsgrad() ? type : Type(),
                     parameter, slots[0], slots[1], vhat, gradient,
                     castScalar(b, loc, stepValues[0], parameter),
                     castScalar(b, loc, stepValues[1], parameter),
                     castScalar(b, loc, stepValues[2], parameter),
                     b.getF64FloatAttr(getEpsilon()));
  return op->getResults();
}
