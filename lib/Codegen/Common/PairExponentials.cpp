//===- PairExponentials.cpp - exp and log of twice the precision ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairEmitter.h"

using namespace mlir;
using namespace flywheel;

static constexpr int64_t kMantissaBits = 52, kBias = 1023;
/// ln 2 in three parts.
static constexpr double kLn2 = 0x1.62e42fefa39efp-1,
                        kLn2Rest = 0x1.abc9e3b39803fp-56,
                        kLn2Last = 0x1.7b57a079a1934p-111;

Pair ExponentialPairs::emitExpM1(Pair x) {
  // A Taylor polynomial: the terms from x^7 / 7! on are 2^-21 of x, and need no
  // pair.
  SmallVector<double> inverses = {1};
  for (int i = 1; i <= 19; ++i)
    inverses.push_back(inverses.back() * i);
  SmallVector<double> higher;
  for (int i = 19; i >= 7; --i)
    higher.push_back(1 / inverses[i]);
  Pair sum =
      polynomial(x, polynomial(x.high, higher),
                 {{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65}, // 1 / 6!
                  {0x1.1111111111111p-7, 0x1.1111111111111p-63},   // 1 / 5!
                  {0x1.5555555555555p-5, 0x1.5555555555555p-59},   // 1 / 4!
                  {0x1.5555555555555p-3, 0x1.5555555555555p-57},   // 1 / 3!
                  {0.5, 0}});
  return add(x, mul(mul(x, x), sum));
}

ExponentialPairs::Exponential ExponentialPairs::emitExponential(Pair x) {
  Value turns =
      math::RoundEvenOp::create(b, mul(x.high, number(0x1.71547652b82fep+0)));
  // Exact: the remainder has no bit that the product lacks.
  Value rest = fma(turns, number(-kLn2), x.high);
  Pair product = mulExactly(turns, number(-kLn2Rest));
  Pair reduced = addExactly(rest, product.high);
  Value low = add(product.low, fma(turns, number(-kLn2Last), x.low));
  reduced = addOrdered(reduced.high, add(reduced.low, low));
  return {turns, emitExpM1(reduced)};
}

/// Returns 2^turns for a whole f64; an arbitrary number for NaN, for which
/// there is no integer.
static Value emitPower(PairEmitter &e, Value turns) {
  turns = e.select(e.isLess(e.abs(turns), kBias), turns, e.number(0));
  Value exponent = arith::FPToSIOp::create(e.b, e.integers, turns);
  return e.fromBits(
      e.shiftLeft(e.addIntegers(exponent, e.integer(kBias)), kMantissaBits));
}

Value ExponentialPairs::emitScaled(Pair x, Value turns) {
  // Multiplies by two halves: 2^1024 is not a number of f64, and the first
  // product is exact.
  Value half = math::FloorOp::create(b, mul(turns, number(0.5)));
  Value scaled = mul(x.high, emitPower(*this, half));
  return mul(scaled, emitPower(*this, sub(turns, half)));
}

ExponentialPairs::Logarithm ExponentialPairs::emitLogarithm(Pair x) {
  Value isDenormal = isLess(x.high, 0x1p-1022);
  Value high = select(isDenormal, mul(x.high, number(0x1p+54)), x.high);
  // x = 2^exponent m, with m in [sqrt 1/2, sqrt 2): the bits of sqrt 1/2 and
  // above carry into the exponent.
  constexpr int64_t bitsOfRoot = 0x3fe6a09e667f3bcd;
  constexpr int64_t bitsOfOne = kBias << kMantissaBits;
  Value bits = toBits(high);
  Value biased = arith::ShRUIOp::create(
      b, addIntegers(bits, integer(bitsOfOne - bitsOfRoot)),
      integer(kMantissaBits));
  Value m =
      fromBits(arith::SubIOp::create(b, addIntegers(bits, integer(bitsOfOne)),
                                     shiftLeft(biased, kMantissaBits)));
  // For the largest x, the low part becomes 0: it is negligible.
  Value most = arith::MinUIOp::create(b, biased, integer(2 * kBias));
  Value inverse = fromBits(shiftLeft(
      arith::SubIOp::create(b, integer(2 * kBias), most), kMantissaBits));
  Value low = select(isDenormal, number(0), mul(x.low, inverse));
  Value exponent = arith::SIToFPOp::create(b, type, biased);
  exponent =
      sub(exponent, select(isDenormal, number(kBias + 54), number(kBias)));
  // One step of Newton: log m = y + log(m exp(-y)), with m exp(-y) near 1.
  Value y = math::LogOp::create(b, m);
  Pair inner = {m, low};
  Pair step =
      add(Pair{sub(m, number(1)), low}, mul(emitExpM1(pair(neg(y))), inner));
  return {exponent, add(step, y)};
}

Pair ExponentialPairs::emitLog(Pair x) {
  Logarithm parts = emitLogarithm(x);
  return add(mul(pair(PairConstant{kLn2, kLn2Rest}), parts.exponent),
             parts.log);
}
