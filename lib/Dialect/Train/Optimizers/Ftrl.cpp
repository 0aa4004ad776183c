//===- Ftrl.cpp - FTRL, as in tf.train ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

static LogicalResult verifyPower(EmitErrorFn emitError, Real power) {
  if (std::isfinite(power) && power <= 0.0)
    return success();
  return emitError() << "expected a finite lr_power <= 0, found "
                     << double(power);
}

/// Learning rates below this count as 0: quotients by them may overflow in f32.
static constexpr double kLeastRate = 1e-30;

/// Returns x^exponent. The usual exponent, 0.5, uses the square root.
static Expr raise(Expr x, double exponent) {
  return exponent == 0.5 ? sqrt(x) : pow(x, x.splat(exponent));
}

LogicalResult FtrlAttr::verify(EmitErrorFn emitError, Real lr, Real lrPower,
                               Real initialAccumulator, Real l1, Real l2,
                               Real l2Shrinkage, StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyPower(emitError, lrPower)) &&
      succeeded(verifyNonNegative(emitError, "initial_accumulator",
                                  initialAccumulator)) &&
      succeeded(verifyNonNegative(emitError, "l1", l1)) &&
      succeeded(verifyNonNegative(emitError, "l2", l2)) &&
      succeeded(verifyNonNegative(emitError, "l2_shrinkage", l2Shrinkage)) &&
      succeeded(verifyName(emitError, name)));
}

void FtrlAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                         SmallVectorImpl<Value> &stepValues,
                         MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  stepValues.assign({step[Lr], step[L1], step[L2], step[L2Shrinkage]});
}

unsigned FtrlAttr::getNumStepValues() const { return 4; }

SmallVector<Value> FtrlAttr::buildElementUpdate(OpBuilder &b, Location loc,
                                                ValueRange state,
                                                Value gradient,
                                                ValueRange stepValues) const {
  auto [p, n, z] = bindTerms<3>(b, loc, state);
  auto [lr, l1, l2, shrinkage] = bindTerms<4>(b, loc, stepValues);
  Expr g(b, loc, gradient);
  Expr sum = n + g * g;
  Expr root = raise(sum, -getLrPower());
  Expr shrunk = g + 2.0 * shrinkage * p;
  Expr sigma = (root - raise(n, -getLrPower())) / lr;
  Expr linear = z + shrunk - sigma * p;
  Expr quadratic = root / lr + 2.0 * l2;
  Expr threshold = l1.apply<math::CopySignOp>(linear);
  // The branch that is not selected may be 0 / 0. A NaN stays one.
  Expr isZero = abs(linear).compare(arith::CmpFPredicate::OLE, l1);
  Expr moved = isZero.select(p.splat(0.0), (threshold - linear) / quadratic);
  // n without its share of z would draw p to 0 in the steps that follow.
  Expr isStill = abs(lr) < kLeastRate;
  return {isStill.select(p, moved), isStill.select(n, sum),
          isStill.select(z, linear)};
}
