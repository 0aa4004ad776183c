//===- AdamW.cpp - Adam with decoupled weight decay -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult AdamWAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                                Real beta2, Real epsilon, Real weightDecay,
                                StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name, "weight_decay",
                    weightDecay);
}

void AdamWAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                          SmallVectorImpl<Value> &stepValues,
                          MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues = computeDecoupled(step, step[Lr], step[Beta_1], step[Beta_2],
                                step[WeightDecay]);
}

unsigned AdamWAttr::getNumStepValues() const { return 5; }

SmallVector<Value> AdamWAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                 ValueRange state,
                                                 Value gradient,
                                                 ValueRange stepValues) const {
  auto [p, m, v] = bindTerms<3>(b, loc, state);
  auto [rate, beta1, beta2, correction, shrinkage] =
      bindTerms<5>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newM = mix(beta1, m, g);
  Expr newV = mix(beta2, v, g * g);
  Expr denominator = sqrt(newV / correction) + double(getEpsilon());
  return {p - shrinkage * p - rate * newM / denominator, newM, newV};
}
