//===- Shapes.cpp - Shapes and reductions ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  if (input.getElementType() != result.getElementType())
    return emitOpError() << "expected one element type, found "
                         << input.getElementType() << " and "
                         << result.getElementType();
  ArrayRef<int64_t> dims = getDims();
  if (static_cast<int64_t>(dims.size()) != input.getRank())
    return emitOpError() << "expected one entry of dims for each of the "
                         << input.getRank()
                         << " dimensions of the input, found " << dims.size();
  if (failed(verifyDims(*this, "dims", dims, result.getRank())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (input.getDimSize(i) != 1 &&
        failed(verifySameExtent(*this, "extents of input and result",
                                input.getDimSize(i), result.getDimSize(dim))))
      return failure();
  if (getLike())
    return verifyResultShape(*this, getResult(),
                             tensorOf(getLike()).getShape());
  if (!result.hasStaticShape())
    return emitOpError()
           << "expected `like` for a result with dynamic extents, "
              "found none";
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = tensorOf(getInput());
  if (input.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected one element type, found "
                         << input.getElementType() << " and "
                         << getElementTypeOrSelf(getResult());
  if (getKind() == ReductionKind::mean &&
      !isa<FloatType>(input.getElementType()))
    return emitOpError() << "expected a floating-point type for a mean, found "
                         << input.getElementType();
  bool isArithmetic =
      getKind() == ReductionKind::sum || getKind() == ReductionKind::prod;
  if (isArithmetic && input.getElementType().isInteger(1))
    return emitOpError() << "expected a numeric element type, found " << input;
  if (failed(verifyDims(*this, "axes", getAxes(), input.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(getAxes(), static_cast<int64_t>(i)))
      shape.push_back(extent);
    else if (getKeepdims())
      shape.push_back(1);
  }
  return verifyResultShape(*this, getResult(), shape);
}

LogicalResult OneHotOp::verify() {
  SmallVector<int64_t> shape(tensorOf(getIndices()).getShape());
  RankedTensorType result = tensorOf(getResult());
  if (result.getRank() == 0)
    return emitOpError() << "expected a result of rank " << shape.size() + 1
                         << ", found " << result;
  int64_t depth = result.getShape().back();
  if (ShapedType::isDynamic(depth))
    return emitOpError() << "expected a static last extent, found " << result;
  shape.push_back(depth);
  return verifyResultShape(*this, getResult(), shape);
}

/// Checks an op that gives the position of one element along `axis`.
static LogicalResult verifyPosition(Operation *op, Value input, int64_t axis,
                                    Value result) {
  SmallVector<int64_t> shape(tensorOf(input).getShape());
  if (failed(verifyDims(op, "axis", {axis}, shape.size())))
    return failure();
  if (shape[axis] == 0)
    return op->emitOpError()
           << "expected a non-empty axis, found " << input.getType();
  Type index = getElementTypeOrSelf(result);
  if (!index.isInteger(32) && !index.isInteger(64))
    return op->emitOpError()
           << "expected indices of i32 or i64, found " << result.getType();
  shape.erase(shape.begin() + axis);
  return verifyResultShape(op, result, shape);
}

LogicalResult ArgmaxOp::verify() {
  return verifyPosition(*this, getInput(), getAxis(), getResult());
}

LogicalResult ArgminOp::verify() {
  return verifyPosition(*this, getInput(), getAxis(), getResult());
}

LogicalResult TileOp::verify() {
  RankedTensorType x = tensorOf(getX());
  if (x.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected one element type, found "
                         << x.getElementType() << " and "
                         << getElementTypeOrSelf(getResult());
  if (static_cast<int64_t>(getMultiples().size()) != x.getRank())
    return emitOpError() << "expected one multiple for each of the "
                         << x.getRank() << " dimensions of x, found "
                         << getMultiples().size();
  SmallVector<int64_t> shape(x.getShape());
  for (auto [extent, multiple] : llvm::zip(shape, getMultiples())) {
    if (multiple < 0)
      return emitOpError() << "expected multiples of at least 0, found "
                           << multiple;
    if (!ShapedType::isDynamic(extent))
      extent *= multiple;
  }
  return verifyResultShape(*this, getResult(), shape);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

// Of `like` nothing but the shape is used.
bool BroadcastOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 0;
}

LogicalResult BroadcastOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                   ArrayRef<bool> needed,
                                   MutableArrayRef<Value> operands) {
  if (!needed[0])
    return success();
  Location loc = getLoc();
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  // Sum over what was stretched, keeping extent 1, then over what was added.
  SmallVector<int64_t> stretched, shape(result.getShape());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (input.getDimSize(i) == 1 && result.getDimSize(dim) != 1) {
      stretched.push_back(dim);
      shape[dim] = 1;
    }
  Value dx = results[0];
  if (!stretched.empty())
    dx = ReduceOp::create(b, loc,
                          RankedTensorType::get(shape, input.getElementType()),
                          ReductionKind::sum, dx, stretched, /*keepdims=*/true);
  operands[0] =
      buildSum(b, loc, dx, otherDims(getDims(), result.getRank()), input);
  return success();
}

LogicalResult ReduceOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value dy = results[0], x = getInput(), y = getResult();
  auto spread = [&](Value reduced) {
    return buildUnreduce(b, loc, reduced, getAxes(), getKeepdims(), x);
  };
  switch (getKind()) {
  case ReductionKind::sum:
    operands[0] = spread(dy);
    return success();
  case ReductionKind::mean: {
    Value count = buildCount(b, loc, x, getAxes(), floatOf(dy));
    Value counts = buildBroadcast(b, loc, count, {}, dy);
    operands[0] = spread(arith::DivFOp::create(b, loc, dy, counts));
    return success();
  }
  case ReductionKind::max:
  case ReductionKind::min: {
    // Shared equally by the elements that equal the extremum.
    Value hit =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, spread(y));
    Value zero = buildSplat(b, loc, x, 0.0);
    Value ones =
        arith::SelectOp::create(b, loc, hit, buildSplat(b, loc, x, 1.0), zero);
    Value ties = ReduceOp::create(b, loc, y.getType(), ReductionKind::sum, ones,
                                  getAxes(), getKeepdims());
    Value share = spread(arith::DivFOp::create(b, loc, dy, ties));
    operands[0] = arith::SelectOp::create(b, loc, hit, share, zero);
    return success();
  }
  case ReductionKind::prod: {
    // The product of the other elements: y / x where none is 0; at a single 0
    // the product of the rest, and 0 elsewhere; with more, 0 everywhere. An
    // element has a derivative where it alone accounts for the zeros.
    Value zero = buildSplat(b, loc, x, 0.0), one = buildSplat(b, loc, x, 1.0);
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
    Value own = arith::SelectOp::create(b, loc, isZero, one, zero);
    Value safe = arith::SelectOp::create(b, loc, isZero, one, x);
    Value zeros = ReduceOp::create(b, loc, y.getType(), ReductionKind::sum, own,
                                   getAxes(), getKeepdims());
    Value rest = ReduceOp::create(b, loc, y.getType(), ReductionKind::prod,
                                  safe, getAxes(), getKeepdims());
    Value total = spread(arith::MulFOp::create(b, loc, dy, rest));
    Value others = arith::DivFOp::create(b, loc, total, safe);
    Value has = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                      spread(zeros), own);
    operands[0] = arith::SelectOp::create(b, loc, has, others, zero);
    return success();
  }
  }
  llvm_unreachable("every reduction kind is handled");
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> TileOp::decompose(OpBuilder &b) {
  // Each dimension gets one in front of it, along which it repeats.
  Location loc = getLoc();
  Value x = getX();
  RankedTensorType type = tensorOf(x);
  SmallVector<int64_t> dims, shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, multiple] : llvm::enumerate(getMultiples())) {
    int64_t number = dim;
    dims.push_back(2 * number + 1);
    shape.append({multiple, type.getDimSize(number)});
    sizes.push_back(b.getIndexAttr(multiple));
    sizes.push_back(tensor::getMixedSize(b, loc, x, number));
    groups.push_back({2 * number, 2 * number + 1});
  }
  if (dims.empty())
    return SmallVector<Value>{x};
  auto repeatedType = RankedTensorType::get(shape, type.getElementType());
  Value like;
  if (!repeatedType.hasStaticShape())
    like = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value repeated = BroadcastOp::create(b, loc, repeatedType, x, like, dims);
  Value tiled = tensor::CollapseShapeOp::create(b, loc, repeated, groups);
  return SmallVector<Value>{buildCast(b, loc, tiled, getResult().getType())};
}
