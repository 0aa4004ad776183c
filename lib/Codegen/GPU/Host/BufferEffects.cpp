//===- BufferEffects.cpp - What ops do to parts of buffers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferEffects.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace flywheel;

Block *flywheel::getArithmeticBody(Operation *op) {
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

Block *flywheel::getNext(Block *block) {
  Operation *end = block->getTerminator();
  if (auto branch = dyn_cast<cf::BranchOp>(end))
    return branch.getDest();
  auto choice = dyn_cast<cf::CondBranchOp>(end);
  return choice ? choice.getTrueDest() : nullptr;
}

int32_t flywheel::getFailureStatus(Block *block) {
  auto ret = dyn_cast<func::ReturnOp>(block->getTerminator());
  if (!ret || ret.getNumOperands() != 1)
    return 0;
  return static_cast<int32_t>(
      getConstantIntValue(ret.getOperand(0)).value_or(0));
}

namespace {
/// A part of a buffer: the whole buffer if it has no `end`.
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
      // In views of views only the outermost range counts.
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

/// Returns true if `op`, or an op in it, may have an effect on `buffer`.
template <typename EffectT>
static bool mayHaveEffect(Operation *op, Value buffer) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (isPure(inner) || isa<gpu::GPUDialect>(inner->getDialect()) ||
        inner->hasTrait<OpTrait::IsTerminator>() ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        getArithmeticBody(inner))
      return WalkResult::advance();
    // An op without buffer operands, also a call, reads at most constants of
    // the module.
    auto isBuffer = [](Type type) {
      return isa<BaseMemRefType, LLVM::LLVMPointerType>(type);
    };
    if (llvm::none_of(inner->getOperandTypes(), isBuffer))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects)
      return WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> found;
    effects.getEffects(found);
    bool does = llvm::any_of(found, [&](const auto &effect) {
      return isa<EffectT>(effect.getEffect()) &&
             (!effect.getValue() || mayOverlap(effect.getValue(), buffer));
    });
    return does ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool flywheel::mayWrite(Operation *op, Value buffer) {
  return mayHaveEffect<MemoryEffects::Write>(op, buffer);
}

bool flywheel::mayRead(Operation *op, Value buffer) {
  return mayHaveEffect<MemoryEffects::Read>(op, buffer);
}
