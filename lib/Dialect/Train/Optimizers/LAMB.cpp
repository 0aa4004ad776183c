//===- LAMB.cpp - Adam with a rate for each layer -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

LogicalResult LAMBAttr::verify(EmitErrorFn emitError, Real lr, Real beta1,
                               Real beta2, Real epsilon, Real weightDecay,
                               StringAttr name) {
  return verifyAdam(emitError, lr, beta1, beta2, epsilon, name, "weight_decay",
                    weightDecay);
}

void LAMBAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                         SmallVectorImpl<Value> &stepValues,
                         MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr beta1 = step[Beta_1], beta2 = step[Beta_2];
  Expr t = step.count() + 1.0;
  Expr one = t.splat(1.0);
  stepValues.assign({step[Lr], beta1, beta2, one / complementPower(beta1, t),
                     one / sqrt(complementPower(beta2, t)), step[WeightDecay]});
}

SmallVector<Value> LAMBAttr::buildParameterUpdate(OpBuilder &b, Location loc,
                                                  Value parameter,
                                                  ValueRange slots,
                                                  Value gradient,
                                                  ValueRange stepValues) const {
  TensorTerms terms(b, loc, parameter);
  Expr p = terms.widen(parameter), g = terms.widen(gradient);
  Expr beta1 = terms.spread(stepValues[1]), beta2 = terms.spread(stepValues[2]);
  Expr m = mix(beta1, terms.widen(slots[0]), g);
  // Neither the square of a large gradient nor the bias correction may make the
  // sum of squares infinite: it would stay infinite, and its element would not
  // change any more.
  Expr v =
      terms.saturate(beta2 * terms.widen(slots[1]) + ((1.0 - beta2) * g) * g);
  Expr root = sqrt(v) * terms.spread(stepValues[4]);
  Expr adam = m * terms.spread(stepValues[3]) / (root + double(getEpsilon()));
  Expr direction = adam + terms.spread(stepValues[5]) * p;

  Expr norm = terms.norm(p), length = terms.norm(direction);
  // A NaN norm must not be replaced by 1.
  Expr isZero =
      Expr(b, loc, arith::OrIOp::create(b, loc, norm == 0.0, length == 0.0));
  Expr trust = isZero.select(norm.splat(1.0), norm / length);
  Expr rate = trust * terms.widenScalar(stepValues[0]);
  return terms.round({p - terms.spread(rate) * direction, m, v});
}
