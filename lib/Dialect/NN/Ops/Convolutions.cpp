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

#include "ConvolutionEmitter.h"

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/Batcher.h"

using namespace mlir;
using namespace flywheel;
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
// Types and verifiers
//===----------------------------------------------------------------------===//

/// Checks the channels of image and filter, which determine the number of
/// groups.
static LogicalResult verifyGroups(OpErrors op, RankedTensorType image,
                                  RankedTensorType filter) {
  int64_t channels = image.getDimSize(3), outputs = filter.getDimSize(3);
  int64_t groupChannels = filter.getDimSize(2);
  if (channels % groupChannels != 0 ||
      outputs % std::max<int64_t>(1, channels / groupChannels) != 0 ||
      channels == 0)
    return op.emitOpError()
           << "expected an image with the filter's channels, or with G times "
              "as many and a multiple of G outputs, found an image of "
           << channels << " channels and a filter of " << groupChannels
           << " channels and " << outputs << " outputs";
  return success();
}

/// Checks attributes, image and filter of any of the three ops.
template <typename AdaptorTy>
static LogicalResult verifyOperands(OpErrors errors, AdaptorTy op, Value image,
                                    Value filter) {
  if (failed(verifyRank(errors, image, "an image", 4)) ||
      failed(verifyRank(errors, filter, "a filter", 4)) ||
      failed(verifyPair(errors, "strides", op.getStrides())) ||
      failed(verifyPair(errors, "dilations", op.getDilations())))
    return failure();
  RankedTensorType type = tensorOf(filter);
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return errors.emitOpError()
           << "expected a filter of static shape with elements, found " << type;
  if (failed(verifyPair(errors, "a filter", type.getShape().take_front(2))))
    return failure();
  if (tensorOf(image).isDynamicDim(3))
    return errors.emitOpError()
           << "expected an image with a static number of channels, found "
           << image.getType();
  return verifyGroups(errors, tensorOf(image), type);
}

template <typename OpTy> static LogicalResult verifyElements(OpTy op) {
  for (Value value : {op.getImage(), op.getFilter(), op.getOutput()})
    if (getElementTypeOrSelf(value) != getElementTypeOrSelf(op.getResult()))
      return op.emitOpError() << "expected one element type, found "
                              << getElementTypeOrSelf(value) << " and "
                              << getElementTypeOrSelf(op.getResult());
  return success();
}

/// Checks an op whose image or filter is the result.
template <typename OpTy> static LogicalResult verifyConvolution(OpTy op) {
  if (failed(verifyElements(op)) ||
      failed(verifyOperands(op, op, op.getImage(), op.getFilter())) ||
      failed(verifyRank(op, op.getOutput(), "an output", 4)) ||
      failed(verifyImageSize(op, op.getImage())))
    return failure();
  return verifySizeRelations(op);
}

LogicalResult Conv2dOp::inferTypes(Adaptor op, OpErrors errors,
                                   SmallVectorImpl<Type> &types) {
  if (failed(verifyOperands(errors, op, op.getX(), op.getW())))
    return failure();
  ArrayRef<int64_t> filter = tensorOf(op.getW()).getShape();
  Window window =
      makeWindow(filter, op.getStrides(), op.getPadding(), op.getDilations());
  FailureOr<SmallVector<int64_t>> shape =
      inferSliding(errors, window, op.getX(), filter[3]);
  if (failed(shape))
    return failure();
  types.push_back(tensorOf(op.getX()).clone(*shape));
  return success();
}

LogicalResult Conv2dOp::verify() { return verifyElements(*this); }

