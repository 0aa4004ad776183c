//===- ForallToFor.cpp - Tiles one after the other ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: groups as `scf.forall`s on tensors. After: a nest of `scf.for` each,
// in which all tiles except for those at the end have a static size. Tiles that
// are marked as overlapping have a static size at the end, too, and so have
// iter_args that are slices of static sizes. Refuses an
// iteration that reads elements of an output that another one writes: in a
// sequential loop, it would read the new value. Upstream's conversion takes
// loops on buffers only.
//
//===----------------------------------------------------------------------===//

#include "OverlappingTiles.h"

#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FORALLTOFOR
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"
} // namespace flywheel

/// Fails with an error if an iteration of `forall` reads more of an output than
/// the part that it writes. Equal offsets have to be one value.
static LogicalResult verifyReads(scf::ForallOp forall) {
  auto isSame = [](OpFoldResult a, OpFoldResult b) {
    return isEqualConstantIntOrValue(a, b);
  };
  for (BlockArgument output : forall.getRegionIterArgs()) {
    SmallVector<tensor::ParallelInsertSliceOp> writes;
    for (Operation *user : output.getUsers())
      if (auto write = dyn_cast<tensor::ParallelInsertSliceOp>(user))
        writes.push_back(write);
    for (Operation *user : output.getUsers()) {
      auto read = dyn_cast<tensor::ExtractSliceOp>(user);
      if (isa<tensor::ParallelInsertSliceOp, tensor::DimOp>(user) ||
          (read && llvm::any_of(writes, [&](tensor::ParallelInsertSliceOp op) {
             return cast<OffsetSizeAndStrideOpInterface>(op.getOperation())
                 .isSameAs(
                     cast<OffsetSizeAndStrideOpInterface>(read.getOperation()),
                     isSame);
           })))
        continue;
      return user->emitOpError()
             << "expected an iteration of 'scf.forall' to read of an output "
                "only the slice that it inserts, to be computed after others";
    }
  }
  return success();
}

/// Replaces `forall` by a nest of loops, outermost first.
static scf::LoopNest convert(RewriterBase &rewriter, scf::ForallOp forall) {
  Location loc = forall.getLoc();
  rewriter.setInsertionPoint(forall);
  auto toValues = [&](ArrayRef<OpFoldResult> folds) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, folds);
  };
  SmallVector<Value> lower = toValues(forall.getMixedLowerBound()),
                     upper = toValues(forall.getMixedUpperBound()),
                     steps = toValues(forall.getMixedStep());
  scf::InParallelOp end = forall.getTerminator();
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, lower, upper, steps, forall.getOutputs(),
      [&](OpBuilder &, Location, ValueRange ivs, ValueRange carried) {
        SmallVector<Value> arguments(ivs);
        llvm::append_range(arguments, carried);
        Block *body = rewriter.getInsertionBlock();
        Block::iterator place = rewriter.getInsertionPoint();
        SmallVector<Operation *> inserts;
        for (Operation &op : end.getYieldingOps())
          inserts.push_back(&op);
        for (Operation *op : inserts)
          op->moveBefore(end);
        rewriter.inlineBlockBefore(forall.getBody(), body, place, arguments);
        SmallVector<Value> results(carried);
        for (Operation *op : inserts) {
          auto insert = cast<tensor::ParallelInsertSliceOp>(op);
          // A later insertion into the same output follows this one.
          unsigned number =
              llvm::find(carried, insert.getDest()) - carried.begin();
          rewriter.setInsertionPoint(end);
          results[number] = tensor::InsertSliceOp::create(
              rewriter, insert.getLoc(), insert.getSource(), results[number],
              insert.getMixedOffsets(), insert.getMixedSizes(),
              insert.getMixedStrides());
          rewriter.eraseOp(insert);
        }
        rewriter.eraseOp(end);
        rewriter.setInsertionPoint(body, place);
        return results;
      });
  rewriter.replaceOp(forall, nest.results);
  return nest;
}

