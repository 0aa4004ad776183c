//===- Adagrad.cpp - Adagrad, as in Keras ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult AdagradAttr::verify(EmitErrorFn emitError, Real lr, Real epsilon,
                                  Real decay, StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
                 succeeded(verifyNonNegative(emitError, "decay", decay)) &&
                 succeeded(verifyName(emitError, name)));
}

void AdagradAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                            SmallVectorImpl<Value> &stepValues,
                            MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step.decayedRate(step.count())});
}

unsigned AdagradAttr::getNumStepValues() const { return 1; }

SmallVector<Value>
AdagradAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                Value gradient, ValueRange stepValues) const {
  auto [p, a] = bindTerms<2>(b, loc, state);
  Expr lr(b, loc, stepValues[0]);
  Expr g(b, loc, gradient);
  Expr sum = a + g * g;
  Expr denominator = sqrt(sum) + double(getEpsilon());
  return {p - lr * g / denominator, sum};
}
