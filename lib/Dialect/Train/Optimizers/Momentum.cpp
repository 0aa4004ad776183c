//===- Momentum.cpp - Momentum, as in tf.train ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

LogicalResult MomentumAttr::verify(EmitErrorFn emitError, Real lr,
                                   Real momentum, bool, StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyNonNegative(emitError, "momentum", momentum)) &&
      succeeded(verifyName(emitError, name)));
}

void MomentumAttr::buildStep(OpBuilder &, Location, ValueRange scalars,
                             SmallVectorImpl<Value> &stepValues,
                             MutableArrayRef<Value>) const {
  stepValues.assign({scalars[0], scalars[1]});
}

unsigned MomentumAttr::getNumStepValues() const { return 2; }

SmallVector<Value>
MomentumAttr::buildElementUpdate(OpBuilder &b, Location loc, ValueRange state,
                                 Value gradient, ValueRange stepValues) const {
  auto [p, a] = bindTerms<2>(b, loc, state);
  auto [lr, momentum] = bindTerms<2>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr accumulator = momentum * a + g;
  Expr direction = getNesterov() ? g + momentum * accumulator : accumulator;
  return {p - lr * direction, accumulator};
}
