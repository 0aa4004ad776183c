//===- HostScalars.cpp - Numbers that the host need not know --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostScalars.h"

#include "RuntimeCalls.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace flywheel;

/// Up to so many ops a launch computes again what each of its threads needs.
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

/// The body of a call that is arithmetic: of one block, without a call.
static Block *getArithmeticBody(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr())
                     : func::FuncOp();
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return nullptr;
  Block &body = callee.getBody().front();
  bool isPlain = llvm::all_of(body.without_terminator(), [](Operation &inner) {
    return isPure(&inner) && inner.getNumRegions() == 0 &&
           !isa<CallOpInterface>(inner);
  });
  return isPlain ? &body : nullptr;
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

bool HostScalars::isComputable(Value value) {
  llvm::SetVector<Operation *> ops;
  return collect(value, ops) &&
         llvm::any_of(ops, [&](Operation *op) { return isLoad(op); });
}

bool HostScalars::collect(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  // An argument of a block: a number of the host, or one that a loop carries.
  if (!op || ops.contains(op))
    return true;
  if (isLoad(op)) {
    // Where it is may be computed from others.
    for (Value index : cast<memref::LoadOp>(op).getIndices())
      if (!collect(index, ops))
        return false;
    ops.insert(op);
    return true;
  }
  if (!isArithmetic(op))
    return true;
  llvm::SetVector<Operation *> below;
  for (Value operand : op->getOperands())
    if (!collect(operand, below))
      return false;
  // What has no element in it is a number of the host, as it is.
  if (llvm::none_of(below, [&](Operation *part) { return isLoad(part); }))
    return true;
  ops.insert(below.begin(), below.end());
  ops.insert(op);
  return true;
}

//===----------------------------------------------------------------------===//
// What is written in between
//===----------------------------------------------------------------------===//

namespace {
/// A part of a buffer: the whole of it without `end`.
struct BufferRange {
  Value root;
  int64_t begin = 0, end = -1;
};
} // namespace

static BufferRange getRange(Value buffer) {
  BufferRange range;
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      auto type = cast<MemRefType>(view.getType());
      std::optional<int64_t> begin = getConstantIntValue(view.getByteShift());
      // Of views of views only the outermost one counts.
      range.end = -1;
      if (begin && type.hasStaticShape()) {
        range.begin = *begin;
        range.end = *begin + type.getNumElements() *
                                 getElementBytes(type.getElementType());
      }
      buffer = view.getSource();
      continue;
    }
    auto alias = dyn_cast<ViewLikeOpInterface>(op);
    if (!alias)
      break;
    buffer = alias.getViewSource();
  }
  range.root = buffer;
  return range;
}

static bool mayOverlap(Value one, Value other) {
  BufferRange first = getRange(one), second = getRange(other);
  // Different arguments and allocations are different buffers.
  if (first.root != second.root)
    return false;
  if (first.end < 0 || second.end < 0)
    return true;
  return first.begin < second.end && second.begin < first.end;
}

/// Whether an op in `op`, or itself, may write to `buffer`.
static bool mayWrite(Operation *op, Value buffer) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (isPure(inner) || isa<gpu::GPUDialect>(inner->getDialect()) ||
        inner->hasTrait<OpTrait::IsTerminator>() ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        getArithmeticBody(inner))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects)
      return WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> found;
    effects.getEffects(found);
    bool writes = llvm::any_of(found, [&](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             (!effect.getValue() || mayOverlap(effect.getValue(), buffer));
    });
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The block that follows where no check fails.
static Block *getNext(Block *block) {
  Operation *end = block->getTerminator();
  if (auto branch = dyn_cast<cf::BranchOp>(end))
    return branch.getDest();
  auto choice = dyn_cast<cf::CondBranchOp>(end);
  return choice ? choice.getTrueDest() : nullptr;
}

bool HostScalars::isClobbered(memref::LoadOp from, Operation *to) const {
  Value buffer = from.getMemref();
  Region *region = from->getParentRegion();
  Operation *end = region->findAncestorOpInRegion(*to);
  if (!end)
    return true;
  // A launch of one thread reads first.
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
    // Those that follow each other are one launch.
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

/// Computes `value` once, behind the last of `ops`, and returns the slot that
/// then has it.
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
  launchOne(b, loc);
  memref::StoreOp::create(b, loc, clone(b, ops, value), slot);
  return slot;
}

void HostScalars::moveInto(gpu::LaunchOp launch, Value value) {
  llvm::SetVector<Operation *> ops;
  collect(value, ops);
  bool isFree = ops.size() <= kMaxRepeated || ofOneThread.contains(launch);
  for (Operation *op : ops)
    if (auto load = dyn_cast<memref::LoadOp>(op))
      isFree = isFree && !isClobbered(load, launch);
  Value slot;
  if (!isFree) {
    // In the order in which the host would have read.
    for (Operation *op : ops)
      if (auto load = dyn_cast<memref::LoadOp>(op);
          load && op != value.getDefiningOp() &&
          isClobbered(load, value.getDefiningOp()))
        return;
    slot = store(value, ops.getArrayRef());
  }
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  Value inside = slot ? memref::LoadOp::create(b, value.getLoc(), slot)
                      : clone(b, ops.getArrayRef(), value);
  value.replaceUsesWithIf(inside, [&](OpOperand &use) {
    return launch->isProperAncestor(use.getOwner()) &&
           use.getOwner() != inside.getDefiningOp();
  });
}

void HostScalars::moveIntoLaunches() {
  SmallVector<gpu::LaunchOp> launches;
  kernel.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
  for (gpu::LaunchOp launch : launches) {
    llvm::SetVector<Value> used;
    launch.getBody().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (operand.getDefiningOp() &&
            !launch->isProperAncestor(operand.getDefiningOp()) &&
            isComputable(operand))
          used.insert(operand);
    });
    for (Value value : used)
      moveInto(launch, value);
  }
}

void HostScalars::eraseUnused() {
  SmallVector<Operation *> ops;
  // Backwards, what is in an op comes before it.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->getParentOfType<gpu::LaunchOp>())
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op) || (op->use_empty() && getArithmeticBody(op)))
      op->erase();
}
