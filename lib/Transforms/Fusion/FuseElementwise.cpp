//===- FuseElementwise.cpp - One op for a chain of elementwise ops --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `linalg` on tensors. After: an elementwise op whose result has one
// use, by another structured op, is computed in the body of that op, through
// changes of shape as well; one that costs next to nothing is computed in the
// body of each of its users. Refuses a function whose rewriting finds no end.
//
//===----------------------------------------------------------------------===//

#include "FusionCosts.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/LostSchedules.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Whether the loops of the user of `operand` visit each element once.
static bool visitsEachOnce(OpOperand *operand) {
  auto user = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  return !user || user.getMatchingIndexingMap(operand).isPermutation();
}

/// Whether what `operand` is can be computed where it is used. Computing a
/// value twice never pays for what it saves in memory traffic; and in loops
/// that visit an element several times, a producer that updates its destination
/// would update it each time.
static bool isOnlyUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse() &&
         (!readsDestination(producer) || visitsEachOnce(operand));
}

/// Whether `producer` puts dimensions together of what others use as well: its
/// user cannot be computed in the loops of that in any shape, and would change
/// its shape for nothing.
static bool isOfSharedValue(Operation *producer) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer);
  return collapse && !collapse.getSrc().hasOneUse();
}

/// Whether what `operand` is can be folded with its user, which makes a list of
/// all elements: no splat, which has a size of its own choice.
static bool isFoldable(OpOperand *operand) {
  SplatElementsAttr splat;
  return isOnlyUse(operand) &&
         !matchPattern(operand->get(), m_Constant(&splat));
}

/// How many ops are looked at to find the product that one computes from: as
/// many as normalize its rows and differentiate that, and no more for each op
/// of a long chain.
constexpr size_t kMaxOpsBehindProduct = 16;

/// Whether `op` is a product, or computes from one in its shape: then it keeps
/// that, as it could not be computed in one loop with the ops around it in
/// another shape. With `isDirect`, only an elementwise op that reads the
/// product itself.
static bool isOfContraction(Operation *op, bool isDirect) {
  llvm::SetVector<Operation *> visited;
  visited.insert(op);
  for (size_t next = 0; next < visited.size(); ++next) {
    auto structured = dyn_cast_or_null<linalg::LinalgOp>(visited[next]);
    if (structured && flywheel::isContraction(structured))
      return true;
    if (!isa_and_present<linalg::GenericOp>(visited[next]) ||
        (isDirect && (next > 0 || structured.getNumReductionLoops() > 0)))
      continue;
    for (Value input : structured.getDpsInputs())
      if (visited.size() < kMaxOpsBehindProduct)
        visited.insert(input.getDefiningOp());
  }
  return false;
}

/// Whether `operand` is the result of a product in another shape, and its user
/// does better to take the shape of the product, which writes no argument.
static bool isExpandedContraction(OpOperand *operand, bool isDirect) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  return expand && isOfContraction(expand.getSrc().getDefiningOp(), isDirect) &&
         !writesArgument(operand->getOwner());
}

/// Whether nothing but `producer` uses `value` at `consumer` or after it.
static bool isKeptByFusion(Value value, Operation *producer,
                           Operation *consumer) {
  return !isa<BlockArgument>(value) &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           Operation *other =
               consumer->getBlock()->findAncestorOpInBlock(*user);
           return other == producer ||
                  (other && other->isBeforeInBlock(consumer));
         });
}

/// Whether several values of the size of the result of `producer` would be kept
/// up to `consumer` instead of the result alone.
static bool keepsSeveralValues(Operation *producer, Operation *consumer) {
  auto structured = dyn_cast<linalg::LinalgOp>(producer);
  if (!structured)
    return false;
  SmallVector<Value> candidates;
  for (OpOperand *operand : structured.getDpsInputOperands())
    if (structured.getMatchingIndexingMap(operand).isPermutation())
      candidates.push_back(operand->get());
  // The order of ops is counted anew behind each rewrite: few are asked for.
  return candidates.size() > 1 &&
         llvm::count_if(candidates, [&](Value value) {
           return isKeptByFusion(value, producer, consumer);
         }) > 1;
}

