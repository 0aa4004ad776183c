//===- Math.cpp - Derivative rules of the math dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At kinks: |x| has the derivative 0 at 0; a clamp lets the derivative through
// inside and at its bounds. sqrt has the derivative infinity at 0. Powers
// follow IEEE pow, where x^0 is 1 for every x and 0^p is 0 for every p > 0:
// constants, so the derivative is 0, and it is 0 by p at 0^0 too. atan2 has the
// derivatives 0 at the origin.
//
// If a slope would be 0 times infinity, it is computed from other operands,
// which `select` substitutes: the slope is finite, and so are its own
// derivatives. Selecting between slopes would leave 0 times infinity in the
// second derivative; selecting between 0 and the cotangent times the slope
// would leave it in forward mode, which differentiates with respect to the
// cotangent.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace flywheel {

static constexpr double ln2 = 0.693147180559945309417;
static constexpr double ln10 = 2.302585092994045684018;
static constexpr double twoOverSqrtPi = 1.128379167095512573896;

static ElementwiseExpr exp(ElementwiseExpr x) { return x.apply<math::ExpOp>(); }
static ElementwiseExpr sqrt(ElementwiseExpr x) {
  return x.apply<math::SqrtOp>();
}

/// Returns `value` times the sign of `x`: 0 if x is 0.
static ElementwiseExpr timesSign(ElementwiseExpr value, ElementwiseExpr x) {
  ElementwiseExpr zero = value.splat(0.0);
  return (x > 0.0).select(value, (x < 0.0).select(-value, zero));
}

/// Returns d erf(x)/dx = 2/sqrt(pi) exp(-x^2). For a larger |x| it is 0, and so
/// are further derivatives, where x^2 would be infinite.
static ElementwiseExpr erfSlope(In i) {
  ElementwiseExpr x = i.x;
  // NaN is not larger.
  x = (x.apply<math::AbsFOp>() > 40.0).select(x.splat(40.0), x);
  return exp(-(x * x)) * twoOverSqrtPi;
}

/// Returns `exact`, which is (1 - x)(1 + x) or its negative, without
/// cancellation near +-1. At +-1 a factor is 0, and the slope infinite: further
/// derivatives are those of `plain`, 1 - x x or its negative.
static ElementwiseExpr exceptAtOne(ElementwiseExpr x, ElementwiseExpr plain,
                                   ElementwiseExpr exact) {
  return (x.apply<math::AbsFOp>() == 1.0).select(plain, exact);
}

static ElementwiseExpr oneMinusSquare(ElementwiseExpr x) {
  return exceptAtOne(x, 1.0 - x * x, (1.0 - x) * (1.0 + x));
}

static ElementwiseExpr squareMinusOne(ElementwiseExpr x) {
  return exceptAtOne(x, x * x - 1.0, (x - 1.0) * (1.0 + x));
}

namespace {
/// A number whose square would overflow: the slopes of functions of it are
/// computed from its reciprocal.
struct Reciprocal {
  Reciprocal(ElementwiseExpr x, double limit)
      : isLarge(x.apply<math::AbsFOp>() > limit) {
    ElementwiseExpr atLimit = x.splat(limit);
    small = isLarge.select(atLimit, x);
    reciprocal = x.splat(1.0) / isLarge.select(x, atLimit);
  }
  /// Returns `other`, of the reciprocal, if the number is large.
  ElementwiseExpr select(ElementwiseExpr other, ElementwiseExpr value) const {
    return isLarge.select(other, value);
  }

  ElementwiseExpr isLarge;
  /// The number if it is not large, and its reciprocal if it is.
  ElementwiseExpr small, reciprocal;
};
} // namespace

/// Returns d atan(x)/dx = 1 / (1 + x^2), or u^2 / (1 + u^2) with u = 1 / x.
static ElementwiseExpr atanSlope(In i) {
  Reciprocal parts(i.x, 1.0);
  ElementwiseExpr u = parts.select(parts.reciprocal, parts.small),
                  square = u * u;
  return i.g * (parts.select(square, u.splat(1.0)) / (1.0 + square));
}

