//===- Adamax.cpp - Adamax, as in Keras -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult AdamaxAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                                 Real beta2, Real epsilon, Real decay,
                                 StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name, "decay", decay);
}

void AdamaxAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                           SmallVectorImpl<Value> &stepValues,
                           MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr beta1 = step[Beta_1];
  Expr iterations = step.count();
  Expr lr = step.decayedRate(iterations);
  stepValues.assign(
      {lr / complementPower(beta1, iterations + 1.0), beta1, step[Beta_2]});
}

unsigned AdamaxAttr::getNumStepValues() const { return 3; }

SmallVector<Value> AdamaxAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                  ValueRange state,
                                                  Value gradient,
                                                  ValueRange stepValues) const {
  auto [p, m, u] = bindTerms<3>(b, loc, state);
  auto [rate, beta1, beta2] = bindTerms<3>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newM = mix(beta1, m, g);
  Expr norm = max(beta2 * u, abs(g));
  return {p - rate * newM / (norm + double(getEpsilon())), newM, norm};
}
