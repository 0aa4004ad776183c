//===- Recomputation.cpp - A block that is computed again -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ops without effects mark the start and the end of the ops until rules
// have been applied. The second one uses the outputs, so that its operands are
// the values that replace these.
//
//===----------------------------------------------------------------------===//

#include "Recomputation.h"

#include "flywheel/Autodiff/InlineRegion.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace flywheel {

static Operation *createMark(OpBuilder &b, Block &block, ValueRange values) {
  return UnrealizedConversionCastOp::create(
      b, block.getParentOp()->getLoc(), TypeRange(b.getIndexType()), values);
}

void eraseChecks(Operation *op) {
  op->walk([&](linalg_ext::CheckOp check) { check.erase(); });
}

Recomputation::Recomputation(OpBuilder &b, Block &block, ValueRange arguments)
    : first(createMark(b, block, {})) {
  SmallVector<Value> outputs = cloneBlock(b, block, arguments);
  last = createMark(b, block, outputs);
}

SmallVector<Value> Recomputation::finish(Block &body, IRMapping &mapping) {
  // The block is in no region.
  OpBuilder b(first->getContext());
  b.setInsertionPointToEnd(&body);
  for (Operation *op = first->getNextNode(); op != last;
       op = op->getNextNode()) {
    ops.insert(op);
    b.clone(*op, mapping);
  }
  SmallVector<Value> outputs =
      llvm::map_to_vector(last->getOperands(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
  // Checks that held when the ops were first computed hold again.
  for (Operation *op : llvm::to_vector(ops))
    if (isa<linalg_ext::CheckOp>(op)) {
      ops.erase(op);
      op->erase();
    } else {
      eraseChecks(op);
    }
  first->erase();
  last->erase();
  return outputs;
}

} // namespace flywheel
