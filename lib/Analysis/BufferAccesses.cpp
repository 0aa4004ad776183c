//===- BufferAccesses.cpp - Who touches which memory ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/BufferAccesses.h"

#include "flywheel/Interfaces/ForwardedValues.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {

static bool isBuffer(Type type) {
  return isa<BaseMemRefType, LLVM::LLVMPointerType>(type);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

bool isRoot(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (!op) {
    Block *block = buffer.getParentBlock();
    return block->isEntryBlock() &&
           isa_and_present<FunctionOpInterface, gpu::LaunchOp>(
               block->getParentOp());
  }
  if (isa<memref::GetGlobalOp>(op))
    return true;
  if (isa<CallOpInterface>(op))
    return llvm::none_of(op->getOperandTypes(), isBuffer);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects &&
         effects.getEffectOnValue<MemoryEffects::Allocate>(buffer).has_value();
}

/// Returns the values that `value`, which is not a root, may be; none if they
/// are not known.
static SmallVector<Value> getSources(Value value, Iterations iterations) {
  Operation *op = value.getDefiningOp();
  if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
    return {view.getViewSource()};
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  SmallVector<Value> values = getForwardedValues(value);
  // The values from outside come first.
  if (iterations == Iterations::First && !values.empty() &&
      isa<LoopLikeOpInterface>(op ? op : value.getParentBlock()->getParentOp()))
    values.truncate(1);
  return values;
}

BufferRoots findRoots(Value buffer, Iterations iterations) {
  BufferRoots found;
  llvm::SmallSetVector<Value, 4> seen;
  seen.insert(buffer);
  for (size_t next = 0; next < seen.size(); ++next) {
    Value value = seen[next];
    if (isRoot(value)) {
      found.roots.insert(value);
      continue;
    }
    SmallVector<Value> sources = getSources(value, iterations);
    if (sources.empty()) {
      found.isKnown = false;
      // It may be, among others, what its op has.
      if (Operation *op = value.getDefiningOp())
        llvm::copy_if(
            op->getOperands(), std::back_inserter(sources),
            [](Value operand) { return isBuffer(operand.getType()); });
    }
    seen.insert_range(sources);
  }
  return found;
}

bool mayOverlap(const BufferRoots &one, const BufferRoots &other) {
  return !one.isKnown || !other.isKnown ||
         llvm::any_of(one.roots,
                      [&](Value root) { return other.roots.contains(root); });
}

namespace {
/// The bytes of a buffer that a view has: all of them if it has no `end`.
struct ByteRange {
  Value buffer;
  int64_t begin = 0, end = -1;
};
} // namespace

/// Returns the range of the outermost view by bytes that `buffer` is a part of.
static ByteRange getByteRange(Value buffer) {
  ByteRange range;
  range.buffer = buffer;
  while (auto op = range.buffer.getDefiningOp<ViewLikeOpInterface>()) {
    range.buffer = op.getViewSource();
    auto view = dyn_cast<memref::ViewOp>(op.getOperation());
    if (!view)
      continue;
    std::optional<int64_t> begin = getConstantIntValue(view.getByteShift());
    range.end = -1;
    if (begin && view.getType().hasStaticShape()) {
      range.begin = *begin;
      range.end = *begin + view.getType().getNumElements() *
                               getElementBytes(view.getType().getElementType());
    }
  }
  return range;
}

bool mayOverlap(Value one, Value other) {
  ByteRange first = getByteRange(one), second = getByteRange(other);
  if (first.buffer == second.buffer)
    return first.end < 0 || second.end < 0 ||
           (first.begin < second.end && second.begin < first.end);
  return mayOverlap(findRoots(first.buffer), findRoots(second.buffer));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

AffineMap BufferAccess::getMap() const {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && operand ? structured.getMatchingIndexingMap(operand)
                               : AffineMap();
}

/// Adds that `op` reads, or writes, `buffer`.
static void add(SmallVectorImpl<BufferAccess> &accesses,
                const BufferAccess &access) {
  for (BufferAccess &known : accesses)
    if (known.operand == access.operand && known.buffer == access.buffer) {
      known.isRead |= access.isRead;
      known.isWritten |= access.isWritten;
      return;
    }
  accesses.push_back(access);
}

/// Adds accesses of an op of which nothing is known.
static void addUnknown(SmallVectorImpl<BufferAccess> &accesses, Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isBuffer(operand.get().getType()))
      add(accesses, {op, &operand, operand.get(), true, true});
  add(accesses, {op, nullptr, Value(), true, true});
}

SmallVector<BufferAccess> getAccesses(Operation *op) {
  SmallVector<BufferAccess> accesses;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !op->hasTrait<OpTrait::IsTerminator>() && !isPure(op))
      addUnknown(accesses, op);
    return accesses;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    if (isa<MemoryEffects::Free>(effect.getEffect())) {
      addUnknown(accesses, op);
      continue;
    }
    bool isWritten = isa<MemoryEffects::Write>(effect.getEffect());
    add(accesses, {op, effect.getEffectValue<OpOperand *>(), effect.getValue(),
                   !isWritten, isWritten});
  }
  return accesses;
}

SmallVector<BufferAccess> getAccessesWithin(Operation *op) {
  SmallVector<BufferAccess> accesses;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    llvm::append_range(accesses, getAccesses(inner));
    // The effects of such an op are those of its body, too.
    return isa<MemoryEffectOpInterface>(inner) &&
                   !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  return accesses;
}

/// Returns true if an access of `op` to memory of `buffer` is one for which
/// `isMeant` returns true.
static bool mayAccess(Operation *op, Value buffer,
                      llvm::function_ref<bool(const BufferAccess &)> isMeant) {
  return llvm::any_of(getAccessesWithin(op), [&](const BufferAccess &access) {
    return isMeant(access) &&
           llvm::any_of(access.op->getOperandTypes(), isBuffer) &&
           (!access.buffer || mayOverlap(access.buffer, buffer));
  });
}

bool mayRead(Operation *op, Value buffer) {
  return mayAccess(op, buffer,
                   [](const auto &access) { return access.isRead; });
}

bool mayWrite(Operation *op, Value buffer) {
  return mayAccess(op, buffer,
                   [](const auto &access) { return access.isWritten; });
}

} // namespace flywheel
