//===- LegalizeMath.cpp - Math ops that LLVM has no form of ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LEGALIZEMATH
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

namespace {
/// Upstream's expansion has the bounds the wrong way round (22.1.8).
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
    Value exponent = arith::SIToFPOp::create(rewriter, loc, wide, op.getRhs());
    Value power = math::PowFOp::create(rewriter, loc, base, exponent);
    if (wide != type)
      power = arith::TruncFOp::create(rewriter, loc, type, power);
    rewriter.replaceOp(op, power);
    return success();
  }
};

struct LegalizeMath : flywheel::impl::LegalizeMathBase<LegalizeMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ClampFToMinMax, FPowIToPowF>(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ClampFOp, math::FPowIOp>(op))
        ops.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
