//===- RaiseWindows.cpp - nn ops for linalg's convolutions and pools ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg has a convolution for each layout; `nn.conv2d` and the pools have one
// layout, [batch, height, width, channels], and groups. The indexing maps say
// which dimension of an operand is which; operands and result are then
// transposed and reshaped, which is free if the layout is that of the nn op. A
// one-dimensional window gets a second dimension of size 1.
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace flywheel::nn {
namespace {

/// The operation on the elements of a window.
enum class WindowKind { Convolution, Sum, Max, Min };

/// For each dimension of a value in the layout of an nn op, the dimensions of
/// the value in the layout of the linalg op that it combines; none for a
/// dimension of size 1.
using Layout = SmallVector<SmallVector<int64_t, 2>, 4>;

class WindowRaiser {
public:
  /// `op` has three operands and a result.
  WindowRaiser(RewriterBase &b, linalg::LinalgOp op)
      : b(b), op(op), loc(op.getLoc()), image(op->getOperand(0)),
        filter(op->getOperand(1)), init(op->getOperand(2)) {}

  /// Returns true if the op can be raised. Call this before `raise`.
  bool match();
  void raise();

private:
  bool matchBody();
  bool matchLayouts();
  Layout layOut(unsigned operand, ArrayRef<ArrayRef<unsigned>> dims);
  int64_t findDim(unsigned operand, unsigned loop);

  void absorbPadding();
  void trimImage();
  Value emitConvolution(Value x);
  Value emitPool(Value x);
  Value emitInit(Value result);
  Value arrange(Value value, const Layout &layout);
  Value restore(Value value, const Layout &layout);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value widen(Value value);
  RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  Value image, filter, init;
  WindowKind kind;
  linalg::ConvolutionDimensions dims;
  Layout imageLayout, filterLayout, outputLayout;
  /// For height and width: the positions in a window, its stride, the distance
  /// of its positions, and the padding in front and behind.
  SmallVector<int64_t> window, strides, dilations;
  SmallVector<std::pair<int64_t, int64_t>> padding = {{0, 0}, {0, 0}};
};
} // namespace

/// Returns the operand of `value` if it is a widening, and `value` otherwise.
static Value stripExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : value;
}

/// Returns true if `a` and `b` are `x` and `y`, in either order.
static bool arePair(Value a, Value b, Value x, Value y) {
  return (a == x && b == y) || (a == y && b == x);
}

bool WindowRaiser::matchBody() {
  Block *body = op.getBlock();
  Operation *combine = body->getTerminator()->getOperand(0).getDefiningOp();
  if (body->getNumArguments() != 3 || !combine ||
      combine->getNumOperands() != 2)
    return false;
  Value accumulator = body->getArgument(2);
  Value term = combine->getOperand(combine->getOperand(0) == accumulator);
  if (!arePair(combine->getOperand(0), combine->getOperand(1), accumulator,
               term))
    return false;
  Value x = body->getArgument(0);
  if (isa<arith::AddFOp>(combine)) {
    kind = WindowKind::Sum;
    if (auto product = term.getDefiningOp<arith::MulFOp>()) {
      kind = WindowKind::Convolution;
      return arePair(stripExtension(product.getLhs()),
                     stripExtension(product.getRhs()), x, body->getArgument(1));
    }
    return stripExtension(term) == x;
  }
  kind = isa<arith::MaximumFOp>(combine) ? WindowKind::Max : WindowKind::Min;
  return isa<arith::MaximumFOp, arith::MinimumFOp>(combine) && term == x;
}

/// Returns the dimension of an operand that `loop` moves along; -1 if there is
/// none.
int64_t WindowRaiser::findDim(unsigned operand, unsigned loop) {
  AffineMap map = op.getIndexingMapsArray()[operand];
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop))
      return dim;
  return -1;
}

Layout WindowRaiser::layOut(unsigned operand,
                            ArrayRef<ArrayRef<unsigned>> loops) {
  Layout layout;
  for (ArrayRef<unsigned> group : loops) {
    layout.emplace_back();
    for (unsigned loop : group)
      if (int64_t dim = findDim(operand, loop); dim >= 0)
        layout.back().push_back(dim);
  }
  return layout;
}

