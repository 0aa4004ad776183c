//===- ExpandWidePowers.cpp - Powers and logarithms of f64 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands these functions of numbers to pairs, for devices that have no library
// of functions. Functions of f32 without a polynomial in f32 are computed in
// f64 and rounded.
//
//===----------------------------------------------------------------------===//

#include "WideMath.h"

#include "flywheel/Codegen/Common/DeviceMath.h"

using namespace mlir;
using namespace flywheel;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Returns `log` if x is a positive finite number, and the value that C
/// specifies for a logarithm of x otherwise.
static Value orSpecial(PairEmitter &e, Value x, Value log) {
  log = e.select(e.isEqual(x, kInfinity), x, log);
  log = e.select(e.isEqual(x, 0), e.number(-kInfinity), log);
  return e.select(e.compare(arith::CmpFPredicate::ULT, x, e.number(0)),
                  e.number(kNaN), log);
}

/// Returns the value that C specifies for x^y if it is not sign(x)^y |x|^y, and
/// `power` otherwise.
static Value emitSpecialPower(PairEmitter &e, Value x, Value y, Value power) {
  ImplicitLocOpBuilder &b = e.b;
  auto isFraction = [&](Value value) {
    return e.compare(arith::CmpFPredicate::UNE, math::FloorOp::create(b, value),
                     value);
  };
  auto both = [&](Value first, Value second) -> Value {
    return arith::AndIOp::create(b, first, second);
  };
  Value size = e.abs(x);
  Value isWhole =
      e.compare(arith::CmpFPredicate::OEQ, math::FloorOp::create(b, y), y);
  Value isOdd = both(isWhole, isFraction(e.mul(y, e.number(0.5))));
  // The sign of -0 is -1, too.
  Value sign = e.copySign(e.number(1), x);
  power = e.select(isOdd, e.mul(power, sign), power);
  Value isNegative = both(e.isLess(x, 0), e.isMore(x, -kInfinity));
  power = e.select(both(isNegative, isFraction(y)), e.number(kNaN), power);
  // (-1)^(+-inf) and 1^y and x^0.
  Value isOne = both(e.isEqual(size, 1), e.isEqual(e.abs(y), kInfinity));
  isOne = arith::OrIOp::create(b, isOne, e.isEqual(x, 1));
  isOne = arith::OrIOp::create(b, isOne, e.isEqual(y, 0));
  return e.select(isOne, e.number(1), power);
}

/// Returns x^y for results that are rounded to f32: exp(y log |x|), whose
/// relative error is that of the logarithm times |y log x|.
static Value emitNarrowPower(ExponentialPairs &e, Value x, Value y) {
  Value log = math::LogOp::create(e.b, e.abs(x));
  Value power = math::ExpOp::create(e.b, e.mul(y, log));
  return emitSpecialPower(e, x, y, power);
}

static Value emitPower(ExponentialPairs &e, Value x, Value y) {
  Value size = e.abs(x);
  Pair log = e.emitLog(e.pair(size));
  // The logarithm of 0 and of infinity only has to be far enough from 0.
  log.high = orSpecial(e, size, log.high);
  Value isFinite = e.isLess(e.abs(log.high), kInfinity);
  Pair exponent = e.mul(log, y);
  Value product = e.mul(log.high, y);
  // NaN is not in range, and remains.
  Value isInRange =
      arith::AndIOp::create(e.b, isFinite, e.isLess(e.abs(product), 800));
  exponent = e.select(isInRange, exponent,
                      e.pair(e.atMost(e.atLeast(product, -800), 800)));
  return emitSpecialPower(e, x, y, e.emitExp(exponent));
}

static Value emitExp2(ExponentialPairs &e, Value x) {
  Value clamped = e.atMost(e.atLeast(x, -1100), 1100);
  Value turns = math::RoundEvenOp::create(e.b, clamped);
  Pair rest =
      e.mul(e.pair(PairConstant{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}),
            e.sub(clamped, turns));
  return e.emitScaled(e.add(e.emitExpM1(rest), e.number(1)), turns);
}

static Value emitLog2(ExponentialPairs &e, Value x) {
  auto [exponent, log] = e.emitLogarithm(e.pair(x));
  Pair scaled = e.mul(
      log, e.pair(PairConstant{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}));
  return orSpecial(e, x, e.sum(e.add(scaled, exponent)));
}

