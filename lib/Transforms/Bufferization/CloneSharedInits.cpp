//===- CloneSharedInits.cpp - One initial value for each destination
//--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CLONESHAREDINITS
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// Returns a clone of `init`, a fill or an empty tensor, before its user; null
/// if it is another op.
static Value cloneInit(OpBuilder &b, Value init) {
  if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
    return b.clone(*empty)->getResult(0);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return {};
  Value destination = cloneInit(b, fill.getOutputs()[0]);
  if (!destination)
    return {};
  IRMapping mapping;
  mapping.map(fill.getOutputs()[0], destination);
  return b.clone(*fill, mapping)->getResult(0);
}

namespace {
struct CloneSharedInits
    : flywheel::impl::CloneSharedInitsBase<CloneSharedInits> {
  void runOnOperation() override {
    SmallVector<OpOperand *> inits;
    getOperation().walk([&](DestinationStyleOpInterface op) {
      if (isa<linalg::FillOp>(op))
        return;
      for (OpOperand &init : op.getDpsInitsMutable())
        inits.push_back(&init);
    });
    // A loop that starts from such a tensor makes a value of its own from it.
    getOperation().walk([&](LoopLikeOpInterface loop) {
      for (OpOperand &init : loop.getInitsMutable())
        inits.push_back(&init);
    });
    for (OpOperand *init : inits) {
      auto insert = dyn_cast<tensor::InsertSliceOp>(init->getOwner());
      tensor::ExtractSliceOp place =
          insert ? flywheel::findPlace(insert) : nullptr;
      if (place && place.getSource() != init->get())
        place = nullptr;
      OpBuilder b(place ? place : init->getOwner());
      Value own = cloneInit(b, init->get());
      if (!own)
        continue;
      init->set(own);
      if (place)
        place.getSourceMutable().assign(own);
    }
    // Delete dead ops, fills before the tensors that they fill.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isa<linalg::FillOp, tensor::EmptyOp>(op) && isOpTriviallyDead(op))
            op->erase();
        });
  }
};
} // namespace
