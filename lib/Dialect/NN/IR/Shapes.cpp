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
using namespace flywheel;
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
    int64_t times = extent;
    if (!ShapedType::isDynamic(extent) &&
        llvm::MulOverflow(times, multiple, extent))
      return emitOpError() << "expected extents below 2^63, found " << times
                           << " repeated " << multiple << " times";
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

/// `type` with elements of at least single precision.
static Type widenTensor(OpBuilder &b, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getElementTypeBitWidth() < 32 ? tensor.clone(b.getF32Type())
                                              : tensor;
}

/// `reduced` with extent 1 at each of `axes`, which it lacks.
static Value keepDims(OpBuilder &b, Value reduced, ArrayRef<int64_t> axes) {
  RankedTensorType type = tensorOf(reduced);
  Location loc = reduced.getLoc();
  SmallVector<OpFoldResult> sizes,
      known = tensor::getMixedSizes(b, loc, reduced);
  SmallVector<int64_t> shape;
  SmallVector<bool> isKept;
  int64_t rank = type.getRank() + axes.size(), next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    isKept.push_back(!llvm::is_contained(axes, dim));
    sizes.push_back(isKept.back() ? known[next] : b.getIndexAttr(1));
    shape.push_back(isKept.back() ? type.getDimSize(next) : 1);
    next += isKept.back();
  }
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), reduced,
                                       unitDimGroups(isKept), sizes);
}

/// Positions [begin, end) of `x` along `axis`.
static Value sliceAlong(OpBuilder &b, Location loc, Value x, int64_t axis,
                        int64_t begin, int64_t end) {
  int64_t rank = tensorOf(x).getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, x);
  offsets[axis] = b.getIndexAttr(begin);
  sizes[axis] = b.getIndexAttr(end - begin);
  return tensor::ExtractSliceOp::create(b, loc, x, offsets, sizes, strides);
}

/// The cotangent of x, given that `dy` of its product along `axis`, of static
/// extent; `dy` has extent 1 there. One half is multiplied by the other, and
/// what that gives by itself in the same way. Nothing is divided, so that all
/// derivatives hold where elements are 0.
static Value deriveProductAlong(OpBuilder &b, Location loc, Value x,
                                int64_t axis, Value dy) {
  int64_t extent = tensorOf(x).getDimSize(axis), half = extent / 2;
  // Of no elements no slice can be taken either.
  if (llvm::is_contained(tensorOf(x).getShape(), 0))
    return buildSplat(b, loc, x, 0.0);
  if (extent == 1)
    return buildCast(b, loc, dy, x.getType());
  Value left = sliceAlong(b, loc, x, axis, 0, half);
  Value right = sliceAlong(b, loc, x, axis, half, 2 * half);
  Value both = arith::MulFOp::create(b, loc, left, right);
  bool isOdd = extent % 2 == 1;
  if (isOdd)
    both = tensor::ConcatOp::create(
        b, loc, axis, {both, sliceAlong(b, loc, x, axis, extent - 1, extent)});
  Value d = deriveProductAlong(b, loc, both, axis, dy);
  Value dBoth = isOdd ? sliceAlong(b, loc, d, axis, 0, half) : d;
  SmallVector<Value> parts = {arith::MulFOp::create(b, loc, dBoth, right),
                              arith::MulFOp::create(b, loc, dBoth, left)};
  if (isOdd)
    parts.push_back(sliceAlong(b, loc, d, axis, half, half + 1));
  return buildCast(b, loc, tensor::ConcatOp::create(b, loc, axis, parts),
                   x.getType());
}

/// The same where the extent is dynamic: for each element the product of all,
/// with 1 in its own place.
static Value deriveLongProduct(OpBuilder &b, Location loc, Value x,
                               int64_t axis, Value dy) {
  RankedTensorType type = tensorOf(x);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x);
  SmallVector<int64_t> shape(type.getShape());
  sizes.insert(sizes.begin() + axis, sizes[axis]);
  shape.insert(shape.begin() + axis, shape[axis]);
  // Dimension `axis` is the element, the next one the factors of its product.
  SmallVector<int64_t> factors = otherDims({axis}, type.getRank() + 1);
  Value like = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value all = BroadcastOp::create(b, loc, type.clone(shape), x, like, factors);
  auto number = [&](int64_t dim) -> Value {
    return IotaOp::create(b, loc, RankedTensorType::get(shape, b.getI64Type()),
                          like, dim);
  };
  Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      number(axis), number(axis + 1));
  Value others =
      arith::SelectOp::create(b, loc, isOwn, buildSplat(b, loc, all, 1.0), all);
  Value product = ReduceOp::create(b, loc, type, ReductionKind::prod, others,
                                   ArrayRef<int64_t>{axis + 1},
                                   /*keepdims=*/false);
  Value spread =
      buildBroadcast(b, loc, dy, identityDims(type.getRank()), product);
  return arith::MulFOp::create(b, loc, spread, product);
}

/// The cotangent of x, given that `dy` of its product over `axes`; `dy` has
/// extent 1 there.
static Value deriveProduct(OpBuilder &b, Location loc, Value x,
                           ArrayRef<int64_t> axes, Value dy) {
  if (axes.empty())
    return buildCast(b, loc, dy, x.getType());
  int64_t axis = axes.back();
  RankedTensorType type = tensorOf(x);
  if (axes.size() > 1) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    Value inner =
        ReduceOp::create(b, loc, type.clone(shape), ReductionKind::prod, x,
                         ArrayRef<int64_t>{axis}, /*keepdims=*/true);
    dy = deriveProduct(b, loc, inner, axes.drop_back(), dy);
  }
  return type.isDynamicDim(axis) ? deriveLongProduct(b, loc, x, axis, dy)
                                 : deriveProductAlong(b, loc, x, axis, dy);
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
    // Counts are beyond what 16 bits hold.
    Term wide = widen(b, loc, dy);
    Value count = buildCount(b, loc, x, getAxes(), floatOf(wide));
    Term share = wide / wide.with(buildBroadcast(b, loc, count, {}, wide));
    operands[0] = spread(roundTo(b, loc, share, dy.getType()));
    return success();
  }
  case ReductionKind::max:
  case ReductionKind::min: {
    // Shared equally by the elements that equal the extremum, or are NaN as it.
    Value isEqual =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, spread(y));
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    Value hit = arith::OrIOp::create(b, loc, isEqual, isNaN);
    Value zero = buildSplat(b, loc, x, 0.0);
    Value ones =
        arith::SelectOp::create(b, loc, hit, buildSplat(b, loc, x, 1.0), zero);
    Term wide = widen(b, loc, dy);
    Value ties =
        ReduceOp::create(b, loc, wide.getType(), ReductionKind::sum,
                         widen(b, loc, ones), getAxes(), getKeepdims());
    Value share = roundTo(b, loc, wide / wide.with(ties), dy.getType());
    operands[0] = arith::SelectOp::create(b, loc, hit, spread(share), zero);
    return success();
  }
  case ReductionKind::prod: {
    // Products of halves are rounded as often as there are halves.
    Type type = x.getType(), wide = widenTensor(b, type);
    if (wide != type) {
      x = arith::ExtFOp::create(b, loc, wide, x);
      dy = arith::ExtFOp::create(b, loc, widenTensor(b, dy.getType()), dy);
    }
    Value dx = deriveProduct(b, loc, x, getAxes(),
                             getKeepdims() ? dy : keepDims(b, dy, getAxes()));
    operands[0] =
        wide == type ? dx : Value(arith::TruncFOp::create(b, loc, type, dx));
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
