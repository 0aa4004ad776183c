//===- LegalizeMath.cpp - Math ops that LLVM has no form of ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LEGALIZEMATH
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

namespace {
/// x^n by pow, which takes negative x at whole exponents. LLVM's own powi needs
/// a compiler runtime and has no vector form.
struct FPowIToPowF : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type)
      return failure();
    // Wide enough for the exponent to be exact, so that its parity is.
    unsigned bits = op.getRhs().getType().getIntOrFloatBitWidth();
    Location loc = op.getLoc();
    Type wide = bits > type.getFPMantissaWidth() ? rewriter.getF64Type() : type;
    Value base = op.getLhs();
    if (wide != type)
      base = arith::ExtFOp::create(rewriter, loc, wide, base);
    Value exponent =
        arith::SIToFPOp::create(rewriter, loc, wide, op.getRhs());
    Value power = math::PowFOp::create(rewriter, loc, base, exponent);
    if (wide != type)
      power = arith::TruncFOp::create(rewriter, loc, type, power);
    rewriter.replaceOp(op, power);
    return success();
  }
};

/// f64 to f16 or bf16 by way of f32. The first step rounds to odd (Boldo and
/// Melquiond, 2008): where it is inexact the last bit is set, so that the second
/// step rounds as one step would. LLVM has only a compiler runtime's function.
struct TruncateF64 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrowing(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(b, b.getF32Type(), x);
    Value back = arith::ExtFOp::create(b, b.getF64Type(), nearest);
    Value bits = arith::BitcastOp::create(b, b.getI32Type(), nearest);
    auto i32 = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
    };
    Value last = arith::AndIOp::create(b, bits, i32(1));
    Value even =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, last, i32(0));
    // False for a NaN, which stays.
    Value inexact =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
    Value isLarger = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
        math::AbsFOp::create(b, x));
    Value step = arith::SelectOp::create(b, isLarger, i32(-1), i32(1));
    Value neighbor = arith::AddIOp::create(b, bits, step);
    Value odd = arith::SelectOp::create(
        b, arith::AndIOp::create(b, even, inexact), neighbor, bits);
    Value rounded = arith::BitcastOp::create(b, b.getF32Type(), odd);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), rounded);
    return success();
  }

  static bool isNarrowing(arith::TruncFOp op) {
    return op.getIn().getType().isF64() &&
           (op.getType().isF16() || op.getType().isBF16());
  }
};

struct LegalizeMath : flywheel::impl::LegalizeMathBase<LegalizeMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(patterns, {"clampf"});
    patterns.add<FPowIToPowF, TruncateF64>(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      auto truncate = dyn_cast<arith::TruncFOp>(op);
      if (isa<math::ClampFOp, math::FPowIOp>(op) ||
          (truncate && TruncateF64::isNarrowing(truncate)))
        ops.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
