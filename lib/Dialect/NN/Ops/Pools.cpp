//===- Pools.cpp - Pooling over windows -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolEmitter.h"

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

Value MaxPool2dOp::getImage() { return getX(); }
Value MaxPool2dOp::getOutput() { return getResult(); }

Value MaxPool2dGradOp::getImage() { return getX(); }
Value MaxPool2dGradOp::getOutput() { return getDy(); }

Value MaxPool2dSelectOp::getImage() { return getX(); }
Value MaxPool2dSelectOp::getOutput() { return getResult(); }

Value AvgPool2dOp::getImage() { return getX(); }
Value AvgPool2dOp::getOutput() { return getResult(); }

Value AvgPool2dGradOp::getImage() { return getResult(); }
Value AvgPool2dGradOp::getOutput() { return getDy(); }

template <typename OpTy> static Window slidingOf(OpTy op) {
  return makeWindow(op.getWindow(), op.getStrides(), op.getPadding(), {1, 1});
}

Window MaxPool2dOp::getSliding() { return slidingOf(*this); }
Window MaxPool2dGradOp::getSliding() { return slidingOf(*this); }
Window MaxPool2dSelectOp::getSliding() { return slidingOf(*this); }
Window AvgPool2dOp::getSliding() { return slidingOf(*this); }
Window AvgPool2dGradOp::getSliding() { return slidingOf(*this); }

//===----------------------------------------------------------------------===//
// Types and verifiers
//===----------------------------------------------------------------------===//

/// Checks attributes and image of any of the ops.
template <typename AdaptorTy>
static LogicalResult verifyWindow(OpErrors errors, AdaptorTy op, Value image) {
  if (failed(verifyRank(errors, image, "an image", 4)) ||
      failed(verifyPair(errors, "window", op.getWindow())) ||
      failed(verifyPair(errors, "strides", op.getStrides())))
    return failure();
  // Positions of a window have numbers of i32.
  int64_t positions = op.getWindow()[0] * op.getWindow()[1];
  if (positions > std::numeric_limits<int32_t>::max())
    return errors.emitOpError() << "expected a window of at most "
                                << std::numeric_limits<int32_t>::max()
                                << " positions, found " << positions;
  for (const WindowDim &dim : slidingOf(op))
    if (dim.before >= dim.size || dim.after >= dim.size)
      return errors.emitOpError()
             << "expected padding smaller than the window's " << dim.size
             << " positions, found " << std::max(dim.before, dim.after);
  return success();
}

template <typename OpTy> static LogicalResult verifyElements(OpTy op) {
  return verifyElementTypes(op, op.getImage(), op.getOutput());
}

/// Checks an op on a given output.
template <typename OpTy> static LogicalResult verifyPool(OpTy op) {
  Value image = op.getImage(), output = op.getOutput();
  if (failed(verifyElements(op)) || failed(verifyWindow(op, op, image)) ||
      failed(verifyRank(op, output, "an output", 4)) ||
      failed(verifyImageSize(op, image)))
    return failure();
  return verifySizeRelations(op);
}

/// Infers the type of an output.
template <typename AdaptorTy>
static LogicalResult inferPool(AdaptorTy op, OpErrors errors,
                               SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorOf(op.getX());
  if (failed(verifyWindow(errors, op, op.getX())))
    return failure();
  FailureOr<SmallVector<int64_t>> shape =
      inferSliding(errors, slidingOf(op), op.getX(), x.getDimSize(3));
  if (failed(shape))
    return failure();
  types.push_back(x.clone(*shape));
  return success();
}

LogicalResult MaxPool2dOp::inferTypes(Adaptor op, OpErrors errors,
                                      SmallVectorImpl<Type> &types) {
  return inferPool(op, errors, types);
}

LogicalResult AvgPool2dOp::inferTypes(Adaptor op, OpErrors errors,
                                      SmallVectorImpl<Type> &types) {
  return inferPool(op, errors, types);
}

LogicalResult MaxPool2dOp::verify() { return verifyElements(*this); }
LogicalResult AvgPool2dOp::verify() { return verifyElements(*this); }

LogicalResult MaxPool2dGradOp::verify() {
  if (failed(verifyPool(*this)) || failed(verifySameElementType(*this)))
    return failure();
  return verifyResultShape(*this, getResult(), tensorOf(getX()).getShape());
}

LogicalResult MaxPool2dSelectOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getV(), "v", 4)))
    return failure();
  return verifyPool(*this);
}

