//===- ConvolutionEmitter.cpp - Convolutions in linalg --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

/// Returns {0}, {1}, ..., {last, last + 1}: two dimensions from the last of
/// `rank`.
static SmallVector<ReassociationIndices> splittingLast(int64_t rank) {
  SmallVector<ReassociationIndices> result;
  for (int64_t dim = 0; dim < rank; ++dim)
    result.push_back({dim});
  result.back().push_back(rank);
  return result;
}

static DimSize dividedBy(DimSize dimSize, int64_t divisor) {
  assert(dimSize.isStatic() && "channels are static");
  return DimSize::constant(dimSize.number / divisor);
}

SmallVector<DimSize>
ConvolutionEmitter::splitDimSizes(ArrayRef<DimSize> dimSizes) {
  SmallVector<DimSize> result(dimSizes);
  if (groups == 1 || isDepthwise)
    return result;
  result.back() = DimSize::constant(groups);
  result.push_back(dividedBy(dimSizes.back(), groups));
  return result;
}

Value ConvolutionEmitter::splitLast(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = groups;
  shape.push_back(type.getShape().back() / groups);
  return e.expand(tensor, type.clone(shape), splittingLast(type.getRank()),
                  splitDimSizes(e.getDimSizes(tensor)));
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
  return getMaps(strides, dilations, /*hasBlocks=*/false,
                 /*keepsOrder=*/false);
}

ConvolutionEmitter::Maps
ConvolutionEmitter::getTurnedMaps(ArrayRef<int64_t> dilations) {
  return getMaps({1, 1}, dilations, /*hasBlocks=*/false,
                 /*keepsOrder=*/!exchanges);
}

ConvolutionEmitter::Maps ConvolutionEmitter::getBlockMaps() {
  return getMaps({1, 1}, {1, 1}, /*hasBlocks=*/true,
                 /*keepsOrder=*/!exchanges);
}

ConvolutionEmitter::Maps
ConvolutionEmitter::getMaps(ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations, bool hasBlocks,
                            bool keepsOrder) {
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
  AffineExpr first = keepsOrder ? o : c, last = keepsOrder ? c : o;
  return {map({n, i * strides[0] + p * dilations[0],
               j * strides[1] + q * dilations[1], g, c}),
          map({p, row, q, column, first, g, last}),
          map({n, i, row, j, column, g, o})};
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

Value ConvolutionEmitter::contractTo(Value place, Value a, AffineMap aMap,
                                     Value b, AffineMap bMap, AffineMap map) {
  Type type = getElementTypeOrSelf(place), compute = e.getComputeType(type);
  Value init = compute == type ? place : e.empty(e.getDimSizes(place), compute);
  // Right before the sum, the fill is fused with it.
  Value zero = linalg::FillOp::create(e.b, e.loc, e.scalar(compute, 0.0), init)
                   .getResult(0);
  return e.narrowTensor(contract(a, aMap, b, bMap, zero, map), type);
}

Value ConvolutionEmitter::turn(Value filter, SmallVector<DimSize> dimSizes,
                               SmallVector<AffineExpr> source) {
  int64_t rank = dimSizes.size(), channel = rank - (groups > 1 ? 3 : 2);
  if (exchanges) {
    std::swap(dimSizes[channel], dimSizes.back());
    std::swap(source[channel], source.back());
  }
  return e.map(dimSizes, getElementTypeOrSelf(filter), filter,
               {AffineMap::get(rank, 0, source, e.b.getContext())},
               [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

Value ConvolutionEmitter::turnFilter(Value filter,
                                     const std::array<WindowPhase, 2> &phases) {
  SmallVector<DimSize> dimSizes = e.getDimSizes(filter);
  SmallVector<AffineExpr> source;
  for (unsigned dim = 0; dim < dimSizes.size(); ++dim)
    source.push_back(e.b.getAffineDimExpr(dim));
  for (auto [i, phase] : llvm::enumerate(phases)) {
    dimSizes[i] = DimSize::constant(phase.count);
    source[i] = phase.getElement(source[i]);
  }
  Value turned = turn(filter, dimSizes, source);
  // All parts of a phase have slices of one turned filter.
  std::array<int64_t, 2> begins, counts;
  bool isWhole = true;
  for (auto [i, phase] : llvm::enumerate(phases)) {
    begins[i] = phase.skippedFront;
    counts[i] = phase.getNumRead();
    isWhole &= counts[i] == phase.count;
  }
  return isWhole ? turned
                 : SpatialSlice(e, turned, /*dim=*/0, begins, counts)
                       .extract(turned);
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
  for (auto [i, dimSize] : llvm::enumerate(rest)) {
    whole.push_back(dimSize);
    split.push_back(dimSize);
    reassociation.push_back({static_cast<int64_t>(i) + 4});
  }
  auto dimSizesOf = [](ArrayRef<int64_t> shape) {
    return llvm::map_to_vector(shape, DimSize::constant);
  };
  if (ArrayRef(whole) != type.getShape()) {
    SmallVector<OpFoldResult> offsets(type.getRank(), e.b.getIndexAttr(0));
    Value zero = e.scalar(type.getElementType(), 0.0);
    filter = tensor::InsertSliceOp::create(
        e.b, e.loc, filter, e.fill(dimSizesOf(whole), zero), offsets,
        getAsIndexOpFoldResult(e.b.getContext(), type.getShape()), strides);
  }
  SmallVector<DimSize> dimSizes = dimSizesOf(split);
  filter = e.expand(filter, type.clone(split), reassociation, dimSizes);
  SmallVector<AffineExpr> source;
  for (unsigned dim = 0; dim < dimSizes.size(); ++dim)
    source.push_back(e.b.getAffineDimExpr(dim));
  for (auto [i, block] : llvm::enumerate(blocks))
    source[2 * i] = -source[2 * i] + (block.count - 1);
  return turn(filter, dimSizes, source);
}