bool WindowRaiser::matchLayouts() {
  FailureOr<linalg::ConvolutionDimensions> inferred =
      linalg::inferConvolutionDims(op);
  if (failed(inferred) || inferred->outputImage.empty() ||
      inferred->outputImage.size() > 2)
    return false;
  dims = *inferred;
  bool isConvolution = kind == WindowKind::Convolution;
  // The loops of a pool that are neither windows nor the first batch loop are
  // its channels.
  ArrayRef<unsigned> batch = dims.batch, channels;
  if (!isConvolution && batch.size() > 1) {
    channels = batch.drop_front();
    batch = batch.take_front();
  }
  auto one = [](ArrayRef<unsigned> loops, unsigned i) {
    return i < loops.size() ? loops.slice(i, 1) : ArrayRef<unsigned>();
  };
  SmallVector<unsigned> imageChannels(isConvolution ? dims.depth : channels);
  SmallVector<unsigned> outputs = imageChannels;
  llvm::append_range(imageChannels, dims.inputChannel);
  llvm::append_range(outputs, dims.outputChannel);
  ArrayRef<unsigned> height = one(dims.outputImage, 0);
  ArrayRef<unsigned> width = one(dims.outputImage, 1);
  imageLayout = layOut(0, {batch, height, width, imageChannels});
  outputLayout = layOut(2, {batch, height, width, outputs});
  filterLayout = layOut(1, {one(dims.filterLoop, 0), one(dims.filterLoop, 1),
                            dims.inputChannel, outputs});
  auto count = [](const Layout &layout) {
    int64_t rank = 0;
    for (ArrayRef<int64_t> group : layout)
      rank += group.size();
    return rank;
  };
  if (count(imageLayout) != typeOf(image).getRank() ||
      count(outputLayout) != typeOf(init).getRank() ||
      count(filterLayout) != typeOf(filter).getRank())
    return false;

  strides.assign(dims.strides.begin(), dims.strides.end());
  dilations.assign(dims.dilations.begin(), dims.dilations.end());
  for (unsigned i = 0; i < dims.filterLoop.size(); ++i)
    window.push_back(typeOf(filter).getDimSize(findDim(1, dims.filterLoop[i])));
  window.resize(2, 1);
  strides.resize(2, 1);
  dilations.resize(2, 1);
  return true;
}

bool WindowRaiser::match() {
  if (!linalg::isaConvolutionOpInterface(op) ||
      !llvm::all_of(op->getOperands(), [](Value operand) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        return type && isa<FloatType>(type.getElementType());
      }))
    return false;
  if (!matchBody() || !matchLayouts())
    return false;
  if (llvm::is_contained(window, ShapedType::kDynamic) ||
      llvm::is_contained(window, 0))
    return false;
  if (kind != WindowKind::Convolution)
    return llvm::all_equal(dilations) && dilations.front() == 1;
  RankedTensorType type = typeOf(image);
  return typeOf(filter).hasStaticShape() &&
         typeOf(filter).getNumElements() > 0 &&
         llvm::none_of(imageLayout.back(),
                       [&](int64_t dim) { return type.isDynamicDim(dim); });
}

Value WindowRaiser::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, identityDims(permutation.size())))
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  applyPermutationToVector(sizes, permutation);
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, typeOf(value).getElementType());
  return linalg::TransposeOp::create(b, loc, value, empty, permutation)
      .getResult()[0];
}

/// Returns two groupings for a layout: the dimensions that each dimension of
/// the layout combines; and groups of dimensions of which at most one does not
/// have size 1.
static std::pair<SmallVector<ReassociationIndices>,
                 SmallVector<ReassociationIndices>>
getGroups(const Layout &layout) {
  SmallVector<ReassociationIndices> merged;
  SmallVector<bool> isKept;
  int64_t next = 0;
  for (ArrayRef<int64_t> group : layout) {
    isKept.push_back(!group.empty());
    if (group.empty())
      continue;
    merged.emplace_back();
    for ([[maybe_unused]] int64_t dim : group)
      merged.back().push_back(next++);
  }
  return {merged, unitDimGroups(isKept)};
}

static SmallVector<int64_t> getPermutation(const Layout &layout) {
  SmallVector<int64_t> permutation;
  for (ArrayRef<int64_t> group : layout)
    llvm::append_range(permutation, group);
  return permutation;
}

