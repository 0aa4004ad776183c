//===- ExpandDeviceMath.cpp - Functions without a library -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/DeviceMath.h"
#include "flywheel/Codegen/GPU/GPUPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

namespace {
struct ExpandDeviceMath
    : flywheel::impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](gpu::LaunchOp launch) {
      launch.walk([&](Operation *op) {
        if (isa<math::MathDialect>(op->getDialect()))
          ops.push_back(op);
      });
    });
    RewritePatternSet patterns(&getContext());
    // Computes ops of 16 bits in f32.
    populateMathF32ExpansionPatterns(
        patterns, [](StringRef) { return true; }, /*benefit=*/2);
    flywheel::populateDeviceMathPatterns(patterns);
    // Visits only these ops and those that patterns create.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
