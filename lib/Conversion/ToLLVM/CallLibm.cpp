//===- CallLibm.cpp - log1p and expm1 from the C library ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CALLLIBM
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

namespace {
struct CallLibm : flywheel::impl::CallLibmBase<CallLibm> {
  void runOnOperation() override {
    ConversionTarget target(getContext());
    target
        .addLegalDialect<arith::ArithDialect, BuiltinDialect, func::FuncDialect,
                         math::MathDialect, vector::VectorDialect>();
    // Those of other types are left alone.
    target.addDynamicallyLegalOp<math::Log1pOp, math::ExpM1Op>(
        [](Operation *op) {
          Type type = getElementTypeOrSelf(op->getResult(0));
          return !type.isF16() && !type.isBF16() && !type.isF32() &&
                 !type.isF64();
        });
    // Upstream's table has every function; only these two are converted.
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
