//===- Elementwise.cpp - Batching of ops on each element ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "flywheel/Batching/OpBatcher.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel {

bool preservesZero(Operation *op, function_ref<bool(Value)> isZero) {
  if (isa<arith::MulFOp>(op))
    return isZero(op->getOperand(0)) || isZero(op->getOperand(1));
  // 0 / 0 is none.
  if (isa<arith::DivFOp>(op))
    return isZero(op->getOperand(0)) && !isZero(op->getOperand(1));
  if (isa<arith::SelectOp>(op))
    return isZero(op->getOperand(1)) && isZero(op->getOperand(2));
  if (isa<math::FmaOp>(op))
    return isZero(op->getOperand(2)) &&
           (isZero(op->getOperand(0)) || isZero(op->getOperand(1)));
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::ExtFOp,
          arith::TruncFOp>(op))
    return llvm::all_of(op->getOperands(), isZero);
  return false;
}

/// Returns a batched operand if all batched operands are diagonal in the same
/// way; null otherwise.
static BatchedValue getCommonDiagonal(Operation *op, Batcher &batcher) {
  BatchedValue common;
  for (Value operand : op->getOperands()) {
    BatchedValue found = batcher.lookup(operand);
    if (found.isUniform())
      continue;
    if (!found.isDiagonalInBlocks() ||
        (common.value &&
         (common.dim != found.dim || common.block != found.block)))
      return {};
    common = found;
  }
  return common;
}

LogicalResult OpBatcher::emitElementwise(Operation *op, bool keepsZero) {
  BatchedValue common = getCommonDiagonal(op, *this);
  if (common.value && (keepsZero || preservesZero(op, [&](Value value) {
                         return isDiagonalOrZero(value, common.dim,
                                                 common.block);
                       })))
    return emitDiagonal(op, common.dim, common.block);

  // One condition may decide between tensors.
  auto select = dyn_cast<arith::SelectOp>(op);
  bool hasOneCondition = select && isa<RankedTensorType>(select.getType()) &&
                         !isa<ShapedType>(select.getCondition().getType());
  if (!hasOneCondition)
    return emitDense(op);
  OpBuilder &b = builder;
  Location loc = op->getLoc();
  Value whenTrue = getDense(loc, select.getTrueValue());
  Value whenFalse = getDense(loc, select.getFalseValue());
  Value condition = lookup(select.getCondition()).value;
  if (isBatched(select.getCondition())) {
    auto type = cast<RankedTensorType>(whenTrue.getType());
    auto conditions = RankedTensorType::get(type.getShape(), b.getI1Type());
    condition = nn::BroadcastOp::create(
        b, loc, conditions, condition,
        type.hasStaticShape() ? Value() : whenTrue, ArrayRef<int64_t>{0});
  }
  setDense(select,
           arith::SelectOp::create(b, loc, condition, whenTrue, whenFalse));
  return success();
}

} // namespace flywheel