LogicalResult AvgPool2dGradOp::verify() {
  if (failed(verifyPool(*this)))
    return failure();
  return verifyLike(*this, getResult(), getLike());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Returns the source of dimension `dim`: images and channels are those of `x`.
static DimSizeSource getPooledSource(Value x, int64_t dim) {
  return dim == 0 || dim == 3 ? DimSizeSource{x, dim} : DimSizeSource{};
}

DimSizeSource AvgPool2dOp::getDimSizeSource(int64_t dim) {
  return getPooledSource(getX(), dim);
}

DimSizeSource MaxPool2dOp::getDimSizeSource(int64_t dim) {
  return getPooledSource(getX(), dim);
}

DimSizeSource MaxPool2dSelectOp::getDimSizeSource(int64_t dim) {
  return getPooledSource(getX(), dim);
}

DimSizeSource MaxPool2dGradOp::getDimSizeSource(int64_t dim) {
  return {getX(), dim};
}

DimSizeSource AvgPool2dGradOp::getDimSizeSource(int64_t dim) {
  return getLike() ? DimSizeSource{getLike(), dim}
                   : getPooledSource(getDy(), dim);
}

/// Returns the number that dimension `dim` of an output has.
template <typename OpTy>
static DimSizeFormula getPooledFormula(OpTy op, int64_t dim) {
  if (dim == 1 || dim == 2)
    return getWindowCount(op.getSliding(), op.getX(), dim);
  return {op.getX(), dim, AffineExpr()};
}

DimSizeFormula AvgPool2dOp::getDimSizeFormula(int64_t dim) {
  return getPooledFormula(*this, dim);
}

DimSizeFormula MaxPool2dOp::getDimSizeFormula(int64_t dim) {
  return getPooledFormula(*this, dim);
}

DimSizeFormula MaxPool2dSelectOp::getDimSizeFormula(int64_t dim) {
  return getPooledFormula(*this, dim);
}

template <typename OpTy>
static void relatePool(OpTy op, SizeRelationSink &sizes) {
  relateWindows(op.getSliding(), op.getImage(), op.getOutput(), sizes);
  sizes.equalDims(op.getImage(), 3, op.getOutput(), 3, "the image",
                  "the output");
}

void MaxPool2dOp::relateSizes(SizeRelationSink &sizes) {
  relatePool(*this, sizes);
}

void AvgPool2dOp::relateSizes(SizeRelationSink &sizes) {
  relatePool(*this, sizes);
}

void MaxPool2dGradOp::relateSizes(SizeRelationSink &sizes) {
  relatePool(*this, sizes);
}

void AvgPool2dGradOp::relateSizes(SizeRelationSink &sizes) {
  relatePool(*this, sizes);
}

void MaxPool2dSelectOp::relateSizes(SizeRelationSink &sizes) {
  for (int64_t dim = 0; dim < 4; ++dim)
    sizes.equalDims(getX(), dim, getV(), dim, "x", "v");
  relatePool(*this, sizes);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Counts one for each position of each window.
template <typename OpTy>
static CostExpr countWindows(OpTy op, CostSizes &sizes) {
  return sizes.getNumElements(op.getOutput()) *
         CostExpr::constant(op.getWindow()[0] * op.getWindow()[1]);
}

CostExpr MaxPool2dOp::countFlops(CostSizes &sizes) {
  return countWindows(*this, sizes);
}
CostExpr MaxPool2dGradOp::countFlops(CostSizes &sizes) {
  return countWindows(*this, sizes);
}
CostExpr MaxPool2dSelectOp::countFlops(CostSizes &sizes) {
  return countWindows(*this, sizes);
}
CostExpr AvgPool2dOp::countFlops(CostSizes &sizes) {
  return countWindows(*this, sizes);
}
CostExpr AvgPool2dGradOp::countFlops(CostSizes &sizes) {
  return countWindows(*this, sizes);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult MaxPool2dOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                   ArrayRef<bool> needed,
                                   MutableArrayRef<Value> operands) {
  operands[0] = MaxPool2dGradOp::create(b, getLoc(), getX().getType(), getX(),
                                        results[0], getWindowAttr(),
                                        getStridesAttr(), getPaddingAttr());
  return success();
}

// The positions of the maxima are locally constant.
bool MaxPool2dOp::hasDerivative(unsigned) { return true; }
bool MaxPool2dGradOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 1;
}
bool MaxPool2dSelectOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 1;
}

LogicalResult MaxPool2dGradOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                       ArrayRef<bool> needed,
                                       MutableArrayRef<Value> operands) {
  if (needed[1])
    operands[1] = MaxPool2dSelectOp::create(b, getLoc(), getDy().getType(),
                                            getX(), results[0], getWindowAttr(),
                                            getStridesAttr(), getPaddingAttr());
  return success();
}

LogicalResult MaxPool2dSelectOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                         ArrayRef<bool> needed,
                                         MutableArrayRef<Value> operands) {
  if (needed[1])
    operands[1] = MaxPool2dGradOp::create(b, getLoc(), getV().getType(), getX(),
                                          results[0], getWindowAttr(),
                                          getStridesAttr(), getPaddingAttr());
  return success();
}

LogicalResult AvgPool2dOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                   ArrayRef<bool> needed,
                                   MutableArrayRef<Value> operands) {
  RankedTensorType type = tensorOf(getX());
  bool isKnown = !type.isDynamicDim(1) && !type.isDynamicDim(2);
  operands[0] = AvgPool2dGradOp::create(
      b, getLoc(), type, results[0], isKnown ? Value() : Value(getX()),
      getWindowAttr(), getStridesAttr(), getPaddingAttr());
  return success();
}

