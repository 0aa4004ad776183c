//===- ReuseOperandBuffers.cpp - Elementwise results in operands ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a bufferized step, in its final order. After: if an elementwise op
// reads a buffer for the last time, and writes, element for element, another
// one of the same type for the first time, both are one buffer.
//
//===----------------------------------------------------------------------===//

#include "ReuseOperandBuffers.h"
#include "WorkspacePlan.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_REUSEOPERANDBUFFERS
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

namespace {
/// A buffer, and the first and the last top-level op that touches it.
struct Life {
  memref::AllocOp alloc;
  Operation *first = nullptr, *last = nullptr;
  /// Its users, and those of its views in other shapes.
  SmallVector<OpOperand *> uses;
};

/// An access to a buffer: the op, its operand, and the part of the buffer.
struct Access {
  linalg::GenericOp op;
  OpOperand *operand = nullptr;
  memref::SubViewOp part;
};
} // namespace

/// Returns true if `op` ends the live range of its buffer, or forwards the
/// buffer to a value that this analysis does not follow.
static bool passesOn(Operation *op) {
  return isa<memref::DeallocOp, LoopLikeOpInterface, ViewLikeOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
}

/// Returns true if `part` does not escape: a branch that yields it forwards it
/// to the ops behind the branch.
static bool staysInside(Value part) {
  return llvm::all_of(part.getUsers(), [](Operation *user) {
    return isa<memref::SubViewOp, memref::CollapseShapeOp,
               memref::ExpandShapeOp>(user)
               ? staysInside(user->getResult(0))
               : !passesOn(user);
  });
}

/// Appends the ops that read or write `view`, or reshapes and slices of it.
static void appendTouching(Value view, SmallVectorImpl<Operation *> &touching) {
  for (Operation *user : view.getUsers())
    if (isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            user))
      appendTouching(user->getResult(0), touching);
    else
      touching.push_back(user);
}

/// Finds the users of `value`, a buffer or a reshape of it, at the top level
/// and in loops. Fails if an op forwards the buffer to a value that this
/// analysis does not follow.
static LogicalResult findUses(Value value, Life &life, Block &block) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(user)) {
      if (failed(findUses(user->getResult(0), life, block)))
        return failure();
      continue;
    }
    auto part = dyn_cast<memref::SubViewOp>(user);
    if (part ? !staysInside(part) : passesOn(user))
      return failure();
    life.uses.push_back(&use);
    SmallVector<Operation *> touching;
    if (part)
      appendTouching(part, touching);
    else
      touching.push_back(user);
    for (Operation *op : touching) {
      Operation *top = block.findAncestorOpInBlock(*op);
      if (!life.first || top->isBeforeInBlock(life.first))
        life.first = top;
      if (!life.last || life.last->isBeforeInBlock(top))
        life.last = top;
    }
  }
  return success();
}

/// Returns the one place in `top` that touches the buffer of `life`, if it is
/// an operand of an elementwise op, which reads it whole or a part of it.
static std::optional<Access> findAccess(const Life &life, Operation *top) {
  Access access;
  for (OpOperand *use : life.uses) {
    if (!top->isAncestor(use->getOwner())) {
      // A use by a part that is created before `top`.
      SmallVector<Operation *> touching;
      if (isa<memref::SubViewOp>(use->getOwner()))
        appendTouching(use->getOwner()->getResult(0), touching);
      if (llvm::any_of(touching,
                       [&](Operation *op) { return top->isAncestor(op); }))
        return std::nullopt;
      continue;
    }
    if (access.operand)
      return std::nullopt;
    access.part = dyn_cast<memref::SubViewOp>(use->getOwner());
    if (access.part) {
      if (!access.part->hasOneUse())
        return std::nullopt;
      use = &*access.part->use_begin();
    }
    access.operand = use;
    access.op = dyn_cast<linalg::GenericOp>(use->getOwner());
    if (!access.op ||
        access.op.getNumParallelLoops() != access.op.getNumLoops())
      return std::nullopt;
  }
  if (!access.operand)
    return std::nullopt;
  return access;
}

/// Returns true if `a` and `b` are the same part of two buffers of one type.
static bool areSameParts(memref::SubViewOp a, memref::SubViewOp b) {
  return a.getType() == b.getType() && a.getSourceType() == b.getSourceType() &&
         isEqualConstantIntOrValueArray(a.getMixedOffsets(),
                                        b.getMixedOffsets()) &&
         isEqualConstantIntOrValueArray(a.getMixedSizes(), b.getMixedSizes()) &&
         isEqualConstantIntOrValueArray(a.getMixedStrides(),
                                        b.getMixedStrides());
}

