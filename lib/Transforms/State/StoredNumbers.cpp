//===- StoredNumbers.cpp - Numbers of variables and constants -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/State/StoredNumbers.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

bool mapsElements(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInputs() == 1 &&
         op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
         op.getIndexingMapsArray()[1].isPermutation();
}

/// Returns true if the result of `op` has elements of its input, moved or
/// repeated.
static bool copies(linalg::GenericOp op) {
  return mapsElements(op) &&
         llvm::hasSingleElement(op.getBody()->getOperations()) &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

SmallVector<OpOperand *> getMoved(Operation *op) {
  if (isView(op))
    return {&op->getOpOperand(0)};
  if (isa<tensor::ConcatOp>(op))
    return llvm::map_to_vector(op->getOpOperands(),
                               [](OpOperand &operand) { return &operand; });
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto structured = dyn_cast<DestinationStyleOpInterface>(op);
  if ((generic && copies(generic)) ||
      (isa<linalg::TransposeOp, linalg_ext::GatherOp>(op) &&
       structured.hasPureTensorSemantics()))
    return {&op->getOpOperand(0)};
  return {};
}

bool isStored(Value value) {
  // The parts of a join are a chain.
  while (Operation *op = value.getDefiningOp()) {
    if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
      return true;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (!isStored(insert.getSource()))
        return false;
      value = insert.getDest();
      continue;
    }
    SmallVector<OpOperand *> moved = getMoved(op);
    if (moved.empty())
      return false;
    for (OpOperand *operand : ArrayRef(moved).drop_front())
      if (!isStored(operand->get()))
        return false;
    value = moved.front()->get();
  }
  return true;
}

} // namespace flywheel