LogicalResult AvgPool2dGradOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                       ArrayRef<bool> needed,
                                       MutableArrayRef<Value> operands) {
  if (needed[0])
    operands[0] = AvgPool2dOp::create(b, getLoc(), getDy().getType(),
                                      results[0], getWindowAttr(),
                                      getStridesAttr(), getPaddingAttr());
  return success();
}

bool AvgPool2dOp::hasDerivative(unsigned) { return true; }
// Only the shape of `like` is used.
bool AvgPool2dGradOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 0;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult MaxPool2dOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = e.refine(getX());
  PoolEmitter pool(e, getSliding(), e.getDimSizes(x));
  e.replaceWith(
      e.narrowTensor(pool.findMaxima(x).first, getElementTypeOrSelf(x)));
  return success();
}

/// Selects from each window the element of v at the position of the maximum.
LogicalResult MaxPool2dSelectOp::lowerToLinalg(LinalgEmitter &e) {
  SmallVector<DimSize> image = e.getDimSizes(getX());
  Value x = e.refine(getX(), image), v = e.refine(getV(), image);
  PoolEmitter pool(e, getSliding(), image);
  Value places = pool.findMaxima(x).second;
  Type type = getElementTypeOrSelf(getV());
  Type compute = e.getComputeType(type);
  Value padded = pool.window.pad(v, e.scalar(type, 0.0));
  Value picked = e.generic(
      {padded, places, pool.makeShape(pool.shape[0].size, pool.shape[1].size)},
      e.fill(pool.dimSizes, e.scalar(compute, 0.0)),
      {pool.getImageMap(), pool.getOutputMap(), pool.getShapeMap(),
       pool.getOutputMap()},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value number = pool.numberElement(b, linalg::IndexOp::create(b, loc, 4),
                                          linalg::IndexOp::create(b, loc, 5));
        Value isPlace = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              args[1], number);
        return arith::SelectOp::create(
            b, loc, isPlace, widen(b, loc, args[0], compute), args[3]);
      });
  e.replaceWith(e.narrowTensor(picked, type));
  return success();
}

/// A position of the image receives the cotangents of the windows whose maximum
/// it is.
LogicalResult MaxPool2dGradOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = e.refine(getX());
  PoolEmitter pool(e, getSliding(), e.getDimSizes(x));
  Value dy = pool.window.refineOutput(getDy(), pool.dimSizes[3]);
  Value places = pool.findMaxima(x).second;
  Type type = getElementTypeOrSelf(getDy());
  Type compute = e.getComputeType(type);
  Value zero = e.scalar(compute, 0.0);
  auto share = [&](OpBuilder &b, ValueRange args, Value row, Value column) {
    Value isPlace =
        arith::CmpIOp::create(b, e.loc, arith::CmpIPredicate::eq, args[0],
                              pool.numberElement(b, row, column));
    return arith::SelectOp::create(b, e.loc, isPlace,
                                   widen(b, e.loc, args[1], compute), zero);
  };
  Value none = e.scalar(e.b.getI32Type(), -1);
  Value sum =
      pool.scatter(zero, {places, dy}, {none, e.scalar(type, 0.0)}, share);
  e.replaceWith(e.narrowTensor(sum, type));
  return success();
}

LogicalResult AvgPool2dOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = e.refine(getX());
  PoolEmitter pool(e, getSliding(), e.getDimSizes(x));
  Type type = getElementTypeOrSelf(x);
  Type compute = e.getComputeType(type);
  Value padded = pool.window.pad(x, e.scalar(type, 0.0));
  Value sums = e.generic(
      {padded, pool.makeShape(pool.shape[0].size, pool.shape[1].size)},
      e.fill(pool.dimSizes, e.scalar(compute, 0.0)),
      {pool.getImageMap(), pool.getShapeMap(), pool.getOutputMap()},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return arith::AddFOp::create(b, loc, args[2],
                                     widen(b, loc, args[0], compute));
      });
  e.replaceWith(pool.divideByCount(sums, type));
  return success();
}

/// Emits, for each position of the image, its share of each window that it is
/// in.
LogicalResult AvgPool2dGradOp::lowerToLinalg(LinalgEmitter &e) {
  auto imageType = cast<RankedTensorType>(getResult().getType());
  SmallVector<DimSize> image = e.getDimSizes(getDy());
  for (unsigned dim : {1, 2})
    image[dim] = imageType.isDynamicDim(dim)
                     ? e.getDimSize(getLike(), dim)
                     : DimSize::constant(imageType.getDimSize(dim));
  PoolEmitter pool(e, getSliding(), image);
  Value dy = pool.window.refineOutput(getDy(), image[3]);
  Type type = imageType.getElementType();
  Type compute = e.getComputeType(type);
  Value zero = e.scalar(compute, 0.0);
  Value shares = pool.divideByCount(dy, compute);
  Value sum = pool.scatter(
      zero, shares, zero,
      [](OpBuilder &, ValueRange args, Value, Value) { return args[0]; });
  e.replaceWith(e.narrowTensor(sum, type));
  return success();
}