/// Converts `value` to the layout of an nn op.
Value WindowRaiser::arrange(Value value, const Layout &layout) {
  value = transpose(value, getPermutation(layout));
  auto [merged, units] = getGroups(layout);
  if (static_cast<int64_t>(merged.size()) < typeOf(value).getRank())
    value = tensor::CollapseShapeOp::create(b, loc, value, merged);
  if (units.size() == layout.size())
    return value;
  SmallVector<OpFoldResult> sizes, known = tensor::getMixedSizes(b, loc, value);
  ArrayRef<OpFoldResult> rest = known;
  SmallVector<int64_t> shape;
  for (ArrayRef<int64_t> group : layout) {
    sizes.push_back(group.empty() ? b.getIndexAttr(1) : rest.front());
    shape.push_back(group.empty()
                        ? 1
                        : typeOf(value).getDimSize(known.size() - rest.size()));
    rest = rest.drop_front(!group.empty());
  }
  return tensor::ExpandShapeOp::create(b, loc, typeOf(value).clone(shape),
                                       value, units, sizes);
}

/// Converts a result of an nn op to the layout and the type of `init`.
Value WindowRaiser::restore(Value value, const Layout &layout) {
  SmallVector<int64_t> permutation = getPermutation(layout);
  auto [merged, units] = getGroups(layout);
  if (units.size() < layout.size())
    value = tensor::CollapseShapeOp::create(b, loc, value, units);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
  SmallVector<int64_t> shape(typeOf(init).getShape());
  applyPermutationToVector(sizes, permutation);
  applyPermutationToVector(shape, permutation);
  if (static_cast<int64_t>(merged.size()) < typeOf(init).getRank())
    value = tensor::ExpandShapeOp::create(b, loc, typeOf(value).clone(shape),
                                          value, merged, sizes);
  value = transpose(value, invertPermutationVector(permutation));
  return buildCast(b, loc, value, init.getType());
}

/// Widens the elements of `value` to those of the result.
Value WindowRaiser::widen(Value value) {
  Type type = typeOf(init).getElementType();
  if (typeOf(value).getElementType() == type)
    return value;
  return arith::ExtFOp::create(b, loc, typeOf(value).clone(type), value);
}

/// Drops positions that no window reads: a stride or more of them would have
/// windows of their own.
void WindowRaiser::trimImage() {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, image);
  bool isTrimmed = false;
  for (int64_t i = 0; i < 2; ++i) {
    if (imageLayout[1 + i].empty())
      continue;
    int64_t dim = imageLayout[1 + i].front();
    int64_t outputDim = outputLayout[1 + i].front();
    int64_t count = typeOf(init).getDimSize(outputDim);
    int64_t dimSize = typeOf(image).getDimSize(dim);
    // All windows reach (count - 1) stride + span positions.
    int64_t rest = (window[i] - 1) * dilations[i] + 1 - strides[i];
    if (ShapedType::isDynamic(count) || ShapedType::isDynamic(dimSize)) {
      AffineExpr reach = b.getAffineDimExpr(0) * strides[i] + rest;
      OpFoldResult numWindows = tensor::getMixedSize(b, loc, init, outputDim);
      // Windows that overlap reach a positive number of positions: without a
      // maximum the size of the result folds to that of `init`.
      sizes[dim] =
          rest >= 0
              ? affine::makeComposedFoldedAffineApply(b, loc, reach, numWindows)
              : affine::makeComposedFoldedAffineMax(
                    b, loc,
                    AffineMap::get(1, 0, {reach, b.getAffineConstantExpr(0)},
                                   op.getContext()),
                    numWindows);
    } else if (dimSize - count * strides[i] - rest >= strides[i]) {
      sizes[dim] = b.getIndexAttr(count * strides[i] + rest);
    } else {
      continue;
    }
    isTrimmed = true;
  }
  if (!isTrimmed)
    return;
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  image = tensor::ExtractSliceOp::create(b, loc, image, zeros, sizes, ones);
}