static Value emitLog10(ExponentialPairs &e, Value x) {
  Pair scaled =
      e.mul(e.emitLog(e.pair(x)),
            e.pair(PairConstant{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}));
  return orSpecial(e, x, e.sum(scaled));
}

/// Returns log(1 + x) for x > -1.
static Pair emitLog1pPair(ExponentialPairs &e, Pair x) {
  return e.emitLog(e.add(x, e.number(1)));
}

static Value emitLog1p(ExponentialPairs &e, Value x) {
  Value log = e.sum(emitLog1pPair(e, e.pair(x)));
  log = orSpecial(e, e.add(x, e.number(1)), log);
  // A small x is its own logarithm, rounded, and has the sign of a zero.
  return e.select(e.isLess(e.abs(x), 0x1p-54), x, log);
}

/// Returns the parts of sinh and cosh of |x|: exp(|x|) = 2^turns (1 + power).
static ExponentialPairs::Exponential emitOfSize(ExponentialPairs &e, Value x) {
  return e.emitExponential(e.pair(e.atMost(e.abs(x), 720)));
}

/// Returns exp(-|x|), divided by 2^turns: 2^(-2 turns) / (1 + power).
static Pair emitInverse(ExponentialPairs &e, Value turns, Pair sum) {
  // For more turns, the inverse is negligible.
  Value twice = e.mul(e.atMost(turns, 100), e.number(-2));
  Pair inverse = e.div(e.pair(e.number(1)), sum);
  return {e.emitScaled(e.pair(inverse.high), twice),
          e.emitScaled(e.pair(inverse.low), twice)};
}

static Value emitCosh(ExponentialPairs &e, Value x) {
  auto [turns, power] = emitOfSize(e, x);
  Pair sum = e.add(power, e.number(1));
  sum = e.add(sum, emitInverse(e, turns, sum));
  return e.emitScaled(sum, e.sub(turns, e.number(1)));
}

static Value emitSinh(ExponentialPairs &e, Value x) {
  auto [turns, power] = emitOfSize(e, x);
  Pair sum = e.add(power, e.number(1));
  // Without a turn, the difference would lose small numbers.
  Pair small = e.add(power, e.div(power, sum));
  Pair large = e.sub(sum, emitInverse(e, turns, sum));
  Pair twice = e.select(e.isEqual(turns, 0), small, large);
  Value sinh = e.emitScaled(twice, e.sub(turns, e.number(1)));
  sinh = e.select(e.isLess(e.abs(x), 0x1p-30), e.abs(x), sinh);
  return e.copySign(sinh, x);
}

/// For larger |x|, acosh and asinh are log(2 |x|).
static constexpr double kLarge = 0x1p+60;

/// Returns `small` for sizes up to `kLarge`, and the logarithm of twice `size`
/// for larger ones.
static Value orLarge(ExponentialPairs &e, Value size, Pair small) {
  Pair log =
      e.emitLog(e.pair(e.atMost(size, std::numeric_limits<double>::max())));
  log = e.add(
      log, e.pair(PairConstant{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}));
  Value value = e.sum(e.select(e.isMore(size, kLarge), log, small));
  return e.select(e.isEqual(size, kInfinity), size, value);
}

static Value emitAsinh(ExponentialPairs &e, Value x) {
  Value size = e.abs(x), bounded = e.atMost(size, kLarge);
  // log(1 + x + x^2 / (1 + sqrt(1 + x^2))).
  Pair square = e.mulExactly(bounded, bounded);
  Pair root = e.sqrt(e.add(square, e.number(1)));
  Pair part = e.div(square, e.add(root, e.number(1)));
  Value value = orLarge(e, size, emitLog1pPair(e, e.add(part, bounded)));
  value = e.select(e.isLess(size, 0x1p-30), size, value);
  return e.copySign(value, x);
}

static Value emitAcosh(ExponentialPairs &e, Value x) {
  // log(1 + (x - 1) + sqrt((x - 1) (x + 1))).
  Value bounded = e.atMost(x, kLarge);
  Pair less = e.addExactly(bounded, e.number(-1));
  Pair root = e.sqrt(e.mul(less, e.addExactly(bounded, e.number(1))));
  Value value = orLarge(e, x, emitLog1pPair(e, e.add(less, root)));
  return e.select(e.compare(arith::CmpFPredicate::ULT, x, e.number(1)),
                  e.number(kNaN), value);
}

