//===- Linalg.cpp - Derivative rules of the linalg dialect ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named ops on tensors whose meaning does not depend on their body. What an op
// overwrites (the `outs` of a transpose) carries no derivative; what it adds to
// (the `outs` of a matmul) does.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {

/// Base of the rules: an op with one input and one destination.
template <typename ModelT, typename OpTy>
struct LinalgModel : DifferentiableOpInterface::ExternalModel<ModelT, OpTy> {
  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> operands) const {
    return ModelT::emit(cast<OpTy>(op), b, results[0], needed, operands);
  }
};

/// The same for an op that overwrites its destination.
template <typename ModelT, typename OpTy>
struct OverwritingModel : LinalgModel<ModelT, OpTy> {
  bool hasDerivative(Operation *, unsigned operandNumber) const {
    return operandNumber == 0;
  }
};

struct TransposeModel : OverwritingModel<TransposeModel, linalg::TransposeOp> {
  static LogicalResult emit(linalg::TransposeOp op, OpBuilder &b, Value dy,
                            ArrayRef<bool> needed,
                            MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    Value input = op.getInput();
    Value init =
        tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, input),
                                getElementTypeOrSelf(input));
    operands[0] =
        linalg::TransposeOp::create(
            b, loc, dy, init, invertPermutationVector(op.getPermutation()))
            ->getResult(0);
    return success();
  }
};

struct BroadcastModel : OverwritingModel<BroadcastModel, linalg::BroadcastOp> {
  static LogicalResult emit(linalg::BroadcastOp op, OpBuilder &b, Value dy,
                            ArrayRef<bool> needed,
                            MutableArrayRef<Value> operands) {
    SmallVector<int64_t> added(op.getDimensions());
    llvm::sort(added);
    operands[0] =
        nn::buildSum(b, op.getLoc(), dy, added, op.getInput().getType());
    return success();
  }
};

struct FillModel : OverwritingModel<FillModel, linalg::FillOp> {
  static LogicalResult emit(linalg::FillOp op, OpBuilder &b, Value dy,
                            ArrayRef<bool> needed,
                            MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    Value value = op.getInputs()[0];
    auto type = cast<RankedTensorType>(dy.getType());
    if (value.getType() != type.getElementType())
      return op.emitOpError()
             << "expected a value of the element type " << type.getElementType()
             << " to differentiate, found " << value.getType();
    Value sum = nn::buildSum(b, loc, dy, nn::identityDims(type.getRank()));
    operands[0] = tensor::ExtractOp::create(b, loc, sum, ValueRange());
    return success();
  }
};

/// Whether the body is exactly: add the input's element to the accumulator.
bool isSum(linalg::ReduceOp op) {
  Block *body = op.getBody();
  if (op.getInputs().size() != 1 ||
      !llvm::hasSingleElement(body->without_terminator()))
    return false;
  auto add = dyn_cast<arith::AddFOp>(body->front());
  if (!add || body->getTerminator()->getOperand(0) != add.getResult())
    return false;
  Value first = body->getArgument(0), second = body->getArgument(1);
  return (add.getLhs() == first && add.getRhs() == second) ||
         (add.getLhs() == second && add.getRhs() == first);
}

struct ReduceModel : LinalgModel<ReduceModel, linalg::ReduceOp> {
  static LogicalResult emit(linalg::ReduceOp op, OpBuilder &b, Value dy,
                            ArrayRef<bool> needed,
                            MutableArrayRef<Value> operands) {
    if (!isSum(op))
      return op.emitOpError() << "expected one input and a body of one "
                                 "'arith.addf' of its arguments to "
                                 "differentiate, found another reduction";
    SmallVector<int64_t> axes(op.getDimensions());
    llvm::sort(axes);
    if (needed[0])
      operands[0] = nn::buildUnreduce(b, op.getLoc(), dy, axes,
                                      /*keepdims=*/false, op.getInputs()[0]);
    if (needed[1])
      operands[1] = dy;
    return success();
  }
};

struct MatmulModel : LinalgModel<MatmulModel, linalg::MatmulOp> {
  static LogicalResult emit(linalg::MatmulOp op, OpBuilder &b, Value dy,
                            ArrayRef<bool> needed,
                            MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    Value lhs = op.getInputs()[0], rhs = op.getInputs()[1];
    if (op.hasUserDefinedMaps())
      return op.emitOpError() << "expected the default indexing maps to "
                                 "differentiate, found others";
    Type type = getElementTypeOrSelf(dy);
    if (getElementTypeOrSelf(lhs) != type || getElementTypeOrSelf(rhs) != type)
      return op.emitOpError()
             << "expected one element type to differentiate, found "
             << getElementTypeOrSelf(lhs) << ", " << getElementTypeOrSelf(rhs)
             << " and " << type;
    if (needed[0])
      operands[0] =
          nn::buildMatmul(b, loc, lhs.getType(), dy, false, rhs, true);
    if (needed[1])
      operands[1] =
          nn::buildMatmul(b, loc, rhs.getType(), lhs, true, dy, false);
    if (needed[2])
      operands[2] = dy;
    return success();
  }
};
} // namespace

ArrayRef<DerivativeRule> getLinalgRules() {
  static const DerivativeRule rules[] = {
      structured<linalg::BroadcastOp, BroadcastModel>(),
      structured<linalg::FillOp, FillModel>(),
      structured<linalg::MatmulOp, MatmulModel>(),
      structured<linalg::ReduceOp, ReduceModel>(),
      structured<linalg::TransposeOp, TransposeModel>(),
  };
  return rules;
}

} // namespace flywheel
