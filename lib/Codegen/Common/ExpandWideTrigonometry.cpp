//===- ExpandWideTrigonometry.cpp - Angles of f64 -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands these functions of numbers to pairs, for devices that have no library
// of functions. Arguments of sines up to 2^27 are reduced by pi / 2 in three
// parts, larger ones by the relevant bits of 2 / pi (Payne and Hanek, "Radian
// reduction for trigonometric functions", 1983): the relative error of both
// remainders is 2^-70. An angle is an arctangent of a few digits and one step
// of Newton.
//
//===----------------------------------------------------------------------===//

#include "WideMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace flywheel;

static constexpr PairConstant kHalfPi = {0x1.921fb54442d18p+0,
                                         0x1.1a62633145c07p-54};
static constexpr PairConstant kPi = {0x1.921fb54442d18p+1,
                                     0x1.1a62633145c07p-53};
static constexpr double kHalfPiLast = -0x1.f1976b7ed8fbcp-110;

/// 2 / pi in words of 64 bits, the highest first, after one of zeros.
static constexpr uint64_t kTwoOverPi[] = {0,
                                          0xa2f9836e4e441529,
                                          0xfc2757d1f534ddc0,
                                          0xdb6295993c439041,
                                          0xfe5163abdebbc561,
                                          0xb7246e3a424dd2e0,
                                          0x06492eea09d1921c,
                                          0xfe1deb1cb129a73e,
                                          0xe88235f52ebb4484,
                                          0xe99c7026b45f7e41,
                                          0x3991d639835339f4,
                                          0x9c845f8bbdf9283b,
                                          0x1ff897ffde05980f,
                                          0xef2f118b5a0a6d1f,
                                          0x6d367ecf27cb09b7,
                                          0x4f463f669e5fea2d,
                                          0x7527bac7ebe5f17b,
                                          0x3d0739f78a5292ea,
                                          0x6bfb5fb11f8d5d08,
                                          0x56033046fc7b6bab};

namespace {
struct Trigonometry : PairEmitter {
  using PairEmitter::PairEmitter;

  struct Angle {
    /// The number of turns by pi / 2, of which the low two bits count.
    Value quadrant;
    /// The remainder, in [-pi / 4, pi / 4].
    Pair rest;
  };
  /// Reduces finite x >= 0.
  Angle reduce(Value x);

  /// Sine and cosine of x in [-pi / 4, pi / 4], with relative errors of 2^-64.
  struct SineAndCosine {
    Pair sine, cosine;
  };
  SineAndCosine emitReduced(Pair x);

  /// Returns the angle of the point (x, y) with 0 <= y <= x, both of a size
  /// whose products are normal numbers.
  Pair emitAngle(Pair y, Pair x);

  /// Returns sin(x) or cos(x).
  Value emitSine(Value x, bool isCosine);

private:
  Angle reduceSmall(Value x);
  Angle reduceLarge(Value x);
  Value andBits(Value x, int64_t bits) {
    return arith::AndIOp::create(b, x, integer(bits));
  }
  Value isSet(Value x, int64_t bits) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, andBits(x, bits),
                                 integer(0));
  }
  Value shiftRight(Value x, int64_t count) {
    return arith::ShRUIOp::create(b, x, integer(count));
  }
};
} // namespace

Trigonometry::Angle Trigonometry::reduceSmall(Value x) {
  Value turns =
      math::RoundEvenOp::create(b, mul(x, number(0x1.45f306dc9c883p-1)));
  // Exact: x and the product are multiples of one bit.
  Value rest = fma(turns, number(-kHalfPi.high), x);
  Pair product = mulExactly(turns, number(-kHalfPi.low));
  Pair reduced = addExactly(rest, product.high);
  Value low = fma(turns, number(-kHalfPiLast), product.low);
  reduced = addOrdered(reduced.high, add(reduced.low, low));
  return {arith::FPToSIOp::create(b, integers, turns), reduced};
}