/// Returns d asinh(x)/dx = 1 / sqrt(1 + x^2), or |u| / sqrt(1 + u^2) with
/// u = 1 / x.
static ElementwiseExpr asinhSlope(In i) {
  Reciprocal parts(i.x, 1.0);
  ElementwiseExpr u = parts.select(parts.reciprocal, parts.small);
  ElementwiseExpr size = parts.reciprocal.apply<math::AbsFOp>();
  return i.g * (parts.select(size, u.splat(1.0)) / sqrt(1.0 + u * u));
}

/// Returns d acosh(x)/dx = 1 / sqrt(x^2 - 1), or |u| / sqrt(1 - u^2) with
/// u = 1 / x. Below -1, where acosh is NaN, that is the number of the formula,
/// as it is for log and atanh outside of their domains, and in frameworks.
static ElementwiseExpr acoshSlope(In i) {
  Reciprocal parts(i.x, 2.0);
  ElementwiseExpr u = parts.reciprocal;
  ElementwiseExpr far = u.apply<math::AbsFOp>() / sqrt((1.0 - u) * (1.0 + u));
  // Two quotients: a selected numerator is 0 over 0 at 1 in forward mode.
  return parts.select(i.g * far, i.g / sqrt(squareMinusOne(parts.small)));
}

/// Returns the number that `value` has everywhere, if it is a constant.
static std::optional<double> getKnownNumber(Value value) {
  if (auto broadcast = value.getDefiningOp<nn::BroadcastOp>())
    value = broadcast.getInput();
  FloatAttr number;
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return splat.getSplatValue<APFloat>().convertToDouble();
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  return std::nullopt;
}

/// Returns true where x^p has an infinite slope although it is 0: at x = 0, for
/// 0 < p < 1.
static ElementwiseExpr isRootOfZero(In i) {
  return (i.a == 0.0)
      .apply<arith::AndIOp>((i.b > 0.0).apply<arith::AndIOp>(i.b < 1.0));
}

/// Returns a number from which on the square of a reciprocal is finite.
static double getSmallestWithSquare(Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  return std::ldexp(1.0, APFloat::semanticsMinExponent(semantics) / 2 + 1);
}

/// Returns d x^p/dx = p x^(p - 1). The slope of a root of 0 is infinite without
/// the factor p, whose own derivative by p would be infinite with the other
/// sign than that of the power.
static ElementwiseExpr powerBase(In i) {
  ElementwiseExpr x = widen(i.a), p = widen(i.b), g = widen(i.g);
  if (std::optional<double> known = getKnownNumber(i.b)) {
    // Further derivatives of x^0 are 0 where x^-2 is infinite, too.
    if (*known == 0.0)
      return i.g.splat(0.0);
    return narrow(g * (p * x.apply<math::PowFOp>(p.splat(*known - 1.0))), i.g);
  }
  // Around an infinite exponent a power that is 0 stays 0.
  ElementwiseExpr isGone =
      (p.apply<math::AbsFOp>() == std::numeric_limits<double>::infinity())
          .apply<arith::AndIOp>(i.y == 0.0);
  p = dropIf(isGone, p);
  // At 0^0, or the power 0 of NaN.
  ElementwiseExpr isConstant =
      isGone.apply<arith::OrIOp>((p == 0.0).apply<arith::AndIOp>(
          x.compare(arith::CmpFPredicate::UEQ, x.splat(0.0))));
  // The derivative of 0 x^-1 by x is 0 where x^-2 is infinite, too.
  ElementwiseExpr isFlat = (p == 0.0).apply<arith::AndIOp>(
      x.apply<math::AbsFOp>() < getSmallestWithSquare(x.getType()));
  ElementwiseExpr one = x.splat(1.0), isRoot = isRootOfZero(i);
  ElementwiseExpr base = isConstant.select(
      one, isFlat.select(x.apply<train::StopGradientOp>(), x));
  ElementwiseExpr power = dropIf(isConstant, base.apply<math::PowFOp>(p - 1.0));
  ElementwiseExpr slope = isRoot.select(power, p * isRoot.select(one, power));
  return narrow(g * slope, i.g);
}