/// Whether a contraction that reads `operand` is still one, with a kernel of
/// its own, when the producer of `operand` is computed in its body: what only
/// moves or widens elements. Anything else would be computed for each product.
static bool keepsContraction(OpOperand *operand) {
  auto user = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!user || !flywheel::reusesInputs(user))
    return true;
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer &&
         llvm::all_of(producer.getBody()->without_terminator(),
                      [](Operation &op) { return isa<arith::ExtFOp>(op); });
}

/// Whether the user of `operand` would repeat arithmetic that takes long: it
/// visits each element several times, as for the mean of each row.
static bool repeatsLongArithmetic(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto user = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !user)
    return false;
  AffineMap map = user.getMatchingIndexingMap(operand);
  SmallVector<int64_t> sizes = flywheel::getStaticLoopSizes(user);
  bool repeats = false;
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    repeats |= sizes[loop] != 1 && !map.isFunctionOfDim(loop);
  return repeats &&
         llvm::any_of(producer.getBody()->without_terminator(),
                      [](Operation &op) {
                        return isa<arith::DivFOp>(op) ||
                               isa<math::MathDialect>(op.getDialect());
                      });
}

/// Whether the producer is computed for this use alone, and computing it there
/// does not keep several values for long where it would keep one: as the terms
/// of a sum that grows with each product. Arithmetic that takes long is
/// repeated only with `mayRepeat`.
static bool isWorthFusing(OpOperand *operand, bool mayRepeat) {
  if (!isOnlyUse(operand) || !keepsContraction(operand) ||
      (!mayRepeat && repeatsLongArithmetic(operand)))
    return false;
  Operation *producer = operand->get().getDefiningOp();
  if (countBodyOps(producer) + countBodyOps(operand->getOwner()) > kMaxBodyOps)
    return false;
  return !isFarFrom(producer, operand->getOwner()) ||
         !keepsSeveralValues(producer, operand->getOwner());
}

/// Rewrites that fusion may take: so many for each op, of so many ops at least.
/// Networks of several hundred ops take less than ten for each.
constexpr int64_t kMaxRewritesPerOp = 1000;
constexpr int64_t kMinOps = 100;

/// How often what was fused may be repeated in turn.
constexpr int64_t kMaxRounds = 8;

/// Whether some user of `value`, in another shape or not, is `last` or comes
/// after it.
static bool isReadUpTo(Value value, Operation *last) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (flywheel::isView(user))
      return isReadUpTo(user->getResult(0), last);
    Operation *top = last->getBlock()->findAncestorOpInBlock(*user);
    return top && !top->isBeforeInBlock(last);
  });
}

/// Appends the users of `value`, in another shape or not.
static void appendReaders(Value value, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : value.getUsers())
    if (flywheel::isView(user))
      appendReaders(user->getResult(0), readers);
    else
      readers.push_back(user);
}

/// Whether all readers of the result of `op` but the first one are so far away
/// that computing it again, from `input`, which is stored for them anyway,
/// takes no longer than memory does: as what a derivative needs of an
/// activation.
static bool isCheapForFarUsers(linalg::GenericOp op, Value input) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (!type.hasStaticShape() ||
      type.getNumElements() * type.getElementTypeBitWidth() / 8 < kMinFarBytes)
    return false;
  SmallVector<Operation *> readers;
  appendReaders(op.getResult(0), readers);
  if (llvm::any_of(readers, [&](Operation *reader) {
        return reader->getBlock() != op->getBlock();
      }))
    return false;
  llvm::sort(readers, [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  });
  Value stored = flywheel::getRoot(input);
  return llvm::all_of(
             llvm::drop_begin(readers),
             [&](Operation *reader) { return isFarFrom(op, reader); }) &&
         isReadUpTo(stored, readers.back());
}

