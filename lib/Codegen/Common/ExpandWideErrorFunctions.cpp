//===- ExpandWideErrorFunctions.cpp - erf and erfc of f64 -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands these functions of numbers to pairs, for devices that have no library
// of functions. The polynomials interpolate at Chebyshev's points of the
// intervals stated.
//
//===----------------------------------------------------------------------===//

#include "WideMath.h"

using namespace mlir;
using namespace flywheel;

/// Below, erf is a polynomial; above, erfc is one times exp(-x^2).
static constexpr double kMaxSmall = 0.75;
/// Above, erfc rounds to 0.
static constexpr double kMaxSize = 27.5;

/// Returns erf(x) for |x| up to `kMaxSmall`: x P(x^2), with a relative error of
/// 2^-72.
static Pair emitSmall(ExponentialPairs &e, Value x) {
  Pair square = e.mulExactly(x, x);
  Value rest = e.polynomial(
      square.high,
      {0x1.3fb5a5d52ad9ep-34, -0x1.48ae1fb637e7ap-30, 0x1.fbb734034bc0dp-27,
       -0x1.5f6a0bbb5e490p-23, 0x1.b9e645da656acp-20, -0x1.f4d2579f1392cp-17,
       0x1.f9a326dd56bbep-14, -0x1.c02db3ffcbce6p-11, 0x1.565bcd0e691eap-8});
  Pair sum = e.polynomial(square, rest,
                          {{-0x1.b82ce31288b14p-6, 0x1.2f91ad07d1996p-63},
                           {0x1.ce2f21a042be1p-4, 0x1.48a30a11caa23p-58},
                           {-0x1.812746b0379e7p-2, 0x1.f01463592138fp-57},
                           {0x1.20dd750429b6dp+0, 0x1.1ae33b8558553p-56}});
  return e.mul(sum, x);
}

/// Returns erfc(x) = exp(-x^2) scaled / (x + 2) for x in [`kMaxSmall`,
/// `kMaxSize`], where scaled is a polynomial in (x - 2) / (x + 2) with a
/// relative error of 2^-70.
static ExponentialPairs::Exponential emitLarge(ExponentialPairs &e, Value x) {
  Pair divisor = e.addExactly(x, e.number(2));
  Pair t = e.div(e.addExactly(x, e.number(-2)), divisor);
  Value rest = e.polynomial(
      t.high,
      {-0x1.e5d4582317176p-27, 0x1.3a4a4cf9cc855p-24,  -0x1.e612cc66514eap-24,
       0x1.156195e33597ep-30,  0x1.996e86b9eb3f1p-24,  -0x1.960e78a575432p-27,
       0x1.32afbdd46a5b6p-24,  0x1.0f641149d24b5p-25,  -0x1.4f36f05aba7e9p-22,
       -0x1.34a89f79959c0p-21, -0x1.5a85ae00e64cap-28, 0x1.0c30708377be3p-19,
       0x1.e98dd35146c42p-19,  -0x1.2d855f2bc8240p-20, -0x1.0e7bdebafaf1dp-16,
       -0x1.6c037521cd37ep-16, 0x1.1e76b19dd76cep-15,  0x1.2efa34419084fp-13,
       0x1.20540998ecdfbp-15,  -0x1.5ba4388bd4d04p-11, -0x1.b6fbf9934f4a7p-11,
       0x1.9517bb7152b81p-9,   0x1.a89eaff867a02p-8});
  Pair scaled =
      e.div(e.polynomial(t, rest,
                         {{-0x1.606e41552a682p-6, 0x1.7edb5b7c180dbp-60},
                          {-0x1.2a88e6107d55ap-5, -0x1.c311c16b8d6e5p-62},
                          {0x1.1e2deea6b1175p-2, 0x1.12e87f7095858p-56},
                          {-0x1.5fd386754eff9p-1, 0x1.5e3fb7e04484bp-56},
                          {0x1.058671b52c776p+0, -0x1.3b85ab9c82d08p-56}}),
            divisor);
  auto [turns, power] = e.emitExponential(e.neg(e.mulExactly(x, x)));
  return {turns, e.mul(e.add(power, e.number(1)), scaled)};
}

static Value emitErf(ExponentialPairs &e, Value x) {
  Value size = e.abs(x);
  Value small = e.sum(emitSmall(e, e.atMost(size, kMaxSmall)));
  // From there on, the result rounds to 1.
  Value bounded = e.atMost(e.atLeast(size, kMaxSmall), 6);
  auto [turns, power] = emitLarge(e, bounded);
  Pair rest = {e.emitScaled(e.pair(power.high), turns),
               e.emitScaled(e.pair(power.low), turns)};
  Value large = e.sum(e.sub(e.pair(e.number(1)), rest));
  return e.copySign(e.select(e.isMore(size, kMaxSmall), large, small), x);
}

static Value emitErfc(ExponentialPairs &e, Value x) {
  Value size = e.abs(x), one = e.number(1);
  Value clamped = e.atLeast(e.atMost(x, kMaxSmall), -kMaxSmall);
  Value small = e.sum(e.sub(e.pair(one), emitSmall(e, clamped)));
  Value bounded = e.atMost(e.atLeast(size, kMaxSmall), kMaxSize);
  auto [turns, power] = emitLarge(e, bounded);
  Value large = e.emitScaled(power, turns);
  // erfc(-x) = 2 - erfc(x).
  Pair rest = {large, e.emitScaled(e.pair(power.low), turns)};
  Value negative = e.sum(e.sub(e.pair(e.number(2)), rest));
  Value far = e.select(e.isLess(x, 0), negative, large);
  return e.select(e.isMore(size, kMaxSmall), far, small);
}

void flywheel::populateWideErrorFunctionPatterns(RewritePatternSet &patterns) {
  constexpr Elements f64 = Elements::F64;
  patterns.add<ExpandWideUnary<math::ErfOp, ExponentialPairs, emitErf, f64>,
               ExpandWideUnary<math::ErfcOp, ExponentialPairs, emitErfc, f64>>(
      patterns.getContext());
}
