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

/// Returns `type` without dimension `dim`.
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
  Expr rate = min(step[Lr], t.splat(1.0) / sqrt(t));
  stepValues.assign({rate, complementPower(t, t.splat(-getDecayRate()))});
}

namespace {
/// u = g / sqrt(v) of an update.
struct Direction {
  Expr u;
  /// The root of the mean of u^2, in f64.
  Expr rootMeanSquare;
  /// The new values of the slots.
  SmallVector<Value> moments;
};
} // namespace

/// Returns `quotient`, or 0 for elements whose `divisor` is 0.
static Expr orZero(Expr divisor, Expr quotient) {
  return (divisor == 0.0).select(divisor.splat(0.0), quotient);
}

/// Returns the direction with v = r c / mean(r), where r is a new row of second
/// moments and c a column. These are few, and computed in f64: squares of
/// finite numbers of f32 are finite there, and a product of two factors is not
/// 0. A moment beyond the range of the slots' type becomes its largest number.
static Direction divideByFactors(TensorTerms &terms, Expr g, double epsilon,
                                 ValueRange slots, Value beta) {
  auto type = cast<RankedTensorType>(g.getType());
  int64_t rank = type.getRank();
  Expr wide = terms.toDouble(g);
  Expr squares = wide * wide;
  auto update = [&](Value slot, int64_t axis) {
    Expr mean = terms.mean(squares, axis) + epsilon;
    Expr share = terms.spreadDouble(beta, mean);
    return terms.saturate(mix(share, terms.toDouble(slot), mean));
  };
  Expr row = update(slots[0], rank - 1);
  Expr column = update(slots[1], rank - 2);
  // Divided first: a sum of the largest numbers is none.
  Expr mean = terms.sum(row / countForMean(row, rank - 2), rank - 2);
  // Without an epsilon a row of no gradients is 0, and its direction, too.
  Expr shares = orZero(row, row / terms.unreduce(mean, rank - 2, row));
  // For f64, the reciprocals of the largest numbers are subnormal, and steps
  // flush those to 0.
  auto reciprocalRoot = [&](Expr x) {
    Expr bounded = min(x, x.splat(0x1p1021));
    return terms.toComputeType(orZero(x, x.splat(1.0) / sqrt(bounded)));
  };
  Expr left = reciprocalRoot(shares), right = reciprocalRoot(column);

  // u = g left right. Its squares are summed along rows first, by separate ops:
  // each factor then has two uses and is stored. Otherwise, the loop over all
  // elements would compute the root of a factor for each element.
  auto square = [&](Expr factor) {
    Expr wideFactor = terms.toDouble(factor);
    return wideFactor * wideFactor;
  };
  Expr rowSums = terms.sum(
      wide * terms.unreduce(square(right), rank - 2, g) * wide, rank - 1);
  Expr total = terms.sumAll(rowSums * square(left));
  int64_t count = std::max<int64_t>(type.getNumElements(), 1);
  return {g * terms.unreduce(left, rank - 1, g) *
              terms.unreduce(right, rank - 2, g),
          sqrt(total / static_cast<double>(count)),
          {row, column}};
}

/// Returns the direction with a v for each element.
static Direction divideByAll(TensorTerms &terms, Expr g, double epsilon,
                             Value slot, Value beta) {
  Expr share = terms.spread(beta);
  Expr fresh = 1.0 - share;
  Expr v = terms.saturate(share * terms.widen(slot) + (fresh * g) * g +
                          fresh * epsilon);
  Expr u = orZero(v, g / sqrt(v));
  return {u, terms.rootMeanSquare(u), {v}};
}

SmallVector<Value>
AdafactorAttr::buildParameterUpdate(OpBuilder &b, Location loc, Value parameter,
                                    ValueRange slots, Value gradient,
                                    ValueRange stepValues) const {
  TensorTerms terms(b, loc, parameter);
  Expr p = terms.widen(parameter), g = terms.widen(gradient);
  Direction direction =
      slots.size() == 2
          ? divideByFactors(terms, g, getEpsilon_1(), slots, stepValues[1])
          : divideByAll(terms, g, getEpsilon_1(), slots[0], stepValues[1]);
  Expr length = direction.rootMeanSquare;
  Expr scale = max(terms.rootMeanSquare(p), length.splat(getEpsilon_2()));
  Expr clip = max(length.splat(1.0), length / double(getClipThreshold()));
  Expr rate = scale * terms.widenScalar(stepValues[0]) / clip;
  SmallVector<Value> results = {p - terms.spread(rate) * direction.u};
  llvm::append_range(results, direction.moments);
  return terms.round(results);
}
