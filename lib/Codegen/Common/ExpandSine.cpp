//===- ExpandSine.cpp - Sines and cosines of f32 as polynomials -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// Emits sines and cosines of f32.
struct SineEmitter : MathEmitter {
  using MathEmitter::MathEmitter;

  /// The largest |x| for which the reduction is exact.
  static constexpr double maxReduced = 65536;

  /// Returns the sine or cosine of x, given `size` = |x| up to `maxReduced`;
  /// `x` gives a sine its sign.
  Value emit(Value x, Value size, bool isCosine) {
    // size = turns pi / 2 + rest, with pi / 2 in three parts: the first
    // products are exact enough for an exact rest.
    Value turns =
        math::RoundEvenOp::create(b, mul(size, number(0x1.45f306dc9c883p-1)));
    Value rest = fma(turns, number(-0x1.921fb0p+00), size);
    rest = fma(turns, number(-0x1.5110b4p-22), rest);
    rest = fma(turns, number(-0x1.846988p-48), rest);
    // Minimax on [-pi / 4, pi / 4].
    Value square = mul(rest, rest);
    Value sine = fma(polynomial(square, {0x1.80a000p-19, -0x1.a0690cp-13,
                                         0x1.111182p-07, -0x1.555556p-03}),
                     mul(rest, square), rest);
    Value cosine =
        polynomial(square, {0x1.9a8000p-16, -0x1.6c0efap-10, 0x1.555550p-05,
                            -0x1.000000p-01, 0x1.000000p+00});
    Value quadrant = arith::FPToSIOp::create(b, integers, turns);
    if (isCosine)
      quadrant = arith::AddIOp::create(b, quadrant, integer(1));
    Value isOdd = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, quadrant, integer(1)), integer(0));
    Value value = arith::SelectOp::create(b, isOdd, cosine, sine);
    // Half a turn changes the sign.
    Value flip = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, quadrant, integer(2)), integer(30));
    if (!isCosine) {
      Value sign =
          arith::AndIOp::create(b, arith::BitcastOp::create(b, integers, x),
                                integer(std::numeric_limits<int32_t>::min()));
      flip = arith::XOrIOp::create(b, flip, sign);
    }
    Value bits = arith::XOrIOp::create(
        b, arith::BitcastOp::create(b, integers, value), flip);
    return arith::BitcastOp::create(b, type, bits);
  }
};

} // namespace

Value flywheel::isSineReduced(OpBuilder &b, Location loc, Value x) {
  SineEmitter emitter(b, loc, x.getType());
  // No NaN is.
  return emitter.compare(arith::CmpFPredicate::OLE, emitter.abs(x),
                         emitter.number(SineEmitter::maxReduced));
}

Value flywheel::emitReducedSine(OpBuilder &b, Location loc, Value x,
                                bool isCosine) {
  SineEmitter emitter(b, loc, x.getType());
  return emitter.emit(x, emitter.abs(x), isCosine);
}

namespace {
/// Expands sines and cosines; upstream's are wrong for large and for small
/// arguments (22.1.8). Vectors with an argument above `maxReduced` call the C
/// library.
template <typename OpTy> struct ExpandSine : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Value isReduced = isSineReduced(b, op.getLoc(), x);
    Value areReduced =
        vector::ReductionOp::create(b, vector::CombiningKind::AND, isReduced);
    auto choice =
        scf::IfOp::create(b, TypeRange{type}, areReduced, /*withElse=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, emitReducedSine(b, op.getLoc(), x,
                                            std::is_same_v<OpTy, math::CosOp>));
    // In f64, which no pattern expands.
    b.setInsertionPointToStart(choice.elseBlock());
    Value wide = arith::ExtFOp::create(b, type.clone(b.getF64Type()), x);
    Value exact = OpTy::create(b, wide);
    scf::YieldOp::create(b,
                         arith::TruncFOp::create(b, type, exact).getResult());
    rewriter.replaceOp(op, choice);
    return success();
  }
};
} // namespace

void flywheel::populateSinePatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSine<math::SinOp>, ExpandSine<math::CosOp>>(
      patterns.getContext());
}