/// Whether `op` is in `block` or in a branch there, which runs once at most.
static bool runsOnceIn(Block *block, Operation *op) {
  while (op->getBlock() != block) {
    op = op->getParentOp();
    if (!op || !flywheel::isBranch(op))
      return false;
  }
  return true;
}

/// Whether all users of `value`, in another shape or not, are ops beside it, or
/// in branches beside it, whose loops visit each of its elements once.
static bool isReadOnceByEach(Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (!runsOnceIn(value.getParentBlock(), user))
      return false;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isReadOnceByEach(user->getResult(0));
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic && generic.isDpsInput(&use) && visitsEachOnce(&use);
  });
}

/// Whether `first`, or what it is in, comes before `second` in one block, or
/// they are in two regions of a branch, of which one is run.
static bool runsBefore(Operation *first, Operation *second) {
  Operation *shared = first->getParentOp();
  while (!shared->isAncestor(second))
    shared = shared->getParentOp();
  for (Region &region : shared->getRegions()) {
    Operation *left = region.findAncestorOpInRegion(*first);
    Operation *right = region.findAncestorOpInRegion(*second);
    if (left && right)
      return left != right && left->getBlock() == right->getBlock() &&
             left->isBeforeInBlock(right);
  }
  return flywheel::isBranch(shared);
}

/// Whether `value` is found where all users of the result of `op` run: it is no
/// version of a variable, or none that is overwritten before.
static bool lastsForUsers(Value value, linalg::GenericOp op) {
  Value root = flywheel::getRoot(value);
  if (!flywheel::isStateVersion(root))
    return true;
  return llvm::all_of(root.getUsers(), [&](Operation *other) {
    // What a branch passes on may be overwritten where it goes on.
    bool overwrites = other->hasTrait<OpTrait::IsTerminator>() ||
                      llvm::any_of(other->getResults(), [&](Value result) {
                        return flywheel::getOverwritten(result) == root;
                      });
    return !overwrites || llvm::all_of(op->getUsers(), [&](Operation *user) {
      return runsBefore(user, other);
    });
  });
}

/// Whether `op` can be computed with dimensions put together as `collapse` puts
/// those of its result.
static bool canCollapseLike(linalg::GenericOp op,
                            tensor::CollapseShapeOp collapse) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // An operand that is read at a constant place, as one of size 1 that repeats,
  // has no dimension there to put together.
  return maps.back().isIdentity() &&
         llvm::all_of(
             maps,
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         linalg::areDimSequencesPreserved(maps,
                                          collapse.getReassociationIndices());
}

/// The users of an op that each read two tensors of the size of its result in
/// less time than it takes to store the result and read it back.
constexpr int64_t kMaxUsersOfSum = 3;

