//===- BufferLife.cpp - What touches a buffer of a step -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferLife.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace flywheel;

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

void flywheel::appendTouching(Value view,
                              SmallVectorImpl<Operation *> &touching) {
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
static LogicalResult findUses(Value value, BufferLife &life, Block &block) {
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

std::optional<BufferLife> flywheel::findLife(Value buffer, Block &block) {
  BufferLife life;
  life.buffer = buffer;
  if (failed(findUses(buffer, life, block)) || !life.first)
    return std::nullopt;
  return life;
}

Operation *flywheel::findLastCheck(Block &block) {
  auto hasCheck = [](Operation &op) {
    return op.walk([](linalg_ext::CheckOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  auto last = llvm::find_if(llvm::reverse(block), hasCheck);
  return last == block.rend() ? nullptr : &*last;
}
