//===- EliminateResultCopies.cpp - Compute reshaped results in place ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a bufferized step, in its final order, which copies a buffer of its
// own, in another shape, to an argument. After: it computes the buffer in the
// argument, if no check follows the first write, and no other op touches the
// argument from the first op that touches the buffer to the last. Refuses
// nothing.
//
//===----------------------------------------------------------------------===//

#include "BufferLife.h"
#include "WorkspacePlan.h"

#include "flywheel/Transforms/Memory/MemoryPasses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ELIMINATERESULTCOPIES
#include "flywheel/Transforms/Memory/MemoryPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Returns the reshapes by which `value` is made of an allocation, the last one
/// first, and sets `alloc` to the allocation, or to null for other values.
static SmallVector<Operation *> findReshapes(Value value,
                                             memref::AllocOp &alloc) {
  SmallVector<Operation *> reshapes;
  Operation *op = value.getDefiningOp();
  for (; isa_and_present<memref::CollapseShapeOp, memref::ExpandShapeOp>(op);
       op = op->getOperand(0).getDefiningOp())
    reshapes.push_back(op);
  alloc = dyn_cast_or_null<memref::AllocOp>(op);
  return reshapes;
}

/// Returns `buffer`, which has the type of the result of `reshape`, in the
/// shape of the operand of `reshape`; null if the sizes of that are not known
/// where `alloc`, of which it is made, is allocated.
static Value undoReshape(OpBuilder &b, Operation *reshape, Value buffer,
                         memref::AllocOp alloc) {
  auto type = cast<MemRefType>(reshape->getOperand(0).getType());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(reshape))
    return memref::CollapseShapeOp::create(b, reshape->getLoc(), type, buffer,
                                           expand.getReassociationIndices());
  bool isWhole = reshape->getOperand(0) == alloc.getResult();
  if (!isWhole && !type.hasStaticShape())
    return {};
  SmallVector<OpFoldResult> sizes =
      isWhole ? alloc.getMixedSizes()
              : getAsIndexOpFoldResult(b.getContext(), type.getShape());
  return memref::ExpandShapeOp::create(
      b, reshape->getLoc(), type, buffer,
      cast<memref::CollapseShapeOp>(reshape).getReassociationIndices(), sizes);
}

/// Returns true if the ops that touch `life` and those that touch `storage` do
/// not interleave, apart from `copy`: `storage` has its old value until the
/// first of them, and no op writes it after `copy` while `life` lasts. Neither
/// does an op that has `storage` by another name, of which there must be none.
static bool isUntouched(Value storage, const BufferLife &life,
                        memref::CopyOp copy, Block &block) {
  if (!findLife(storage, block))
    return false;
  SmallVector<Operation *> touching;
  appendTouching(storage, touching);
  return llvm::all_of(touching, [&](Operation *op) {
    Operation *top = block.findAncestorOpInBlock(*op);
    return op == copy || top->isBeforeInBlock(life.first) ||
           life.last->isBeforeInBlock(top);
  });
}

/// Computes what `copy` copies to an argument in this argument, if it can be.
static bool eliminate(memref::CopyOp copy, Operation *lastCheck) {
  Block &block = *copy->getBlock();
  Value storage = copy.getTarget();
  memref::AllocOp alloc;
  SmallVector<Operation *> reshapes = findReshapes(copy.getSource(), alloc);
  if (!alloc || isPrivate(alloc) || alloc->getBlock() != &block ||
      !isa<BlockArgument>(storage) ||
      copy.getSource().getType() != storage.getType() ||
      !cast<MemRefType>(storage.getType()).getLayout().isIdentity())
    return false;
  std::optional<BufferLife> life = findLife(alloc, block);
  if (!life || (lastCheck && life->first->isBeforeInBlock(lastCheck)) ||
      !isUntouched(storage, *life, copy, block))
    return false;
  OpBuilder b(alloc);
  for (Operation *reshape : reshapes) {
    storage = undoReshape(b, reshape, storage, alloc);
    if (!storage)
      return false;
  }
  alloc->replaceAllUsesWith(ValueRange(storage));
  alloc->erase();
  copy->erase();
  return true;
}

namespace {
struct EliminateResultCopies
    : flywheel::impl::EliminateResultCopiesBase<EliminateResultCopies> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    Block &block = function.getBody().front();
    Operation *lastCheck = findLastCheck(block);
    for (auto copy : llvm::make_early_inc_range(block.getOps<memref::CopyOp>()))
      numEliminated += eliminate(copy, lastCheck);
  }
};
} // namespace
