//===- IterationSlices.cpp - Slices of tensors by iteration ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationSlices.h"

#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace flywheel {

std::optional<IterationRange> IterationRange::get(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  int64_t count;
  if (!lower || !upper || step != 1 ||
      !loop.getInductionVar().getType().isIndex() ||
      llvm::SubOverflow(*upper, *lower, count) || count < 1)
    return std::nullopt;
  return IterationRange{*lower, count};
}

/// Returns the slices whose position in `loop` is `position`.
static std::optional<IterationSlice>
getPositions(Value position, scf::ForOp loop, IterationRange range) {
  Value induction = loop.getInductionVar();
  APInt number;
  int64_t last = range.lower + range.count - 1;
  if (position == induction)
    return IterationSlice{Value(), Direction::Forward, range.lower};
  auto add = position.getDefiningOp<arith::AddIOp>();
  if (add && add.getLhs() == induction &&
      matchPattern(add.getRhs(), m_ConstantInt(&number)))
    return IterationSlice{Value(), Direction::Forward,
                          range.lower + number.getSExtValue()};
  auto sub = position.getDefiningOp<arith::SubIOp>();
  if (sub && sub.getRhs() == induction &&
      matchPattern(sub.getLhs(), m_ConstantInt(&number)))
    return IterationSlice{Value(), Direction::Backward,
                          number.getSExtValue() - last};
  if (sub && sub.getLhs() == induction &&
      matchPattern(sub.getRhs(), m_ConstantInt(&number)))
    return IterationSlice{Value(), Direction::Forward,
                          range.lower - number.getSExtValue()};
  return std::nullopt;
}

/// Returns true if `size` is that of dimension `dim` of `whole`.
static bool isDimSizeOf(OpFoldResult size, Value whole, int64_t dim) {
  auto type = cast<RankedTensorType>(whole.getType());
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return type.getDimSize(dim) == *number;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      ValueBoundsConstraintSet::Variable(size), {whole, dim});
  return succeeded(equal) && *equal;
}

/// Returns the slices of `whole` that `op` has the place of, one for each
/// iteration.
static std::optional<IterationSlice> getSlice(OffsetSizeAndStrideOpInterface op,
                                              Value whole, scf::ForOp loop,
                                              IterationRange range) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes();
  int64_t numSlices = cast<RankedTensorType>(whole.getType()).getDimSize(0);
  auto position = dyn_cast<Value>(offsets.front());
  if (!position || !op.hasUnitStride() ||
      getConstantIntValue(sizes.front()) != 1 ||
      ShapedType::isDynamic(numSlices))
    return std::nullopt;
  for (int64_t dim = 1, rank = offsets.size(); dim < rank; ++dim)
    if (getConstantIntValue(offsets[dim]) != 0 ||
        !isDimSizeOf(sizes[dim], whole, dim))
      return std::nullopt;
  std::optional<IterationSlice> slice = getPositions(position, loop, range);
  if (!slice || slice->first < 0 || slice->first > numSlices - range.count)
    return std::nullopt;
  slice->whole = whole;
  return slice;
}

/// Returns true if a reshape of [1, ...] only drops or adds the first
/// dimension.
static bool isOfFirstDim(ArrayRef<ReassociationIndices> groups) {
  return !groups.empty() && groups.front().size() == 2 &&
         llvm::all_of(groups.drop_front(),
                      [](const ReassociationIndices &group) {
                        return group.size() == 1;
                      });
}

/// Returns true if `slice` has the shape of `whole` without the first
/// dimension. If several dimensions have size 1, it does not matter which of
/// them was dropped.
static bool isWithoutFirstDim(RankedTensorType slice, RankedTensorType whole) {
  return slice.getShape() == whole.getShape().drop_front();
}

std::optional<IterationSlice> getIterationSlice(Value value, scf::ForOp loop,
                                                IterationRange range) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse && isOfFirstDim(collapse.getReassociationIndices()))
    value = collapse.getSrc();
  else
    collapse = {};
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !loop.isDefinedOutsideOfLoop(slice.getSource()) ||
      (collapse ? slice.getDroppedDims().any()
                : !isWithoutFirstDim(slice.getType(), slice.getSourceType())))
    return std::nullopt;
  return getSlice(slice, slice.getSource(), loop, range);
}

std::optional<IterationSlice> getInsertedSlice(tensor::InsertSliceOp insert,
                                               scf::ForOp loop,
                                               IterationRange range) {
  if (insert.getDroppedDims().any() &&
      !isWithoutFirstDim(insert.getSourceType(), insert.getDestType()))
    return std::nullopt;
  return getSlice(insert, insert.getDest(), loop, range);
}

Value getInsertedValue(tensor::InsertSliceOp insert) {
  return getInsertedValue(insert, insert.getSource());
}

