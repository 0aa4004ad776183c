//===- Tensor.cpp - Batching rules of the tensor dialect ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace flywheel {
namespace {
using Mixed = SmallVector<OpFoldResult>;
} // namespace

/// Returns `values` with `first` in front.
static Mixed prepend(OpFoldResult first, Mixed values) {
  values.insert(values.begin(), first);
  return values;
}

namespace {
//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

struct CastBatching : BatchingModel<CastBatching, tensor::CastOp> {
  static LogicalResult emit(tensor::CastOp op, Batcher &batcher) {
    if (!isa<RankedTensorType>(op.getSource().getType()))
      return batcher.batchInLoop(op);
    BatchedValue source = batcher.lookup(op.getSource());
    if (source.isDiagonalInBlocks())
      batcher.setDiagonal(op, source.value, source.dim, source.block);
    else
      batcher.setDense(op, source.value);
    return success();
  }
};
} // namespace

/// Returns the groups of a reshape with the new dimension before them.
static SmallVector<ReassociationIndices>
shiftGroups(ArrayRef<ReassociationIndices> groups, int64_t expandedRank) {
  SmallVector<ReassociationIndices> shifted{{0}};
  for (const ReassociationIndices &group : groups) {
    shifted.emplace_back();
    for (int64_t dim : group)
      shifted.back().push_back(dim + 1);
  }
  // One element has no dimensions to group.
  if (groups.empty())
    for (int64_t dim = 0; dim < expandedRank; ++dim)
      shifted.front().push_back(dim + 1);
  return shifted;
}

/// Returns the number of indices of the collapsed dimension that one index of
/// dimension `dim` of `group` becomes; nullopt if `dim` is not the first
/// dimension of its group, or if the number is unknown.
static std::optional<int64_t> countMerged(const ReassociationIndices &group,
                                          RankedTensorType type, int64_t dim) {
  int64_t count = 1;
  for (int64_t other : group) {
    int64_t dimSize = type.getDimSize(other);
    if (other < dim && dimSize != 1)
      return std::nullopt;
    if (other > dim && (ShapedType::isDynamic(dimSize) || dimSize == 0))
      return std::nullopt;
    count *= other > dim ? dimSize : 1;
  }
  return count;
}

