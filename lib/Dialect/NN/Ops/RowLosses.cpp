//===- RowLosses.cpp - Losses of predictions, one a row -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composite losses: a formula for each element of prediction and target, its
// mean or sum over the last dimension, and the reduction over the rows. If both
// operands of a maximum are equal, the first one receives the derivative; the
// order of operands is that of Keras.
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

/// The constant by which Keras 2 keeps arguments of logarithms and divisors
/// away from 0.
static constexpr double fuzz = 1e-7;
/// The same of TensorFlow's l2_normalize, for a sum of squares.
static constexpr double squareFuzz = 1e-12;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult HuberOp::verify() {
  double delta = getDelta().convertToDouble();
  if (!(delta > 0))
    return emitOpError() << "expected a positive delta, found " << delta;
  Type compute = getComputeType(getElementTypeOrSelf(getPrediction()));
  APFloat rounded = getDelta();
  bool isInexact;
  rounded.convert(cast<FloatType>(compute).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &isInexact);
  if (rounded.isInfinity())
    return emitOpError() << "expected a delta that is finite in " << compute
                         << ", found " << delta;
  return success();
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Counts squares, their sum, and half of it. The cost of the other losses is
/// that of their decomposition.
CostExpr L2LossOp::countFlops(CostSizes &sizes) {
  CostExpr squares = sizes.getNumElements(getX());
  return squares * CostExpr::constant(3) - CostExpr::constant(1);
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

namespace {
/// Emits one loss: its inputs in the compute type, and the steps to a result.
struct RowLoss {
  template <typename OpTy>
  RowLoss(OpTy op, OpBuilder &b)
      : b(b), loc(op.getLoc()), reduction(op.getReduction()),
        type(op.getResult().getType()) {
    auto [prediction, target] =
        castToCommonType(b, loc, op.getPrediction(), op.getTarget());
    p = widen(b, loc, prediction);
    t = widen(b, loc, target);
  }

  /// Reduces each row to one number.
  ElementwiseExpr reduce(ReductionKind kind, ElementwiseExpr elements) const {
    int64_t last = tensorOf(elements).getRank() - 1;
    return elements.with(buildReduce(b, loc, kind, elements, {last}));
  }
  ElementwiseExpr sum(ElementwiseExpr elements) const {
    return reduce(ReductionKind::sum, elements);
  }
  /// Repeats a number for each row along it.
  ElementwiseExpr spread(ElementwiseExpr rows) const {
    int64_t last = tensorOf(p).getRank() - 1;
    return rows.with(buildUnreduce(b, loc, rows, {last}, false, p));
  }

  FailureOr<SmallVector<Value>> finish(ElementwiseExpr rows) const {
    Value value = rows;
    SmallVector<int64_t> dims = identityDims(tensorOf(rows).getRank());
    if (reduction == LossReduction::mean)
      value = buildReduce(b, loc, ReductionKind::mean, value, dims);
    else if (reduction == LossReduction::sum)
      value = buildReduce(b, loc, ReductionKind::sum, value, dims);
    return SmallVector<Value>{roundTo(b, loc, value, type)};
  }
  FailureOr<SmallVector<Value>> finishMean(ElementwiseExpr elements) const {
    return finish(reduce(ReductionKind::mean, elements));
  }

  OpBuilder &b;
  Location loc;
  LossReduction reduction;
  Type type;
  ElementwiseExpr p, t;
};
} // namespace

/// Returns `x` for elements whose condition holds, and 0 for others.
static ElementwiseExpr keepIf(ElementwiseExpr condition, ElementwiseExpr x) {
  return condition.select(x, x.splat(0.0));
}
static ElementwiseExpr abs(ElementwiseExpr x) {
  return x.apply<math::AbsFOp>();
}
static ElementwiseExpr log(ElementwiseExpr x) { return x.apply<math::LogOp>(); }
static ElementwiseExpr maximum(ElementwiseExpr x, double bound) {
  return x.apply<arith::MaximumFOp>(x.splat(bound));
}
static ElementwiseExpr clamp(ElementwiseExpr x, double low, double high) {
  return x.apply<math::ClampFOp>(x.splat(low), x.splat(high));
}

FailureOr<SmallVector<Value>> MeanSquaredErrorOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr error = loss.p - loss.t;
  return loss.finishMean(error * error);
}

FailureOr<SmallVector<Value>> MeanAbsoluteErrorOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  return loss.finishMean(abs(loss.p - loss.t));
}

