//===- TFAdadelta.cpp - Adadelta, as in tf.train --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult TFAdadeltaAttr::verify(EmitErrorFn emitError, Real lr, Real rho,
                                     Real epsilon, StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyFraction(emitError, "rho", rho)) &&
                 succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
                 succeeded(verifyName(emitError, name)));
}

void TFAdadeltaAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                               SmallVectorImpl<Value> &stepValues,
                               MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step[Lr], step[Rho]});
}

unsigned TFAdadeltaAttr::getNumStepValues() const { return 2; }

SmallVector<Value>
TFAdadeltaAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                   Value gradient,
                                   ValueRange stepValues) const {
  auto [p, a, d] = bindTerms<3>(b, loc, state);
  auto [lr, rho] = bindTerms<2>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  double epsilon = getEpsilon();
  Expr squares = mix(rho, a, g * g);
  Expr step = sqrt(d + epsilon) / sqrt(squares + epsilon) * g;
  return {p - lr * step, squares, mix(rho, d, step * step)};
}