Value getInsertedValue(tensor::InsertSliceOp insert, Value part) {
  if (isWithoutFirstDim(insert.getSourceType(), insert.getDestType()))
    return part;
  auto expand = part.getDefiningOp<tensor::ExpandShapeOp>();
  return insert.getDroppedDims().none() && expand &&
                 isOfFirstDim(expand.getReassociationIndices())
             ? expand.getSrc()
             : Value();
}

Value emitWhole(OpBuilder &b, Location loc, const IterationSlice &slice,
                IterationRange range) {
  auto type = cast<RankedTensorType>(slice.whole.getType());
  if (type.getDimSize(0) == range.count)
    return slice.whole;
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, slice.whole);
  offsets[0] = b.getIndexAttr(slice.first);
  sizes[0] = b.getIndexAttr(range.count);
  return nn::buildExtractSlice(b, loc, slice.whole, offsets, sizes, strides);
}

/// Emits the position of slice `first` of an iteration of `loop`.
static Value emitPosition(OpBuilder &b, Location loc, scf::ForOp loop,
                          IterationRange range, Direction direction,
                          int64_t first) {
  Value induction = loop.getInductionVar();
  if (direction == Direction::Backward) {
    Value last = arith::ConstantIndexOp::create(
        b, loc, range.lower + range.count - 1 + first);
    return arith::SubIOp::create(b, loc, last, induction);
  }
  if (first == range.lower)
    return induction;
  return arith::AddIOp::create(
      b, loc, induction,
      arith::ConstantIndexOp::create(b, loc, first - range.lower));
}

Value readSlice(OpBuilder &b, Location loc, const IterationSlice &slice,
                scf::ForOp loop, IterationRange range, RankedTensorType type) {
  Value position =
      emitPosition(b, loc, loop, range, slice.direction, slice.first);
  nn::SlicePlace place(b, loc, slice.whole, position);
  Value part = nn::buildExtractSlice(b, loc, type, slice.whole, place.offsets,
                                     place.sizes, place.strides);
  part.getDefiningOp()->setAttr(train::TrainDialect::getInRangeAttrName(),
                                b.getUnitAttr());
  return part;
}

std::optional<KeptValue> getKeptValue(const IterationSlice &slice,
                                      IterationRange range) {
  auto loop = slice.whole.getDefiningOp<scf::ForOp>();
  std::optional<IterationRange> own =
      loop ? IterationRange::get(loop) : std::nullopt;
  if (!own)
    return std::nullopt;
  unsigned carried = cast<OpResult>(slice.whole).getResultNumber();
  BlockArgument argument = loop.getRegionIterArg(carried);
  auto insert =
      loop.getYieldedValues()[carried].getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || insert->getBlock() != loop.getBody() ||
      insert.getDest() != argument || !argument.hasOneUse() ||
      !insert->hasOneUse())
    return std::nullopt;
  std::optional<IterationSlice> place = getInsertedSlice(insert, loop, *own);
  Value value = getInsertedValue(insert);
  if (!place || !value || slice.first < place->first ||
      slice.first + range.count > place->first + own->count)
    return std::nullopt;
  return KeptValue{loop, *own, value, *place, loop.getInitArgs()[carried]};
}

SmallVector<Value> keepInLoop(RewriterBase &rewriter, scf::ForOp &loop,
                              ArrayRef<ValueToKeep> values,
                              IterationRange range) {
  SmallVector<Value> inits;
  rewriter.setInsertionPoint(loop);
  for (const ValueToKeep &kept : values) {
    auto type = cast<RankedTensorType>(kept.value.getType());
    SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(range.count)};
    for (int64_t size : type.getShape())
      if (ShapedType::isStatic(size))
        sizes.push_back(rewriter.getIndexAttr(size));
      else
        sizes.push_back(
            tensor::getMixedSize(rewriter, loop.getLoc(), kept.sizesFrom, 1));
    inits.push_back(tensor::EmptyOp::create(rewriter, loop.getLoc(), sizes,
                                            type.getElementType()));
  }
  unsigned numCarried = loop.getNumResults();
  auto yieldKept = [&](OpBuilder &b, Location loc,
                       ArrayRef<BlockArgument> arguments) {
    auto owner = cast<scf::ForOp>(arguments.front().getOwner()->getParentOp());
    SmallVector<Value> yielded;
    for (auto [kept, into] : llvm::zip_equal(values, arguments)) {
      Value position = emitPosition(b, loc, owner, range, kept.direction, 0);
      nn::SlicePlace place(b, loc, into, position);
      Value whole = nn::buildInsertSlice(
          b, loc, kept.value, into, place.offsets, place.sizes, place.strides);
      if (whole != into)
        whole.getDefiningOp()->setAttr(
            train::TrainDialect::getInRangeAttrName(), b.getUnitAttr());
      yielded.push_back(whole);
    }
    return yielded;
  };
  LoopLikeOpInterface replaced =
      *cast<LoopLikeOpInterface>(loop.getOperation())
           .replaceWithAdditionalYields(rewriter, inits, false, yieldKept);
  loop = cast<scf::ForOp>(replaced.getOperation());
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(numCarried));
}

} // namespace flywheel
