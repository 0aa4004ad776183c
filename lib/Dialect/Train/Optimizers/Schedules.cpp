//===- Schedules.cpp - Rates of learning by step --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel::train;

static LogicalResult verifySteps(EmitErrorFn emitError, StringRef name,
                                 int64_t value, int64_t least) {
  if (value >= least)
    return success();
  return emitError() << "expected " << name << " >= " << least << ", found "
                     << value;
}

static Expr cos(Expr x) { return x.apply<math::CosOp>(); }

/// From `from` at x = 0 to `to` at x = 1, along half a wave of a cosine.
static Expr anneal(double from, double to, Expr x) {
  return to + (from - to) / 2.0 * (1.0 + cos(M_PI * x));
}

LogicalResult ConstantRateAttr::verify(EmitErrorFn emitError, Real rate) {
  return verifyFinite(emitError, "rate", rate);
}

Value ConstantRateAttr::buildRate(OpBuilder &b, Location loc,
                                  Value step) const {
  return Expr(b, loc, step).splat(getRate());
}

LogicalResult PiecewiseRateAttr::verify(EmitErrorFn emitError,
                                        DenseI64ArrayAttr boundaries,
                                        DenseF64ArrayAttr rates) {
  if (rates.size() != boundaries.size() + 1)
    return emitError() << "expected one rate more than the "
                       << boundaries.size() << " boundaries, found "
                       << rates.size();
  ArrayRef<int64_t> steps = boundaries.asArrayRef();
  for (size_t i = 1; i < steps.size(); ++i)
    if (steps[i] <= steps[i - 1])
      return emitError() << "expected boundaries that increase, found "
                         << steps[i] << " after " << steps[i - 1];
  for (double rate : rates.asArrayRef())
    if (failed(verifyFinite(emitError, "rate", rate)))
      return failure();
  return success();
}

Value PiecewiseRateAttr::buildRate(OpBuilder &b, Location loc,
                                   Value step) const {
  Expr t(b, loc, step);
  ArrayRef<double> rates = getRates().asArrayRef();
  Expr rate = t.splat(rates.back());
  ArrayRef<int64_t> boundaries = getBoundaries().asArrayRef();
  for (size_t i = boundaries.size(); i-- > 0;)
    rate =
        (t <= t.splat(double(boundaries[i]))).select(t.splat(rates[i]), rate);
  return rate;
}

LogicalResult ExponentialRateAttr::verify(EmitErrorFn emitError, Real initial,
                                          Real factor, int64_t steps, bool) {
  return success(succeeded(verifyFinite(emitError, "initial", initial)) &&
                 succeeded(verifyPositive(emitError, "factor", factor)) &&
                 succeeded(verifySteps(emitError, "steps", steps, 1)));
}

Value ExponentialRateAttr::buildRate(OpBuilder &b, Location loc,
                                     Value step) const {
  Expr exponent = Expr(b, loc, step) / double(getSteps());
  if (getStaircase())
    exponent = exponent.apply<math::FloorOp>();
  return double(getInitial()) * pow(exponent.splat(getFactor()), exponent);
}

LogicalResult PolynomialRateAttr::verify(EmitErrorFn emitError, Real initial,
                                         int64_t steps, Real end, Real power) {
  return success(succeeded(verifyFinite(emitError, "initial", initial)) &&
                 succeeded(verifySteps(emitError, "steps", steps, 1)) &&
                 succeeded(verifyFinite(emitError, "end", end)) &&
                 succeeded(verifyPositive(emitError, "power", power)));
}

Value PolynomialRateAttr::buildRate(OpBuilder &b, Location loc,
                                    Value step) const {
  Expr t(b, loc, step);
  double steps = getSteps(), power = getPower();
  Expr rest = 1.0 - min(t, t.splat(steps)) / steps;
  if (power != 1.0)
    rest = pow(rest, rest.splat(power));
  return (getInitial() - getEnd()) * rest + double(getEnd());
}

LogicalResult CosineRateAttr::verify(EmitErrorFn emitError, Real peak,
                                     int64_t steps, int64_t warmup, Real end) {
  return success(
      succeeded(verifyFinite(emitError, "peak", peak)) &&
      succeeded(verifySteps(emitError, "warmup", warmup, 0)) &&
      succeeded(verifySteps(emitError, "steps", steps, warmup + 1)) &&
      succeeded(verifyFinite(emitError, "end", end)));
}

Value CosineRateAttr::buildRate(OpBuilder &b, Location loc, Value step) const {
  Expr t(b, loc, step);
  double warmup = getWarmup(), steps = getSteps();
  Expr x = min((t - warmup) / (steps - warmup), t.splat(1.0));
  Expr rate = anneal(getPeak(), getEnd(), x);
  if (warmup == 0.0)
    return rate;
  return (t < warmup).select(getPeak() / warmup * (t + 1.0), rate);
}

LogicalResult OneCycleRateAttr::verify(EmitErrorFn emitError, Real peak,
                                       int64_t steps, Real rise, Real div,
                                       Real finalDiv) {
  if (failed(verifyFinite(emitError, "peak", peak)) ||
      failed(verifySteps(emitError, "steps", steps, 2)) ||
      failed(verifyFraction(emitError, "rise", rise)) ||
      failed(verifyPositive(emitError, "div", div)) ||
      failed(verifyPositive(emitError, "final_div", finalDiv)))
    return failure();
  if (rise * double(steps) > 1.0)
    return success();
  return emitError() << "expected rise * steps > 1, found "
                     << rise * double(steps);
}

Value OneCycleRateAttr::buildRate(OpBuilder &b, Location loc,
                                  Value step) const {
  Expr t(b, loc, step);
  double top = getRise() * double(getSteps()) - 1.0, last = getSteps() - 1.0;
  double start = getPeak() / getDiv();
  Expr up = anneal(start, getPeak(), t / top);
  Expr x = min((t - top) / (last - top), t.splat(1.0));
  return (t <= t.splat(top))
      .select(up, anneal(getPeak(), start / getFinalDiv(), x));
}
