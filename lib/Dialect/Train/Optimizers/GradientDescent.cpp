//===- GradientDescent.cpp - Gradient descent, as in tf.train -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult GradientDescentAttr::verify(EmitErrorFn emitError, Real lr,
                                          StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyName(emitError, name)));
}

void GradientDescentAttr::buildStep(OpBuilder &b, Location loc,
                                    ValueRange scalars,
                                    SmallVectorImpl<Value> &stepValues,
                                    MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step[Lr]});
}

unsigned GradientDescentAttr::getNumStepValues() const { return 1; }

SmallVector<Value>
GradientDescentAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                        ValueRange state, Value gradient,
                                        ValueRange stepValues) const {
  Expr p(b, loc, state[0]), lr(b, loc, stepValues[0]);
  Expr g(b, loc, gradient);
  return {p - lr * g};
}
