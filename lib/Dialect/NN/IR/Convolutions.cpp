//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form sum of output[n, i, j, o] * image[n, i s + p, j s + q, c] *
// filter[p, q, c, o] is linear in each of the three. An op is its derivative
// with respect to one of them, and so is each of the op's own derivatives.
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

Value Conv2dOp::getImage() { return getX(); }
Value Conv2dOp::getFilter() { return getW(); }
Value Conv2dOp::getOutput() { return getResult(); }

Value Conv2dTransposeOp::getImage() { return getResult(); }
Value Conv2dTransposeOp::getFilter() { return getW(); }
Value Conv2dTransposeOp::getOutput() { return getX(); }

Value Conv2dFilterGradOp::getImage() { return getX(); }
Value Conv2dFilterGradOp::getFilter() { return getResult(); }
Value Conv2dFilterGradOp::getOutput() { return getDy(); }

template <typename OpTy> static Window slidingOf(OpTy op) {
  return makeWindow(tensorOf(op.getFilter()).getShape(), op.getStrides(),
                    op.getPadding(), op.getDilations());
}

Window Conv2dOp::getSliding() { return slidingOf(*this); }
Window Conv2dTransposeOp::getSliding() { return slidingOf(*this); }
Window Conv2dFilterGradOp::getSliding() { return slidingOf(*this); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks the channels of image, filter and output: how many groups there are.
static LogicalResult verifyGroups(Operation *op, RankedTensorType image,
                                  RankedTensorType filter,
                                  RankedTensorType output) {
  int64_t channels = image.getDimSize(3), outputs = filter.getDimSize(3);
  int64_t groupChannels = filter.getDimSize(2);
  if (channels % groupChannels != 0 ||
      outputs % std::max<int64_t>(1, channels / groupChannels) != 0 ||
      channels == 0)
    return op->emitOpError()
           << "expected an image with the filter's channels, or with G times "
              "as many and a multiple of G outputs, found an image of "
           << channels << " channels and a filter of " << groupChannels
           << " channels and " << outputs << " outputs";
  return verifySameExtent(op, "outputs of filter and channels of output",
                          outputs, output.getDimSize(3));
}

/// Checks any of the three ops.
template <typename OpTy> static LogicalResult verifyConvolution(OpTy op) {
  for (Type type : llvm::concat<const Type>(
           TypeRange{op.getImage().getType(), op.getFilter().getType()},
           TypeRange{op.getOutput().getType()}))
    if (getElementTypeOrSelf(type) != getElementTypeOrSelf(op.getResult()))
      return op.emitOpError() << "expected one element type, found "
                              << getElementTypeOrSelf(type) << " and "
                              << getElementTypeOrSelf(op.getResult());
  if (failed(verifyRank(op, op.getImage(), "an image", 4)) ||
      failed(verifyRank(op, op.getFilter(), "a filter", 4)) ||
      failed(verifyRank(op, op.getOutput(), "an output", 4)) ||
      failed(verifyPair(op, "strides", op.getStrides())) ||
      failed(verifyPair(op, "dilations", op.getDilations())))
    return failure();
  RankedTensorType image = tensorOf(op.getImage());
  RankedTensorType filter = tensorOf(op.getFilter());
  if (!filter.hasStaticShape() || filter.getNumElements() == 0)
    return op.emitOpError()
           << "expected a filter of static shape with elements, found "
           << filter;
  if (failed(verifyPair(op, "a filter", filter.getShape().take_front(2))))
    return failure();
  if (image.isDynamicDim(3))
    return op.emitOpError()
           << "expected an image with a static number of channels, found "
           << image;
  if (failed(verifyGroups(op, image, filter, tensorOf(op.getOutput()))))
    return failure();
  return verifySliding(op, op.getSliding(), op.getImage(), op.getOutput());
}

LogicalResult Conv2dOp::verify() { return verifyConvolution(*this); }

LogicalResult Conv2dTransposeOp::verify() {
  if (failed(verifyConvolution(*this)))
    return failure();
  return verifyLike(*this, getResult(), getLike());
}

LogicalResult Conv2dFilterGradOp::verify() { return verifyConvolution(*this); }

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// The derivative of an op's form with respect to its output.
template <typename OpTy>
static Value deriveOutput(OpTy op, OpBuilder &b, Type type, Value image,
                          Value filter) {
  return Conv2dOp::create(b, op.getLoc(), type, image, filter,
                          op.getStridesAttr(), op.getPaddingAttr(),
                          op.getDilationsAttr());
}

/// The same for its image, whose shape is that of `like`.
template <typename OpTy>
static Value deriveImage(OpTy op, OpBuilder &b, Value like, Value output,
                         Value filter) {
  RankedTensorType type = tensorOf(like);
  bool isKnown = !type.isDynamicDim(1) && !type.isDynamicDim(2);
  return Conv2dTransposeOp::create(
      b, op.getLoc(), type, output, filter, isKnown ? Value() : like,
      op.getStridesAttr(), op.getPaddingAttr(), op.getDilationsAttr());
}

/// The same for its filter.
template <typename OpTy>
static Value deriveFilter(OpTy op, OpBuilder &b, Type type, Value image,
                          Value output) {
  return Conv2dFilterGradOp::create(b, op.getLoc(), type, image, output,
                                    op.getStridesAttr(), op.getPaddingAttr(),
                                    op.getDilationsAttr());
}

LogicalResult Conv2dOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  if (needed[0])
    operands[0] = deriveImage(*this, b, getX(), results[0], getW());
  if (needed[1])
    operands[1] = deriveFilter(*this, b, getW().getType(), getX(), results[0]);
  return success();
}

LogicalResult Conv2dTransposeOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                         ArrayRef<bool> needed,
                                         MutableArrayRef<Value> operands) {
  if (needed[0])
    operands[0] = deriveOutput(*this, b, getX().getType(), results[0], getW());
  if (needed[1])
    operands[1] = deriveFilter(*this, b, getW().getType(), results[0], getX());
  return success();
}

LogicalResult Conv2dFilterGradOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                          ArrayRef<bool> needed,
                                          MutableArrayRef<Value> operands) {
  if (needed[0])
    operands[0] = deriveImage(*this, b, getX(), getDy(), results[0]);
  if (needed[1])
    operands[1] = deriveOutput(*this, b, getDy().getType(), getX(), results[0]);
  return success();
}

bool Conv2dOp::hasDerivative(unsigned) { return true; }
bool Conv2dFilterGradOp::hasDerivative(unsigned) { return true; }
// Of `like` nothing but the shape is used.
bool Conv2dTransposeOp::hasDerivative(unsigned operandNumber) {
  return operandNumber < 2;
}
