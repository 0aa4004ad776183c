//===- ReuseOperandBuffers.cpp - Elementwise results in operands ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a bufferized step, in its final order. After: if an elementwise op
// reads a buffer for the last time, and writes, element for element, another
// one of the same type for the first time, both are one buffer. The other one
// may be an argument that the step writes a result to.
//
//===----------------------------------------------------------------------===//

#include "ReuseOperandBuffers.h"
#include "BufferLife.h"
#include "WorkspacePlan.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_REUSEOPERANDBUFFERS
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::train::FunctionArgument;

namespace {
/// An access to a buffer: the op, its operand, and the part of the buffer.
struct Access {
  linalg::GenericOp op;
  OpOperand *operand = nullptr;
  memref::SubViewOp part;
};
} // namespace

/// Returns the one place in `top` that touches the buffer of `life`, if it is
/// an operand of an elementwise op, which reads it whole or a part of it.
static std::optional<Access> findAccess(const BufferLife &life,
                                        Operation *top) {
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

/// Returns true if a view of `buffer` precedes `alloc`, so that it would
/// precede a buffer that is allocated there.
static bool hasViewBefore(Value buffer, memref::AllocOp alloc) {
  Block *block = alloc->getBlock();
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    return block->findAncestorOpInBlock(*user)->isBeforeInBlock(alloc);
  });
}

/// Returns true if `from` and `to`, which `access` reads or writes, have the
/// same sizes, so that one of them can stand for both.
static bool haveSameSizes(Value from, Value to, const Access &access) {
  if (from.getType() != to.getType())
    return false;
  auto source = from.getDefiningOp<memref::AllocOp>();
  auto target = to.getDefiningOp<memref::AllocOp>();
  if (source && target)
    return source.getDynamicSizes() == target.getDynamicSizes();
  // An elementwise op has operands of one shape.
  return cast<MemRefType>(to.getType()).hasStaticShape() || !access.part;
}

/// Returns true if `top` computes each element of `result`, which no op touched
/// before, from the same element of `operand`, which no op touches later.
static bool replacesEachElement(const BufferLife &operand,
                                const BufferLife &result, Operation *top) {
  std::optional<Access> read = findAccess(operand, top);
  std::optional<Access> written = findAccess(result, top);
  if (!read || !written || read->op != written->op ||
      !haveSameSizes(operand.buffer, result.buffer, *read))
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

/// Returns true if `buffer` has at least `minBytes` or a dynamic size, so that
/// reusing its memory matters.
static bool isLarge(Value buffer, int64_t minBytes) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.getLayout().isIdentity() && !type.getMemorySpace() &&
         (!type.hasStaticShape() ||
          (type.getElementType().isIntOrFloat() &&
           type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
               minBytes));
}

/// Computes what is in `removed` in `buffer` from now on.
static ReusedBuffer replace(memref::AllocOp removed, Value buffer) {
  ReusedBuffer reused;
  reused.alloc = removed;
  reused.next = removed->getNextNode();
  for (OpOperand &use : removed->getUses())
    reused.uses.push_back(&use);
  removed->replaceAllUsesWith(ValueRange(buffer));
  removed->remove();
  return reused;
}

/// Makes the buffers of `operand` and of `result`, each element of which `top`
/// computes from that of `operand`, one buffer, that of `result` from now on.
/// Returns nothing if neither can stand for both. A check, the last of which is
/// `lastCheck`, precedes everything that writes an argument.
static std::optional<ReusedBuffer>
reuse(const BufferLife &operand, BufferLife &result, Operation *lastCheck) {
  auto from = operand.buffer.getDefiningOp<memref::AllocOp>();
  if (!from)
    return std::nullopt;
  auto to = result.buffer.getDefiningOp<memref::AllocOp>();
  if (to ? hasViewBefore(to, from)
         : lastCheck && operand.first->isBeforeInBlock(lastCheck))
    return std::nullopt;
  ReusedBuffer reused = to ? replace(to, from) : replace(from, result.buffer);
  if (to)
    result.buffer = from;
  result.first = operand.first;
  return reused;
}

/// Returns the buffers of at least `minBytes` in the block of `function`: its
/// allocations, and the arguments that it writes results to.
static SmallVector<Value> findBuffers(func::FuncOp function, int64_t minBytes) {
  SmallVector<Value> buffers;
  for (auto alloc : function.getBody().front().getOps<memref::AllocOp>())
    if (!isPrivate(alloc))
      buffers.push_back(alloc);
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()) &&
        FunctionArgument(function, argument.getArgNumber()).getResultNumber())
      buffers.push_back(argument);
  llvm::erase_if(buffers,
                 [&](Value buffer) { return !isLarge(buffer, minBytes); });
  return buffers;
}

SmallVector<ReusedBuffer> flywheel::reuseOperandBuffers(func::FuncOp function,
                                                        int64_t minBytes) {
  Block &block = function.getBody().front();
  Operation *lastCheck = findLastCheck(block);
  // For each op, the buffers that it is the first to touch, in order.
  llvm::DenseMap<Operation *, SmallVector<BufferLife>> begins, ends;
  for (Value buffer : findBuffers(function, minBytes))
    if (std::optional<BufferLife> life = findLife(buffer, block))
      begins[life->first].push_back(std::move(*life));
  SmallVector<ReusedBuffer> reused;
  for (Operation &top : llvm::make_early_inc_range(block)) {
    for (BufferLife &result : begins[&top]) {
      SmallVector<BufferLife> &ended = ends[&top];
      for (auto *operand = ended.begin(); operand != ended.end(); ++operand) {
        if (!replacesEachElement(*operand, result, &top))
          continue;
        if (std::optional<ReusedBuffer> buffer =
                reuse(*operand, result, lastCheck)) {
          reused.push_back(std::move(*buffer));
          ended.erase(operand);
          break;
        }
      }
      if (result.last != &top)
        ends[result.last].push_back(std::move(result));
    }
  }
  return reused;
}

void flywheel::undoReuse(ArrayRef<ReusedBuffer> reused) {
  for (const ReusedBuffer &buffer : llvm::reverse(reused)) {
    memref::AllocOp alloc = buffer.alloc;
    buffer.next->getBlock()->getOperations().insert(buffer.next->getIterator(),
                                                    alloc.getOperation());
    for (OpOperand *use : buffer.uses)
      use->set(alloc);
  }
}

void flywheel::keepReuse(ArrayRef<ReusedBuffer> reused) {
  for (const ReusedBuffer &buffer : reused) {
    memref::AllocOp alloc = buffer.alloc;
    alloc->destroy();
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
