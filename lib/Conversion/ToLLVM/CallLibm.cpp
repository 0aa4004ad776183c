//===- CallLibm.cpp - Math ops as calls of the C library ------------------===//
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
  using CallLibmBase::CallLibmBase;

  void runOnOperation() override {
    WalkResult found = getOperation().walk([this](Operation *op) {
      return isConverted(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return;
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, BuiltinDialect,
                           func::FuncDialect, vector::VectorDialect>();
    target.addDynamicallyLegalDialect<math::MathDialect>(
        [this](Operation *op) { return !isConverted(op); });
    // Upstream's table has every function.
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }

private:
  bool isConverted(Operation *op) const {
    if (!isa_and_present<math::MathDialect>(op->getDialect()))
      return false;
    if (all)
      return true;
    // Functions of other types are not changed.
    return isa<math::Log1pOp, math::ExpM1Op>(op) &&
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
               getElementTypeOrSelf(op->getResult(0)));
  }
};
} // namespace
