//===- FuseEpilogues.cpp - Activations behind a product -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: fused `linalg` on tensors. After: if the only reader of a product is
// an elementwise op with several readers, it is merged with the first of these
// that is elementwise and not far away, into one op with the results of both.
// So a layer that stores the operand of its activation stores both in the tiles
// of the product.
//
//===----------------------------------------------------------------------===//

#include "FusionCosts.h"
#include "MergeElementwise.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Returns the elementwise op that is the only reader of the result of
/// `product`; null if there is none.
static linalg::GenericOp findEpilogue(linalg::LinalgOp product) {
  Value result = product->getResult(0);
  if (!result.hasOneUse())
    return {};
  OpOperand &use = *result.getUses().begin();
  auto epilogue = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!epilogue || epilogue->getBlock() != product->getBlock() ||
      !isElementwise(epilogue) || !epilogue.isDpsInput(&use) ||
      !epilogue.getMatchingIndexingMap(&use).isIdentity())
    return {};
  return epilogue;
}

/// Returns the first op that reads a result of `epilogue`, if it can be
/// computed in the same loops: null otherwise.
static linalg::GenericOp findNextStep(linalg::GenericOp epilogue) {
  Block *block = epilogue->getBlock();
  Operation *first = nullptr;
  for (Operation *user : epilogue->getUsers()) {
    Operation *top = block->findAncestorOpInBlock(*user);
    if (!top)
      return {};
    if (!first || top->isBeforeInBlock(first))
      first = top;
  }
  auto next = dyn_cast_or_null<linalg::GenericOp>(first);
  if (!next || !isElementwise(next) || next.hasIndexSemantics() ||
      next.getNumLoops() != epilogue.getNumLoops() ||
      codegen::getSchedule(next) || isFarFrom(epilogue, next) ||
      countBodyOps(epilogue) + countBodyOps(next) > kMaxBodyOps)
    return {};
  for (OpOperand &operand : next->getOpOperands())
    if (operand.get().getDefiningOp() == epilogue &&
        (!next.isDpsInput(&operand) ||
         !next.getMatchingIndexingMap(&operand).isIdentity()))
      return {};
  return next;
}

namespace {
struct FuseEpilogues : flywheel::impl::FuseEpiloguesBase<FuseEpilogues> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && isContraction(op))
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp product : products) {
      linalg::GenericOp epilogue = findEpilogue(product);
      while (epilogue && !codegen::getSchedule(epilogue)) {
        linalg::GenericOp next = findNextStep(epilogue);
        if (!next)
          break;
        epilogue = fuse(rewriter, epilogue, next);
        ++numFused;
      }
    }
  }

private:
  static linalg::GenericOp fuse(RewriterBase &rewriter,
                                linalg::GenericOp epilogue,
                                linalg::GenericOp next) {
    rewriter.setInsertionPoint(next);
    linalg::GenericOp fused = mergeElementwise(rewriter, epilogue, next);
    ResultRange results = fused->getResults();
    unsigned numOwn = epilogue->getNumResults();
    rewriter.replaceOp(next, results.drop_front(numOwn));
    rewriter.replaceOp(epilogue, results.take_front(numOwn));
    // Do not write results that only `next` read.
    FailureOr<linalg::GenericOp> needed =
        linalg::deduplicateOperandsAndRemoveDeadResults(rewriter, fused,
                                                        /*removeOutputs=*/true);
    return succeeded(needed) ? *needed : fused;
  }
};
} // namespace
