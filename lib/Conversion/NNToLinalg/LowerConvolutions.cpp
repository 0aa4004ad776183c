//===- LowerConvolutions.cpp - Convolutions to linalg ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is one contraction (one a phase, where a stride has a few) of a
// padded image, a filter and an output: the sum over the loops that the third
// lacks. Nothing is gathered into columns.
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// Emits the contractions of one op. Tensors are split where there are groups:
/// the channels of images and the outputs into two dimensions, the group and
/// the channel in it; or, where a group has one of each, a filter's channels
/// are dropped.
class ConvolutionEmitter {
public:
  ConvolutionEmitter(LinalgEmitter &emitter, int64_t channels,
                     RankedTensorType filter)
      : e(emitter), groups(channels / filter.getDimSize(2)),
        isDepthwise(groups > 1 && filter.getDimSize(2) == 1 &&
                    filter.getDimSize(3) == groups) {}

  /// The split form of an image or output.
  Value split(Value tensor);
  Value splitFilter(Value filter);
  SmallVector<Extent> splitExtents(ArrayRef<Extent> extents);
  /// The declared form of a result.
  Value join(Value tensor);
  Value joinFilter(Value filter);

  /// The maps of image, filter and output from the loops of the contraction.
  struct Maps {
    AffineMap image, filter, output;
  };
  Maps getMaps(ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations);
  /// The same for blocks: rows and columns of filter and output are two loops
  /// each, those of a block inside.
  Maps getBlockMaps();

  /// init + sum of a * b.
  Value contract(Value a, AffineMap aMap, Value b, AffineMap bMap, Value init,
                 AffineMap map);

  /// The filter of the turned windows of a phase: channels and outputs
  /// exchanged, and its elements from last to first.
  Value turnFilter(Value filter, const std::array<Phase, 2> &phases);
  /// That of the turned windows of all positions of a block: zeros fill it up.
  Value turnFilter(Value filter, const std::array<Blocks, 2> &blocks);

private:
  Maps getMaps(ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
               bool hasBlocks);
  /// `filter` read at `source`, channels and outputs exchanged.
  Value turn(Value filter, SmallVector<Extent> extents,
             SmallVector<AffineExpr> source);

  /// Splits the last dimension of `tensor` by group where it is to be.
  Value splitLast(Value tensor);
  Value joinLast(Value tensor);

  LinalgEmitter &e;
  int64_t groups;
  bool isDepthwise;
};
} // namespace

/// {0}, {1}, ..., {last, last + 1}: two dimensions from the last of `rank`.
static SmallVector<ReassociationIndices> splittingLast(int64_t rank) {
  SmallVector<ReassociationIndices> result;
  for (int64_t dim = 0; dim < rank; ++dim)
    result.push_back({dim});
  result.back().push_back(rank);
  return result;
}

static Extent dividedBy(Extent extent, int64_t divisor) {
  assert(extent.isStatic() && "channels are static");
  return Extent::constant(extent.number / divisor);
}

SmallVector<Extent> ConvolutionEmitter::splitExtents(ArrayRef<Extent> extents) {
  SmallVector<Extent> result(extents);
  if (groups == 1 || isDepthwise)
    return result;
  result.back() = Extent::constant(groups);
  result.push_back(dividedBy(extents.back(), groups));
  return result;
}

Value ConvolutionEmitter::splitLast(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = groups;
  shape.push_back(type.getShape().back() / groups);
  return e.expand(tensor, type.clone(shape), splittingLast(type.getRank()),
                  splitExtents(e.getExtents(tensor)));
}

Value ConvolutionEmitter::joinLast(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(e.b, e.loc, tensor,
                                         splittingLast(rank - 1));
}

Value ConvolutionEmitter::split(Value tensor) {
  return groups == 1 || isDepthwise ? tensor : splitLast(tensor);
}

Value ConvolutionEmitter::join(Value tensor) {
  return groups == 1 || isDepthwise ? tensor : joinLast(tensor);
}

