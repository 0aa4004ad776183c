//===- TFAdagrad.cpp - Adagrad, as in tf.train ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult TFAdagradAttr::verify(EmitErrorFn emitError, Real lr,
                                    Real initialAccumulator, StringAttr name) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyPositive(emitError, "initial_accumulator",
                                          initialAccumulator)) &&
                 succeeded(verifyName(emitError, name)));
}

void TFAdagradAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                              SmallVectorImpl<Value> &stepValues,
                              MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step[Lr]});
}

unsigned TFAdagradAttr::getNumStepValues() const { return 1; }

SmallVector<Value>
TFAdagradAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                  Value gradient, ValueRange stepValues) const {
  auto [p, a] = bindTerms<2>(b, loc, state);
  Expr lr(b, loc, stepValues[0]);
  Expr g(b, loc, gradient);
  Expr sum = a + g * g;
  return {p - lr * g / sqrt(sum), sum};
}