/// Leaves out zeros around the image that a `tensor.pad` made.
void WindowRaiser::absorbPadding() {
  auto pad = image.getDefiningOp<tensor::PadOp>();
  if (!pad || kind != WindowKind::Convolution)
    return;
  Value value = pad.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_PosZeroFloat()))
    return;
  SmallVector<int64_t> low(pad.getStaticLow()), high(pad.getStaticHigh());
  SmallVector<std::pair<int64_t, int64_t>> absorbed = padding;
  for (int64_t i = 0; i < 2; ++i) {
    if (imageLayout[1 + i].empty())
      continue;
    int64_t dim = imageLayout[1 + i].front();
    absorbed[i] = {std::exchange(low[dim], 0), std::exchange(high[dim], 0)};
    if (absorbed[i].first < 0 || absorbed[i].second < 0)
      return;
  }
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (!llvm::all_of(low, isZero) || !llvm::all_of(high, isZero))
    return;
  image = pad.getSource();
  padding = absorbed;
}

/// Returns the type of the result of an nn op on `x` whose last dimension size
/// is `channels`.
static RankedTensorType getOutputType(Value x, Value init, const Layout &layout,
                                      int64_t channels) {
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<int64_t> shape = {
      cast<RankedTensorType>(x.getType()).getDimSize(0)};
  for (ArrayRef<int64_t> group : ArrayRef(layout).slice(1, 2))
    shape.push_back(group.empty() ? 1 : type.getDimSize(group.front()));
  shape.push_back(channels);
  return type.clone(shape);
}

Value WindowRaiser::emitConvolution(Value x) {
  Value w = arrange(widen(filter), filterLayout);
  bool isPadded = padding != decltype(padding){{0, 0}, {0, 0}};
  auto [vertical, horizontal] = std::pair(padding[0], padding[1]);
  auto paddingAttr =
      isPadded ? PaddingAttr::get(
                     b.getContext(), PaddingKind::explicit_,
                     ArrayRef<int64_t>{vertical.first, vertical.second,
                                       horizontal.first, horizontal.second})
               : PaddingAttr::get(b.getContext(), PaddingKind::valid);
  return Conv2dOp::create(
      b, loc, getOutputType(x, init, outputLayout, typeOf(w).getDimSize(3)), x,
      w, strides, paddingAttr, dilations);
}

Value WindowRaiser::emitPool(Value x) {
  RankedTensorType type =
      getOutputType(x, init, outputLayout, typeOf(x).getDimSize(3));
  auto valid = PaddingAttr::get(b.getContext(), PaddingKind::valid);
  if (kind == WindowKind::Sum) {
    Value mean = AvgPool2dOp::create(b, loc, type, x, window, strides, valid);
    Value count = buildSplat(b, loc, mean, window[0] * window[1]);
    return arith::MulFOp::create(b, loc, mean, count);
  }
  bool isMin = kind == WindowKind::Min;
  if (isMin)
    x = arith::NegFOp::create(b, loc, x);
  Value extremum = MaxPool2dOp::create(b, loc, type, x, window, strides, valid);
  return isMin ? Value(arith::NegFOp::create(b, loc, extremum)) : extremum;
}

/// Returns the number that every element of `value` is, if that is known.
static std::optional<APFloat> getSplat(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValue();
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<APFloat>();
  return std::nullopt;
}

/// Combines `result` with the init of the op.
Value WindowRaiser::emitInit(Value result) {
  std::optional<APFloat> start = getSplat(init);
  switch (kind) {
  case WindowKind::Convolution:
  case WindowKind::Sum:
    if (start && start->isZero())
      return result;
    return arith::AddFOp::create(b, loc, result, init);
  case WindowKind::Max:
    if (start && start->isInfinity() && start->isNegative())
      return result;
    return arith::MaximumFOp::create(b, loc, result, init);
  case WindowKind::Min:
    if (start && start->isInfinity() && !start->isNegative())
      return result;
    return arith::MinimumFOp::create(b, loc, result, init);
  }
  llvm_unreachable("unknown window kind");
}

void WindowRaiser::raise() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  trimImage();
  absorbPadding();
  Value x = arrange(widen(image), imageLayout);
  Value y = kind == WindowKind::Convolution ? emitConvolution(x) : emitPool(x);
  b.replaceOp(op, emitInit(restore(y, outputLayout)));
}

bool raiseWindow(RewriterBase &b, linalg::LinalgOp op) {
  if (op->getNumOperands() != 3 || op->getNumResults() != 1)
    return false;
  WindowRaiser raiser(b, op);
  bool isMatch = raiser.match();
  if (isMatch)
    raiser.raise();
  return isMatch;
}

} // namespace flywheel::nn
