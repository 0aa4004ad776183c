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

StringRef TFAdamAttr::getOptimizerName() const { return "Adam"; }

SmallVector<ScalarVariableSpec> TFAdamAttr::getScalarVariables() const {
  return {{"lr", false, getLr()},
          {"beta_1", false, getBeta_1()},
          {"beta_2", false, getBeta_2()},
          {"beta1_power", false, getBeta_1()},
          {"beta2_power", false, getBeta_2()}};
}

SmallVector<SlotSpec> TFAdamAttr::getSlots(RankedTensorType) const {
  return SmallVector<SlotSpec>(2);
}

void TFAdamAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                           SmallVectorImpl<Value> &stepValues,
                           MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr beta1 = step["beta_1"], beta2 = step["beta_2"];
  Expr power1 = step["beta1_power"], power2 = step["beta2_power"];
  step.set("beta1_power", power1 * beta1);
  step.set("beta2_power", power2 * beta2);
  stepValues.assign(
      {step["lr"] * sqrt(1.0 - power2) / (1.0 - power1), beta1, beta2});
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
