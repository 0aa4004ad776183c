//===- ReadInsertedSlices.cpp - Read a part where it is inserted ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a step on tensors, right before bufferization: canonicalization would
// undo this. After: if a part of a tensor is computed in its place and has
// other readers, it is inserted at once, and the readers read a slice of the
// whole. For a reader behind the insertion, one-shot bufferization would not
// see that both have the same elements, and would insert a copy.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_READINSERTEDSLICES
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// Returns true if no op but `insert` overwrites the source of `insert`.
static bool isOnlyRead(tensor::InsertSliceOp insert) {
  return llvm::all_of(insert.getSource().getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return use.getOwner() == insert || !user || !user.isDpsInit(&use);
  });
}

namespace {
struct ReadInsertedSlices
    : flywheel::impl::ReadInsertedSlicesBase<ReadInsertedSlices> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](tensor::InsertSliceOp insert) {
      tensor::ExtractSliceOp place = flywheel::findPlace(insert);
      Operation *producer = insert.getSource().getDefiningOp();
      if (place && place.getSource() == insert.getDest() &&
          !insert.getSource().hasOneUse() &&
          producer->getBlock() == insert->getBlock() && isOnlyRead(insert))
        readInserted(rewriter, insert);
    });
  }

private:
  void readInserted(RewriterBase &rewriter, tensor::InsertSliceOp insert) {
    Value part = insert.getSource();
    rewriter.moveOpAfter(insert, part.getDefiningOp());
    rewriter.setInsertionPointAfter(insert);
    auto slice = tensor::ExtractSliceOp::create(
        rewriter, insert.getLoc(), cast<RankedTensorType>(part.getType()),
        insert.getResult(), insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
    rewriter.replaceUsesWithIf(part, slice.getResult(), [&](OpOperand &use) {
      return use.getOwner() != insert;
    });
    ++numRead;
  }
};
} // namespace
