//===- ExpandMath.cpp - Transcendental functions as polynomials -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "MathEmitter.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDMATH
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

namespace {
/// Emits sines and cosines of vectors of f32.
struct SineEmitter : MathEmitter {
  using MathEmitter::MathEmitter;

  /// Of `size` = |x| up to `maxReduced`; `x` gives a sine its sign.
  Value emit(Value x, Value size, bool isCosine) {
    // size = turns pi / 2 + rest, with pi / 2 in three parts: the first
    // products are exact enough for the rest to be so too.
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

/// Sines and cosines; upstream's are wrong for large and for small arguments
/// (22.1.8). Vectors with a larger argument than the reduction is exact for go
/// to the C library.
template <typename OpTy> struct ExpandSine : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  static constexpr double maxReduced = 65536;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isF32())
      return failure();
    SineEmitter emitter(rewriter, op.getLoc(), type);
    ImplicitLocOpBuilder &b = emitter.b;
    Value x = op.getOperand();
    Value size = math::AbsFOp::create(b, x);
    // No NaN is.
    Value isReduced = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, size,
                                            emitter.number(maxReduced));
    Value areReduced =
        vector::ReductionOp::create(b, vector::CombiningKind::AND, isReduced);
    auto choice =
        scf::IfOp::create(b, TypeRange{type}, areReduced, /*withElse=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(
        b, emitter.emit(x, size, std::is_same_v<OpTy, math::CosOp>));
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

/// True for functions that upstream has a polynomial for that holds wherever it
/// is not a denormal number: not for infinities (cbrt), and with AVX2 only
/// (rsqrt). Some of its polynomials are far from exact (atan, erfc) or wrong at
/// negative zeros (atan2).
static bool hasPolynomial(StringRef name) {
  return !llvm::is_contained(
      {math::SinOp::getOperationName(), math::CosOp::getOperationName(),
       math::CbrtOp::getOperationName(), math::RsqrtOp::getOperationName(),
       math::AtanOp::getOperationName(), math::Atan2Op::getOperationName(),
       math::ErfcOp::getOperationName()},
      name);
}

namespace {
struct ExpandMath : flywheel::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // Before any polynomial is computed in 16 bits.
    populateMathF32ExpansionPatterns(
        patterns, [](StringRef) { return true; }, /*benefit=*/2);
    populateMathPolynomialApproximationPatterns(patterns, hasPolynomial);
    populateArctangentPatterns(patterns);
    populateErfcPatterns(patterns);
    // Without multiply-adds the C library is faster.
    codegen::CPUAttr cpu = codegen::lookupCPU(getOperation());
    if ((cpu && cpu.hasMultiplyAdd()) || codegen::lookupGPU(getOperation()))
      populateWideExponentialPatterns(patterns);
    patterns.add<ExpandSine<math::SinOp>, ExpandSine<math::CosOp>>(
        &getContext());
    // Only these ops: folding the whole function again would take longer.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) &&
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
        ops.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
