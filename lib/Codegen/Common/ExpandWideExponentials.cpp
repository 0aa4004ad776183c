//===- ExpandWideExponentials.cpp - exp, expm1, log and tanh of f64 -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes these of vectors in registers; the C library takes one element at a
// time. The polynomials are minimax polynomials of the intervals stated.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// Emits the parts that the functions consist of.
struct ExponentialEmitter : MathEmitter {
  using MathEmitter::MathEmitter;

  /// The largest x whose exp is finite, and the smallest one whose exp is a
  /// normal number.
  static constexpr double maxExponent = 0x1.62e42fefa39efp+9;
  static constexpr double minExponent = -0x1.6232bdd7abcd2p+9;
  static constexpr int64_t mantissaBits = 52;
  static constexpr int64_t exponentBias = 1023;

  /// x = turns ln 2 + rest, exp(rest) = 1 + power. `shifted` has turns in its
  /// low bits.
  struct Parts {
    Value shifted, power;
  };

  Parts split(Value x) {
    // The sum of 3 * 2^51 and a number is rounded to an integer.
    Value shift = number(0x1.8p+52);
    Value shifted = fma(x, number(0x1.71547652b82fep+0), shift);
    Value turns = sub(shifted, shift);
    Value rest = fma(turns, number(-0x1.62e42fefa39efp-1), x);
    rest = fma(turns, number(-0x1.abc9e3b39803fp-56), rest);
    // (exp(x) - 1 - x) / x^2 on [-ln 2 / 2, ln 2 / 2].
    Value sum = polynomial(rest, {0x1.1f957605c7e6dp-29, 0x1.af5ebf4cfa2b4p-26,
                                  0x1.27e4c5920f230p-22, 0x1.71ddf85377f97p-19,
                                  0x1.a01a01b0bfcd0p-16, 0x1.a01a01afe5356p-13,
                                  0x1.6c16c16c1442bp-10, 0x1.111111110f6aep-7,
                                  0x1.555555555555ap-5, 0x1.5555555555559p-3,
                                  0x1.0000000000000p-1});
    return {shifted, fma(mul(rest, rest), sum, rest)};
  }

  /// Returns exp(x) for x in [`minExponent`, `maxExponent`].
  Value emitExp(Value x) {
    auto [shifted, power] = split(x);
    Value bits = toBits(add(power, number(1)));
    return fromBits(
        addIntegers(bits, shiftLeft(toBits(shifted), mantissaBits)));
  }

  /// Returns exp(x) - 1 for x in [-38, `maxExponent`].
  Value emitExpM1(Value x) {
    auto [shifted, power] = split(x);
    // Half of 2^turns: 2^1024 is not a number of f64.
    Value exponent = addIntegers(shiftLeft(toBits(shifted), mantissaBits),
                                 integer((exponentBias - 1) << mantissaBits));
    Value scale = fromBits(exponent);
    return mul(fma(scale, power, sub(scale, number(0.5))), number(2));
  }

  /// Returns the smaller one of x and `bound`; NaN for NaN.
  Value atMost(Value x, double bound) {
    Value most = number(bound);
    return select(compare(arith::CmpFPredicate::OGT, x, most), most, x);
  }
  Value atLeast(Value x, double bound) {
    Value least = number(bound);
    return select(compare(arith::CmpFPredicate::OLT, x, least), least, x);
  }
  /// Returns `value`, but infinity if x is too large for a finite result, and
  /// NaN for NaN.
  Value overflow(Value x, Value value) {
    Value infinity = number(std::numeric_limits<double>::infinity());
    return select(compare(arith::CmpFPredicate::OLE, x, number(maxExponent)),
                  value, mul(x, infinity));
  }

