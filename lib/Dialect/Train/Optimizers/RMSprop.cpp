//===- RMSprop.cpp - RMSprop, as in Keras ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult RMSpropAttr::verify(EmitErrorFn emitError, Real lr, Real rho,
                                  Real epsilon, Real decay, StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyFraction(emitError, "rho", rho)) &&
                 succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
                 succeeded(verifyNonNegative(emitError, "decay", decay)) &&
                 succeeded(verifyName(emitError, name)));
}

void RMSpropAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                            SmallVectorImpl<Value> &stepValues,
                            MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step.decayedRate(step.count()), step[Rho]});
}

unsigned RMSpropAttr::getNumStepValues() const { return 2; }

SmallVector<Value>
RMSpropAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                Value gradient, ValueRange stepValues) const {
  auto [p, a] = bindTerms<2>(b, loc, state);
  auto [lr, rho] = bindTerms<2>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr average = mix(rho, a, g * g);
  Expr denominator = sqrt(average) + double(getEpsilon());
  return {p - lr * g / denominator, average};
}
