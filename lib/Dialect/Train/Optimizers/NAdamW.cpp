//===- NAdamW.cpp - Nesterov Adam with decoupled weight decay -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult NAdamWAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                                 Real beta2, Real epsilon, Real weightDecay,
                                 StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name, "weight_decay",
                    weightDecay);
}

void NAdamWAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                           SmallVectorImpl<Value> &stepValues,
                           MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr lr = step[Lr], beta1 = step[Beta_1], beta2 = step[Beta_2];
  Expr t = step.count() + 1.0;
  stepValues.assign({lr, beta1, beta2, beta1 / complementPower(beta1, t + 1.0),
                     (1.0 - beta1) / complementPower(beta1, t),
                     complementPower(beta2, t), step[WeightDecay]});
}

unsigned NAdamWAttr::getNumStepValues() const { return 7; }

SmallVector<Value> NAdamWAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                  ValueRange state,
                                                  Value gradient,
                                                  ValueRange stepValues) const {
  auto [p, m, v] = bindTerms<3>(b, loc, state);
  auto [lr, beta1, beta2, momentScale, gradientScale, correction, weightDecay] =
      bindTerms<7>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newM = mix(beta1, m, g);
  Expr newV = mix(beta2, v, g * g);
  Expr ahead = momentScale * newM + gradientScale * g;
  Expr denominator = sqrt(newV / correction) + double(getEpsilon());
  return {p - lr * (ahead / denominator + weightDecay * p), newM, newV};
}
