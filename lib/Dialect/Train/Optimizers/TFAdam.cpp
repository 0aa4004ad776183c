//===- TFAdam.cpp - Adam, as in tf.train ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult TFAdamAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                                 Real beta2, Real epsilon, StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name);
}

void TFAdamAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                           SmallVectorImpl<Value> &stepValues,
                           MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr beta1 = step[Beta_1], beta2 = step[Beta_2];
  Expr power1 = step[Beta1Power], power2 = step[Beta2Power];
  step.set(Beta1Power, power1 * beta1);
  step.set(Beta2Power, power2 * beta2);
  stepValues.assign(
      {step[Lr] * sqrt(1.0 - power2) / (1.0 - power1), beta1, beta2});
}

unsigned TFAdamAttr::getNumStepValues() const { return 3; }

SmallVector<Value> TFAdamAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                  ValueRange state,
                                                  Value gradient,
                                                  ValueRange stepValues) const {
  auto [p, m, v] = bindTerms<3>(b, loc, state);
  auto [rate, beta1, beta2] = bindTerms<3>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newM = mix(beta1, m, g);
  Expr newV = mix(beta2, v, g * g);
  return {p - rate * newM / (sqrt(newV) + double(getEpsilon())), newM, newV};
}
