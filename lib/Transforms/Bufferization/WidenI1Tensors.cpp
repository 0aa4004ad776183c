//===- WidenI1Tensors.cpp - Masks that vectors can read -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: fused `linalg` on tensors. After: a tensor of i1 that a
// `linalg.generic` computes and only such ops read, possibly reshaped, is a
// tensor of i8. Memory has a byte for each boolean, but a vector of i1 has a
// bit: only bytes are read and written as vectors. Refuses nothing; results,
// feeds and variables keep their type.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_WIDENI1TENSORS
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// Returns true if all uses of `value`, or of reshapes of it, are inputs of
/// generic ops, whose bodies have its elements as arguments.
static bool isReadByElement(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return isReadByElement(user->getResult(0));
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic && generic.isDpsInput(&use);
  });
}

/// Returns true if the elements of `init` are booleans that `op` computes,
/// without reading `init`, for other generic ops.
static bool isInternalMask(linalg::GenericOp op, OpOperand &init) {
  auto type = dyn_cast<RankedTensorType>(init.get().getType());
  return type && type.getRank() > 0 && type.getElementType().isInteger(1) &&
         init.get().getDefiningOp<tensor::EmptyOp>() &&
         !op.payloadUsesValueFromOperand(&init) &&
         isReadByElement(op.getTiedOpResult(&init));
}

/// Changes the type of `value`, a tensor of i1, to i8; its readers compare the
/// elements with 0.
static void widenUses(OpBuilder &b, Value value) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(b.getI8Type()));
  for (OpOperand &use : value.getUses()) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!generic) {
      widenUses(b, use.getOwner()->getResult(0));
      continue;
    }
    BlockArgument element = generic.getMatchingBlockArgument(&use);
    Location loc = generic.getLoc();
    element.setType(b.getI8Type());
    b.setInsertionPointToStart(generic.getBody());
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    auto isSet =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element, zero);
    element.replaceAllUsesExcept(isSet, isSet);
  }
}

/// Makes the result for `init` one of i8.
static void widenResult(linalg::GenericOp op, OpOperand &init) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
  OpResult result = op.getTiedOpResult(&init);
  widenUses(b, result);
  b.setInsertionPoint(op);
  init.set(tensor::EmptyOp::create(b, loc, result.getType(),
                                   empty.getDynamicSizes()));
  op.getMatchingBlockArgument(&init).setType(b.getI8Type());

  Operation *yield = op.getBody()->getTerminator();
  OpOperand &yielded = yield->getOpOperand(result.getResultNumber());
  b.setInsertionPoint(yield);
  yielded.set(arith::ExtUIOp::create(b, loc, b.getI8Type(), yielded.get()));
}

namespace {
struct WidenI1Tensors : flywheel::impl::WidenI1TensorsBase<WidenI1Tensors> {
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp op) {
      for (OpOperand &init : op.getDpsInitsMutable())
        if (isInternalMask(op, init))
          widenResult(op, init);
    });
  }
};
} // namespace