namespace {
struct CollapseShapeBatching
    : BatchingModel<CollapseShapeBatching, tensor::CollapseShapeOp> {
  static LogicalResult emit(tensor::CollapseShapeOp op, Batcher &batcher) {
    SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
    BatchedValue source = batcher.lookup(op.getSrc());
    if (source.isDiagonalInBlocks())
      for (auto [i, group] : llvm::enumerate(groups))
        if (llvm::is_contained(group, source.dim))
          if (std::optional<int64_t> count =
                  countMerged(group, op.getSrcType(), source.dim))
            return batcher.emitDiagonal(op, i, source.block * *count);
    Value dense = batcher.getDense(op.getLoc(), op.getSrc());
    batcher.setDense(op, tensor::CollapseShapeOp::create(
                             batcher.getBuilder(), op.getLoc(), dense,
                             shiftGroups(groups, op.getSrcType().getRank())));
    return success();
  }
};

struct ExpandShapeBatching
    : BatchingModel<ExpandShapeBatching, tensor::ExpandShapeOp> {
  /// Returns the dimension that the diagonal one becomes, and the size of its
  /// blocks.
  static std::optional<std::pair<int64_t, int64_t>>
  findDiagonal(tensor::ExpandShapeOp op, BatchedValue source) {
    if (!source.isDiagonalInBlocks())
      return std::nullopt;
    ReassociationIndices group = op.getReassociationIndices()[source.dim];
    for (int64_t dim : group) {
      std::optional<int64_t> count =
          countMerged(group, op.getResultType(), dim);
      if (count && source.block % *count == 0)
        return std::pair(dim, source.block / *count);
    }
    return std::nullopt;
  }

  static LogicalResult emit(tensor::ExpandShapeOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
    BatchedValue source = batcher.lookup(op.getSrc());
    Mixed sizes = batcher.getUniform(op.getMixedOutputShape());
    RankedTensorType type = op.getResultType();
    if (auto diagonal = findDiagonal(op, source)) {
      batcher.setDiagonal(op,
                          tensor::ExpandShapeOp::create(b, op.getLoc(), type,
                                                        source.value, groups,
                                                        sizes),
                          diagonal->first, diagonal->second);
      return success();
    }
    Value dense = batcher.getDense(op.getLoc(), op.getSrc());
    batcher.setDense(
        op,
        tensor::ExpandShapeOp::create(
            b, op.getLoc(), batcher.getDenseType(type), dense,
            shiftGroups(groups, type.getRank()),
            prepend(tensor::getMixedSize(b, op.getLoc(), dense, 0), sizes)));
    return success();
  }
};

struct ReshapeBatching : BatchingModel<ReshapeBatching, tensor::ReshapeOp> {
  static LogicalResult emit(tensor::ReshapeOp op, Batcher &batcher) {
    auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
    if (!type || batcher.isBatched(op.getShape()))
      return batcher.batchInLoop(op);
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    Value shape = batcher.getUniform(op.getShape());
    Type element = getElementTypeOrSelf(shape);
    Mixed sizes{batcher.getDimSize()};
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value position = arith::ConstantIndexOp::create(b, loc, dim);
      Value dimSize = tensor::ExtractOp::create(b, loc, shape, position);
      if (!element.isIndex())
        dimSize = arith::IndexCastOp::create(b, loc, b.getIndexType(), dimSize);
      sizes.push_back(type.isDynamicDim(dim)
                          ? OpFoldResult(dimSize)
                          : b.getIndexAttr(type.getDimSize(dim)));
    }
    SmallVector<Value> dimSizes =
        getValueOrCreateConstantIndexOp(b, loc, sizes);
    Value denseShape = tensor::FromElementsOp::create(b, loc, dimSizes);
    batcher.setDense(
        op, tensor::ReshapeOp::create(b, loc, batcher.getDenseType(type),
                                      batcher.getDense(loc, op.getSource()),
                                      denseShape));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Returns true if a slice of `whole` has all of its dimension `dim`.
static bool isWholeDim(Batcher &batcher, OffsetSizeAndStrideOpInterface slice,
                       Value whole, int64_t dim) {
  if (!isConstantIntValue(slice.getMixedOffsets()[dim], 0) ||
      !isConstantIntValue(slice.getMixedStrides()[dim], 1))
    return false;
  OpFoldResult size =
      batcher.getUniform(ArrayRef(slice.getMixedSizes()[dim])).front();
  int64_t dimSize = tensorOf(whole).getDimSize(dim);
  if (!ShapedType::isDynamic(dimSize))
    return isConstantIntValue(size, dimSize);
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      {batcher.getShape(slice.getLoc(), whole), dim}, size);
  return succeeded(equal) && *equal;
}

/// Returns the dimension of the slice that dimension `dim` of the whole is,
/// unless the slice lacks it.
static std::optional<int64_t> getSliceDim(const llvm::SmallBitVector &dropped,
                                          int64_t dim) {
  if (dropped.test(dim))
    return std::nullopt;
  int64_t before = 0;
  for (int64_t other = 0; other < dim; ++other)
    before += !dropped.test(other);
  return before;
}

namespace {
struct ExtractSliceBatching
    : BatchingModel<ExtractSliceBatching, tensor::ExtractSliceOp> {
  static LogicalResult emit(tensor::ExtractSliceOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    Mixed offsets = batcher.getUniform(op.getMixedOffsets()),
          sizes = batcher.getUniform(op.getMixedSizes()),
          strides = batcher.getUniform(op.getMixedStrides());
    BatchedValue source = batcher.lookup(op.getSource());
    if (source.isDiagonal() &&
        isWholeDim(batcher, op, op.getSource(), source.dim))
      if (std::optional<int64_t> dim =
              getSliceDim(op.getDroppedDims(), source.dim)) {
        batcher.setDiagonal(op,
                            nn::buildExtractSlice(b, loc, op.getType(),
                                                  source.value, offsets, sizes,
                                                  strides),
                            *dim);
        return success();
      }
    batcher.setDense(
        op, nn::buildExtractSlice(b, loc, batcher.getDenseType(op.getType()),
                                  batcher.getDense(loc, op.getSource()),
                                  prepend(b.getIndexAttr(0), offsets),
                                  prepend(batcher.getDimSize(), sizes),
                                  prepend(b.getIndexAttr(1), strides)));
    return success();
  }
};

struct InsertSliceBatching
    : BatchingModel<InsertSliceBatching, tensor::InsertSliceOp> {
  /// Returns the dimension of the result along which the operands are diagonal,
  /// if they are.
  static std::optional<int64_t> findDiagonal(tensor::InsertSliceOp op,
                                             Batcher &batcher) {
    BatchedValue source = batcher.lookup(op.getSource());
    for (int64_t dim = 0, rank = op.getDestType().getRank(); dim < rank;
         ++dim) {
      if (!batcher.isDiagonalOrZero(op.getDest(), dim))
        continue;
      if (batcher.isZero(op.getSource()))
        return dim;
      std::optional<int64_t> sliceDim = getSliceDim(op.getDroppedDims(), dim);
      if (sliceDim && source.isDiagonal() && source.dim == *sliceDim &&
          isWholeDim(batcher, op, op.getDest(), dim))
        return dim;
    }
    return std::nullopt;
  }

  static LogicalResult emit(tensor::InsertSliceOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    Mixed offsets = batcher.getUniform(op.getMixedOffsets()),
          sizes = batcher.getUniform(op.getMixedSizes()),
          strides = batcher.getUniform(op.getMixedStrides());
    if (std::optional<int64_t> dim = findDiagonal(op, batcher)) {
      batcher.setDiagonal(
          op,
          nn::buildInsertSlice(b, loc, batcher.lookup(op.getSource()).value,
                               batcher.lookup(op.getDest()).value, offsets,
                               sizes, strides),
          *dim);
      return success();
    }
    Value source = batcher.getDense(loc, op.getSource());
    Value dest = batcher.getDense(loc, op.getDest());
    batcher.setDense(op,
                     nn::buildInsertSlice(b, loc, source, dest,
                                          prepend(b.getIndexAttr(0), offsets),
                                          prepend(batcher.getDimSize(), sizes),
                                          prepend(b.getIndexAttr(1), strides)));
    return success();
  }
};

struct ConcatBatching : BatchingModel<ConcatBatching, tensor::ConcatOp> {
  static LogicalResult emit(tensor::ConcatOp op, Batcher &batcher) {
    for (int64_t dim = 0, rank = op.getResultType().getRank(); dim < rank;
         ++dim)
      if (dim != static_cast<int64_t>(op.getDim()) &&
          llvm::all_of(op.getInputs(), [&](Value input) {
            return batcher.isDiagonalOrZero(input, dim);
          }))
        return batcher.emitDiagonal(op, dim);
    SmallVector<Value> inputs =
        llvm::map_to_vector(op.getInputs(), [&](Value input) {
          return batcher.getDense(op.getLoc(), input);
        });
    batcher.setDense(
        op, tensor::ConcatOp::create(batcher.getBuilder(), op.getLoc(),
                                     batcher.getDenseType(op.getResultType()),
                                     op.getDim() + 1, inputs));
    return success();
  }
};

struct PadBatching : BatchingModel<PadBatching, tensor::PadOp> {
  static LogicalResult emit(tensor::PadOp op, Batcher &batcher) {
    Value padding = op.getConstantPaddingValue();
    if (!padding || batcher.isBatched(padding))
      return batcher.batchInLoop(op);
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    Mixed low = batcher.getUniform(op.getMixedLowPad()),
          high = batcher.getUniform(op.getMixedHighPad());
    // A constant in the region is none of this block.
    Attribute number;
    padding = matchPattern(padding, m_Constant(&number))
                  ? arith::ConstantOp::create(b, loc, cast<TypedAttr>(number))
                        .getResult()
                  : batcher.getUniform(padding);
    BatchedValue source = batcher.lookup(op.getSource());
    if (source.isDiagonal() && matchPattern(padding, m_AnyZeroFloat()) &&
        isConstantIntValue(low[source.dim], 0) &&
        isConstantIntValue(high[source.dim], 0)) {
      batcher.setDiagonal(op,
                          tensor::PadOp::create(b, loc, op.getType(),
                                                source.value, low, high,
                                                padding),
                          source.dim);
      return success();
    }
    OpFoldResult none = b.getIndexAttr(0);
    batcher.setDense(op, tensor::PadOp::create(
                             b, loc, batcher.getDenseType(op.getType()),
                             batcher.getDense(loc, op.getSource()),
                             prepend(none, low), prepend(none, high), padding));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The slice that holds one element, at `indices`, of each position.
struct ElementSlice {
  Mixed offsets, sizes, strides;

  ElementSlice(Batcher &batcher, ValueRange indices) {
    OpBuilder &b = batcher.getBuilder();
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(batcher.getDimSize());
    for (Value index : indices) {
      offsets.push_back(getAsOpFoldResult(batcher.getUniform(index)));
      sizes.push_back(b.getIndexAttr(1));
    }
    strides.assign(sizes.size(), b.getIndexAttr(1));
  }
};
} // namespace

static Value extractElements(Batcher &batcher, Location loc, Value tensor,
                             ValueRange indices) {
  ElementSlice slice(batcher, indices);
  return nn::buildExtractSlice(
      batcher.getBuilder(), loc,
      batcher.getDenseType(getElementTypeOrSelf(tensor)), tensor, slice.offsets,
      slice.sizes, slice.strides);
}

static Value insertElements(Batcher &batcher, Location loc, Value elements,
                            Value tensor, ValueRange indices) {
  ElementSlice slice(batcher, indices);
  return nn::buildInsertSlice(batcher.getBuilder(), loc, elements, tensor,
                              slice.offsets, slice.sizes, slice.strides);
}

namespace {
struct ExtractBatching : BatchingModel<ExtractBatching, tensor::ExtractOp> {
  static LogicalResult emit(tensor::ExtractOp op, Batcher &batcher) {
    Location loc = op.getLoc();
    Value dense = batcher.getDense(loc, op.getTensor());
    batcher.setDense(op, extractElements(batcher, loc, dense, op.getIndices()));
    return success();
  }
};

struct InsertBatching : BatchingModel<InsertBatching, tensor::InsertOp> {
  static LogicalResult emit(tensor::InsertOp op, Batcher &batcher) {
    Location loc = op.getLoc();
    Value elements = batcher.getDense(loc, op.getScalar());
    Value dense = batcher.getDense(loc, op.getDest());
    batcher.setDense(
        op, insertElements(batcher, loc, elements, dense, op.getIndices()));
    return success();
  }
};

struct FromElementsBatching
    : BatchingModel<FromElementsBatching, tensor::FromElementsOp> {
  static LogicalResult emit(tensor::FromElementsOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = op.getType().getShape();
    Mixed sizes{batcher.getDimSize()};
    for (int64_t dimSize : shape)
      sizes.push_back(b.getIndexAttr(dimSize));
    Value dense =
        tensor::EmptyOp::create(b, loc, sizes, op.getType().getElementType());
    for (auto [i, element] : llvm::enumerate(op.getElements())) {
      // Elements are given in row-major order.
      SmallVector<Value> indices(shape.size());
      int64_t rest = i;
      for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
        indices[dim] =
            arith::ConstantIndexOp::create(b, loc, rest % shape[dim]);
        rest /= shape[dim];
      }
      dense = insertElements(batcher, loc, batcher.getDense(loc, element),
                             dense, indices);
    }
    batcher.setDense(op, dense);
    return success();
  }
};

struct SplatBatching : BatchingModel<SplatBatching, tensor::SplatOp> {
  static LogicalResult emit(tensor::SplatOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    RankedTensorType type = batcher.getDenseType(op.getType());
    Value like;
    if (!type.hasStaticShape()) {
      Mixed sizes{batcher.getDimSize()};
      unsigned next = 0;
      for (int64_t dimSize : tensorOf(op).getShape())
        sizes.push_back(
            ShapedType::isDynamic(dimSize)
                ? OpFoldResult(batcher.getUniform(op.getDynamicSizes()[next++]))
                : b.getIndexAttr(dimSize));
      like = nn::buildCast(
          b, loc, tensor::EmptyOp::create(b, loc, sizes, type.getElementType()),
          type);
    }
    batcher.setDense(op, nn::BroadcastOp::create(
                             b, loc, type, batcher.getDense(loc, op.getInput()),
                             like, ArrayRef<int64_t>{0}));
    return success();
  }
};

/// Every position has the dimension sizes that any has.
struct DimBatching : BatchingModel<DimBatching, tensor::DimOp> {
  static LogicalResult emit(tensor::DimOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    BatchedValue source = batcher.lookup(op.getSource());
    Value index = batcher.getUniform(op.getIndex());
    if (source.isDense())
      index = arith::AddIOp::create(b, loc, index,
                                    arith::ConstantIndexOp::create(b, loc, 1));
    batcher.setUniform(op, tensor::DimOp::create(b, loc, source.value, index));
    return success();
  }
};
} // namespace

ArrayRef<BatchingRule> getTensorBatchingRules() {
  static const BatchingRule rules[] = {
      batched<tensor::CastOp, CastBatching>(),
      batched<tensor::CollapseShapeOp, CollapseShapeBatching>(),
      batched<tensor::ConcatOp, ConcatBatching>(),
      batched<tensor::DimOp, DimBatching>(),
      batched<tensor::ExpandShapeOp, ExpandShapeBatching>(),
      batched<tensor::ExtractOp, ExtractBatching>(),
      batched<tensor::ExtractSliceOp, ExtractSliceBatching>(),
      batched<tensor::FromElementsOp, FromElementsBatching>(),
      batched<tensor::InsertOp, InsertBatching>(),
      batched<tensor::InsertSliceOp, InsertSliceBatching>(),
      batched<tensor::PadOp, PadBatching>(),
      batched<tensor::ReshapeOp, ReshapeBatching>(),
      batched<tensor::SplatOp, SplatBatching>(),
  };
  return rules;
}

} // namespace flywheel
