//===- EliminateEmptyTensors.cpp - Compute values where they are stored ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
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
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// The insertions of a chain that are left one by one, so that their sources
/// can be computed in their places: bufferization compares each read of the
/// whole with each write, for each insertion. The sources of more are copied.
/// It also bounds the results of insertions that are inserted in one another.
constexpr size_t kMaxChain = 16;

/// Returns the join that alone reads the result of `op`, if it joins along the
/// same dimension.
static tensor::ConcatOp getJoinOf(tensor::ConcatOp op) {
  if (!op->hasOneUse())
    return nullptr;
  auto join = dyn_cast<tensor::ConcatOp>(*op->user_begin());
  return join && join.getDim() == op.getDim() &&
                 join->getBlock() == op->getBlock()
             ? join
             : nullptr;
}

/// Makes one join of each tree of joins, such as that of a program that appends
/// a piece at a time: nested insertions would be compared with each other.
static void flattenJoins(RewriterBase &rewriter, ModuleOp module) {
  SmallVector<tensor::ConcatOp> roots;
  module.walk([&](tensor::ConcatOp op) {
    if (!getJoinOf(op))
      roots.push_back(op);
  });
  for (tensor::ConcatOp root : roots) {
    SmallVector<tensor::ConcatOp> joins = {root};
    SmallVector<Value> pieces,
        left = llvm::to_vector(llvm::reverse(root.getInputs()));
    while (!left.empty()) {
      Value piece = left.pop_back_val();
      auto join = piece.getDefiningOp<tensor::ConcatOp>();
      if (!join || !getJoinOf(join)) {
        pieces.push_back(piece);
        continue;
      }
      joins.push_back(join);
      llvm::append_range(left, llvm::reverse(join.getInputs()));
    }
    if (joins.size() == 1)
      continue;
    rewriter.setInsertionPoint(root);
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(root, root.getResultType(),
                                                  root.getDim(), pieces);
    for (tensor::ConcatOp join : ArrayRef(joins).drop_front())
      rewriter.eraseOp(join);
  }
}

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

/// Makes one op of `chain`, which copies the sources.
static void insertAtOnce(RewriterBase &rewriter,
                         ArrayRef<tensor::InsertSliceOp> chain) {
  SmallVector<Value> sources;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (tensor::InsertSliceOp insert : chain) {
    sources.push_back(insert.getSource());
    llvm::append_range(offsets, insert.getMixedOffsets());
    llvm::append_range(sizes, insert.getMixedSizes());
    llvm::append_range(strides, insert.getMixedStrides());
  }
  tensor::InsertSliceOp first = chain.front(), last = chain.back();
  rewriter.setInsertionPoint(last);
  rewriter.replaceOpWithNewOp<flywheel::linalg_ext::InsertSlicesOp>(
      last, sources, first.getDest(), offsets, sizes, strides);
  for (tensor::InsertSliceOp insert : llvm::reverse(chain.drop_back()))
    rewriter.eraseOp(insert);
}

/// Makes one op of each long chain of insertions, and of a chain that inserts
/// the result of a chain that inserts that of another, and so on.
static void insertChainsAtOnce(RewriterBase &rewriter, ModuleOp module) {
  SmallVector<tensor::InsertSliceOp> starts;
  module.walk([&](tensor::InsertSliceOp insert) {
    auto before = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
    if (!before || getNext(before) != insert)
      starts.push_back(insert);
  });
  // The number of chains that are inserted in one another, for each result.
  llvm::DenseMap<Value, size_t> depths;
  for (tensor::InsertSliceOp first : starts) {
    SmallVector<tensor::InsertSliceOp> chain;
    size_t depth = 0;
    for (tensor::InsertSliceOp insert = first; insert;
         insert = getNext(insert)) {
      chain.push_back(insert);
      depth = std::max(depth, depths.lookup(insert.getSource()) + 1);
    }
    if (first.getType().getRank() > 0 &&
        (chain.size() > kMaxChain || depth > kMaxChain))
      insertAtOnce(rewriter, chain);
    else
      depths[chain.back().getResult()] = depth;
  }
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
    IRRewriter rewriter(&getContext());
    flattenJoins(rewriter, getOperation());
    // Both are insertions of slices, which bufferization would turn to copies.
    RewritePatternSet patterns(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateDecomposePadPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
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
