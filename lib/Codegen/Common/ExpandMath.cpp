//===- ExpandMath.cpp - Transcendental functions as polynomials -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "MathEmitter.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDMATH
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

/// Returns true for functions for which upstream has a polynomial that is valid
/// for all numbers that are not denormal: not for infinities (cbrt), and with
/// AVX2 only (rsqrt). Some of its polynomials are far from exact (atan, erfc)
/// or wrong at negative zeros (atan2).
static bool hasPolynomial(StringRef name) {
  return !llvm::is_contained(
      {math::SinOp::getOperationName(), math::CosOp::getOperationName(),
       math::CbrtOp::getOperationName(), math::RsqrtOp::getOperationName(),
       math::AtanOp::getOperationName(), math::Atan2Op::getOperationName(),
       math::ErfcOp::getOperationName()},
      name);
}

/// Gives results of `math.erf` the sign of their argument: upstream's
/// polynomial has the wrong sign at -0.
static void keepSignOfZero(math::ErfOp erf) {
  OpBuilder b(erf->getContext());
  b.setInsertionPointAfter(erf);
  Value result = erf.getResult();
  auto sign =
      math::CopySignOp::create(b, erf.getLoc(), result, erf.getOperand());
  result.replaceAllUsesExcept(sign, sign);
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
    codegen::TargetAttrInterface target = codegen::lookupTarget(getOperation());
    if (target && target.hasMultiplyAdd())
      populateWideExponentialPatterns(patterns);
    populateSinePatterns(patterns);
    // Only these ops: folding the whole function again would take longer.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) &&
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto erf = dyn_cast<math::ErfOp>(op))
        keepSignOfZero(erf);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
