//===- Adam.cpp - Adam and AMSGrad, as in Keras ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult AdamAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                               Real beta2, Real epsilon, Real decay, bool,
                               StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name, "decay", decay);
}

void AdamAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                         SmallVectorImpl<Value> &stepValues,
                         MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr beta1 = step[Beta_1], beta2 = step[Beta_2];
  Expr iterations = step.count();
  Expr lr = step.decayedRate(iterations);
  Expr t = iterations + 1.0;
  Expr scaled = lr * sqrt(complementPower(beta2, t));
  stepValues.assign({scaled / complementPower(beta1, t), beta1, beta2});
}

unsigned AdamAttr::getNumStepValues() const { return 3; }

SmallVector<Value> AdamAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                ValueRange state,
                                                Value gradient,
                                                ValueRange stepValues) const {
  auto [p, m, v] = bindTerms<3>(b, loc, state);
  auto [rate, beta1, beta2] = bindTerms<3>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newM = mix(beta1, m, g);
  Expr newV = mix(beta2, v, g * g);
  SmallVector<Value> slots = {newM, newV};
  Expr second = newV;
  if (getAmsgrad()) {
    second = max(Expr(b, loc, state[3]), newV);
    slots.push_back(second);
  }
  Expr denominator = sqrt(second) + double(getEpsilon());
  slots.insert(slots.begin(), p - rate * newM / denominator);
  return slots;
}
