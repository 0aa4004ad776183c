//===- Pools.cpp - Pooling over windows -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"

#include <limits>

using namespace mlir;
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
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks any of the ops.
template <typename OpTy> static LogicalResult verifyPool(OpTy op) {
  Value image = op.getImage(), output = op.getOutput();
  if (getElementTypeOrSelf(image) != getElementTypeOrSelf(output))
    return op.emitOpError()
           << "expected one element type, found " << getElementTypeOrSelf(image)
           << " and " << getElementTypeOrSelf(output);
  if (failed(verifyRank(op, image, "an image", 4)) ||
      failed(verifyRank(op, output, "an output", 4)) ||
      failed(verifyPair(op, "window", op.getWindow())) ||
      failed(verifyPair(op, "strides", op.getStrides())))
    return failure();
  // Positions of a window have numbers of i32.
  int64_t positions = op.getWindow()[0] * op.getWindow()[1];
  if (positions > std::numeric_limits<int32_t>::max())
    return op.emitOpError() << "expected a window of at most "
                            << std::numeric_limits<int32_t>::max()
                            << " positions, found " << positions;
  for (const WindowDim &dim : op.getSliding())
    if (dim.before >= dim.size || dim.after >= dim.size)
      return op.emitOpError()
             << "expected padding smaller than the window's " << dim.size
             << " positions, found " << std::max(dim.before, dim.after);
  if (failed(verifySameExtent(op, "channels of image and output",
                              tensorOf(image).getDimSize(3),
                              tensorOf(output).getDimSize(3))))
    return failure();
  return verifySliding(op, op.getSliding(), image, output);
}

LogicalResult MaxPool2dOp::verify() { return verifyPool(*this); }

LogicalResult MaxPool2dGradOp::verify() {
  if (failed(verifyPool(*this)) || failed(verifySameElementType(*this)))
    return failure();
  return verifyResultShape(*this, getResult(), tensorOf(getX()).getShape());
}

LogicalResult MaxPool2dSelectOp::verify() {
  if (failed(verifyPool(*this)) || failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getV(), "v", 4)))
    return failure();
  for (int64_t dim = 0; dim < 4; ++dim)
    if (failed(verifySameExtent(*this, "extents of x and v",
                                tensorOf(getX()).getDimSize(dim),
                                tensorOf(getV()).getDimSize(dim))))
      return failure();
  return success();
}

LogicalResult AvgPool2dOp::verify() { return verifyPool(*this); }

LogicalResult AvgPool2dGradOp::verify() {
  if (failed(verifyPool(*this)))
    return failure();
  return verifyLike(*this, getResult(), getLike());
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

// Where the maxima are is locally constant.
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
// Of `like` nothing but the shape is used.
bool AvgPool2dGradOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 0;
}
