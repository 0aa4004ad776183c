//===- Arithmetic.cpp - Arithmetic that broadcasts ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

/// Returns dimension `dim` of a shape that is aligned at its end to `rank`
/// dimensions: 1 if the shape does not have it.
static int64_t getAligned(ArrayRef<int64_t> shape, int64_t rank, int64_t dim) {
  int64_t own = dim - (rank - static_cast<int64_t>(shape.size()));
  return own < 0 ? 1 : shape[own];
}

/// Returns the shape to which two shapes broadcast; fails with a diagnostic if
/// there is none. A dynamic dimension size of it is that of an operand.
static FailureOr<SmallVector<int64_t>> inferShape(OpErrors op, Value left,
                                                  Value right) {
  ArrayRef<int64_t> lhs = tensorOf(left).getShape(),
                    rhs = tensorOf(right).getShape();
  int64_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<int64_t> shape;
  for (int64_t dim : llvm::seq(rank)) {
    int64_t a = getAligned(lhs, rank, dim), b = getAligned(rhs, rank, dim);
    if (a != b && a != 1 && b != 1 && !ShapedType::isDynamic(a) &&
        !ShapedType::isDynamic(b))
      return op.emitOpError() << "expected shapes that broadcast: dimension "
                                 "sizes aligned at the end "
                                 "that are equal, or one of them 1; found "
                              << a << " and " << b;
    // Take the static one of two equal sizes, or the one that is not repeated.
    bool takesOther = a == 1 || (ShapedType::isDynamic(a) && b != 1);
    shape.push_back(takesOther ? b : a);
  }
  return shape;
}

LogicalResult nn::inferBroadcast(Value lhs, Value rhs, OpErrors errors,
                                 SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> shape = inferShape(errors, lhs, rhs);
  if (failed(shape))
    return failure();
  types.push_back(tensorOf(lhs).clone(*shape));
  return success();
}

/// Returns true if `input` has every dimension of `shape` and is not repeated
/// along any of them.
static bool hasShape(Value input, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = tensorOf(input).getShape();
  return own.size() == shape.size() &&
         llvm::all_of(llvm::zip_equal(own, shape), [](auto dimSizes) {
           auto [found, wanted] = dimSizes;
           return found != 1 || wanted == 1;
         });
}

/// Builds a tensor of the shape to which two operands broadcast, for the case
/// that neither has it; only its shape is used.
static Value buildShape(OpBuilder &b, Location loc, Value lhs, Value rhs,
                        ArrayRef<int64_t> shape) {
  int64_t rank = shape.size();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, dimSize] : llvm::enumerate(shape)) {
    Value source = lhs;
    if (ShapedType::isDynamic(dimSize) &&
        getAligned(tensorOf(lhs).getShape(), rank, dim) == 1)
      source = rhs;
    int64_t own = dim - (rank - tensorOf(source).getRank());
    sizes.push_back(ShapedType::isDynamic(dimSize)
                        ? tensor::getMixedSize(b, loc, source, own)
                        : OpFoldResult(b.getIndexAttr(dimSize)));
  }
  return tensor::EmptyOp::create(b, loc, sizes, tensorOf(lhs).getElementType());
}

/// Broadcasts both operands to one shape and one type.
static std::pair<Value, Value> broadcastOperands(OpBuilder &b, Location loc,
                                                 Value lhs, Value rhs,
                                                 ArrayRef<int64_t> shape) {
  bool isLhsFull = hasShape(lhs, shape), isRhsFull = hasShape(rhs, shape);
  Value like = isLhsFull   ? lhs
               : isRhsFull ? rhs
                           : buildShape(b, loc, lhs, rhs, shape);
  auto repeat = [&](Value input, bool isFull) {
    if (isFull)
      return input;
    int64_t rank = shape.size(), ownRank = tensorOf(input).getRank();
    auto dims = llvm::to_vector(llvm::seq<int64_t>(rank - ownRank, rank));
    return buildBroadcast(b, loc, input, dims, like);
  };
  return castToCommonType(b, loc, repeat(lhs, isLhsFull),
                          repeat(rhs, isRhsFull));
}

/// Emits `emit(lhs, rhs)` for the operands of `op`, broadcast to one type.
static FailureOr<SmallVector<Value>>
decomposeArithmetic(OpBuilder &b, Operation *op,
                    function_ref<Value(Value, Value)> emit) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  FailureOr<SmallVector<int64_t>> shape = inferShape(op, lhs, rhs);
  if (failed(shape))
    return failure();
  auto [a, c] = broadcastOperands(b, op->getLoc(), lhs, rhs, *shape);
  Value result = emit(a, c);
  return SmallVector<Value>{
      buildCast(b, op->getLoc(), result, op->getResult(0).getType())};
}

/// Decomposes to the op on floating-point numbers, or that on integers.
template <typename FloatOp, typename IntegerOp>
static FailureOr<SmallVector<Value>> decomposeTo(OpBuilder &b, Operation *op) {
  return decomposeArithmetic(b, op, [&](Value lhs, Value rhs) -> Value {
    if (isa<FloatType>(getElementTypeOrSelf(lhs)))
      return FloatOp::create(b, op->getLoc(), lhs, rhs);
    return IntegerOp::create(b, op->getLoc(), lhs, rhs);
  });
}

FailureOr<SmallVector<Value>> AddOp::decompose(OpBuilder &b) {
  return decomposeTo<arith::AddFOp, arith::AddIOp>(b, *this);
}

FailureOr<SmallVector<Value>> SubOp::decompose(OpBuilder &b) {
  return decomposeTo<arith::SubFOp, arith::SubIOp>(b, *this);
}

FailureOr<SmallVector<Value>> MulOp::decompose(OpBuilder &b) {
  return decomposeTo<arith::MulFOp, arith::MulIOp>(b, *this);
}

FailureOr<SmallVector<Value>> DivOp::decompose(OpBuilder &b) {
  return decomposeTo<arith::DivFOp, arith::DivSIOp>(b, *this);
}

FailureOr<SmallVector<Value>> MaxOp::decompose(OpBuilder &b) {
  return decomposeTo<arith::MaximumFOp, arith::MaxSIOp>(b, *this);
}

FailureOr<SmallVector<Value>> MinOp::decompose(OpBuilder &b) {
  return decomposeTo<arith::MinimumFOp, arith::MinSIOp>(b, *this);
}

FailureOr<SmallVector<Value>> PowOp::decompose(OpBuilder &b) {
  return decomposeArithmetic(b, *this, [&](Value lhs, Value rhs) -> Value {
    return math::PowFOp::create(b, getLoc(), lhs, rhs);
  });
}