static Value emitAtanh(ExponentialPairs &e, Value x) {
  Value size = e.abs(x);
  // log(1 + 2 x / (1 - x)) / 2.
  Pair divisor = e.addExactly(e.number(1), e.neg(size));
  Pair quotient = e.div(e.pair(e.add(size, size)), divisor);
  Value value = e.mul(e.sum(emitLog1pPair(e, quotient)), e.number(0.5));
  value = e.select(e.isLess(size, 0x1p-30), size, value);
  value = e.select(e.isEqual(size, 1), e.number(kInfinity), value);
  value = e.select(e.isMore(size, 1), e.number(kNaN), value);
  return e.copySign(value, x);
}

static Value emitCbrt(ExponentialPairs &e, Value x) {
  Value size = e.abs(x);
  // Cubes of roots, and their rounding errors, have to be normal numbers.
  auto scale = [&](Value value, double ofSmall, double ofLarge) {
    Value factor =
        e.select(e.isLess(size, 0x1p-600), e.number(ofSmall), e.number(1));
    factor = e.select(e.isMore(size, 0x1p+600), e.number(ofLarge), factor);
    return e.mul(value, factor);
  };
  Value scaled = scale(size, 0x1p+600, 0x1p-600);
  Value root = math::ExpOp::create(
      e.b, e.mul(math::LogOp::create(e.b, scaled), e.number(1.0 / 3)));
  // One step of Newton.
  Pair cube = e.mul(e.mulExactly(root, root), root);
  Value rest = e.sum(e.sub(e.pair(scaled), cube));
  Value step = e.div(rest, e.mul(e.mul(root, root), e.number(3)));
  Value value = scale(e.add(root, step), 0x1p-200, 0x1p+200);
  // The step has no value for a root of 0, to which a denormal number may be
  // flushed.
  value = e.select(e.isEqual(root, 0), root, value);
  value = e.select(e.isEqual(size, kInfinity), size, value);
  return e.copySign(value, x);
}

static Value emitRsqrt(ExponentialPairs &e, Value x) {
  return e.div(e.number(1), math::SqrtOp::create(e.b, x));
}

/// Rounds to the nearest whole number, halves away from zero.
static Value emitRound(ExponentialPairs &e, Value x) {
  Value whole = math::TruncOp::create(e.b, x);
  Value isFar = e.compare(arith::CmpFPredicate::OGE, e.abs(e.sub(x, whole)),
                          e.number(0.5));
  Value step = e.select(isFar, e.number(1), e.number(0));
  return e.copySign(e.add(whole, e.copySign(step, x)), x);
}

namespace {
struct ExpandPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    return expandWide<ExponentialPairs>(
        op, rewriter, [&](ExponentialPairs &e, ValueRange x) {
          return op.getType().isF64() ? emitPower(e, x[0], x[1])
                                      : emitNarrowPower(e, x[0], x[1]);
        });
  }
};
} // namespace

void flywheel::populateWidePowerPatterns(RewritePatternSet &patterns) {
  constexpr Elements f64 = Elements::F64, any = Elements::F32AndF64;
  patterns
      .add<ExpandPower,
           ExpandWideUnary<math::Exp2Op, ExponentialPairs, emitExp2, any>,
           ExpandWideUnary<math::Log2Op, ExponentialPairs, emitLog2, f64>,
           ExpandWideUnary<math::Log10Op, ExponentialPairs, emitLog10, any>,
           ExpandWideUnary<math::Log1pOp, ExponentialPairs, emitLog1p, f64>,
           ExpandWideUnary<math::SinhOp, ExponentialPairs, emitSinh, any>,
           ExpandWideUnary<math::CoshOp, ExponentialPairs, emitCosh, any>,
           ExpandWideUnary<math::AsinhOp, ExponentialPairs, emitAsinh, any>,
           ExpandWideUnary<math::AcoshOp, ExponentialPairs, emitAcosh, any>,
           ExpandWideUnary<math::AtanhOp, ExponentialPairs, emitAtanh, any>,
           ExpandWideUnary<math::CbrtOp, ExponentialPairs, emitCbrt, any>,
           ExpandWideUnary<math::RoundOp, ExponentialPairs, emitRound, any>,
           ExpandWideUnary<math::RsqrtOp, ExponentialPairs, emitRsqrt, any>>(
          patterns.getContext());
}

void flywheel::populateDeviceMathPatterns(RewritePatternSet &patterns) {
  populateWidePowerPatterns(patterns);
  populateWideTrigonometryPatterns(patterns);
  populateWideErrorFunctionPatterns(patterns);
}
