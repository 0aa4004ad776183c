//===- CommonBatching.cpp - Batching that ops share -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonBatching.h"

using namespace mlir;
using namespace flywheel;

LogicalResult nn::batchImages(Operation *op, Batcher &batcher, unsigned linear,
                              Value like) {
  BatchedValue images = batcher.lookup(op->getOperand(linear));
  if (!images.isDiagonal() || images.dim != 0)
    return batcher.batchInLoop(op);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (like && i + 1 == op->getNumOperands())
      operands.push_back(batcher.getShape(op->getLoc(), operand));
    else if (i == linear || !batcher.isBatched(operand))
      operands.push_back(batcher.lookup(operand).value);
    else
      return batcher.batchInLoop(op);
  }
  Operation *copy = batcher.emitLike(op, operands, /*isDense=*/false);
  batcher.setDiagonal(op->getResult(0), copy->getResult(0), 0);
  return success();
}