FailureOr<SmallVector<Value>>
MeanAbsolutePercentageErrorOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr share = abs(loss.p - loss.t) / maximum(abs(loss.t), fuzz);
  return loss.finishMean(share * 100.0);
}

FailureOr<SmallVector<Value>>
MeanSquaredLogarithmicErrorOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr error = maximum(loss.p, fuzz).apply<math::Log1pOp>() -
                          maximum(loss.t, fuzz).apply<math::Log1pOp>();
  return loss.finishMean(error * error);
}

FailureOr<SmallVector<Value>> HuberOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  double delta = getDelta().convertToDouble();
  ElementwiseExpr error = loss.p - loss.t, size = abs(error);
  ElementwiseExpr quadratic = error * error * 0.5;
  ElementwiseExpr linear = (size - 0.5 * delta) * delta;
  return loss.finishMean((size <= size.splat(delta)).select(quadratic, linear));
}

FailureOr<SmallVector<Value>> HingeOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  return loss.finishMean(maximum(1.0 - loss.t * loss.p, 0.0));
}

FailureOr<SmallVector<Value>> SquaredHingeOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr margin = maximum(1.0 - loss.t * loss.p, 0.0);
  return loss.finishMean(margin * margin);
}

FailureOr<SmallVector<Value>> CategoricalHingeOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr right = loss.sum(loss.t * loss.p);
  ElementwiseExpr wrong =
      loss.reduce(ReductionKind::max, (1.0 - loss.t) * loss.p);
  return loss.finish(maximum(wrong - right + 1.0, 0.0));
}

FailureOr<SmallVector<Value>> LogCoshOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  // cosh(e) - 1 = 2 sinh(e / 2)^2: smooth, and exact for small e. sinh may
  // overflow for large e. From |e| = 20 on, log(cosh(e)) equals |e| - log(2)
  // to the precision of f64.
  ElementwiseExpr error = loss.p - loss.t, size = abs(error);
  ElementwiseExpr isNear = size < size.splat(20.0);
  ElementwiseExpr half = (keepIf(isNear, error) * 0.5).apply<math::SinhOp>();
  ElementwiseExpr near = (half * half * 2.0).apply<math::Log1pOp>();
  return loss.finishMean(isNear.select(near, size - llvm::numbers::ln2));
}

FailureOr<SmallVector<Value>> KLDivergenceOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr t = clamp(loss.t, fuzz, 1.0), p = clamp(loss.p, fuzz, 1.0);
  return loss.finish(loss.sum(t * log(t / p)));
}

FailureOr<SmallVector<Value>> PoissonOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  return loss.finishMean(loss.p - loss.t * log(loss.p + fuzz));
}

FailureOr<SmallVector<Value>> CosineProximityOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  auto normalize = [&](ElementwiseExpr x) {
    ElementwiseExpr square = maximum(loss.sum(x * x), squareFuzz);
    return x * loss.spread(square.apply<math::RsqrtOp>());
  };
  return loss.finish(-loss.sum(normalize(loss.p) * normalize(loss.t)));
}

FailureOr<SmallVector<Value>> BinaryCrossentropyOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr p = clamp(loss.p, fuzz, 1.0 - fuzz);
  ElementwiseExpr likelihood =
      loss.t * log(p) + (1.0 - loss.t) * (-p).apply<math::Log1pOp>();
  return loss.finishMean(-likelihood);
}

FailureOr<SmallVector<Value>>
CategoricalCrossentropyOp::decompose(OpBuilder &b) {
  RowLoss loss(*this, b);
  ElementwiseExpr p = loss.p / loss.spread(loss.sum(loss.p));
  return loss.finish(-loss.sum(loss.t * log(clamp(p, fuzz, 1.0 - fuzz))));
}

FailureOr<SmallVector<Value>> L2LossOp::decompose(OpBuilder &b) {
  ElementwiseExpr x = widen(b, getLoc(), getX());
  SmallVector<int64_t> axes = identityDims(tensorOf(x).getRank());
  ElementwiseExpr sum =
      x.with(buildReduce(b, getLoc(), ReductionKind::sum, x * x, axes));
  return SmallVector<Value>{
      roundTo(b, getLoc(), sum * 0.5, getResult().getType())};
}