Trigonometry::Angle Trigonometry::reduceLarge(Value x) {
  // x = mantissa 2^exponent. Bits of 2 / pi whose product with x is a multiple
  // of 4 are left out: `first` is their number, including the 64 zeros.
  Value bits = toBits(x);
  Value mantissa = arith::OrIOp::create(b, andBits(bits, (1LL << 52) - 1),
                                        integer(1LL << 52));
  Value first = addIntegers(shiftRight(bits, 52), integer(64 - 1075 - 2));
  // Selects the four words from there on: each bit of the number of the first
  // word moves all words.
  Value word = shiftRight(first, 6), shift = andBits(first, 63);
  SmallVector<Value> words;
  for (uint64_t part : kTwoOverPi)
    words.push_back(integer(static_cast<int64_t>(part)));
  for (int64_t step = 16; step >= 1; step /= 2) {
    Value isMoved = isSet(word, step);
    // Keeps the words that the remaining steps can reach.
    size_t count = std::min<size_t>(words.size(), 4 + step - 1);
    SmallVector<Value> moved;
    for (size_t i = 0; i < count; ++i)
      moved.push_back(i + step < words.size()
                          ? select(isMoved, words[i + step], words[i])
                          : words[i]);
    words = std::move(moved);
  }
  Value others = arith::SubIOp::create(b, integer(63), shift);
  SmallVector<Value, 3> part;
  for (int i = 0; i < 3; ++i) {
    Value next = arith::ShRUIOp::create(b, shiftRight(words[i + 1], 1), others);
    part.push_back(arith::OrIOp::create(
        b, arith::ShLIOp::create(b, words[i], shift), next));
  }
  // Their product, modulo 4, of which the low 190 bits are a fraction.
  auto low = arith::MulUIExtendedOp::create(b, mantissa, part[2]);
  auto middle = arith::MulUIExtendedOp::create(b, mantissa, part[1]);
  Value high = arith::MulIOp::create(b, mantissa, part[0]);
  Value r1 = addIntegers(low.getHigh(), middle.getLow());
  Value carry = arith::ExtUIOp::create(
      b, integers,
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, r1, low.getHigh()));
  Value r2 = addIntegers(addIntegers(high, middle.getHigh()), carry);
  Value quadrant = shiftRight(addIntegers(r2, integer(1LL << 61)), 62);
  // The remainder has a sign. The error of its size is less than 2^-189.
  r2 = arith::SubIOp::create(b, r2, shiftLeft(quadrant, 62));
  Value sign = arith::ShRSIOp::create(b, r2, integer(63));
  Pair fraction = pair(number(0));
  double unit = 0x1p-30;
  for (Value whole : {r2, r1, low.getLow()}) {
    whole = arith::XOrIOp::create(b, whole, sign);
    for (Value half : {shiftRight(whole, 32), andBits(whole, 0xffffffff)}) {
      Value term = mul(arith::UIToFPOp::create(b, type, half), number(unit));
      fraction = add(fraction, term);
      unit *= 0x1p-32;
    }
  }
  Pair rest = mul(fraction, pair(kHalfPi));
  Value isNegative = isSet(sign, 1);
  return {quadrant, select(isNegative, neg(rest), rest)};
}

Trigonometry::Angle Trigonometry::reduce(Value x) {
  Value isSmall = isLess(x, 0x1p+27);
  auto choice = scf::IfOp::create(b, TypeRange{integers, type, type}, isSmall,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool small : {true, false}) {
    b.setInsertionPointToStart(small ? choice.thenBlock() : choice.elseBlock());
    Angle angle = small ? reduceSmall(x) : reduceLarge(x);
    scf::YieldOp::create(
        b, ValueRange{angle.quadrant, angle.rest.high, angle.rest.low});
  }
  return {choice.getResult(0), {choice.getResult(1), choice.getResult(2)}};
}

Trigonometry::SineAndCosine Trigonometry::emitReduced(Pair x) {
  // Taylor polynomials: terms from x^7 and x^8 on are 2^-14 of the first, and
  // need no pairs.
  Pair square = mul(x, x);
  auto terms = [](int from, int to) {
    SmallVector<double> result;
    for (int power = to; power >= from; power -= 2) {
      double factorial = 1;
      for (int i = 2; i <= power; ++i)
        factorial *= i;
      result.push_back((power / 2 % 2 ? -1 : 1) / factorial);
    }
    return result;
  };
  Pair sine =
      polynomial(square, polynomial(square.high, terms(7, 21)),
                 {{0x1.1111111111111p-7, 0x1.1111111111111p-63},     // 1 / 5!
                  {-0x1.5555555555555p-3, -0x1.5555555555555p-57}}); // 1 / 3!
  sine = add(x, mul(mul(x, square), sine));
  Pair cosine =
      polynomial(square, polynomial(square.high, terms(8, 22)),
                 {{-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65}, // 1 / 6!
                  {0x1.5555555555555p-5, 0x1.5555555555555p-59},   // 1 / 4!
                  {-0.5, 0},
                  {1, 0}});
  return {sine, cosine};
}

