//===- Schedules.cpp - Rates of learning by step --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace flywheel::train;

static LogicalResult verifySteps(EmitErrorFn emitError, StringRef name,
                                 int64_t value, int64_t least) {
  if (value >= least)
    return success();
  return emitError() << "expected " << name << " >= " << least << ", found "
                     << value;
}

/// Returns the counter `step` in f64, which holds every step up to 2^53.
static Expr number(OpBuilder &b, Location loc, Value step) {
  auto type = RankedTensorType::get({}, b.getF64Type());
  return {b, loc, arith::SIToFPOp::create(b, loc, type, step)};
}

static Expr cos(Expr x) { return x.apply<math::CosOp>(); }

/// Returns a value that moves from `from` at x = 0 to `to` at x = 1, along half
/// a wave of a cosine.
static Expr anneal(double from, double to, Expr x) {
  return to + (from - to) / 2.0 * (1.0 + cos(M_PI * x));
}

LogicalResult ConstantRateAttr::verify(EmitErrorFn emitError, Real rate) {
  return verifyFinite(emitError, "rate", rate);
}

Value ConstantRateAttr::buildRate(OpBuilder &b, Location loc,
                                  Value step) const {
  return number(b, loc, step).splat(getRate());
}

SmallVector<NamedNumber> ConstantRateAttr::getNumbers() const {
  return {{"rate", getRate()}};
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
  auto type = RankedTensorType::get({}, b.getI64Type());
  Expr t(b, loc, step);
  if (step.getType() != type)
    t = t.with(arith::ExtSIOp::create(b, loc, type, step));
  auto splat = [&](double rate) {
    return t.with(arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, b.getF64Type()),
                               rate)));
  };
  ArrayRef<double> rates = getRates().asArrayRef();
  Expr rate = splat(rates.back());
  ArrayRef<int64_t> boundaries = getBoundaries().asArrayRef();
  for (size_t i = boundaries.size(); i-- > 0;) {
    Value boundary = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, boundaries[i]));
    Expr isBefore = t.with(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, t, boundary));
    rate = isBefore.select(splat(rates[i]), rate);
  }
  return rate;
}

SmallVector<NamedNumber> PiecewiseRateAttr::getNumbers() const {
  return llvm::map_to_vector(getRates().asArrayRef(), [](double rate) {
    return NamedNumber{"a rate", rate};
  });
}

LogicalResult ExponentialRateAttr::verify(EmitErrorFn emitError, Real initial,
                                          Real factor, int64_t steps, bool) {
  return success(succeeded(verifyFinite(emitError, "initial", initial)) &&
                 succeeded(verifyPositive(emitError, "factor", factor)) &&
                 succeeded(verifySteps(emitError, "steps", steps, 1)));
}

Value ExponentialRateAttr::buildRate(OpBuilder &b, Location loc,
                                     Value step) const {
  Expr exponent = number(b, loc, step) / double(getSteps());
  if (getStaircase())
    exponent = exponent.apply<math::FloorOp>();
  return double(getInitial()) * pow(exponent.splat(getFactor()), exponent);
}

SmallVector<NamedNumber> ExponentialRateAttr::getNumbers() const {
  return {{"initial", getInitial()}, {"factor", getFactor()}};
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
  Expr t = number(b, loc, step);
  double steps = getSteps(), power = getPower();
  Expr rest = 1.0 - min(t, t.splat(steps)) / steps;
  if (power != 1.0)
    rest = pow(rest, rest.splat(power));
  return (getInitial() - getEnd()) * rest + double(getEnd());
}

SmallVector<NamedNumber> PolynomialRateAttr::getNumbers() const {
  return {{"initial", getInitial()}, {"end", getEnd()}, {"power", getPower()}};
}

LogicalResult CosineRateAttr::verify(EmitErrorFn emitError, Real peak,
                                     int64_t steps, int64_t warmup, Real end) {
  if (failed(verifyFinite(emitError, "peak", peak)) ||
      failed(verifySteps(emitError, "warmup", warmup, 0)) ||
      failed(verifyFinite(emitError, "end", end)))
    return failure();
  if (steps > warmup)
    return success();
  return emitError() << "expected steps > warmup, " << warmup << ", found "
                     << steps;
}

Value CosineRateAttr::buildRate(OpBuilder &b, Location loc, Value step) const {
  Expr t = number(b, loc, step);
  double warmup = getWarmup(), steps = getSteps();
  Expr x = min((t - warmup) / (steps - warmup), t.splat(1.0));
  Expr rate = anneal(getPeak(), getEnd(), x);
  if (warmup == 0.0)
    return rate;
  return (t < warmup).select(getPeak() / warmup * (t + 1.0), rate);
}

SmallVector<NamedNumber> CosineRateAttr::getNumbers() const {
  return {{"peak", getPeak()}, {"end", getEnd()}};
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
  Expr t = number(b, loc, step);
  double top = getRise() * double(getSteps()) - 1.0, last = getSteps() - 1.0;
  double start = getPeak() / getDiv();
  Expr up = anneal(start, getPeak(), t / top);
  Expr x = min((t - top) / (last - top), t.splat(1.0));
  return (t <= t.splat(top))
      .select(up, anneal(getPeak(), start / getFinalDiv(), x));
}

SmallVector<NamedNumber> OneCycleRateAttr::getNumbers() const {
  double start = getPeak() / getDiv();
  return {{"peak", getPeak()},
          {"peak / div", start},
          {"peak / (div final_div)", start / getFinalDiv()}};
}
