//===- SinkStores.cpp - Stores inside of branches and loops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a functionalized step, which stores its results and the final values
// of variables at its end. After: what a branch passes on and the step stores
// is stored by each branch, what a loop passes on is stored before it, and each
// iteration stores what it passes on in the place of what it replaces.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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

/// Whether `value` is a block argument or a part or another shape of one: it is
/// there, and need not be computed.
static bool isMoved(Value value) { return isa<BlockArgument>(getRoot(value)); }

/// Whether `value` is there in front of `op`.
static bool isAvailable(Value value, Operation *op) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return true;
  Operation *user = producer->getBlock()->findAncestorOpInBlock(*op);
  return user && producer->isBeforeInBlock(user);
}

/// Stores `value`, which `terminator` passes on, in `destination`.
static void storePassed(OpOperand &value, Value destination) {
  OpBuilder b(value.getOwner());
  value.set(StoreOp::create(b, value.get().getLoc(), value.get(), destination));
}

namespace {
struct SinkStores : flywheel::impl::SinkStoresBase<SinkStores> {
  void runOnOperation() override;

private:
  void sink(StoreOp store);
  bool sinkIntoBranch(StoreOp store, scf::IfOp branch);
  bool sinkAboveLoop(StoreOp store, LoopLikeOpInterface loop);
  void storeCarried(LoopLikeOpInterface loop);

  /// What checks need: it cannot be in the place of an old value.
  llvm::DenseSet<Operation *> checked;
};
} // namespace

/// The operands that the branches of `branch` pass on as its result `number`.
static std::array<OpOperand *, 2> getYields(scf::IfOp branch, unsigned number) {
  return {&branch.thenYield()->getOpOperand(number),
          &branch.elseYield()->getOpOperand(number)};
}

bool SinkStores::sinkIntoBranch(StoreOp store, scf::IfOp branch) {
  unsigned number = cast<OpResult>(store.getSource()).getResultNumber();
  Value destination = store.getDestination();
  // What a branch has stored in a place of its own.
  for (OpOperand *yielded : getYields(branch, number)) {
    auto inner = yielded->get().getDefiningOp<StoreOp>();
    if (inner && inner->hasOneUse() &&
        inner.getDestination().getDefiningOp<tensor::EmptyOp>())
      inner.getDestinationMutable().assign(destination);
  }
  auto isStored = [&](Value value, bool elsewhere) {
    auto other = value.getDefiningOp<StoreOp>();
    return other && (other.getDestination() != destination) == elsewhere;
  };
  // One place for each value.
  for (OpOperand *yielded : getYields(branch, number))
    if (isStored(yielded->get(), /*elsewhere=*/true))
      return false;
  store.replaceAllUsesWith(store.getSource());
  store.erase();
  for (OpOperand *yielded : getYields(branch, number)) {
    if (yielded->get() == destination ||
        isStored(yielded->get(), /*elsewhere=*/false))
      continue;
    storePassed(*yielded, destination);
    sink(yielded->get().getDefiningOp<StoreOp>());
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
  for (OpOperand &operand : loop.getInitsMutable()) {
    if (operand.get() != init)
      continue;
    Value destination = store.getDestination();
    store.replaceAllUsesWith(store.getSource());
    store.erase();
    if (init != destination) {
      storePassed(operand, destination);
      sink(operand.get().getDefiningOp<StoreOp>());
    }
    return true;
  }
  return false;
}

/// Moves `store` to where the control flow in front of it makes its source.
void SinkStores::sink(StoreOp store) {
  Operation *producer = store.getSource().getDefiningOp();
  if (!producer || producer->getBlock() != store->getBlock() ||
      store.getSource().getType() != store.getDestination().getType() ||
      checked.contains(producer) ||
      !isAvailable(store.getDestination(), producer))
    return;
  bool isSunk = false;
  if (auto branch = dyn_cast<scf::IfOp>(producer))
    isSunk = sinkIntoBranch(store, branch);
  else if (isa<scf::ForOp, scf::WhileOp>(producer))
    isSunk = sinkAboveLoop(store, cast<LoopLikeOpInterface>(producer));
  numSunk += isSunk;
}

/// Stores what an iteration of `loop` computes where it found what it replaces.
void SinkStores::storeCarried(LoopLikeOpInterface loop) {
  auto storeAll = [](MutableArrayRef<OpOperand> passed, ValueRange replaced) {
    for (auto [value, argument] : llvm::zip(passed, replaced))
      if (isa<RankedTensorType>(argument.getType()) &&
          argument.getType() == value.get().getType() &&
          !isMoved(value.get()) && !isInPlaceOf(value.get(), argument))
        storePassed(value, argument);
  };
  if (auto counted = dyn_cast<scf::ForOp>(loop.getOperation()))
    return storeAll(*counted.getYieldedValuesMutable(),
                    counted.getRegionIterArgs());
  auto whileLoop = dyn_cast<scf::WhileOp>(loop.getOperation());
  if (!whileLoop)
    return;
  storeAll(whileLoop.getConditionOp().getArgsMutable(),
           whileLoop.getBeforeArguments());
  storeAll(whileLoop.getYieldOp()->getOpOperands(),
           whileLoop.getAfterArguments());
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
  // Inner loops first: what comes out of one may be in place already.
  function.walk([&](LoopLikeOpInterface loop) { storeCarried(loop); });
  function.walk([&](StoreOp store) {
    if (!isa<func::FuncOp>(store->getParentOp()))
      sink(store);
  });
}