  /// Returns log(x) for finite x > 0.
  Value emitLog(Value x) {
    // Scales denormal numbers to normal ones.
    Value isDenormal = compare(arith::CmpFPredicate::OLT, x, number(0x1p-1022));
    x = select(isDenormal, mul(x, number(0x1p+54)), x);
    // x = 2^exponent (1 + part), with 1 + part in [sqrt 1/2, sqrt 2): the bits
    // of sqrt 1/2 and above carry into the exponent.
    constexpr int64_t bitsOfRoot = 0x3fe6a09e667f3bcd;
    constexpr int64_t bitsOfOne = exponentBias << mantissaBits;
    Value bits = toBits(x);
    Value biased = arith::ShRUIOp::create(
        b, addIntegers(bits, integer(bitsOfOne - bitsOfRoot)),
        integer(mantissaBits));
    Value part = arith::SubIOp::create(b, addIntegers(bits, integer(bitsOfOne)),
                                       shiftLeft(biased, mantissaBits));
    part = sub(fromBits(part), number(1));
    // Uses the low bits of 2^52: not all vector units convert 64-bit integers.
    Value exponent = fromBits(arith::OrIOp::create(
        b, biased, integer(int64_t{0x433} << mantissaBits)));
    exponent =
        sub(exponent, select(isDenormal, number(0x1p+52 + exponentBias + 54),
                             number(0x1p+52 + exponentBias)));
    // log(1 + part) = 2 s + s^3 P(s^2), and 2 s = part - s part.
    Value s = div(part, add(part, number(2)));
    Value square = mul(s, s);
    Value sum = mul(
        square, polynomial(square, {0x1.2f0d8f548906fp-3, 0x1.39a0f517122bdp-3,
                                    0x1.7466462a115aap-3, 0x1.c71c51e80c67ep-3,
                                    0x1.24924942177b2p-2, 0x1.999999997fb35p-2,
                                    0x1.5555555555593p-1}));
    Value half = mul(mul(part, part), number(0.5));
    // The first part of ln 2 times an exponent is exact.
    Value low =
        fma(s, add(half, sum), mul(exponent, number(0x1.3de6af278ece6p-42)));
    return fma(exponent, number(0x1.62e42fefa3000p-1),
               sub(part, sub(half, low)));
  }
};

/// A function of f64 by `Emitter`, which has the math.
template <typename OpTy, Value (*emit)(ExponentialEmitter &, Value)>
struct ExpandWide : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!getElementTypeOrSelf(op.getType()).isF64() ||
        (vector && vector.isScalable()))
      return failure();
    ExponentialEmitter emitter(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, emit(emitter, op.getOperand()));
    return success();
  }
};
} // namespace

static Value emitExp(ExponentialEmitter &e, Value x) {
  Value clamped = e.atLeast(e.atMost(x, ExponentialEmitter::maxExponent),
                            ExponentialEmitter::minExponent);
  // Below, the result is a denormal number.
  Value isSmall = e.compare(arith::CmpFPredicate::OLT, x,
                            e.number(ExponentialEmitter::minExponent));
  return e.overflow(x, e.select(isSmall, e.number(0), e.emitExp(clamped)));
}

static Value emitExpM1(ExponentialEmitter &e, Value x) {
  // -1, rounded, is what smaller ones have.
  Value clamped = e.atLeast(e.atMost(x, ExponentialEmitter::maxExponent), -38);
  // Half of the smallest numbers is not a normal number; and the sum is not a
  // negative zero.
  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, e.abs(x), e.number(0x1p-54));
  return e.overflow(x, e.select(isSmall, x, e.emitExpM1(clamped)));
}

static Value emitTanh(ExponentialEmitter &e, Value x) {
  // tanh |x| = (exp(2 |x|) - 1) / (exp(2 |x|) + 1), and 1, rounded, from 20 on.
  Value size = e.atMost(e.abs(x), 20);
  Value grown = e.emitExpM1(e.add(size, size));
  Value value = e.div(grown, e.add(grown, e.number(2)));
  return math::CopySignOp::create(e.b, value, x);
}

static Value emitLog(ExponentialEmitter &e, Value x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto replace = [&](arith::CmpFPredicate predicate, double bound, double by,
                     Value value) {
    return e.select(e.compare(predicate, x, e.number(bound)), e.number(by),
                    value);
  };
  Value value = e.emitLog(x);
  value = replace(arith::CmpFPredicate::OEQ, infinity, infinity, value);
  value = replace(arith::CmpFPredicate::OEQ, 0, -infinity, value);
  // NaN is unordered.
  return replace(arith::CmpFPredicate::ULT, 0,
                 std::numeric_limits<double>::quiet_NaN(), value);
}

void flywheel::populateWideExponentialPatterns(RewritePatternSet &patterns) {
  patterns.add<
      ExpandWide<math::ExpOp, emitExp>, ExpandWide<math::ExpM1Op, emitExpM1>,
      ExpandWide<math::LogOp, emitLog>, ExpandWide<math::TanhOp, emitTanh>>(
      patterns.getContext());
}