/// Infers the smallest image, or with `same` padding the largest one, that has
/// the windows; `like` says another one.
LogicalResult Conv2dTransposeOp::inferTypes(Adaptor op, OpErrors errors,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorOf(op.getX()), w = tensorOf(op.getW());
  if (failed(verifyRank(errors, op.getX(), "an output", 4)) ||
      failed(verifyRank(errors, op.getW(), "a filter", 4)))
    return failure();
  if (op.getLike()) {
    types.push_back(x.clone(tensorOf(op.getLike()).getShape()));
    return success();
  }
  if (failed(verifyPair(errors, "strides", op.getStrides())) ||
      failed(verifyPair(errors, "dilations", op.getDilations())) ||
      failed(verifyPair(errors, "a filter", w.getShape().take_front(2))))
    return failure();
  SmallVector<int64_t> shape = {x.getDimSize(0)};
  for (auto [i, dim] :
       llvm::enumerate(makeWindow(w.getShape(), op.getStrides(),
                                  op.getPadding(), op.getDilations()))) {
    int64_t count = x.getDimSize(i + 1);
    StringRef what = i == 0 ? "height" : "width";
    if (ShapedType::isDynamic(count))
      return errors.emitOpError() << "expected `like`, of the result's shape, "
                                     "for an image of dynamic "
                                  << what << ", found none";
    shape.push_back(count < 1 ? 0 : dim.getImageDimSize(count));
    if (shape.back() < 0)
      return errors.emitOpError()
             << "expected padding smaller than the " << what
             << " of the image, found " << dim.before + dim.after;
  }
  shape.push_back(w.getDimSize(2));
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult Conv2dTransposeOp::verify() {
  if (failed(verifyConvolution(*this)))
    return failure();
  return verifyLike(*this, getResult(), getLike());
}

LogicalResult Conv2dFilterGradOp::verify() { return verifyConvolution(*this); }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DimSizeSource Conv2dOp::getDimSizeSource(int64_t dim) {
  return dim == 0 ? DimSizeSource{getX(), 0} : DimSizeSource{};
}

DimSizeSource Conv2dTransposeOp::getDimSizeSource(int64_t dim) {
  if (dim == 0)
    return {getX(), 0};
  return getLike() ? DimSizeSource{getLike(), dim} : DimSizeSource{};
}

DimSizeFormula Conv2dOp::getDimSizeFormula(int64_t dim) {
  if (dim == 1 || dim == 2)
    return getWindowCount(getSliding(), getX(), dim);
  return {dim == 0 ? getX() : getW(), dim, AffineExpr()};
}

template <typename OpTy>
static void relateConvolution(OpTy op, SizeRelationSink &sizes) {
  relateWindows(op.getSliding(), op.getImage(), op.getOutput(), sizes);
  sizes.equalDims(op.getFilter(), 3, op.getOutput(), 3, "the filter",
                  "the output");
}

void Conv2dOp::relateSizes(SizeRelationSink &sizes) {
  relateConvolution(*this, sizes);
}

void Conv2dFilterGradOp::relateSizes(SizeRelationSink &sizes) {
  relateConvolution(*this, sizes);
}

void Conv2dTransposeOp::relateSizes(SizeRelationSink &sizes) {
  if (Value like = getLike())
    sizes.equalDims(like, 0, getX(), 0, "like", "x");
  relateConvolution(*this, sizes);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Returns a product and a sum for each element of the output and each filter
/// element that contributes to it: the three derivatives of one form cost the
/// same.
template <typename OpTy>
static CostExpr countProducts(OpTy op, CostSizes &sizes) {
  ArrayRef<int64_t> filter = tensorOf(op.getFilter()).getShape();
  return sizes.getNumElements(op.getOutput()) *
         CostExpr::constant(2 * filter[0] * filter[1] * filter[2]);
}

CostExpr Conv2dOp::countFlops(CostSizes &sizes) {
  return countProducts(*this, sizes);
}
CostExpr Conv2dTransposeOp::countFlops(CostSizes &sizes) {
  return countProducts(*this, sizes);
}
CostExpr Conv2dFilterGradOp::countFlops(CostSizes &sizes) {
  return countProducts(*this, sizes);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// Emits the derivative of an op's form with respect to its output.
template <typename OpTy>
static Value deriveOutput(OpTy op, OpBuilder &b, Type type, Value image,
                          Value filter) {
  return Conv2dOp::create(b, op.getLoc(), type, image, filter,
                          op.getStridesAttr(), op.getPaddingAttr(),
                          op.getDilationsAttr());
}

/// Emits the same for its image, whose shape is that of `like`.
template <typename OpTy>
static Value deriveImage(OpTy op, OpBuilder &b, Value like, Value output,
                         Value filter) {
  RankedTensorType type = tensorOf(like);
  bool isKnown = !type.isDynamicDim(1) && !type.isDynamicDim(2);
  return Conv2dTransposeOp::create(
      b, op.getLoc(), type, output, filter, isKnown ? Value() : like,
      op.getStridesAttr(), op.getPaddingAttr(), op.getDilationsAttr());
}

/// Emits the same for its filter.
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
// Only the shape of `like` is used.
bool Conv2dTransposeOp::hasDerivative(unsigned operandNumber) {
  return operandNumber < 2;
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// Batches a sum over images, of which each position has one.
LogicalResult Conv2dFilterGradOp::emitBatched(Batcher &batcher) {
  auto isOne = [&](Value value, Value other) {
    BatchedValue found = batcher.lookup(value);
    return found.isDiagonal() && found.dim == 0 && !batcher.isBatched(other);
  };
  if (isOne(getX(), getDy()) || isOne(getDy(), getX()))
    return batcher.batchSliced(*this, {0, 0});
  return batcher.batchInLoop(*this);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult Conv2dOp::lowerToLinalg(LinalgEmitter &e) {
  auto filterType = cast<RankedTensorType>(getW().getType());
  Type type = filterType.getElementType(), compute = e.getComputeType(type);
  Value x = e.refine(getX());
  ConvolutionEmitter convolution(e, e.getDimSize(x, 3).number, filterType);
  Value image = convolution.split(x);
  Value filter = convolution.splitFilter(getW());
  WindowEmitter window(e, getSliding(), e.getDimSizes(image));

  auto maps = convolution.getMaps(getStrides(), getDilations());
  SmallVector<DimSize> dimSizes = convolution.splitDimSizes(
      {e.getDimSize(x, 0), window.getCount(0), window.getCount(1),
       DimSize::constant(filterType.getDimSize(3))});
  Value sum = e.empty(dimSizes, type);
  auto emitRange = [&](const std::array<WindowRange, 2> &ranges, Value slice) {
    auto [rows, columns] = ranges;
    SpatialSlice part(e, sum, /*dim=*/1, {rows.begin, columns.begin},
                      {rows.count, columns.count});
    SpatialSlice elements(e, filter, /*dim=*/0, {rows.first, columns.first},
                          {rows.size, columns.size});
    sum = part.insert(convolution.contractTo(
                          part.extract(sum), slice, maps.image,
                          elements.extract(filter), maps.filter, maps.output),
                      sum);
  };
  if (!convolution.isBoundByMemory() || !window.emitRanges(image, emitRange)) {
    Value padded = window.pad(image, e.scalar(type, 0.0));
    sum = convolution.contract(padded, maps.image, filter, maps.filter,
                               e.fill(dimSizes, e.scalar(compute, 0.0)),
                               maps.output);
  }
  e.replaceWith(e.narrowTensor(convolution.join(sum), type));
  return success();
}

/// Emits, phase by phase, a convolution of the padded output with part of the
/// filter; or one for all positions of a block.
LogicalResult Conv2dTransposeOp::lowerToLinalg(LinalgEmitter &e) {
  auto filterType = cast<RankedTensorType>(getW().getType());
  auto imageType = cast<RankedTensorType>(getResult().getType());
  Type type = filterType.getElementType();
  ConvolutionEmitter convolution(e, imageType.getDimSize(3), filterType);
  Value filter = convolution.splitFilter(getW());

  SmallVector<DimSize> dimSizes = {e.getDimSize(getX(), 0)};
  for (unsigned dim : {1, 2})
    dimSizes.push_back(imageType.isDynamicDim(dim)
                           ? e.getDimSize(getLike(), dim)
                           : DimSize::constant(imageType.getDimSize(dim)));
  dimSizes.push_back(DimSize::constant(imageType.getDimSize(3)));
  WindowEmitter window(e, getSliding(), convolution.splitDimSizes(dimSizes));
  Value output = convolution.split(
      window.refineOutput(getX(), DimSize::constant(filterType.getDimSize(3))));

  Value zero = e.scalar(type, 0.0);
  Value sum = window.scatter(
      zero, output, zero,
      [&](const std::array<WindowPhase, 2> &phases, Value init,
          ValueRange slices) {
        auto maps =
            convolution.getTurnedMaps({phases[0].dilation, phases[1].dilation});
        return convolution.contractTo(init, slices[0], maps.image,
                                      convolution.turnFilter(filter, phases),
                                      maps.filter, maps.output);
      },
      [&](const std::array<Blocks, 2> &blocks, ArrayRef<DimSize> dimSizes,
          ValueRange slices) {
        auto maps = convolution.getBlockMaps();
        return convolution.contractTo(
            e.empty(dimSizes, type), slices[0], maps.image,
            convolution.turnFilter(filter, blocks), maps.filter, maps.output);
      },
      /*splits=*/convolution.isBoundByMemory());
  e.replaceWith(convolution.join(sum));
  return success();
}

LogicalResult Conv2dFilterGradOp::lowerToLinalg(LinalgEmitter &e) {
  auto filterType = cast<RankedTensorType>(getResult().getType());
  Type type = filterType.getElementType(), compute = e.getComputeType(type);
  Value x = e.refine(getX());
  ConvolutionEmitter convolution(e, e.getDimSize(x, 3).number, filterType);
  Value image = convolution.split(x);
  WindowEmitter window(e, getSliding(), e.getDimSizes(image));
  Value output = convolution.split(window.refineOutput(
      getDy(), DimSize::constant(filterType.getDimSize(3))));

  auto maps = convolution.getMaps(getStrides(), getDilations());
  SmallVector<DimSize> dimSizes;
  for (int64_t dimSize : filterType.getShape())
    dimSizes.push_back(DimSize::constant(dimSize));
  Value sum = convolution.splitFilter(e.fill(dimSizes, e.scalar(compute, 0.0)));
  auto emitRange = [&](const std::array<WindowRange, 2> &ranges, Value slice) {
    auto [rows, columns] = ranges;
    SpatialSlice part(e, output, /*dim=*/1, {rows.begin, columns.begin},
                      {rows.count, columns.count});
    SpatialSlice elements(e, sum, /*dim=*/0, {rows.first, columns.first},
                          {rows.size, columns.size});
    sum = elements.insert(
        convolution.contract(slice, maps.image, part.extract(output),
                             maps.output, elements.extract(sum), maps.filter),
        sum);
  };
  if (!convolution.isBoundByMemory() || !window.emitRanges(image, emitRange)) {
    Value padded = window.pad(image, e.scalar(type, 0.0));
    sum = convolution.contract(padded, maps.image, output, maps.output, sum,
                               maps.filter);
  }
  e.replaceWith(e.narrowTensor(convolution.joinFilter(sum), type));
  return success();
}
