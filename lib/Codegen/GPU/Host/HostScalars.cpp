//===- HostScalars.cpp - Numbers that the host need not know --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostScalars.h"

#include "KernelBlocks.h"
#include "flywheel/Codegen/GPU/RuntimeCalls.h"

#include "flywheel/Analysis/BufferAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;

/// The most ops that a launch repeats in each of its threads.
static constexpr size_t kMaxRepeated = 4;

bool HostScalars::isLoad(Operation *op) const {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && !op->getParentOfType<gpu::LaunchOp>() &&
         !isOfHeader(load.getMemref().getDefiningOp(), manifest);
}

bool HostScalars::isStore(Operation *op) const {
  auto store = dyn_cast<memref::StoreOp>(op);
  return store && !op->getParentOfType<gpu::LaunchOp>() &&
         !isOfHeader(store.getMemref().getDefiningOp(), manifest);
}

bool HostScalars::hasAccess(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        return isLoad(inner) || isStore(inner) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

bool HostScalars::isArithmetic(Operation *op) const {
  if (op->getNumRegions() != 0)
    return false;
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (!llvm::all_of(op->getResultTypes(), isNumber))
    return false;
  if (getArithmeticBody(op))
    return true;
  return isPure(op) && llvm::all_of(op->getOperandTypes(), isNumber);
}

bool HostScalars::isComputation(Operation *op) const {
  if (!isa<scf::ForOp, scf::IfOp>(op) || op->getParentOfType<gpu::LaunchOp>())
    return false;
  WalkResult other = op->walk([&](Operation *inner) {
    bool isPlain =
        isa<memref::DimOp, scf::ForOp, scf::IfOp, scf::YieldOp>(inner) ||
        isLoad(inner) || (isArithmetic(inner) && !getArithmeticBody(inner));
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !other.wasInterrupted();
}

bool HostScalars::isComputable(Value value) {
  llvm::SetVector<Operation *> ops;
  return collect(value, ops) &&
         llvm::any_of(ops, [&](Operation *op) { return hasAccess(op); });
}

bool HostScalars::collect(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  // An argument of a block: a number of the host, or one that a loop carries.
  if (!op || ops.contains(op))
    return true;
  if (isLoad(op)) {
    // The indices may be computed from other numbers.
    for (Value index : cast<memref::LoadOp>(op).getIndices())
      if (!collect(index, ops))
        return false;
    ops.insert(op);
    return true;
  }
  if (!isArithmetic(op) && !isComputation(op))
    return true;
  llvm::SetVector<Operation *> below;
  WalkResult result = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !collect(operand, below))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return false;
  // A number without elements of the device is known to the host.
  if (!hasAccess(op) &&
      llvm::none_of(below, [&](Operation *part) { return hasAccess(part); }))
    return true;
  ops.insert(below.begin(), below.end());
  ops.insert(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Writes between two ops
//===----------------------------------------------------------------------===//

bool HostScalars::isClobbered(Operation *from, Operation *to) const {
  return from
      ->walk([&](memref::LoadOp load) {
        return isLoad(load) && isClobbered(from, load.getMemref(), to)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool HostScalars::isClobbered(Operation *from, Value buffer,
                              Operation *to) const {
  Region *region = from->getParentRegion();
  Operation *end = region->findAncestorOpInRegion(*to);
  if (!end)
    return true;
  // A launch of one thread reads before it writes.
  if (end != to && mayWrite(end, buffer))
    return true;
  if (end == to && !ofOneThread.contains(to) && mayWrite(end, buffer))
    return true;
  Operation *op = from->getNextNode();
  for (Block *block = from->getBlock();;) {
    for (; op; op = op->getNextNode()) {
      if (op == end)
        return false;
      if (mayWrite(op, buffer))
        return true;
    }
    block = getNext(block);
    if (!block)
      return true;
    op = &block->front();
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

gpu::LaunchOp HostScalars::launchOne(OpBuilder &b, Location loc) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto launch = gpu::LaunchOp::create(b, loc, one, one, one, one, one, one);
  b.setInsertionPointToStart(&launch.getBody().front());
  auto end = gpu::TerminatorOp::create(b, loc);
  b.setInsertionPoint(end);
  ofOneThread.insert(launch);
  return launch;
}

void HostScalars::launchStores() {
  SmallVector<Operation *> stores;
  kernel.walk([&](Operation *op) {
    if (isStore(op))
      stores.push_back(op);
  });
  gpu::LaunchOp last;
  for (Operation *store : stores) {
    // Consecutive stores are one launch.
    bool follows = last && last->getBlock() == store->getBlock();
    for (Operation *op = follows ? last->getNextNode() : nullptr;
         op && op != store; op = op->getNextNode())
      follows &= isPure(op);
    if (!follows) {
      OpBuilder b(store);
      last = launchOne(b, store->getLoc());
    } else {
      last->moveBefore(store);
    }
    store->moveBefore(last.getBody().front().getTerminator());
  }
}

Value HostScalars::clone(OpBuilder &b, ArrayRef<Operation *> ops, Value value) {
  IRMapping mapping;
  for (Operation *op : ops) {
    Block *body = getArithmeticBody(op);
    if (!body) {
      b.clone(*op, mapping);
      continue;
    }
    for (auto [argument, operand] :
         llvm::zip_equal(body->getArguments(), op->getOperands()))
      mapping.map(argument, mapping.lookupOrDefault(operand));
    for (Operation &inner : body->without_terminator())
      b.clone(inner, mapping);
    for (auto [result, operand] : llvm::zip_equal(
             op->getResults(), body->getTerminator()->getOperands()))
      mapping.map(result, mapping.lookupOrDefault(operand));
  }
  return mapping.lookup(value);
}

/// Computes `value` once, after the last of `ops`, and returns the slot that
/// contains it from then on.
Value HostScalars::store(Value value, ArrayRef<Operation *> ops) {
  Value &slot = slots[value];
  if (slot)
    return slot;
  Operation *last = value.getDefiningOp();
  Location loc = last->getLoc();
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  slot =
      memref::AllocaOp::create(top, loc, MemRefType::get({}, value.getType()));
  OpBuilder b(last);
  b.setInsertionPointAfter(last);
  writers[slot] = launchOne(b, loc);
  memref::StoreOp::create(b, loc, clone(b, ops, value), slot);
  return slot;
}

/// Loads the number in `slot` after the launch that writes it.
Value HostScalars::loadStored(Value slot) {
  OpBuilder b(slot.getContext());
  b.setInsertionPointAfter(writers.lookup(slot));
  return memref::LoadOp::create(b, slot.getLoc(), slot);
}

/// Stores the results of `op` in slots and makes later uses load them: by then,
/// the buffers that `op` reads have been overwritten.
void HostScalars::keep(Operation *op) {
  for (Value result : op->getResults()) {
    llvm::SetVector<Operation *> ops;
    collect(result, ops);
    Value load = loadStored(store(result, ops.getArrayRef()));
    result.replaceUsesWithIf(load, [&](OpOperand &use) {
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return !user || load.getDefiningOp()->isBeforeInBlock(user);
    });
  }
}

/// Like `store`, but with the values of elements at the time at which the host
/// would have read them.
Value HostScalars::storeInOrder(Value value) {
  llvm::SetVector<Operation *> ops;
  collect(value, ops);
  Operation *last = value.getDefiningOp();
  auto isLate = [&](Operation *op) {
    return op != last && isClobbered(op, last);
  };
  for (const auto *late = llvm::find_if(ops, isLate); late != ops.end();
       late = llvm::find_if(ops, isLate)) {
    keep(*late);
    ops.clear();
    collect(value, ops);
  }
  return store(value, ops.getArrayRef());
}

void HostScalars::decideByOneNumber() {
  SmallVector<OpOperand *> decisions;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A computation of numbers alone is in one launch as it is.
    if (isa<gpu::LaunchOp>(op) || isComputation(op))
      return WalkResult::skip();
    if (auto condition = dyn_cast<scf::ConditionOp>(op))
      decisions.push_back(&condition.getConditionMutable());
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      decisions.push_back(&branch.getConditionMutable());
    return WalkResult::advance();
  });
  for (OpOperand *decision : decisions) {
    llvm::SetVector<Operation *> ops;
    if (!collect(decision->get(), ops))
      continue;
    auto numReads =
        llvm::count_if(ops, [&](Operation *op) { return hasAccess(op); });
    bool readsInLoops = llvm::any_of(ops, [&](Operation *op) {
      return op->getNumRegions() != 0 && hasAccess(op);
    });
    // The host reads a single element directly.
    if (numReads > 1 || readsInLoops)
      decision->set(loadStored(storeInOrder(decision->get())));
  }
}

void HostScalars::moveInto(gpu::LaunchOp launch, Value value) {
  llvm::SetVector<Operation *> ops;
  collect(value, ops);
  bool isFree =
      ofOneThread.contains(launch) ||
      (ops.size() <= kMaxRepeated && llvm::none_of(ops, [](Operation *op) {
         return op->getNumRegions() != 0;
       }));
  for (Operation *op : ops)
    isFree = isFree && !isClobbered(op, launch);
  Value slot = isFree ? Value() : storeInOrder(value);
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  Value inside = slot ? memref::LoadOp::create(b, value.getLoc(), slot)
                      : clone(b, ops.getArrayRef(), value);
  value.replaceUsesWithIf(inside, [&](OpOperand &use) {
    return launch->isProperAncestor(use.getOwner()) &&
           use.getOwner() != inside.getDefiningOp();
  });
}

/// Returns a number of the host that `launch` uses and that is computed from
/// elements of the device; null if there is none.
Value HostScalars::findUsed(gpu::LaunchOp launch) {
  Value used;
  launch.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp() &&
          !launch->isProperAncestor(operand.getDefiningOp()) &&
          isComputable(operand)) {
        used = operand;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return used;
}

void HostScalars::moveIntoLaunches() {
  SmallVector<gpu::LaunchOp> launches;
  kernel.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
  for (gpu::LaunchOp launch : launches)
    while (Value used = findUsed(launch))
      moveInto(launch, used);
}

void HostScalars::eraseUnused() {
  SmallVector<Operation *> ops;
  // In reverse, the ops inside of an op precede it.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->getParentOfType<gpu::LaunchOp>())
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op) || (op->use_empty() && getArithmeticBody(op)))
      op->erase();
}

//===----------------------------------------------------------------------===//
// One launch of several
//===----------------------------------------------------------------------===//

/// Collects the ops without effects after `first`, in its block, that `launch`
/// needs. Returns false if it needs an op with effects.
static bool collectNeeded(gpu::LaunchOp first, gpu::LaunchOp launch,
                          llvm::SetVector<Operation *> &needed) {
  SmallVector<Operation *> pending = {launch};
  llvm::SmallPtrSet<Operation *, 16> found;
  while (!pending.empty()) {
    pending.pop_back_val()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *op = operand.getDefiningOp();
        if (op && op->getBlock() == first->getBlock() &&
            first->isBeforeInBlock(op) && found.insert(op).second)
          pending.push_back(op);
      }
    });
  }
  for (Operation *op = first->getNextNode(); op != launch;
       op = op->getNextNode())
    if (found.contains(op)) {
      if (!isPure(op) && !getArithmeticBody(op))
        return false;
      needed.insert(op);
    }
  return true;
}

bool HostScalars::canJoin(gpu::LaunchOp first, gpu::LaunchOp launch) const {
  llvm::SetVector<Operation *> needed;
  if (!ofOneThread.contains(first) || !ofOneThread.contains(launch) ||
      !collectNeeded(first, launch, needed))
    return false;
  WalkResult conflict = launch.getBody().walk([&](Operation *inner) {
    auto load = dyn_cast<memref::LoadOp>(inner);
    auto store = dyn_cast<memref::StoreOp>(inner);
    if (!load && !store)
      return WalkResult::advance();
    Value buffer = load ? load.getMemref() : store.getMemref();
    for (Operation *op = first->getNextNode(); op != launch;
         op = op->getNextNode())
      if (mayWrite(op, buffer) || (store && mayRead(op, buffer)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !conflict.wasInterrupted();
}

void HostScalars::join(gpu::LaunchOp first, gpu::LaunchOp launch) {
  llvm::SetVector<Operation *> needed;
  collectNeeded(first, launch, needed);
  for (Operation *op : needed)
    op->moveBefore(first);
  Block &from = launch.getBody().front(), &to = first.getBody().front();
  to.getOperations().splice(to.getTerminator()->getIterator(),
                            from.getOperations(), from.begin(),
                            from.getTerminator()->getIterator());
  ofOneThread.erase(launch);
  launch.erase();
}