/// Returns true if the loops from `part` up to `top` visit no element twice:
/// each loop advances one dimension of the part by at least its size.
static bool visitsEachOnce(memref::SubViewOp part, Operation *top) {
  llvm::SmallDenseSet<unsigned> moved;
  for (Operation *op = part->getParentOp();; op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<int64_t> step =
        loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
    if (!step)
      return false;
    bool isMoved = false;
    for (auto [dim, offset] : llvm::enumerate(part.getMixedOffsets())) {
      if (dyn_cast<Value>(offset) != loop.getInductionVar() ||
          getConstantIntValue(part.getMixedStrides()[dim]) != 1)
        continue;
      auto atMost = OpFoldResult(Builder(part).getIndexAttr(*step));
      if (ValueBoundsConstraintSet::compare(
              part.getMixedSizes()[dim], ValueBoundsConstraintSet::LE, atMost))
        isMoved |= moved.insert(dim).second;
    }
    if (!isMoved)
      return false;
    if (op == top)
      return true;
  }
}

/// Returns true if `top` computes each element of `result`, which no op touched
/// before, from the same element of `operand`, which no op touches later.
static bool replacesEachElement(const Life &operand, const Life &result,
                                Operation *top) {
  memref::AllocOp from = operand.alloc, to = result.alloc;
  if (from.getType() != to.getType() ||
      from.getDynamicSizes() != to.getDynamicSizes())
    return false;
  // A view of the result may precede the allocation of the operand.
  Block *block = from->getBlock();
  if (llvm::any_of(to->getUsers(), [&](Operation *user) {
        return block->findAncestorOpInBlock(*user)->isBeforeInBlock(from);
      }))
    return false;
  std::optional<Access> read = findAccess(operand, top);
  std::optional<Access> written = findAccess(result, top);
  if (!read || !written || read->op != written->op)
    return false;
  linalg::GenericOp op = read->op;
  AffineMap map = op.getMatchingIndexingMap(read->operand);
  if (!op.isDpsInput(read->operand) || !op.isDpsInit(written->operand) ||
      op.payloadUsesValueFromOperand(written->operand) ||
      map != op.getMatchingIndexingMap(written->operand) ||
      !map.isPermutation() ||
      read->operand->get().getType() != written->operand->get().getType())
    return false;
  if (!read->part && !written->part)
    return op == top;
  return read->part && written->part &&
         areSameParts(read->part, written->part) &&
         visitsEachOnce(read->part, top);
}

/// Returns true if `alloc` has at least `minBytes` or a dynamic size, so that
/// reusing its memory matters.
static bool isLarge(memref::AllocOp alloc, int64_t minBytes) {
  MemRefType type = alloc.getType();
  return type.getLayout().isIdentity() && !type.getMemorySpace() &&
         !isPrivate(alloc) &&
         (!type.hasStaticShape() ||
          (type.getElementType().isIntOrFloat() &&
           type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
               minBytes));
}

/// Computes the result of `life` in `operand` from now on.
static ReusedBuffer reuse(Life &result, memref::AllocOp operand) {
  ReusedBuffer reused;
  reused.result = result.alloc;
  reused.next = result.alloc->getNextNode();
  for (OpOperand &use : result.alloc->getUses())
    reused.uses.push_back(&use);
  result.alloc->replaceAllUsesWith(operand);
  result.alloc->remove();
  result.alloc = operand;
  return reused;
}

SmallVector<ReusedBuffer> flywheel::reuseOperandBuffers(func::FuncOp function,
                                                        int64_t minBytes) {
  Block &block = function.getBody().front();
  // For each op, the buffers that it is the first to touch, in order.
  llvm::DenseMap<Operation *, SmallVector<Life>> begins, ends;
  for (auto alloc : block.getOps<memref::AllocOp>()) {
    Life life;
    life.alloc = alloc;
    if (isLarge(alloc, minBytes) && succeeded(findUses(alloc, life, block)) &&
        life.first)
      begins[life.first].push_back(std::move(life));
  }
  SmallVector<ReusedBuffer> reused;
  for (Operation &top : llvm::make_early_inc_range(block)) {
    for (Life &result : begins[&top]) {
      SmallVector<Life> &ended = ends[&top];
      auto *operand = llvm::find_if(ended, [&](const Life &life) {
        return replacesEachElement(life, result, &top);
      });
      if (operand != ended.end()) {
        reused.push_back(reuse(result, operand->alloc));
        ended.erase(operand);
      }
      if (result.last != &top)
        ends[result.last].push_back(std::move(result));
    }
  }
  return reused;
}

void flywheel::undoReuse(ArrayRef<ReusedBuffer> reused) {
  for (const ReusedBuffer &buffer : llvm::reverse(reused)) {
    memref::AllocOp result = buffer.result;
    buffer.next->getBlock()->getOperations().insert(buffer.next->getIterator(),
                                                    result.getOperation());
    for (OpOperand *use : buffer.uses)
      use->set(result);
  }
}

void flywheel::keepReuse(ArrayRef<ReusedBuffer> reused) {
  for (const ReusedBuffer &buffer : reused) {
    memref::AllocOp result = buffer.result;
    result->destroy();
  }
}

namespace {
struct ReuseOperandBuffers
    : flywheel::impl::ReuseOperandBuffersBase<ReuseOperandBuffers> {
  using ReuseOperandBuffersBase::ReuseOperandBuffersBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (failed(verifyOneBlock(function)))
      return signalPassFailure();
    SmallVector<ReusedBuffer> reused = reuseOperandBuffers(function, minBytes);
    numReused += reused.size();
    keepReuse(reused);
  }
};
} // namespace
