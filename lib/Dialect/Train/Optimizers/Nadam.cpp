//===- Nadam.cpp - Nadam, as in Keras -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult NadamAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                                Real beta2, Real epsilon, Real scheduleDecay,
                                StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name,
                    "schedule_decay", scheduleDecay);
}

void NadamAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                          SmallVectorImpl<Value> &stepValues,
                          MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr beta1 = step[Beta_1], beta2 = step[Beta_2];
  Expr t = step.count() + 1.0;
  double rate = getScheduleDecay();
  Expr base = t.splat(0.96);
  Expr momentum = beta1 * (1.0 - 0.5 * pow(base, t * rate));
  Expr nextMomentum = beta1 * (1.0 - 0.5 * pow(base, (t + 1.0) * rate));
  Expr schedule = step[MSchedule] * momentum;
  step.set(MSchedule, schedule);
  stepValues.assign({step[Lr], beta1, beta2,
                     (1.0 - momentum) / (1.0 - schedule),
                     nextMomentum / (1.0 - schedule * nextMomentum),
                     complementPower(beta2, t)});
}

unsigned NadamAttr::getNumStepValues() const { return 6; }

SmallVector<Value> NadamAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                 ValueRange state,
                                                 Value gradient,
                                                 ValueRange stepValues) const {
  auto [p, m, v] = bindTerms<3>(b, loc, state);
  auto [lr, beta1, beta2, gradientScale, momentScale, correction] =
      bindTerms<6>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr newM = mix(beta1, m, g);
  Expr newV = mix(beta2, v, g * g);
  Expr direction = gradientScale * g + momentScale * newM;
  Expr denominator = sqrt(newV / correction) + double(getEpsilon());
  return {p - lr * direction / denominator, newM, newV};
}
