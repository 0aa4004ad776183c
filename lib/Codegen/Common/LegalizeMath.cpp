//===- LegalizeMath.cpp - Math ops that LLVM has no form of ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "MathEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_LEGALIZEMATH
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

namespace {
/// Upstream's expansion swaps the bounds (22.1.8).
struct ClampFToMinMax : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value atLeast = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                              op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, atLeast, op.getMax());
    return success();
  }
};
} // namespace

/// Returns true if `type` is f16, bf16 or a vector of one of them.
static bool isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isa<TensorType>(type) && (element.isF16() || element.isBF16());
}

/// Returns a number or a vector of `type`, each element of which is `value`.
static Value buildConstant(OpBuilder &b, Location loc, Type type,
                           TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, value);
  return arith::ConstantOp::create(b, loc, value);
}

namespace {
/// Expands x^n to pow, which takes negative x at whole exponents. LLVM's own
/// powi needs a compiler runtime and has no vector form.
struct FPowIToPowF : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type)
      return failure();
    Location loc = op.getLoc();
    Value power = op.getRhs();
    if (power.getType().isIndex())
      power = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                         power);
    // Wide enough for the exponent to be exact, so that its parity is.
    unsigned bits = power.getType().getIntOrFloatBitWidth();
    Type wide = bits > type.getFPMantissaWidth() ? rewriter.getF64Type() : type;
    Value base = op.getLhs();
    if (wide != type)
      base = arith::ExtFOp::create(rewriter, loc, wide, base);
    Value exponent = arith::SIToFPOp::create(rewriter, loc, wide, power);
    Value result = math::PowFOp::create(rewriter, loc, base, exponent);
    if (wide != type)
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Expands x^n of integers by squaring, without a branch: bodies become
/// vectors. Products wrap. Only 1 and -1 have an inverse; that of 0 is checked
/// before.
struct ExpandIPowI : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type))
      return failure();
    ImplicitLocOpBuilder b(loc, rewriter);
    auto number = [&](int64_t value) {
      unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
      return buildConstant(
          b, loc, type,
          b.getIntegerAttr(element, APInt(width, value, true, true)));
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return arith::CmpIOp::create(b, predicate, x, y);
    };
    Value base = op.getLhs(), exponent = op.getRhs();
    Value zero = number(0), one = number(1), minusOne = number(-1);
    Value isOdd = compare(arith::CmpIPredicate::ne,
                          arith::AndIOp::create(b, exponent, one), zero);
    Value power = arith::SelectOp::create(b, isOdd, base, one);
    Value square = base;
    // A constant exponent has no bits beyond its highest.
    APInt known;
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    if (matchPattern(exponent, m_ConstantInt(&known)) && !known.isNegative())
      bits = known.getActiveBits();
    for (unsigned bit = 1; bit < bits; ++bit) {
      square = arith::MulIOp::create(b, square, square);
      Value isSet = compare(
          arith::CmpIPredicate::ne,
          arith::AndIOp::create(
              b, exponent, number(static_cast<int64_t>(uint64_t(1) << bit))),
          zero);
      Value product = arith::MulIOp::create(b, power, square);
      power = arith::SelectOp::create(b, isSet, product, power);
    }
    Value isOne = compare(arith::CmpIPredicate::eq, base, one);
    Value isMinusOne = compare(arith::CmpIPredicate::eq, base, minusOne);
    Value inverse = arith::SelectOp::create(b, isOne, one, zero);
    Value sign = arith::SelectOp::create(b, isOdd, minusOne, one);
    inverse = arith::SelectOp::create(b, isMinusOne, sign, inverse);
    Value isNegative = compare(arith::CmpIPredicate::slt, exponent, zero);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNegative, inverse,
                                                 power);
    return success();
  }
};

/// Decides by the size of x whether it is of the class that `OpT` tests for.
template <typename OpT> struct ExpandClass : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    if (isa<TensorType>(type))
      return failure();
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    auto compare = [&](arith::CmpFPredicate predicate, Value x,
                       const APFloat &bound) -> Value {
      Value number =
          buildConstant(b, loc, type, b.getFloatAttr(element, bound));
      return arith::CmpFOp::create(b, loc, predicate, x, number);
    };
    Value size = math::AbsFOp::create(b, loc, op.getOperand());
    APFloat infinity = APFloat::getInf(semantics);
    if (std::is_same_v<OpT, math::IsInfOp>) {
      b.replaceOp(op, compare(arith::CmpFPredicate::OEQ, size, infinity));
      return success();
    }
    Value isFinite = compare(arith::CmpFPredicate::OLT, size, infinity);
    if (std::is_same_v<OpT, math::IsFiniteOp>) {
      b.replaceOp(op, isFinite);
      return success();
    }
    Value isLarge = compare(arith::CmpFPredicate::OGE, size,
                            APFloat::getSmallestNormalized(semantics));
    b.replaceOpWithNewOp<arith::AndIOp>(op, isFinite, isLarge);
    return success();
  }
};

