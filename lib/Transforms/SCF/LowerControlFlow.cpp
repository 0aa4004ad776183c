//===- LowerControlFlow.cpp - Structured control flow to branches ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies upstream's rewrites from the last op to the first: each one moves all
// ops behind its op to a new block, which would take quadratic time from the
// first op on.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/SCF/SCFPasses.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERCONTROLFLOW
#include "flywheel/Transforms/SCF/SCFPasses.h.inc"
} // namespace flywheel

namespace {
struct LowerControlFlow
    : flywheel::impl::LowerControlFlowBase<LowerControlFlow> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateSCFToControlFlowConversionPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    PatternApplicator applicator(patterns);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(&getContext());
    // Some become other structured ops first.
    for (SmallVector<Operation *> ops = findOps(); !ops.empty();
         ops = findOps())
      for (Operation *op : llvm::reverse(ops)) {
        rewriter.setInsertionPoint(op);
        if (succeeded(applicator.matchAndRewrite(op, rewriter)))
          continue;
        op->emitOpError() << "expected an op that becomes branches";
        return signalPassFailure();
      }
  }

private:
  /// Returns the ops, inner ones before those around them.
  SmallVector<Operation *> findOps() {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      // A terminator is lowered with its op.
      if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
          op->getNumRegions() > 0 && !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
    return ops;
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
