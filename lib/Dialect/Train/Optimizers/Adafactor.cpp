//===- Adafactor.cpp - Adam with factors of its second moment -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

LogicalResult AdafactorAttr::verify(EmitErrorFn emitError, Real lr,
                                    Real decayRate, Real epsilon1,
                                    Real epsilon2, Real clipThreshold,
                                    StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyPositive(emitError, "decay_rate", decayRate)) &&
      succeeded(verifyNonNegative(emitError, "epsilon_1", epsilon1)) &&
      succeeded(verifyNonNegative(emitError, "epsilon_2", epsilon2)) &&
      succeeded(verifyPositive(emitError, "clip_threshold", clipThreshold)) &&
      succeeded(verifyName(emitError, name)));
}

StringRef AdafactorAttr::getOptimizerName() const { return "Adafactor"; }

SmallVector<ScalarVariableSpec> AdafactorAttr::getScalarVariables() const {
  return {iterationsSpec(), {"lr", false, getLr()}};
}

/// `type` without dimension `dim`.
static RankedTensorType dropDimension(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<SlotSpec> AdafactorAttr::getSlots(RankedTensorType type) const {
  int64_t rank = type.getRank();
  if (rank < 2)
    return {{}};
  return {{0.0, dropDimension(type, rank - 1)},
          {0.0, dropDimension(type, rank - 2)}};
}

void AdafactorAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                              SmallVectorImpl<Value> &stepValues,
                              MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr t = step.count() + 1.0;
  Expr rate = min(step["lr"], t.splat(1.0) / sqrt(t));
  stepValues.assign({rate, complementPower(t, t.splat(-getDecayRate()))});
}

/// g / sqrt(r c / mean(r)), with the new row r and column c of second moments
/// in `moments`. Their product may be too small for its type, but no factor is.
static Expr divideByFactors(TensorTerms &terms, Expr g, Expr squares,
                            ValueRange slots, Value beta,
                            SmallVectorImpl<Value> &moments) {
  int64_t rank = cast<RankedTensorType>(g.getType()).getRank();
  auto update = [&](Value slot, int64_t axis) {
    Expr mean = terms.mean(squares, axis);
    return mix(terms.spread(beta, mean), terms.widen(slot), mean);
  };
  Expr row = update(slots[0], rank - 1);
  Expr column = update(slots[1], rank - 2);
  moments.assign({row, column});
  Expr shares = row / terms.unreduce(terms.mean(row, rank - 2), rank - 2, row);
  return g / terms.unreduce(sqrt(shares), rank - 1, g) /
         terms.unreduce(sqrt(column), rank - 2, g);
}

SmallVector<Value>
AdafactorAttr::buildParameterUpdate(OpBuilder &b, Location loc, Value parameter,
                                    ValueRange slots, Value gradient,
                                    ValueRange stepValues) const {
  TensorTerms terms(b, loc, parameter);
  Expr p = terms.widen(parameter), g = terms.widen(gradient);
  Expr squares = g * g + double(getEpsilon_1());
  SmallVector<Value> results = {p};
  Expr direction;
  if (slots.size() == 2) {
    SmallVector<Value> moments;
    direction =
        divideByFactors(terms, g, squares, slots, stepValues[1], moments);
    llvm::append_range(results, moments);
  } else {
    Expr v = mix(terms.spread(stepValues[1]), terms.widen(slots[0]), squares);
    direction = g / sqrt(v);
    results.push_back(v);
  }
  Expr length = terms.rootMeanSquare(direction);
  Expr scale = max(terms.rootMeanSquare(p), length.splat(getEpsilon_2()));
  Expr clip = max(length.splat(1.0), length / double(getClipThreshold()));
  Expr rate = scale * terms.widenScalar(stepValues[0]) / clip;
  results[0] = p - terms.spread(rate) * direction;
  return terms.round(results);
}