/// Whether computing `op` in each of its users reads no more memory than
/// reading its result would, and keeps no more: it broadcasts, or changes one
/// tensor of the result's size, by a little arithmetic, or adds one to a
/// variable.
static bool isCheapToRepeat(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getNumLoops() == 0 || op.getNumLoops() != op.getNumParallelLoops() ||
      readsDestination(op) || writesArgument(op))
    return false;
  auto body = op.getBody()->without_terminator();
  int64_t numOps = std::distance(body.begin(), body.end());
  bool isCheapAnywhere =
      llvm::all_of(body, isCheap) && numOps <= kMaxRepeatedOps;
  if (!llvm::all_of(body, isCheapFarAway) || numOps > kMaxFarOps)
    return false;
  unsigned width =
      getElementTypeOrSelf(op.getResult(0)).getIntOrFloatBitWidth();
  int64_t numFull = 0, numVersions = 0;
  Value full;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return false;
    if (map.getNumResults() != map.getNumDims())
      continue;
    Type element = getElementTypeOrSelf(input->get());
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > width)
      return false;
    bool isVersion = flywheel::isStateVersion(flywheel::getRoot(input->get()));
    ++(isVersion ? numVersions : numFull);
    full = input->get();
    if (isVersion && !lastsForUsers(input->get(), op))
      return false;
  }
  if (numFull > 1 || numVersions > 1)
    return false;
  // What is computed in the tiles of a product is cheaper than anywhere else,
  // and nothing needs the product without it.
  auto product =
      full ? full.getDefiningOp<linalg::LinalgOp>() : linalg::LinalgOp();
  if (product && full.hasOneUse() && flywheel::isContraction(product))
    return false;
  if (!isCheapAnywhere &&
      (numFull != 1 || numVersions != 0 || !isCheapForFarUsers(op, full)))
    return false;
  int64_t numUses = std::distance(op->use_begin(), op->use_end());
  if (numVersions == 1 && (numFull == 0 || numUses > kMaxUsersOfSum))
    return false;
  // Where one user needs it in a shape that it cannot be computed in, it is
  // stored for that one.
  if (llvm::any_of(op->getUsers(), [&](Operation *user) {
        auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
        return collapse && !canCollapseLike(op, collapse);
      }))
    return false;
  return isReadOnceByEach(op.getResult(0));
}

/// Computes `op`, whose only user puts dimensions of it together, in that
/// shape: in the one that the user of that has, perhaps the shape of a product.
/// Returns whether it did.
static bool collapseLikeUser(RewriterBase &rewriter, linalg::GenericOp op) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(*op->user_begin());
  if (!collapse || !canCollapseLike(op, collapse))
    return false;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed = linalg::collapseOpIterationDims(
      op, collapse.getReassociationIndices(), rewriter);
  if (failed(collapsed))
    return false;
  rewriter.replaceOp(op, collapsed->results);
  // What was expanded before is not to be: a collapsed operand would be, with
  // the op, by the next pattern.
  for (OpOperand &operand : collapsed->collapsedOp->getOpOperands()) {
    auto again = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
    auto expand =
        again ? again.getSrc().getDefiningOp<tensor::ExpandShapeOp>() : nullptr;
    if (expand && expand.getSrcType() == again.getResultType() &&
        expand.getReassociationIndices() == again.getReassociationIndices())
      operand.set(expand.getSrc());
  }
  return true;
}

/// Whether the only user of `op` is in the way of fusing it with what reads it
/// in another shape, and may be moved in front of it.
static bool isInOtherShapeThanUser(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || !op->hasOneUse() ||
      readsDestination(op) || writesArgument(op))
    return false;
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(*op->user_begin());
  auto body = op.getBody()->without_terminator();
  return collapse && collapse->hasOneUse() &&
         isa<linalg::GenericOp>(*collapse->user_begin()) &&
         visitsEachOnce(&*collapse->use_begin()) &&
         llvm::all_of(body, isCheapFarAway) &&
         std::distance(body.begin(), body.end()) <= kMaxFarOps;
}

