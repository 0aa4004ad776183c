//===- ExpandArctangent.cpp - Arctangents of f32 as polynomials -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

using namespace mlir;
using namespace flywheel;

namespace {
struct ArctangentEmitter : MathEmitter {
  using MathEmitter::MathEmitter;
  // pi / 2 and pi in two parts.
  static constexpr double halfPi = 0x1.921fb6p+0, halfPiRest = -0x1.777a5cp-25;
  static constexpr double pi = 0x1.921fb6p+1, piRest = -0x1.777a5cp-24;

  /// Returns arctan t for t in [0, 1], minimax for the relative error, which is
  /// 2^-28.5.
  Value emitReduced(Value t) {
    Value square = mul(t, t);
    Value sum =
        polynomial(square, {-0x1.d5581ap-10, 0x1.652948p-7, -0x1.fe581cp-6,
                            0x1.da8a34p-5, -0x1.5820f8p-4, 0x1.c092dep-4,
                            -0x1.2420fap-3, 0x1.9991eap-3, -0x1.55553ep-2});
    return fma(sum, mul(t, square), t);
  }
};

/// arctan x = pi / 2 - arctan(1 / x). The error is at most 1.4 ulp; that of
/// upstream's is 42 ulp (22.1.8).
struct ExpandAtan : OpRewritePattern<math::AtanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AtanOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ArctangentEmitter e(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand(), size = e.abs(x), one = e.number(1);
    Value isLarge = e.compare(arith::CmpFPredicate::OGT, size, one);
    Value reduced = e.emitReduced(
        e.div(e.select(isLarge, one, size), e.select(isLarge, size, one)));
    Value turned =
        e.add(e.sub(e.number(e.halfPi), reduced), e.number(e.halfPiRest));
    Value result = e.select(isLarge, turned, reduced);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, result, x);
    return success();
  }
};

/// Expands the angle of (x, y), by the smaller over the larger of |x| and |y|.
/// The error is at most 1.5 ulp.
struct ExpandAtan2 : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ArctangentEmitter e(rewriter, op.getLoc(), op.getType());
    Value y = op.getLhs(), x = op.getRhs();
    Value ySize = e.abs(y), xSize = e.abs(x), zero = e.number(0);
    Value isSteep = e.compare(arith::CmpFPredicate::OGT, ySize, xSize);
    Value small = e.select(isSteep, xSize, ySize);
    Value large = e.select(isSteep, ySize, xSize);
    // Two infinities are equal, and so are two zeros, which have angle 0.
    Value areEqual = e.compare(arith::CmpFPredicate::OEQ, small, large);
    Value isZero = e.compare(arith::CmpFPredicate::OEQ, large, zero);
    Value diagonal = e.select(isZero, zero, e.number(1));
    Value reduced =
        e.emitReduced(e.select(areEqual, diagonal, e.div(small, large)));
    // -0 counts as negative.
    Value isNegative = arith::CmpIOp::create(
        e.b, arith::CmpIPredicate::slt,
        arith::BitcastOp::create(e.b, e.integers, x), e.integer(0));
    auto choose = [&](double steep, double negative) {
      return e.select(isSteep, e.number(steep),
                      e.select(isNegative, e.number(negative), zero));
    };
    Value isTurned = arith::XOrIOp::create(e.b, isSteep, isNegative);
    Value part = e.select(isTurned, e.neg(reduced), reduced);
    Value result = e.add(e.add(choose(e.halfPi, e.pi), part),
                         choose(e.halfPiRest, e.piRest));
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, result, y);
    return success();
  }
};
} // namespace

void flywheel::populateArctangentPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAtan, ExpandAtan2>(patterns.getContext());
}