/// Returns d x^p/dp = x^p log x. If x^p is 0, as at x = 0, the logarithm is
/// replaced by 1 / p: the slope is 0 by that, too, and its derivative by x is
/// x^(p - 1), that of p x^(p - 1) by p, so that a Hessian is symmetric. For a
/// root of 0 it is -x^(p - 1), whose sign is that of the logarithm.
static ElementwiseExpr powerExponent(In i) {
  ElementwiseExpr x = widen(i.a), p = widen(i.b);
  ElementwiseExpr isZero = i.y == 0.0;
  ElementwiseExpr isConstant =
      isZero.apply<arith::OrIOp>((x == 0.0).apply<arith::AndIOp>(p == 0.0));
  ElementwiseExpr one = x.splat(1.0);
  ElementwiseExpr base = isConstant.select(one, x);
  ElementwiseExpr power = isZero.select(p, one), y = widen(i.y);
  ElementwiseExpr sign = isRootOfZero(i).select(one.splat(-1.0), one);
  ElementwiseExpr slope =
      isZero.select(isZero.select(y, one) * (sign / power),
                    isZero.select(one, y) * base.apply<math::LogOp>());
  return narrow(widen(i.g) * slope, i.g);
}

/// Returns d cbrt(x)/dx = 1 / (3 y^2), without a product that is 0 times
/// infinity in the second derivative at 0.
static ElementwiseExpr cubeRoot(In i) {
  ElementwiseExpr inverse = i.y.splat(1.0) / i.y;
  return i.g * (inverse * inverse / 3.0);
}

/// Returns the part of g that is the cotangent of `value` in clamp(value, low,
/// high).
static ElementwiseExpr clampedValue(In i) {
  ElementwiseExpr zero = i.g.splat(0.0);
  return (i.a >= i.b).select((i.a <= i.c).select(i.g, zero), zero);
}

/// Returns b / (a^2 + b^2) and a / (a^2 + b^2), the slopes of atan2 except for
/// a sign, of operands that are scaled by the larger one. The angle does not
/// depend on the scale, which is constant to derivatives: each further one is
/// that of numbers up to 1, divided by the scale, and so is a number if it is
/// in the range of the type. In types below f32 the parts would overflow. With
/// an infinite operand, and at the origin, the angle is as of a constant.
static std::pair<ElementwiseExpr, ElementwiseExpr> angleSlopes(In i) {
  i.a = widen(i.a);
  i.b = widen(i.b);
  ElementwiseExpr scale = i.a.apply<math::AbsFOp>().apply<arith::MaximumFOp>(
      i.b.apply<math::AbsFOp>());
  ElementwiseExpr isOrigin = scale == 0.0, one = scale.splat(1.0);
  ElementwiseExpr isInfinite = scale == std::numeric_limits<double>::infinity();
  scale = isOrigin.select(one, scale).apply<train::StopGradientOp>();
  ElementwiseExpr isFlat = isOrigin.apply<arith::OrIOp>(isInfinite);
  ElementwiseExpr a = dropIf(isFlat, i.a) / scale;
  ElementwiseExpr b = dropIf(isFlat, i.b) / scale;
  ElementwiseExpr square = isFlat.select(one, a * a + b * b);
  return {b / square / scale, a / square / scale};
}

static ElementwiseExpr angleFirst(In i) {
  return narrow(widen(i.g) * angleSlopes(i).first, i.g);
}

static ElementwiseExpr angleSecond(In i) {
  return narrow(-(widen(i.g) * angleSlopes(i).second), i.g);
}

namespace {
/// y = x^n with an integer n: dx = n x^(n - 1).
struct FPowIModel
    : DifferentiableOpInterface::ExternalModel<FPowIModel, math::FPowIOp> {
  bool hasDerivative(Operation *, unsigned operandNumber) const {
    return operandNumber == 0;
  }

  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> operands) const {
    if (!needed[0])
      return success();
    Location loc = op->getLoc();
    ElementwiseExpr g(b, loc, results[0]), x(b, loc, op->getOperand(0));
    ElementwiseExpr n(b, loc, op->getOperand(1));
    ElementwiseExpr lower = n.apply<arith::SubIOp>(n.splat(1.0));
    ElementwiseExpr isZero =
        n.with(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     n.getValue(), n.splat(0.0).getValue()));
    ElementwiseExpr base = isZero.select(x.splat(1.0), x);
    ElementwiseExpr slope =
        n.convert<arith::SIToFPOp>(x) * base.apply<math::FPowIOp>(lower);
    operands[0] = (g * slope).getValue();
    return success();
  }
};