/// Gives each use of what is cheap to repeat a producer of its own, of the
/// shape of the use. Returns whether anything changed.
static bool repeatCheapProducers(func::FuncOp function) {
  SmallVector<linalg::GenericOp> cheap, single;
  function.walk([&](linalg::GenericOp op) {
    if (isInOtherShapeThanUser(op))
      single.push_back(op);
    else if (!op->hasOneUse() && !op->use_empty() && isCheapToRepeat(op))
      cheap.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  bool isChanged = !cheap.empty();
  for (linalg::GenericOp op : single)
    isChanged |= collapseLikeUser(rewriter, op);
  for (linalg::GenericOp op : cheap) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    SmallVector<linalg::GenericOp> copies = {op};
    for (OpOperand *use : ArrayRef(uses).drop_front()) {
      rewriter.setInsertionPoint(op);
      copies.push_back(cast<linalg::GenericOp>(rewriter.clone(*op)));
      use->set(copies.back().getResult(0));
    }
    for (linalg::GenericOp copy : copies)
      (void)collapseLikeUser(rewriter, copy);
  }
  return isChanged;
}

namespace {
struct FuseElementwise : flywheel::impl::FuseElementwiseBase<FuseElementwise> {
  using FuseElementwiseBase::FuseElementwiseBase;

  void runOnOperation() override {
    // A contraction that has an operand it does not use, as derivatives leave
    // them, would not be seen to be one.
    RewritePatternSet erasing(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(erasing);
    apply(erasing);

    // A product of matrices is not spread over more loops: what comes after
    // it in another shape takes the shape of the product. The other way round
    // than elsewhere, so on its own.
    RewritePatternSet collapsing(&getContext());
    populateFusing(collapsing);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(
        collapsing, [this](OpOperand *operand) {
          return isExpandedContraction(operand, /*isDirect=*/keepRows);
        });
    apply(collapsing);

    applyExpanding();
    // What is fused may be cheap to repeat in turn. What could not be fused is
    // made one again by CSE.
    for (int64_t round = 0; round < kMaxRounds; ++round) {
      if (!repeatCheapProducers(getOperation()))
        break;
      applyExpanding();
    }
  }

private:
  void populateFusing(RewritePatternSet &patterns) {
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [this](OpOperand *operand) {
          return isWorthFusing(operand, /*mayRepeat=*/keepRows);
        });
  }

  /// Fuses; changes of shape in between move out of the way.
  void applyExpanding() {
    RewritePatternSet expanding(&getContext());
    populateFusing(expanding);
    // An op that updates a variable keeps the variable's shape: bufferization
    // does not see that another shape of it is the variable itself. A padding
    // keeps its shape too: of an expanded one, the dimension sizes of its
    // operand would be computed too late.
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        expanding, [this](OpOperand *operand) {
          Operation *producer = operand->get().getDefiningOp();
          return isOnlyUse(operand) &&
                 (keepRows || !isOfSharedValue(producer)) &&
                 !isa<tensor::PadOp>(producer) &&
                 !isa<tensor::PadOp>(operand->getOwner()) &&
                 !writesArgument(operand->getOwner()) &&
                 !writesArgument(producer) &&
                 !isOfContraction(producer, /*isDirect=*/keepRows) &&
                 !isOfContraction(operand->getOwner(), /*isDirect=*/keepRows);
        });
    tensor::populateBubbleUpExpandShapePatterns(expanding);
    linalg::populateConstantFoldLinalgOperations(expanding, isFoldable);
    apply(expanding);
  }

  /// Applies `patterns` and what they need to see through each other.
  void apply(RewritePatternSet &patterns) {
    MLIRContext *context = &getContext();
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    // The dimension size of a result is no use of it.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    // The default is to give up silently after ten rounds.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    // It goes over the whole function, to find dead values of loops.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    codegen::LostSchedules lost([](Operation *op) {
      return op->emitWarning()
             << "fusion replaces '" << op->getName()
             << "' by another op, to which a schedule can be given behind "
                "flywheel-bufferize; it drops ";
    });
    config.setListener(&lost);
    // Each pattern is upstream's, and nothing proves that they cannot undo each
    // other's work for ever. A change of shape moves past each op at most once.
    int64_t maxRewrites = kMaxRewritesPerOp * (countOps() + kMinOps);
    config.setMaxNumRewrites(maxRewrites);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config))) {
      getOperation().emitError()
          << "expected the fusion of '" << getOperation().getSymName()
          << "' to end, found no end after " << maxRewrites << " rewrites";
      signalPassFailure();
    }
  }

  int64_t countOps() {
    int64_t count = 0;
    getOperation().walk([&](Operation *) { ++count; });
    return count;
  }
};
} // namespace
