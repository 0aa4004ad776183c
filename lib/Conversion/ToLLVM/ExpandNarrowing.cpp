//===- ExpandNarrowing.cpp - Halves without library calls -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDNARROWING
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

namespace {
/// Rounds f64 to f32 to odd first: then a second rounding can tell if a bit was
/// lost, and the result is that of rounding once.
struct NarrowThroughF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    Value x = op.getIn();
    Type narrow = getElementTypeOrSelf(op.getType());
    if (!getElementTypeOrSelf(x).isF64() ||
        !(narrow.isBF16() || narrow.isF16()))
      return failure();
    Location loc = op.getLoc();
    auto withElement = [&](Type element) -> Type {
      if (auto shaped = dyn_cast<ShapedType>(x.getType()))
        return shaped.clone(element);
      return element;
    };
    Type f32 = withElement(b.getF32Type()), i32 = withElement(b.getI32Type());
    Value one = arith::ConstantOp::create(b, loc, i32, b.getOneAttr(i32));
    Value near = arith::TruncFOp::create(b, loc, f32, x);
    Value back = arith::ExtFOp::create(b, loc, x.getType(), near);
    Value isInexact =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
    Value isAway =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(b, loc, back).getResult(),
                              math::AbsFOp::create(b, loc, x).getResult());
    Value bits = arith::BitcastOp::create(b, loc, i32, near);
    Value below = arith::SubIOp::create(b, loc, bits, one);
    bits = arith::SelectOp::create(b, loc, isAway, below, bits);
    Value odd = arith::OrIOp::create(b, loc, bits, one);
    bits = arith::SelectOp::create(b, loc, isInexact, odd, bits);
    Value rounded = arith::BitcastOp::create(b, loc, f32, bits);
    b.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), rounded);
    return success();
  }
};

/// Broadcasts the bits of a bf16: if the CPU has no such numbers, LLVM would
/// widen it and round it again, by a library call.
struct BroadcastBits : OpRewritePattern<vector::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::BroadcastOp op,
                                PatternRewriter &b) const override {
    if (!op.getSourceType().isBF16())
      return failure();
    auto type = cast<VectorType>(op.getType());
    Value bits = arith::BitcastOp::create(b, op.getLoc(), b.getI16Type(),
                                          op.getSource());
    bits = vector::BroadcastOp::create(b, op.getLoc(),
                                       type.clone(b.getI16Type()), bits);
    b.replaceOpWithNewOp<arith::BitcastOp>(op, type, bits);
    return success();
  }
};

struct ExpandNarrowing : flywheel::impl::ExpandNarrowingBase<ExpandNarrowing> {
  void runOnOperation() override {
    if (failed(computeInF32()))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<BroadcastBits, NarrowThroughF32>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  /// Computes arithmetic of bf16 in f32, and rounds after every op.
  LogicalResult computeInF32() {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {BFloat16Type::get(context)}, Float32Type::get(context));
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return failure();
    // Upstream allows contraction of the ops that it inserts: a sum of three
    // would be rounded once.
    getOperation().walk([](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op))
        forbidContraction(extend, extend.getIn().getType());
      else if (auto truncate = dyn_cast<arith::TruncFOp>(op))
        forbidContraction(truncate, truncate.getType());
    });
    return success();
  }

  template <typename OpT> static void forbidContraction(OpT op, Type narrow) {
    if (getElementTypeOrSelf(narrow).isBF16())
      op.removeFastmathAttr();
  }
};
} // namespace
