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

/// Returns true if the loops of the user of `operand` visit each element once.
static bool visitsEachOnce(OpOperand *operand) {
  auto user = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  return !user || user.getMatchingIndexingMap(operand).isPermutation();
}

/// Returns true if the value of `operand` can be computed in its user.
/// Computing a value twice costs more than the memory traffic that it saves. In
/// loops that visit an element several times, a producer that updates its
/// destination would update it each time.
static bool isOnlyUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse() &&
         (!readsDestination(producer) || visitsEachOnce(operand));
}

/// Returns true if `producer` collapses dimensions of a value with other uses.
/// The user of `producer` cannot be fused with the producer of that value in
/// any shape, so changing its shape would gain nothing.
static bool isOfSharedValue(Operation *producer) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer);
  return collapse && !collapse.getSrc().hasOneUse();
}

/// Returns true if the value of `operand` can be folded into its user, which
/// lists all elements. A splat constant cannot: it takes the shape of its user.
static bool isFoldable(OpOperand *operand) {
  SplatElementsAttr splat;
  return isOnlyUse(operand) &&
         !matchPattern(operand->get(), m_Constant(&splat));
}

/// The maximum number of ops that are visited to find the product that an op
/// computes from: enough for a normalization of its rows and the derivative of
/// that, and a bound on the work for each op of a long chain.
constexpr size_t kMaxOpsBehindProduct = 16;

/// Returns true if `op` is a product, or computes from one in its shape. Such
/// an op keeps its shape; in another one it could not be fused with the ops
/// around it. If `isDirect`, only the product itself and elementwise ops that
/// read it count.
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

/// Returns true if `operand` is the expanded result of a product, and its user
/// should take the shape of the product; the user must not write an argument.
static bool isExpandedContraction(OpOperand *operand, bool isDirect) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  return expand && isOfContraction(expand.getSrc().getDefiningOp(), isDirect) &&
         !writesArgument(operand->getOwner());
}

/// Returns true if only `producer` uses `value` at or after `consumer`, so that
/// fusing the two would extend the live range of `value`.
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

/// Returns true if fusing `producer` into `consumer` would extend the live
/// ranges of several values of the size of the result instead of that of the
/// result alone.
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

/// Returns true if a contraction that reads `operand` remains a contraction
/// with a kernel when the producer of `operand` is fused into its body. That
/// holds if the producer only moves or widens elements. Other arithmetic would
/// be repeated for each product.
static bool keepsContraction(OpOperand *operand) {
  auto user = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!user || !flywheel::reusesInputs(user))
    return true;
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer &&
         llvm::all_of(producer.getBody()->without_terminator(),
                      [](Operation &op) { return isa<arith::ExtFOp>(op); });
}

/// Returns true if the user of `operand` would repeat slow arithmetic because
/// it visits each element several times, as when it subtracts the mean of each
/// row.
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

/// Returns true if the producer has no other use, and fusing it does not extend
/// the live ranges of several values, such as the terms of a sum that grows
/// with each product. Slow arithmetic is repeated only if `mayRepeat`.
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

/// The maximum number of rewrites by fusion is this for each op, and at least
/// that of `kMinOps` ops. Networks of several hundred ops take less than ten
/// for each.
constexpr int64_t kMaxRewritesPerOp = 1000;
constexpr int64_t kMinOps = 100;

/// The maximum number of rounds in which fused ops may be repeated.
constexpr int64_t kMaxRounds = 8;

/// Returns true if a user of `value` or of a view of it is `last` or runs after
/// it.
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

/// Returns true if all readers of the result of `op` but the first are so far
/// away that recomputing it from `input`, which is stored for them anyway,
/// takes no longer than reading it from memory. Example: the value of an
/// activation that its derivative needs.
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

/// Returns true if `op` is in `block`, or in a branch there, which runs at most
/// once.
static bool runsOnceIn(Block *block, Operation *op) {
  while (op->getBlock() != block) {
    op = op->getParentOp();
    if (!op || !flywheel::isBranch(op))
      return false;
  }
  return true;
}

/// Returns true if all users of `value` or of a reshape of it are ops in its
/// block, or in branches there, whose loops visit each element once.
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

/// Returns true if `first`, or an op around it, precedes `second` in one block,
/// or if they are in two regions of a branch, of which only one runs.
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

/// Returns true if `value` is still available where the users of the result of
/// `op` run: it is not a version of a variable, or is overwritten only after
/// them.
static bool lastsForUsers(Value value, linalg::GenericOp op) {
  Value root = flywheel::getRoot(value);
  if (!flywheel::isStateVersion(root))
    return true;
  return llvm::all_of(root.getUsers(), [&](Operation *other) {
    // A value that a branch yields may be overwritten after the branch.
    bool overwrites = other->hasTrait<OpTrait::IsTerminator>() ||
                      llvm::any_of(other->getResults(), [&](Value result) {
                        return flywheel::getOverwritten(result) == root;
                      });
    return !overwrites || llvm::all_of(op->getUsers(), [&](Operation *user) {
      return runsBefore(user, other);
    });
  });
}

/// Returns true if `op` can be computed with the dimensions that `collapse`
/// collapses in its result.
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

/// Returns true if fusing a copy of `op` into each of its users neither reads
/// more memory than reading its result would, nor extends live ranges: with
/// little arithmetic it broadcasts, changes one tensor of the result's size, or
/// adds one to a variable.
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
  // The op is cheapest in the tiles of the product, and no other op needs the
  // product.
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
  // If a user needs the value in a shape in which it cannot be computed, it is
  // stored for that user.
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
  // Fold expansions that an earlier rewrite collapsed: otherwise the next
  // pattern would collapse the operand again, with the op.
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

/// Returns true if the only user of `op` is a collapse that prevents fusing
/// `op` with the reader of the collapse, and the collapse may be moved before
/// `op`.
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

/// Clones ops that are cheap to repeat for each of their uses, in the shape of
/// the use. Returns true if anything changed.
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

    // A product of matrices keeps its loops: users of its reshaped result take
    // the shape of the product. These patterns run separately, because
    // elsewhere reshapes move in the other direction.
    RewritePatternSet collapsing(&getContext());
    populateFusing(collapsing);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(
        collapsing, [this](OpOperand *operand) {
          return isExpandedContraction(operand, /*isDirect=*/keepRows);
        });
    apply(collapsing);

    applyExpanding();
    // A fused op may itself be cheap to repeat. CSE merges the copies that
    // could not be fused.
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

  /// Applies `patterns` with the canonicalizations that they need.
  void apply(RewritePatternSet &patterns) {
    MLIRContext *context = &getContext();
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    // Reading the dimension size of a result is not a use of it.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    // The default is to give up silently after ten rounds.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    // Region simplification visits the whole function to find dead values of
    // loops.
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
