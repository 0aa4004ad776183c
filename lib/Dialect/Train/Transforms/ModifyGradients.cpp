//===- ModifyGradients.cpp - Clipping and weight decay --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the clauses of an update that modify gradients and parameters; the
// optimizer does not see them.
//
//===----------------------------------------------------------------------===//

#include "ModifyGradients.h"

#include "../Optimizers/OptimizerSupport.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

/// Emits x times scalar in the compute type of x.
static ElementwiseExpr scale(OpBuilder &b, Location loc, ElementwiseExpr x,
                             Value scalar) {
  Value number =
      nn::castElements(b, loc, scalar, getElementTypeOrSelf(x.getType()));
  return x * x.with(nn::buildBroadcast(b, loc, number, {}, x));
}

/// Returns the element type of the norm of all of `values`.
static Type getNormType(ValueRange values) {
  for (Value value : values)
    if (getElementTypeOrSelf(value).isF64())
      return getElementTypeOrSelf(value);
  return Float32Type::get(values.front().getContext());
}

Value train::clipByGlobalNorm(OpBuilder &b, Location loc,
                              MutableArrayRef<Value> gradients, double bound) {
  Type number = getNormType(ValueRange(gradients));
  ElementwiseExpr squares;
  for (Value gradient : gradients) {
    ElementwiseExpr term = sumSquares(b, loc, gradient);
    squares = squares.getValue() ? squares + term : term;
  }
  ElementwiseExpr norm = squares.apply<math::SqrtOp>();
  ElementwiseExpr limit = norm.splat(bound);
  ElementwiseExpr factor = limit / norm.apply<arith::MaximumFOp>(limit);
  // By an infinite norm, finite gradients would become 0.
  factor = factor + (norm - norm);
  // In two steps, because the factor of a large gradient may underflow in f32.
  ElementwiseExpr root = factor.apply<math::SqrtOp>();
  for (Value &gradient : gradients) {
    ElementwiseExpr scaled = scale(b, loc, nn::widen(b, loc, gradient), root);
    gradient =
        nn::roundTo(b, loc, scale(b, loc, scaled, root), gradient.getType());
  }
  return nn::castElements(b, loc, norm, number);
}

/// Emits min(max(x, -bound), bound), which keeps a NaN.
static Value clipByValue(OpBuilder &b, Location loc, Value gradient,
                         double bound) {
  ElementwiseExpr x(b, loc, gradient);
  return x.apply<arith::MaximumFOp>(x.splat(-bound))
      .apply<arith::MinimumFOp>(x.splat(bound));
}

/// Returns true unless the clause `no_decay` lists `symbol`.
static bool isDecayed(ApplyGradientsOp apply, Attribute symbol) {
  std::optional<ArrayAttr> masked = apply.getNoDecay();
  return !masked || !llvm::is_contained(*masked, symbol);
}

/// Returns the number of a clause; nullopt if the clause has no effect, as in
/// Keras.
static std::optional<double> getPositive(std::optional<APFloat> number) {
  if (!number || !(number->convertToDouble() > 0.0))
    return std::nullopt;
  return number->convertToDouble();
}

void train::modifyGradients(OpBuilder &b, ApplyGradientsOp apply,
                            ValueRange parameters,
                            MutableArrayRef<Value> gradients) {
  Location loc = apply.getLoc();
  if (auto factor = getPositive(apply.getL2()))
    for (auto [gradient, parameter, symbol] :
         llvm::zip_equal(gradients, parameters, apply.getVarList()))
      if (isDecayed(apply, symbol))
        gradient = nn::roundTo(b, loc,
                               nn::widen(b, loc, gradient) +
                                   *factor * nn::widen(b, loc, parameter),
                               gradient.getType());
  if (auto bound = getPositive(apply.getClipNorm()))
    for (Value &gradient : gradients)
      clipByGlobalNorm(b, loc, gradient, *bound);
  if (auto bound = getPositive(apply.getClipGlobalNorm()))
    clipByGlobalNorm(b, loc, gradients, *bound);
  if (auto bound = getPositive(apply.getClipValue()))
    for (Value &gradient : gradients)
      gradient = clipByValue(b, loc, gradient, *bound);
}

Value train::decayWeights(OpBuilder &b, ApplyGradientsOp apply,
                          Attribute symbol, Value parameter, Value updated,
                          Value rate) {
  auto factor = getPositive(apply.getWeightDecay());
  if (!factor || !isDecayed(apply, symbol))
    return updated;
  Location loc = apply.getLoc();
  auto update = updated.getDefiningOp<UpdateOp>();
  OpBuilder::InsertionGuard guard(b);
  if (update)
    b.setInsertionPoint(update);
  ElementwiseExpr shrinkage = ElementwiseExpr(b, loc, rate) * *factor;
  // The update op reads the parameter anyway, so it applies the decay.
  if (update) {
    Type element = getElementTypeOrSelf(parameter.getType());
    update.getDecayMutable().assign(
        nn::castElements(b, loc, shrinkage, nn::getComputeType(element)));
    return updated;
  }
  ElementwiseExpr decayed =
      nn::widen(b, loc, updated) -
      scale(b, loc, nn::widen(b, loc, parameter), shrinkage);
  return nn::roundTo(b, loc, decayed, updated.getType());
}
