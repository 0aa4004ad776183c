//===- TFRMSProp.cpp - RMSProp, as in tf.train ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult TFRMSPropAttr::verify(EmitErrorFn emitError, Real lr, Real decay,
                                    Real momentum, Real epsilon, bool,
                                    StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyFraction(emitError, "decay", decay)) &&
      succeeded(verifyNonNegative(emitError, "momentum", momentum)) &&
      succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
      succeeded(verifyName(emitError, name)));
}

void TFRMSPropAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                              SmallVectorImpl<Value> &stepValues,
                              MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step[Lr], step[Decay], step[Momentum]});
}

unsigned TFRMSPropAttr::getNumStepValues() const { return 3; }

SmallVector<Value>
TFRMSPropAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                  Value gradient, ValueRange stepValues) const {
  auto [p, squares] = bindTerms<2>(b, loc, state);
  Expr velocity(b, loc, state.back());
  auto [lr, decay, momentum] = bindTerms<3>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newSquares = mix(decay, squares, g * g);
  SmallVector<Value> slots = {newSquares};
  Expr variance = newSquares;
  if (getCentered()) {
    Expr mean = mix(decay, Expr(b, loc, state[2]), g);
    slots.push_back(mean);
    // Rounding may make it negative, which has no root.
    variance = newSquares - mean * mean;
    variance = max(variance, variance.splat(0.0));
  }
  Expr root = sqrt(variance + double(getEpsilon()));
  Expr newVelocity = momentum * velocity + lr * g / root;
  slots.push_back(newVelocity);
  slots.insert(slots.begin(), p - newVelocity);
  return slots;
}
