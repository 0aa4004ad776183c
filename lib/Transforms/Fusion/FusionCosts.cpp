//===- FusionCosts.cpp - Costs of fusing elementwise ops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionCosts.h"

#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace flywheel {

int64_t countBodyOps(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured ? structured.getBlock()->getOperations().size() : 0;
}

bool isCheap(Operation &op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::CmpFOp, arith::SelectOp, arith::ExtFOp,
             arith::TruncFOp>(op) ||
         op.hasTrait<OpTrait::ConstantLike>();
}

bool isCheapFarAway(Operation &op) {
  return isCheap(op) || isa<arith::DivFOp, math::ErfOp, math::ExpOp,
                            math::TanhOp, math::RsqrtOp, math::SqrtOp>(op);
}

bool writesArgument(Operation *op) {
  auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
  return structured && llvm::any_of(structured.getDpsInits(), [](Value init) {
           return isa<BlockArgument>(getRoot(init));
         });
}

bool readsDestination(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         llvm::any_of(structured.getDpsInitsMutable(), [&](OpOperand &init) {
           return structured.payloadUsesValueFromOperand(&init);
         });
}

/// Returns the last op before which `consumer` cannot move, ignoring
/// `producer`. An update of a variable moves to that op; other ops stay.
static Operation *getLastWait(Operation *consumer, Operation *producer) {
  if (!writesArgument(consumer))
    return consumer;
  Operation *last = producer;
  for (Value operand : consumer->getOperands())
    if (Operation *op = operand.getDefiningOp())
      if (op->getBlock() == producer->getBlock() && last->isBeforeInBlock(op))
        last = op;
  return last;
}

bool isFarFrom(Operation *producer, Operation *consumer) {
  if (producer->getBlock() != consumer->getBlock())
    return false;
  Operation *last = getLastWait(consumer, producer);
  for (Operation *op = producer; op != last;) {
    op = op->getNextNode();
    if (op == consumer)
      break;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured ? structured.getNumReductionLoops() > 0
                   : isa<LoopLikeOpInterface>(op))
      return true;
  }
  return false;
}

bool isElementwise(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumLoops() > 0 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isIdentity() &&
                  init.get().getDefiningOp<tensor::EmptyOp>();
         });
}

} // namespace flywheel
