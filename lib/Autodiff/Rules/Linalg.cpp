//===- Linalg.cpp - Derivative rules of the linalg dialect ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named ops whose derivative is a named op too; all others are differentiated
// through their bodies. A destination that an op overwrites (the `outs` of a
// transpose) has no derivative; one that it adds to (the `outs` of a matmul)
// has one.
//
//===----------------------------------------------------------------------===//

#include "LinalgStructured.h"

#include "flywheel/Interfaces/LinalgOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {
/// Base of the rules for ops with one result.
template <typename ModelT, typename OpTy>
struct LinalgModel : DifferentiableOpInterface::ExternalModel<ModelT, OpTy> {
  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> operands) const {
    return ModelT::emit(cast<OpTy>(op), b, results[0], needed, operands);
  }
};

/// Base of the rules for the usual form of an op; `StructuredModel` has the
/// others.
template <typename ModelT, typename OpTy>
struct UsualFormModel : DifferentiableOpInterface::ExternalModel<ModelT, OpTy> {
  bool differentiatesCaptures(Operation *op) const {
    return !ModelT::isUsual(cast<OpTy>(op));
  }
  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> inputs) const {
    auto usual = cast<OpTy>(op);
    if (!ModelT::isUsual(usual))
      return emitStructuredVjp(usual, b, results, needed, inputs);
    ModelT::emit(usual, b, results[0], needed, inputs);
    return success();
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

struct ReduceModel : UsualFormModel<ReduceModel, linalg::ReduceOp> {
  /// Returns true if the body only adds the input's element to the accumulator.
  static bool isUsual(linalg::ReduceOp op) {
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

  static void emit(linalg::ReduceOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    SmallVector<int64_t> axes(op.getDimensions());
    llvm::sort(axes);
    if (needed[0])
      operands[0] = nn::buildUnreduce(b, op.getLoc(), dy, axes,
                                      /*keepdims=*/false, op.getInputs()[0]);
    if (needed[1])
      operands[1] = dy;
  }
};

struct MatmulModel : UsualFormModel<MatmulModel, linalg::MatmulOp> {
  /// Returns true if the op does not transpose, broadcast or convert its
  /// inputs.
  static bool isUsual(linalg::MatmulOp op) {
    Type type = getElementTypeOrSelf(op.getResultTypes()[0]);
    return !op.hasUserDefinedMaps() &&
           llvm::all_of(op.getInputs(), [&](Value input) {
             return getElementTypeOrSelf(input) == type;
           });
  }

  static void emit(linalg::MatmulOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    Value lhs = op.getInputs()[0], rhs = op.getInputs()[1];
    if (needed[0])
      operands[0] =
          nn::buildMatmul(b, loc, lhs.getType(), dy, false, rhs, true);
    if (needed[1])
      operands[1] =
          nn::buildMatmul(b, loc, rhs.getType(), lhs, true, dy, false);
    if (needed[2])
      operands[2] = dy;
  }
};
} // namespace

namespace {
/// The rule of each op: that of its body, or a better one.
template <typename OpTy> struct ModelOf {
  using Type = StructuredModel<OpTy>;
};
template <> struct ModelOf<linalg::BroadcastOp> {
  using Type = BroadcastModel;
};
template <> struct ModelOf<linalg::MatmulOp> {
  using Type = MatmulModel;
};
template <> struct ModelOf<linalg::ReduceOp> {
  using Type = ReduceModel;
};
template <> struct ModelOf<linalg::TransposeOp> {
  using Type = TransposeModel;
};
} // namespace

ArrayRef<DerivativeRule> getLinalgRules() {
  static const auto rules = LinalgOps::map([](auto tag) {
    using OpTy = typename decltype(tag)::Type;
    return structured<OpTy, typename ModelOf<OpTy>::Type>();
  });
  return rules;
}

} // namespace flywheel
