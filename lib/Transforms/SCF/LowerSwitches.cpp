//===- LowerSwitches.cpp - Switches to branches ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's bufferization does not see that the result of an
// `scf.index_switch` may alias the value that a case yields, so that a later
// overwrite would change that value. Branches do not have this bug, and may
// assign variables.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/SCF/SCFPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERSWITCHES
#include "flywheel/Transforms/SCF/SCFPasses.h.inc"
} // namespace flywheel

/// Makes one branch for each case, the later ones in the else of the first.
static void lowerSwitch(scf::IndexSwitchOp op) {
  IRRewriter rewriter(op);
  Location loc = op.getLoc();
  scf::IfOp outermost;
  for (auto [value, region] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    Value number = arith::ConstantIndexOp::create(rewriter, loc, value);
    Value isCase = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, op.getArg(), number);
    auto branch =
        scf::IfOp::create(rewriter, loc, op.getResultTypes(), isCase,
                          /*addThenBlock=*/false, /*addElseBlock=*/false);
    branch.getThenRegion().takeBody(region);
    if (outermost)
      scf::YieldOp::create(rewriter, loc, branch.getResults());
    else
      outermost = branch;
    rewriter.createBlock(&branch.getElseRegion());
  }
  if (!outermost) {
    // The default region is all there is.
    Block &body = op.getDefaultBlock();
    Operation *yield = body.getTerminator();
    rewriter.inlineBlockBefore(&body, op);
    rewriter.replaceOp(op, yield->getOperands());
    rewriter.eraseOp(yield);
    return;
  }
  Block *last = rewriter.getInsertionBlock();
  last->getOperations().splice(last->end(),
                               op.getDefaultBlock().getOperations());
  rewriter.replaceOp(op, outermost.getResults());
}

namespace {
struct LowerSwitches : flywheel::impl::LowerSwitchesBase<LowerSwitches> {
  void runOnOperation() override {
    // Inner ones first.
    getOperation().walk([](scf::IndexSwitchOp op) { lowerSwitch(op); });
  }
};
} // namespace
