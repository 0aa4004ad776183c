//===- SGD.cpp - Gradient descent with momentum, as in Keras --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult SGDAttr::verify(EmitErrorFn emitError, Real lr, Real momentum,
                              Real decay, bool, StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyNonNegative(emitError, "momentum", momentum)) &&
      succeeded(verifyNonNegative(emitError, "decay", decay)) &&
      succeeded(verifyName(emitError, name)));
}

void SGDAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                        SmallVectorImpl<Value> &stepValues,
                        MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step.decayedRate(step.count()), step[Momentum]});
}

unsigned SGDAttr::getNumStepValues() const { return 2; }

SmallVector<Value> SGDAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                               ValueRange state, Value gradient,
                                               ValueRange stepValues) const {
  auto [p, v] = bindTerms<2>(b, loc, state);
  auto [lr, momentum] = bindTerms<2>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr decayed = momentum * v;
  Expr step = lr * g;
  Expr velocity = decayed - step;
  if (getNesterov())
    return {p + momentum * velocity - step, velocity};
  return {p + velocity, velocity};
}
