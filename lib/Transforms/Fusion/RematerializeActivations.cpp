//===- RematerializeActivations.cpp - Activations beside their gradient ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: fused `linalg` on tensors. After: if the backward part needs a large
// value of an elementwise op again, behind another elementwise op that reads
// the same operand, that op recomputes the value. Its first live range then
// ends early.
//
//===----------------------------------------------------------------------===//

#include "FusionCosts.h"
#include "MergeElementwise.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_REMATERIALIZEACTIVATIONS
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using Ops = llvm::SetVector<Operation *>;

/// Returns the one input of `op` that has the size of its result, if `op` is
/// worth recomputing from it where that input is read again; null otherwise.
static Value findSource(linalg::GenericOp op) {
  if (!isElementwise(op) || op.getNumResults() != 1 || readsDestination(op) ||
      op.hasIndexSemantics() || codegen::getSchedule(op))
    return {};
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (!type.hasStaticShape() || getNumBytes(type).getSaturated() < kMinFarBytes)
    return {};
  auto body = op.getBody()->without_terminator();
  if (std::distance(body.begin(), body.end()) > kMaxFarOps ||
      !llvm::all_of(body, isCheapFarAway))
    return {};
  Value source;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return {};
    if (map.getNumResults() != map.getNumDims())
      continue;
    if (!map.isIdentity() || (source && source != input->get()))
      return {};
    source = input->get();
  }
  if (!source || isStateVersion(getRoot(source)))
    return {};
  // The product need not be stored if only `op` reads it.
  auto product = source.getDefiningOp<linalg::LinalgOp>();
  if (product && source.hasOneUse() && isContraction(product))
    return {};
  return source;
}

/// Returns the ops of the block of `op` that it depends on.
static Ops findDependencies(Operation *op) {
  Ops found;
  Block *block = op->getBlock();
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty())
    worklist.pop_back_val()->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *top = block->findAncestorOpInBlock(*producer))
            if (top != op && found.insert(top))
              worklist.push_back(top);
    });
  return found;
}

/// Returns `ops` and the ops before `end` that depend on them, in order. Fails
/// if one of them has an effect.
static FailureOr<SmallVector<Operation *>>
findDependents(ArrayRef<Operation *> ops, Operation *end) {
  Ops found;
  SmallVector<Operation *> worklist(ops);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!op->isBeforeInBlock(end) || !found.insert(op))
      continue;
    if (!isMemoryEffectFree(op))
      return failure();
    for (Operation *user : op->getUsers())
      worklist.push_back(end->getBlock()->findAncestorOpInBlock(*user));
  }
  SmallVector<Operation *> sorted = found.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  });
  return sorted;
}

namespace {
/// A value that is computed twice.
struct Recomputation {
  linalg::GenericOp op;
  /// The op that computes the value the second time.
  linalg::GenericOp place;
  /// The uses of the second value.
  SmallVector<OpOperand *> uses;
  /// The ops that move behind `place`.
  SmallVector<Operation *> moved;
};
} // namespace

/// Returns true if `op` reads `source` elementwise, like `like`, and has
/// results with the same loops.
static bool readsInLoopsOf(linalg::GenericOp op, Value source,
                           linalg::GenericOp like) {
  return isElementwise(op) && op.getNumLoops() == like.getNumLoops() &&
         !op.hasIndexSemantics() && !codegen::getSchedule(op) &&
         countBodyOps(op) + countBodyOps(like) <= kMaxBodyOps &&
         cast<RankedTensorType>(op.getResult(0).getType()).getShape() ==
             cast<RankedTensorType>(like.getResult(0).getType()).getShape() &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return input->get() == source &&
                  op.getMatchingIndexingMap(input).isIdentity();
         });
}

/// Plans how `place` computes the value of `op` again. Returns nullopt if no
/// use could move behind `place`, or none would remain before it.
static std::optional<Recomputation> planAt(linalg::GenericOp op,
                                           linalg::GenericOp place) {
  Recomputation plan{op, place, {}, {}};
  Ops dependencies = findDependencies(place);
  SmallVector<Operation *> late;
  bool isNeededBefore = false;
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (user == place)
      return std::nullopt;
    if (dependencies.contains(user)) {
      isNeededBefore = true;
      continue;
    }
    plan.uses.push_back(&use);
    late.push_back(user);
  }
  if (!isNeededBefore || late.empty())
    return std::nullopt;
  FailureOr<SmallVector<Operation *>> moved = findDependents(late, place);
  if (failed(moved))
    return std::nullopt;
  plan.moved = std::move(*moved);
  return plan;
}

/// Plans where the value of `op` is recomputed; nullopt if nowhere.
static std::optional<Recomputation> plan(linalg::GenericOp op) {
  Value source = findSource(op);
  Block *block = op->getBlock();
  auto isBeside = [&](Operation *user) { return user->getBlock() == block; };
  if (!source || llvm::hasSingleElement(op->getUses()) ||
      !llvm::all_of(op->getUsers(), isBeside))
    return std::nullopt;
  SmallVector<linalg::GenericOp> places;
  for (Operation *user : source.getUsers()) {
    auto other = dyn_cast<linalg::GenericOp>(user);
    if (other && isBeside(other) && op->isBeforeInBlock(other) &&
        readsInLoopsOf(other, source, op) && isFarFrom(op, other))
      places.push_back(other);
  }
  // At the last one: until there the source is kept anyway. At a former one,
  // such as the sum behind a residual block, both would be kept.
  llvm::sort(places, [](linalg::GenericOp a, linalg::GenericOp b) {
    return a != b && b->isBeforeInBlock(a);
  });
  for (linalg::GenericOp place : places)
    if (std::optional<Recomputation> found = planAt(op, place))
      return found;
  return std::nullopt;
}

/// Merges a copy of `plan.op` into the loops of `plan.place`.
static void apply(RewriterBase &rewriter, const Recomputation &plan) {
  rewriter.setInsertionPoint(plan.place);
  linalg::GenericOp merged = mergeElementwise(rewriter, plan.place, plan.op);
  Operation *last = merged;
  for (Operation *moved : plan.moved) {
    rewriter.moveOpAfter(moved, last);
    last = moved;
  }
  for (OpOperand *use : plan.uses)
    rewriter.modifyOpInPlace(use->getOwner(),
                             [&] { use->set(merged->getResults().back()); });
  rewriter.replaceOp(plan.place, merged->getResults().drop_back());
}

namespace {
struct RematerializeActivations
    : flywheel::impl::RematerializeActivationsBase<RematerializeActivations> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    llvm::SmallPtrSet<Operation *, 16> replaced;
    for (linalg::GenericOp op : ops) {
      // An op is replaced when another value is recomputed in its loops.
      if (replaced.contains(op))
        continue;
      std::optional<Recomputation> found = plan(op);
      if (!found)
        continue;
      replaced.insert(found->place);
      apply(rewriter, *found);
      ++numRecomputed;
    }
  }
};
} // namespace
