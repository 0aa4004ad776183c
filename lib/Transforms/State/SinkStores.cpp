//===- SinkStores.cpp - Stores inside of branches and loops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a functionalized step, which stores its results and the final values
// of variables at its end. After: if the step stores a result of a branch, each
// region of the branch stores it; if it stores a result of a loop, the init is
// stored before the loop, and each iteration stores the value that it yields in
// place of the one that it replaces.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_SINKSTORES
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using linalg_ext::StoreOp;

/// Returns true if `value` is a block argument, or a slice or reshape of one,
/// which no op computes.
static bool isMoved(Value value) { return isa<BlockArgument>(getRoot(value)); }

/// Returns true if `value` is defined before `op`.
static bool isAvailable(Value value, Operation *op) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return true;
  Operation *user = producer->getBlock()->findAncestorOpInBlock(*op);
  return user && producer->isBeforeInBlock(user);
}

/// Returns true if `value` is computed in place of `argument`, or of the same
/// elements in another shape.
static bool isInPlaceOfReshaped(Value value, Value argument) {
  while (value && value != argument) {
    Operation *op = value.getDefiningOp();
    value = isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)
                ? op->getOperand(0)
                : getOverwritten(value);
  }
  return static_cast<bool>(value);
}

/// Stores `value`, an operand of `terminator`, in `destination`.
static void storePassed(OpOperand &value, Value destination) {
  OpBuilder b(value.getOwner());
  value.set(StoreOp::create(b, value.get().getLoc(), value.get(), destination));
}

namespace {
struct SinkStores : flywheel::impl::SinkStoresBase<SinkStores> {
  void runOnOperation() override;

private:
  void sink(StoreOp store);
  bool sinkIntoBranch(StoreOp store, Operation *branch);
  bool sinkAboveLoop(StoreOp store, LoopLikeOpInterface loop);
  void storeCarried(LoopLikeOpInterface loop);

  /// The ops that checks need, which cannot overwrite an old value.
  llvm::DenseSet<Operation *> checked;
};
} // namespace

bool SinkStores::sinkIntoBranch(StoreOp store, Operation *branch) {
  Value destination = store.getDestination();
  SmallVector<OpOperand *> yields =
      getYields(branch, cast<OpResult>(store.getSource()).getResultNumber());
  for (OpOperand *yield : yields) {
    auto inner = yield->get().getDefiningOp<StoreOp>();
    if (!inner || inner.getDestination() == destination)
      continue;
    // One place for each value, unless a branch has stored it in one of its
    // own.
    if (!inner->hasOneUse() ||
        !inner.getDestination().getDefiningOp<tensor::EmptyOp>())
      return false;
    inner.getDestinationMutable().assign(destination);
  }
  store.replaceAllUsesWith(store.getSource());
  store.erase();
  for (OpOperand *yield : yields) {
    if (yield->get() == destination || yield->get().getDefiningOp<StoreOp>())
      continue;
    storePassed(*yield, destination);
    sink(yield->get().getDefiningOp<StoreOp>());
  }
  return true;
}

bool SinkStores::sinkAboveLoop(StoreOp store, LoopLikeOpInterface loop) {
  Value init = getOverwritten(store.getSource());
  // It may be in its place already, as that of a variable.
  bool isPlaced = llvm::any_of(store.getSource().getUsers(), [](Operation *op) {
    return op->hasTrait<OpTrait::IsTerminator>();
  });
  if (!init || init.getDefiningOp<StoreOp>() || isPlaced)
    return false;
  Value destination = store.getDestination();
  store.replaceAllUsesWith(store.getSource());
  store.erase();
  OpOperand *operand =
      llvm::find_if(loop.getInitsMutable(),
                    [&](OpOperand &use) { return use.get() == init; });
  if (init != destination) {
    storePassed(*operand, destination);
    sink(operand->get().getDefiningOp<StoreOp>());
  }
  return true;
}

/// Moves `store` into the control flow before it that computes its source.
void SinkStores::sink(StoreOp store) {
  Operation *producer = store.getSource().getDefiningOp();
  if (!producer || producer->getBlock() != store->getBlock() ||
      store.getSource().getType() != store.getDestination().getType() ||
      checked.contains(producer) ||
      !isAvailable(store.getDestination(), producer))
    return;
  bool isSunk = false;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(producer))
    isSunk = sinkAboveLoop(store, loop);
  else if (isBranch(producer))
    isSunk = sinkIntoBranch(store, producer);
  numSunk += isSunk;
}

/// Stores the values that an iteration of `loop` yields in place of the ones
/// that they replace.
void SinkStores::storeCarried(LoopLikeOpInterface loop) {
  for (Region &region : loop->getRegions()) {
    auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
        region.front().getTerminator());
    if (!terminator)
      continue;
    MutableOperandRange passed = terminator.getMutableSuccessorOperands(
        {loop.getOperation(), loop->getResults()});
    bool isEntry = &region == loop.getLoopRegions().front();
    for (auto [value, argument] : llvm::zip(
             passed, isEntry ? loop.getRegionIterArgs()
                             : Block::BlockArgListType(region.getArguments())))
      if (isa<RankedTensorType>(argument.getType()) &&
          argument.getType() == value.get().getType() &&
          !isMoved(value.get()) && !isInPlaceOfReshaped(value.get(), argument))
        storePassed(value, argument);
  }
}

void SinkStores::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  Block &entry = function.getBody().front();
  checked = findChecked(entry);
  // Variables before results: the last ones that are returned.
  SmallVector<StoreOp> stores;
  for (Operation &op : entry)
    if (auto store = dyn_cast<StoreOp>(op))
      stores.push_back(store);
  for (StoreOp store : llvm::reverse(stores))
    sink(store);
  // Inner loops come first: their results may be in place already.
  function.walk([&](LoopLikeOpInterface loop) { storeCarried(loop); });
  function.walk([&](StoreOp store) {
    if (!isa<func::FuncOp>(store->getParentOp()))
      sink(store);
  });
}