Pair Trigonometry::emitAngle(Pair y, Pair x) {
  // To 2^-28: the polynomial that f32 has (ExpandArctangent.cpp).
  Value t = div(y.high, x.high), square = mul(t, t);
  Value sum =
      polynomial(square, {-0x1.d5581ap-10, 0x1.652948p-7, -0x1.fe581cp-6,
                          0x1.da8a34p-5, -0x1.5820f8p-4, 0x1.c092dep-4,
                          -0x1.2420fap-3, 0x1.9991eap-3, -0x1.55553ep-2});
  Value angle = fma(sum, mul(t, square), t);
  // The angle between the point and that one: the cube of its tangent is 2^-84.
  auto [sine, cosine] = emitReduced(pair(angle));
  Pair across = sub(mul(y, cosine), mul(x, sine));
  Value along = fma(x.high, cosine.high, mul(y.high, sine.high));
  return addOrdered(angle, div(add(across.high, across.low), along));
}

Value Trigonometry::emitSine(Value x, bool isCosine) {
  Value size = abs(x);
  Value isFinite = isLess(size, std::numeric_limits<double>::infinity());
  auto [quadrant, rest] = reduce(select(isFinite, size, number(0)));
  auto [sine, cosine] = emitReduced(rest);
  if (isCosine)
    quadrant = addIntegers(quadrant, integer(1));
  Value value = sum(select(isSet(quadrant, 1), cosine, sine));
  value = select(isSet(quadrant, 2), neg(value), value);
  if (!isCosine) {
    Value flipped = arith::XOrIOp::create(
        b, toBits(value),
        andBits(toBits(x), std::numeric_limits<int64_t>::min()));
    // A small argument is its own arctangent, and so is -0.
    value = select(isLess(size, 0x1p-30), x, fromBits(flipped));
  }
  return select(isFinite, value,
                number(std::numeric_limits<double>::quiet_NaN()));
}

static Value emitSin(Trigonometry &e, Value x) { return e.emitSine(x, false); }

static Value emitCos(Trigonometry &e, Value x) { return e.emitSine(x, true); }

static Value emitTan(Trigonometry &e, Value x) {
  Value size = e.abs(x);
  Value isFinite = e.isLess(size, std::numeric_limits<double>::infinity());
  auto [quadrant, rest] = e.reduce(e.select(isFinite, size, e.number(0)));
  auto [sine, cosine] = e.emitReduced(rest);
  Value isOdd = arith::TruncIOp::create(e.b, e.b.getI1Type(), quadrant);
  Value value = e.sum(e.div(e.select(isOdd, e.neg(cosine), sine),
                            e.select(isOdd, sine, cosine)));
  Value negative = e.neg(value);
  value = e.select(e.compare(arith::CmpFPredicate::OEQ,
                             e.copySign(e.number(1), x), e.number(-1)),
                   negative, value);
  value = e.select(e.isLess(size, 0x1p-30), x, value);
  return e.select(isFinite, value,
                  e.number(std::numeric_limits<double>::quiet_NaN()));
}

/// Returns the arcsine of `size` up to 1/2; for a larger `size`, that of
/// sqrt((1 - size) / 2), which is half of the difference to pi / 2.
static Pair emitArcsinePart(Trigonometry &e, Value size, Value isLarge) {
  Value rest = e.mul(e.sub(e.number(1), size), e.number(0.5));
  Pair square = e.select(isLarge, e.pair(rest), e.mulExactly(size, size));
  Pair sine = e.select(isLarge, e.sqrt(e.pair(rest)), e.pair(size));
  Pair cosine = e.sqrt(e.sub(e.pair(e.number(1)), square));
  return e.emitAngle(sine, cosine);
}

static Value emitAsin(Trigonometry &e, Value x) {
  Value size = e.abs(x), isLarge = e.isMore(size, 0.5);
  Pair part = emitArcsinePart(e, size, isLarge);
  Pair turned = e.sub(e.pair(kHalfPi), e.scale(part, 2));
  Value value = e.sum(e.select(isLarge, turned, part));
  value = e.select(e.isLess(size, 0x1p-30), size, value);
  return e.copySign(value, x);
}

static Value emitAcos(Trigonometry &e, Value x) {
  Value size = e.abs(x), isLarge = e.isMore(size, 0.5);
  Value isNegative = e.isLess(x, 0);
  Pair part = emitArcsinePart(e, size, isLarge);
  Pair twice = e.scale(part, 2);
  Pair large = e.select(isNegative, e.sub(e.pair(kPi), twice), twice);
  Pair sine = e.select(isNegative, e.neg(part), part);
  return e.sum(e.select(isLarge, large, e.sub(e.pair(kHalfPi), sine)));
}

