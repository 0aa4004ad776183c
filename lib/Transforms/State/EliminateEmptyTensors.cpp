//===- EliminateEmptyTensors.cpp - Compute values where they are stored ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORS
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

/// The insertions of a chain that are left one by one, so that their sources
/// can be computed in their places: bufferization compares each read of the
/// whole with each write, for each insertion. The sources of more are copied.
constexpr size_t kMaxChain = 16;

/// Returns the insertion into the result of `insert`, if it is the only reader
/// of that.
static tensor::InsertSliceOp getNext(tensor::InsertSliceOp insert) {
  if (!insert->hasOneUse())
    return nullptr;
  OpOperand &use = *insert->use_begin();
  auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
  return next && &use == &next.getDestMutable() &&
                 next->getBlock() == insert->getBlock()
             ? next
             : nullptr;
}

/// Makes one op of the chain that begins with `first`, if it is a long one.
static void insertAtOnce(RewriterBase &rewriter, tensor::InsertSliceOp first) {
  SmallVector<tensor::InsertSliceOp> chain;
  for (tensor::InsertSliceOp insert = first; insert; insert = getNext(insert))
    chain.push_back(insert);
  if (chain.size() <= kMaxChain || first.getType().getRank() == 0)
    return;
  SmallVector<Value> sources;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (tensor::InsertSliceOp insert : chain) {
    sources.push_back(insert.getSource());
    llvm::append_range(offsets, insert.getMixedOffsets());
    llvm::append_range(sizes, insert.getMixedSizes());
    llvm::append_range(strides, insert.getMixedStrides());
  }
  rewriter.setInsertionPoint(chain.back());
  rewriter.replaceOpWithNewOp<flywheel::linalg_ext::InsertSlicesOp>(
      chain.back(), sources, first.getDest(), offsets, sizes, strides);
  for (tensor::InsertSliceOp insert :
       llvm::reverse(ArrayRef(chain).drop_back()))
    rewriter.eraseOp(insert);
}

/// Makes one op of each long chain of insertions.
static void insertChainsAtOnce(RewriterBase &rewriter, ModuleOp module) {
  SmallVector<tensor::InsertSliceOp> starts;
  module.walk([&](tensor::InsertSliceOp insert) {
    auto before = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
    if (!before || getNext(before) != insert)
      starts.push_back(insert);
  });
  for (tensor::InsertSliceOp first : starts)
    insertAtOnce(rewriter, first);
}

/// Makes the tensor that a computed value is inserted in before the value is
/// computed, so that it can be computed there.
static void hoistDestination(RewriterBase &rewriter,
                             tensor::InsertSliceOp insert) {
  Operation *first = nullptr;
  Value value = insert.getSource();
  while (auto op = value.getDefiningOp<DestinationStyleOpInterface>()) {
    first = op;
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  if (first && value.getDefiningOp<tensor::EmptyOp>() &&
      first->getBlock() == insert->getBlock())
    (void)moveValueDefinitions(rewriter, insert.getDest(), first);
}

/// Computes the source of `insert` in its destination, if another op has
/// already made that destination a slice of a larger tensor.
static void moveToDestination(RewriterBase &rewriter,
                              tensor::InsertSliceOp insert) {
  tensor::ExtractSliceOp place = flywheel::findPlace(insert);
  if (!place || !place.getSource().getDefiningOp<tensor::EmptyOp>() ||
      place.getSource() == insert.getDest() ||
      place->getBlock() != insert->getBlock() ||
      failed(moveValueDefinitions(rewriter, insert.getDest(), place)))
    return;
  place.getSourceMutable().assign(insert.getDest());
}

namespace {
struct EliminateEmptyTensors
    : flywheel::impl::EliminateEmptyTensorsBase<EliminateEmptyTensors> {
  void runOnOperation() override {
    // Both are insertions of slices, which bufferization would turn to copies.
    RewritePatternSet patterns(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateDecomposePadPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    IRRewriter rewriter(&getContext());
    insertChainsAtOnce(rewriter, getOperation());
    getOperation().walk([&](tensor::InsertSliceOp insert) {
      hoistDestination(rewriter, insert);
    });
    // Sources of insertions are read in place, which needs no analysis.
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    bufferization::OneShotAnalysisState state(getOperation(), options);
    getOperation().walk([&](SubsetInsertionOpInterface op) {
      state.bufferizeInPlace(op.getSourceOperand());
    });
    // Around a branch or a loop, the storage may still be needed as it is.
    auto extract = [](RewriterBase &rewriter, SubsetInsertionOpInterface op,
                      tensor::EmptyOp empty, Operation *user) -> Value {
      if (user->getBlock() != op->getBlock())
        return {};
      return bufferization::buildSubsetExtraction(rewriter, op, empty, user);
    };
    if (failed(bufferization::eliminateEmptyTensors(rewriter, getOperation(),
                                                    state, extract)))
      return signalPassFailure();
    getOperation().walk([&](tensor::InsertSliceOp insert) {
      moveToDestination(rewriter, insert);
    });
  }
};
} // namespace