/// Returns true if `value` has the sizes of `carried`: it is `carried` itself
/// with other elements.
static bool isSizedAs(Value value, Value carried) {
  while (value != carried) {
    if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
      value = insert.getDest();
    } else if (auto cast = value.getDefiningOp<tensor::CastOp>()) {
      value = cast.getSource();
    } else if (auto loop = value.getDefiningOp<scf::ForOp>()) {
      OpOperand *init = loop.getTiedLoopInit(cast_or_null<OpResult>(value));
      if (!isSizedAs(
              loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(init))
                  ->get(),
              loop.getTiedLoopRegionIterArg(init)))
        return false;
      value = init->get();
    } else {
      return false;
    }
  }
  return true;
}

namespace {
/// Gives an iter_arg whose init is cast from a type with more static sizes that
/// type. A slice of static sizes that is inserted again with dynamic ones is
/// not known to be the same slice, and bufferization would copy it. Upstream's
/// pattern needs results that are all cast back, once.
struct StaticIterArgs : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    for (unsigned number : llvm::seq(loop.getNumResults())) {
      OpOperand &init = loop.getInitArgsMutable()[number];
      BlockArgument argument = loop.getRegionIterArg(number);
      Value yielded = loop.getYieldedValues()[number];
      Value result = loop.getResult(number);
      auto cast = init.get().getDefiningOp<tensor::CastOp>();
      if (!cast ||
          !tensor::preservesStaticInformation(cast.getType(),
                                              cast.getSource().getType()) ||
          !isSizedAs(yielded, argument))
        continue;
      Type dynamic = cast.getType(), sized = cast.getSource().getType();
      Location loc = loop.getLoc();
      Operation *yield = loop.getBody()->getTerminator();
      rewriter.setInsertionPoint(yield);
      Value last = tensor::CastOp::create(rewriter, loc, sized, yielded);
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(number, last); });
      rewriter.setInsertionPointToStart(loop.getBody());
      auto first = tensor::CastOp::create(rewriter, loc, dynamic, argument);
      rewriter.replaceAllUsesExcept(argument, first.getResult(), first);
      rewriter.setInsertionPointAfter(loop);
      auto after = tensor::CastOp::create(rewriter, loc, dynamic, result);
      rewriter.replaceAllUsesExcept(result, after.getResult(), after);
      rewriter.modifyOpInPlace(loop, [&] {
        init.set(cast.getSource());
        argument.setType(sized);
        result.setType(sized);
      });
      return success();
    }
    return failure();
  }
};

struct ForallToFor : flywheel::impl::ForallToForBase<ForallToFor> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> foralls;
    getOperation().walk([&](scf::ForallOp op) { foralls.push_back(op); });
    // Equal offsets become one value, as those of a slice that is read and
    // inserted.
    DominanceInfo dominance(getOperation());
    for (scf::ForallOp forall : foralls)
      if (!forall->getParentOfType<scf::ForallOp>())
        eliminateCommonSubExpressions(rewriter, dominance, forall);
    SmallVector<scf::ForOp> loops;
    // The inner ones come first in this list.
    for (scf::ForallOp forall : foralls) {
      if (failed(verifyReads(forall)))
        return signalPassFailure();
      SmallVector<std::optional<unsigned>> overlapping(forall.getRank());
      for (auto [number, dim] : llvm::enumerate(overlapping))
        if (flywheel::isOverlapping(forall, number))
          if (FailureOr<unsigned> tiled = flywheel::getTiledDim(forall, number);
              succeeded(tiled))
            dim = *tiled;
      scf::LoopNest nest = convert(rewriter, forall);
      for (auto [loop, dim] :
           llvm::reverse(llvm::zip_equal(nest.loops, overlapping)))
        if (dim)
          flywheel::overlapLastTile(rewriter, loop, *dim);
        else
          loops.push_back(loop);
      ++numConverted;
    }
    // Full tiles have static sizes; loops of their own compute the rest.
    for (scf::ForOp loop : loops) {
      // Upstream splits a loop correctly only if it has an iteration, or starts
      // from 0.
      if (!isConstantIntValue(loop.getLowerBound(), 0))
        continue;
      scf::ForOp partial;
      (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, partial);
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<StaticIterArgs>(&getContext());
    // The rest after full tiles is one iteration, whose sizes fold.
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, &getContext());
    affine::AffineMinOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CastOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitError("expected casts of slices to fold in a bounded "
                               "number of steps");
      return signalPassFailure();
    }
  }
};
} // namespace