static Value emitAtan(Trigonometry &e, Value x) {
  // Beyond 2^60 it is pi / 2, rounded.
  Value size = e.abs(x), bounded = e.atMost(size, 0x1p+60);
  Value isLarge = e.isMore(size, 1), one = e.number(1);
  Pair part = e.emitAngle(e.pair(e.select(isLarge, one, bounded)),
                          e.pair(e.select(isLarge, bounded, one)));
  Value value = e.sum(e.select(isLarge, e.sub(e.pair(kHalfPi), part), part));
  value = e.select(e.isLess(size, 0x1p-30), size, value);
  return e.copySign(value, x);
}

static Value emitAtan2(Trigonometry &e, Value y, Value x) {
  Value ySize = e.abs(y), xSize = e.abs(x), zero = e.number(0);
  Value isSteep = e.compare(arith::CmpFPredicate::OGT, ySize, xSize);
  Value small = e.select(isSteep, xSize, ySize);
  Value large = e.select(isSteep, ySize, xSize);
  // Two infinities are equal, and so are two zeros, which have angle 0.
  Value areEqual = e.compare(arith::CmpFPredicate::OEQ, small, large);
  Value diagonal = e.select(e.isEqual(large, 0), zero, e.number(1));
  // Scales the larger one to a number near 1.
  constexpr int64_t bitsOfExponent = 0x7ff, most = 0x7fd;
  Value exponent = arith::AndIOp::create(
      e.b, arith::ShRUIOp::create(e.b, e.toBits(large), e.integer(52)),
      e.integer(bitsOfExponent));
  exponent = arith::MinUIOp::create(e.b, exponent, e.integer(most));
  Value factor = e.fromBits(e.shiftLeft(
      arith::SubIOp::create(e.b, e.integer(most + 1), exponent), 52));
  Value first = e.select(areEqual, diagonal, e.mul(small, factor));
  Value second = e.select(areEqual, e.number(1), e.mul(large, factor));
  Pair angle = e.emitAngle(e.pair(first), e.pair(second));
  // A small angle is its tangent.
  Value tangent = e.select(areEqual, diagonal, e.div(small, large));
  angle = e.select(e.isLess(tangent, 0x1p-30), e.pair(tangent), angle);
  Value isNegative = arith::CmpIOp::create(e.b, arith::CmpIPredicate::slt,
                                           e.toBits(x), e.integer(0));
  Pair behind = e.select(isNegative, e.pair(kPi), e.pair(zero));
  Pair from = e.select(isSteep, e.pair(kHalfPi), behind);
  Value isTurned = arith::XOrIOp::create(e.b, isSteep, isNegative);
  angle = e.add(from, e.select(isTurned, e.neg(angle), angle));
  return e.copySign(e.sum(angle), y);
}

namespace {
struct ExpandWideAtan2 : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return failure();
    return expandWide<Trigonometry>(
        op, rewriter, [](Trigonometry &e, ValueRange operands) {
          return emitAtan2(e, operands[0], operands[1]);
        });
  }
};

/// Expands functions of f32: in f32 if the argument is small enough, otherwise
/// in f64.
template <typename OpTy> struct ExpandNarrowSine : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    constexpr bool isCosine = std::is_same_v<OpTy, math::CosOp>;
    Value isSmall = isSineReduced(rewriter, loc, x);
    auto choice =
        scf::IfOp::create(rewriter, loc, TypeRange{op.getType()}, isSmall,
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    Value near = emitReducedSine(rewriter, loc, x, isCosine);
    scf::YieldOp::create(rewriter, loc, near);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    Value wide = arith::ExtFOp::create(rewriter, loc, rewriter.getF64Type(), x);
    Trigonometry emitter(rewriter, loc, wide.getType());
    Value far = emitter.emitSine(wide, isCosine);
    far = arith::TruncFOp::create(rewriter, loc, op.getType(), far);
    scf::YieldOp::create(rewriter, loc, far);
    rewriter.replaceOp(op, choice);
    return success();
  }
};
} // namespace

void flywheel::populateWideTrigonometryPatterns(RewritePatternSet &patterns) {
  constexpr Elements f64 = Elements::F64, any = Elements::F32AndF64;
  patterns.add<ExpandWideUnary<math::SinOp, Trigonometry, emitSin, f64>,
               ExpandWideUnary<math::CosOp, Trigonometry, emitCos, f64>,
               ExpandWideUnary<math::TanOp, Trigonometry, emitTan, any>,
               ExpandWideUnary<math::AsinOp, Trigonometry, emitAsin, any>,
               ExpandWideUnary<math::AcosOp, Trigonometry, emitAcos, any>,
               ExpandWideUnary<math::AtanOp, Trigonometry, emitAtan, f64>,
               ExpandWideAtan2, ExpandNarrowSine<math::SinOp>,
               ExpandNarrowSine<math::CosOp>>(patterns.getContext());
}
