//===- Adadelta.cpp - Adadelta, as in Keras -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult AdadeltaAttr::verify(EmitErrorFn emitError, Real lr, Real rho,
                                   Real epsilon, Real decay, StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyFraction(emitError, "rho", rho)) &&
                 succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
                 succeeded(verifyNonNegative(emitError, "decay", decay)) &&
                 succeeded(verifyName(emitError, name)));
}

void AdadeltaAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                             SmallVectorImpl<Value> &stepValues,
                             MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step.decayedRate(step.count())});
}

unsigned AdadeltaAttr::getNumStepValues() const { return 1; }

SmallVector<Value>
AdadeltaAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                 Value gradient, ValueRange stepValues) const {
  auto [p, a, d] = bindTerms<3>(b, loc, state);
  Expr lr(b, loc, stepValues[0]);
  Expr g(b, loc, gradient);
  Expr rho = g.splat(getRho());
  double epsilon = getEpsilon();
  Expr squares = mix(rho, a, g * g);
  Expr step = g * sqrt(d + epsilon) / sqrt(squares + epsilon);
  return {p - lr * step, squares, mix(rho, d, step * step)};
}
