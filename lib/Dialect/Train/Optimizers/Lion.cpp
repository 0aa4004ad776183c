//===- Lion.cpp - Signs of an interpolated momentum -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult LionAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                               Real beta2, Real weightDecay, StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyFraction(emitError, "beta_1", beta1)) &&
      succeeded(verifyFraction(emitError, "beta_2", beta2)) &&
      succeeded(verifyNonNegative(emitError, "weight_decay", weightDecay)) &&
      succeeded(verifyName(emitError, name)));
}

void LionAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                         SmallVectorImpl<Value> &stepValues,
                         MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step[Lr], step[Beta_1], step[Beta_2], step[WeightDecay]});
}

unsigned LionAttr::getNumStepValues() const { return 4; }

SmallVector<Value> LionAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                ValueRange state,
                                                Value gradient,
                                                ValueRange stepValues) const {
  auto [p, m] = bindTerms<2>(b, loc, state);
  auto [lr, beta1, beta2, weightDecay] = bindTerms<4>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr direction = mix(beta1, m, g);
  // 0 and NaN are their own signs.
  Expr sign =
      (direction > 0.0)
          .select(direction.splat(1.0),
                  (direction < 0.0).select(direction.splat(-1.0), direction));
  return {p - lr * (sign + weightDecay * p), mix(beta2, m, g)};
}