Value ConvolutionEmitter::splitFilter(Value filter) {
  if (isDepthwise)
    return tensor::CollapseShapeOp::create(
        e.b, e.loc, filter,
        SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  return groups == 1 ? filter : splitLast(filter);
}

Value ConvolutionEmitter::joinFilter(Value filter) {
  if (!isDepthwise)
    return groups == 1 ? filter : joinLast(filter);
  auto type = cast<RankedTensorType>(filter.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 2, 1);
  return tensor::ExpandShapeOp::create(
      e.b, e.loc, type.clone(shape), filter,
      SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
}

ConvolutionEmitter::Maps
ConvolutionEmitter::getMaps(ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations) {
  return getMaps(strides, dilations, /*hasBlocks=*/false);
}

ConvolutionEmitter::Maps ConvolutionEmitter::getBlockMaps() {
  return getMaps({1, 1}, {1, 1}, /*hasBlocks=*/true);
}

ConvolutionEmitter::Maps
ConvolutionEmitter::getMaps(ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations, bool hasBlocks) {
  // Loops of the output come before those of the window.
  unsigned count = 0;
  auto next = [&](bool isPresent = true) {
    return isPresent ? e.b.getAffineDimExpr(count++) : AffineExpr();
  };
  AffineExpr n = next(), i = next(), row = next(hasBlocks), j = next();
  AffineExpr column = next(hasBlocks), g = next(groups > 1);
  AffineExpr o = next(!isDepthwise), p = next(), q = next();
  AffineExpr c = next(!isDepthwise);
  auto map = [&](ArrayRef<AffineExpr> results) {
    SmallVector<AffineExpr> present;
    for (AffineExpr result : results)
      if (result)
        present.push_back(result);
    return AffineMap::get(count, 0, present, e.b.getContext());
  };
  return {map({n, i * strides[0] + p * dilations[0],
               j * strides[1] + q * dilations[1], g, c}),
          map({p, row, q, column, c, g, o}), map({n, i, row, j, column, g, o})};
}

Value ConvolutionEmitter::contract(Value a, AffineMap aMap, Value b,
                                   AffineMap bMap, Value init, AffineMap map) {
  Type type = getElementTypeOrSelf(init);
  return e.generic({a, b}, init, {aMap, bMap, map},
                   [&](OpBuilder &nested, Location loc, ValueRange args) {
                     Value product = arith::MulFOp::create(
                         nested, loc, widen(nested, loc, args[0], type),
                         widen(nested, loc, args[1], type));
                     return arith::AddFOp::create(nested, loc, args[2],
                                                  product);
                   });
}

Value ConvolutionEmitter::turn(Value filter, SmallVector<Extent> extents,
                               SmallVector<AffineExpr> source) {
  int64_t rank = extents.size(), channel = rank - (groups > 1 ? 3 : 2);
  if (!isDepthwise) {
    std::swap(extents[channel], extents.back());
    std::swap(source[channel], source.back());
  }
  return e.map(extents, getElementTypeOrSelf(filter), filter,
               {AffineMap::get(rank, 0, source, e.b.getContext())},
               [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

Value ConvolutionEmitter::turnFilter(Value filter,
                                     const std::array<Phase, 2> &phases) {
  SmallVector<Extent> extents = e.getExtents(filter);
  SmallVector<AffineExpr> source;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    source.push_back(e.b.getAffineDimExpr(dim));
  for (auto [i, phase] : llvm::enumerate(phases)) {
    extents[i] = Extent::constant(phase.count);
    source[i] = phase.getElement(source[i]);
  }
  return turn(filter, extents, source);
}

Value ConvolutionEmitter::turnFilter(Value filter,
                                     const std::array<Blocks, 2> &blocks) {
  auto type = cast<RankedTensorType>(filter.getType());
  ArrayRef<int64_t> rest = type.getShape().drop_front(2);
  SmallVector<int64_t> whole, split;
  SmallVector<OpFoldResult> strides(type.getRank(), e.b.getIndexAttr(1));
  SmallVector<ReassociationIndices> reassociation = {{0, 1}, {2, 3}};
  for (auto [i, block] : llvm::enumerate(blocks)) {
    whole.push_back(block.count * block.length);
    split.append({block.count, block.length});
    strides[i] = e.b.getIndexAttr(block.dilation);
  }
  for (auto [i, extent] : llvm::enumerate(rest)) {
    whole.push_back(extent);
    split.push_back(extent);
    reassociation.push_back({static_cast<int64_t>(i) + 4});
  }
  auto extentsOf = [](ArrayRef<int64_t> shape) {
    return llvm::map_to_vector(shape, Extent::constant);
  };
  if (ArrayRef(whole) != type.getShape()) {
    SmallVector<OpFoldResult> offsets(type.getRank(), e.b.getIndexAttr(0));
    Value zero = e.scalar(type.getElementType(), 0.0);
    filter = tensor::InsertSliceOp::create(
        e.b, e.loc, filter, e.fill(extentsOf(whole), zero), offsets,
        getAsIndexOpFoldResult(e.b.getContext(), type.getShape()), strides);
  }
  SmallVector<Extent> extents = extentsOf(split);
  filter = e.expand(filter, type.clone(split), reassociation, extents);
  SmallVector<AffineExpr> source;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    source.push_back(e.b.getAffineDimExpr(dim));
  for (auto [i, block] : llvm::enumerate(blocks))
    source[2 * i] = -source[2 * i] + (block.count - 1);
  return turn(filter, extents, source);
}

namespace {
struct LowerConv2d : OpRewritePattern<nn::Conv2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::Conv2dOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto filterType = cast<RankedTensorType>(op.getW().getType());
    Type type = filterType.getElementType(), compute = e.getComputeType(type);
    Value x = e.refine(op.getX());
    ConvolutionEmitter convolution(e, e.getExtent(x, 3).number, filterType);
    Value image = convolution.split(x);
    Value filter = convolution.splitFilter(op.getW());
    WindowEmitter window(e, op.getSliding(), e.getExtents(image));

    auto maps = convolution.getMaps(op.getStrides(), op.getDilations());
    SmallVector<Extent> extents = convolution.splitExtents(
        {e.getExtent(x, 0), window.getCount(0), window.getCount(1),
         Extent::constant(filterType.getDimSize(3))});
    Value padded = window.pad(image, e.scalar(type, 0.0));
    Value sum = convolution.contract(padded, maps.image, filter, maps.filter,
                                     e.fill(extents, e.scalar(compute, 0.0)),
                                     maps.output);
    e.replaceWith(e.narrowTensor(convolution.join(sum), type));
    return success();
  }
};

/// Phase by phase, a convolution of the padded output with part of the filter;
/// or one for all positions of a block.
struct LowerConv2dTranspose : OpRewritePattern<nn::Conv2dTransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::Conv2dTransposeOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto filterType = cast<RankedTensorType>(op.getW().getType());
    auto imageType = cast<RankedTensorType>(op.getResult().getType());
    Type type = filterType.getElementType(), compute = e.getComputeType(type);
    ConvolutionEmitter convolution(e, imageType.getDimSize(3), filterType);
    Value filter = convolution.splitFilter(op.getW());

    SmallVector<Extent> extents = {e.getExtent(op.getX(), 0)};
    for (unsigned dim : {1, 2})
      extents.push_back(imageType.isDynamicDim(dim)
                            ? e.getExtent(op.getLike(), dim)
                            : Extent::constant(imageType.getDimSize(dim)));
    extents.push_back(Extent::constant(imageType.getDimSize(3)));
    WindowEmitter window(e, op.getSliding(), convolution.splitExtents(extents));
    Value output = convolution.split(window.expectOutput(
        op.getX(), Extent::constant(filterType.getDimSize(3))));

    Value sum = window.scatter(
        e.scalar(compute, 0.0), output, e.scalar(type, 0.0),
        [&](const std::array<Phase, 2> &phases, Value init, ValueRange slices) {
          auto maps = convolution.getMaps(
              {1, 1}, {phases[0].dilation, phases[1].dilation});
          Value zero = linalg::FillOp::create(rewriter, e.loc,
                                              e.scalar(compute, 0.0), init)
                           .getResult(0);
          return convolution.contract(slices[0], maps.image,
                                      convolution.turnFilter(filter, phases),
                                      maps.filter, zero, maps.output);
        },
        [&](const std::array<Blocks, 2> &blocks, ArrayRef<Extent> extents,
            ValueRange slices) {
          auto maps = convolution.getBlockMaps();
          return convolution.contract(
              slices[0], maps.image, convolution.turnFilter(filter, blocks),
              maps.filter, e.fill(extents, e.scalar(compute, 0.0)),
              maps.output);
        });
    e.replaceWith(e.narrowTensor(convolution.join(sum), type));
    return success();
  }
};

struct LowerConv2dFilterGrad : OpRewritePattern<nn::Conv2dFilterGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::Conv2dFilterGradOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto filterType = cast<RankedTensorType>(op.getResult().getType());
    Type type = filterType.getElementType(), compute = e.getComputeType(type);
    Value x = e.refine(op.getX());
    ConvolutionEmitter convolution(e, e.getExtent(x, 3).number, filterType);
    Value image = convolution.split(x);
    WindowEmitter window(e, op.getSliding(), e.getExtents(image));
    Value output = convolution.split(window.expectOutput(
        op.getDy(), Extent::constant(filterType.getDimSize(3))));

    auto maps = convolution.getMaps(op.getStrides(), op.getDilations());
    SmallVector<Extent> extents;
    for (int64_t extent : filterType.getShape())
      extents.push_back(Extent::constant(extent));
    Value zero =
        convolution.splitFilter(e.fill(extents, e.scalar(compute, 0.0)));
    Value padded = window.pad(image, e.scalar(type, 0.0));
    Value sum = convolution.contract(padded, maps.image, output, maps.output,
                                     zero, maps.filter);
    e.replaceWith(e.narrowTensor(convolution.joinFilter(sum), type));
    return success();
  }
};
} // namespace

void flywheel::populateConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerConv2d, LowerConv2dTranspose, LowerConv2dFilterGrad>(
      patterns.getContext());
}