/// (sin x, cos x): dx = g_sin cos x - g_cos sin x.
struct SincosModel
    : DifferentiableOpInterface::ExternalModel<SincosModel, math::SincosOp> {
  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> operands) const {
    auto term = [&](Value value) {
      return ElementwiseExpr(b, op->getLoc(), value);
    };
    ElementwiseExpr sin = term(op->getResult(0)), cos = term(op->getResult(1));
    ElementwiseExpr dx;
    if (results[0])
      dx = term(results[0]) * cos;
    if (results[1]) {
      ElementwiseExpr part = term(results[1]) * sin;
      dx = results[0] ? dx - part : -part;
    }
    operands[0] = dx.getValue();
    return success();
  }
};
} // namespace

ArrayRef<DerivativeRule> getMathRules() {
  // clang-format off
  static const DerivativeRule rules[] = {
    elementwise<math::AbsFOp>([](In i) { return timesSign(i.g, i.x); }),
    elementwise<math::AcosOp>([](In i) { return -(i.g / sqrt(oneMinusSquare(i.x))); }),
    elementwise<math::AcoshOp>(acoshSlope),
    elementwise<math::AsinOp>([](In i) { return i.g / sqrt(oneMinusSquare(i.x)); }),
    elementwise<math::AsinhOp>(asinhSlope),
    elementwise<math::AtanOp>(atanSlope),
    elementwise<math::Atan2Op>(angleFirst, angleSecond),
    elementwise<math::AtanhOp>([](In i) { return i.g / oneMinusSquare(i.x); }),
    elementwise<math::CbrtOp>(cubeRoot),
    elementwise<math::ClampFOp>(clampedValue, [](In i) { return (i.a < i.b).select(i.g, i.g.splat(0.0)); }, [](In i) { return (i.a > i.c).select(i.g, i.g.splat(0.0)); }),
    elementwise<math::CopySignOp>([](In i) { return timesSign(i.g * i.g.splat(1.0).apply<math::CopySignOp>(i.b), i.a); }),
    elementwise<math::CosOp>([](In i) { return -(i.g * i.x.apply<math::SinOp>()); }),
    elementwise<math::CoshOp>([](In i) { return i.g * i.x.apply<math::SinhOp>(); }),
    elementwise<math::ErfOp>([](In i) { return i.g * erfSlope(i); }),
    elementwise<math::ErfcOp>([](In i) { return -(i.g * erfSlope(i)); }),
    elementwise<math::ExpOp>([](In i) { return i.g * i.y; }),
    elementwise<math::Exp2Op>([](In i) { return i.g * (i.y * ln2); }),
    elementwise<math::ExpM1Op>([](In i) { return i.g * exp(i.x); }),
    elementwise<math::FmaOp>([](In i) { return i.g * i.b; }, [](In i) { return i.g * i.a; }, [](In i) { return i.g; }),
    elementwise<math::LogOp>([](In i) { return i.g / i.x; }),
    elementwise<math::Log10Op>([](In i) { return i.g / (i.x * ln10); }),
    elementwise<math::Log1pOp>([](In i) { return i.g / (1.0 + i.x); }),
    elementwise<math::Log2Op>([](In i) { return i.g / (i.x * ln2); }),
    elementwise<math::PowFOp>(powerBase, powerExponent),
    elementwise<math::RsqrtOp>([](In i) { return i.g * (i.y * i.y * i.y * -0.5); }),
    elementwise<math::SinOp>([](In i) { return i.g * i.x.apply<math::CosOp>(); }),
    elementwise<math::SinhOp>([](In i) { return i.g * i.x.apply<math::CoshOp>(); }),
    elementwise<math::SqrtOp>([](In i) { return i.g * (i.y.splat(0.5) / i.y); }),
    elementwise<math::TanOp>([](In i) { return i.g * (1.0 + i.y * i.y); }),
    elementwise<math::TanhOp>([](In i) { return i.g * (1.0 - i.y * i.y); }),
    locallyConstant<math::CeilOp>(),
    locallyConstant<math::FloorOp>(),
    locallyConstant<math::RoundOp>(),
    locallyConstant<math::RoundEvenOp>(),
    locallyConstant<math::TruncOp>(),
    structured<math::FPowIOp, FPowIModel>(),
    structured<math::SincosOp, SincosModel>(),
  };
  // clang-format on
  return rules;
}

} // namespace flywheel