/// Expands a * b + c of 16-bit numbers, rounded once: in f64 the product is
/// exact, and so is the rounding error of the sum. If that is not 0, the sum is
/// made odd, as in `flywheel-expand-narrowing`, so that rounding it again is
/// right. LLVM would call a compiler runtime.
struct ExpandHalfFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isHalf(type))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type f32 = withElement(type, b.getF32Type());
    Type f64 = withElement(type, b.getF64Type());
    Type i64 = withElement(type, b.getI64Type());
    auto widen = [&](Value x) -> Value {
      Value single = arith::ExtFOp::create(b, f32, x);
      return arith::ExtFOp::create(b, f64, single);
    };
    auto sub = [&](Value x, Value y) -> Value {
      return arith::SubFOp::create(b, x, y);
    };
    Value product =
        arith::MulFOp::create(b, widen(op.getA()), widen(op.getB()));
    Value c = widen(op.getC());
    Value sum = arith::AddFOp::create(b, product, c);
    Value second = sub(sum, product);
    Value lost = arith::AddFOp::create(b, sub(product, sub(sum, second)),
                                       sub(c, second));
    Value zero = buildConstant(b, b.getLoc(), f64, b.getF64FloatAttr(0.0));
    Value one = buildConstant(b, b.getLoc(), i64, b.getI64IntegerAttr(1));
    Value minusOne = buildConstant(b, b.getLoc(), i64, b.getI64IntegerAttr(-1));
    // False for NaN, and for the error of an infinity, which is NaN.
    Value isInexact =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, lost, zero);
    Value isAway =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                              arith::MulFOp::create(b, lost, sum), zero);
    Value bits = arith::BitcastOp::create(b, i64, sum);
    Value isEven = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, bits, one), one);
    Value step = arith::SelectOp::create(b, isAway, minusOne, one);
    Value odd = arith::AddIOp::create(b, bits, step);
    Value moves = arith::AndIOp::create(b, isInexact, isEven);
    bits = arith::SelectOp::create(b, moves, odd, bits);
    Value rounded = arith::BitcastOp::create(b, f64, bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, rounded);
    return success();
  }
};

/// A NaN is not ordered with itself. LLVM's own test of the class would widen
/// an f16 by a call of a compiler runtime.
struct ExpandIsNaN : OpRewritePattern<math::IsNaNOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNaNOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return failure();
    Value x = op.getOperand();
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::UNO, x,
                                               x);
    return success();
  }
};

/// Expands 1 / sqrt(x) of 16-bit numbers, rounded once: LLVM would round the
/// root too.
struct WidenRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isHalf(type))
      return failure();
    Location loc = op.getLoc();
    Type f32 = withElement(type, rewriter.getF32Type());
    Value wide = arith::ExtFOp::create(rewriter, loc, f32, op.getOperand());
    Value root = math::RsqrtOp::create(rewriter, loc, wide);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, root);
    return success();
  }
};

/// Two functions that C99 has and that become vectors.
struct SplitSinCos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (isa<TensorType>(x.getType()))
      return failure();
    Value sine = math::SinOp::create(rewriter, op.getLoc(), x);
    Value cosine = math::CosOp::create(rewriter, op.getLoc(), x);
    rewriter.replaceOp(op, {sine, cosine});
    return success();
  }
};

struct LegalizeMath : flywheel::impl::LegalizeMathBase<LegalizeMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ClampFToMinMax, ExpandClass<math::IsFiniteOp>,
                 ExpandClass<math::IsInfOp>, ExpandClass<math::IsNormalOp>,
                 ExpandIsNaN, ExpandHalfFma, ExpandIPowI, FPowIToPowF,
                 SplitSinCos, WidenRsqrt>(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ClampFOp, math::FmaOp, math::FPowIOp, math::IPowIOp,
              math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp,
              math::RsqrtOp, math::SincosOp>(op))
        ops.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
