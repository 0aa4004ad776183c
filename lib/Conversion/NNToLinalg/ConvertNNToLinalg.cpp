//===- ConvertNNToLinalg.cpp - nn and elementwise ops to linalg -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerElementwise.h"

#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/LowerableOpInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CONVERTNNTOLINALG
#include "flywheel/Conversion/ConversionPasses.h.inc"

/// Returns true for ops that the pass replaces.
static bool isLowered(Operation *op) {
  return isa_and_present<nn::NNDialect>(op->getDialect()) ||
         isa<tensor::SplatOp>(op) || isElementwiseOnTensors(op);
}

namespace {
/// Lowers ops that implement their own linalg form.
struct LowerOp : OpInterfaceRewritePattern<LowerableOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(LowerableOpInterface op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter emitter(rewriter, op);
    return op.lowerToLinalg(emitter);
  }
};

struct ConvertNNToLinalg : impl::ConvertNNToLinalgBase<ConvertNNToLinalg> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateElementwisePatterns(set);
    set.add<LowerOp>(context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    // The pattern driver skips unreachable blocks.
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, getOperation()->getRegions());
    WalkResult verified = getOperation()->walk([](Operation *op) {
      if (isa<tensor::GatherOp, tensor::ScatterOp>(op)) {
        op->emitOpError() << "has no lowering: expected 'nn.gather' or "
                             "'nn.scatter_add', whose indices are checked";
        return WalkResult::interrupt();
      }
      if (!isLowered(op))
        return WalkResult::advance();
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                                op->getResultTypes()))
        if (failed(nn::verifyComputable(op, type)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (verified.wasInterrupted())
      return signalPassFailure();
    walkAndApplyPatterns(getOperation(), patterns);
    WalkResult lowered = getOperation()->walk([&](Operation *op) {
      if (op == getOperation() || !isLowered(op))
        return WalkResult::advance();
      op->emitOpError() << "has no lowering to linalg";
      return WalkResult::interrupt();
    });
    if (lowered.wasInterrupted())
      return signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
} // namespace flywheel
