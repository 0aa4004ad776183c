//===- RaiseWrites.cpp - Results of linalg ops that are written in part ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream assumes that a result is overwritten as a whole if the body does not
// read its old elements. This is wrong if the map of the result skips
// positions, or if a loop that it does not use has no iterations.
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace flywheel::nn {
namespace {
/// The positions of one dimension of a result, from `offset` on: one position,
/// or one for each iteration of `loop`, in reverse order if `isReversed`.
struct Position {
  std::optional<unsigned> loop;
  int64_t offset = 0, stride = 1;
  bool isReversed = false;
};
} // namespace

/// Returns the positions that `expr` computes, for loops with `sizes`
/// iterations.
static std::optional<Position> matchPosition(AffineExpr expr,
                                             ArrayRef<int64_t> sizes) {
  Position position;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
      sum && expr.getKind() == AffineExprKind::Add)
    if (auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      position.offset = offset.getValue();
      expr = sum.getLHS();
    }
  if (auto product = dyn_cast<AffineBinaryOpExpr>(expr);
      product && expr.getKind() == AffineExprKind::Mul)
    if (auto stride = dyn_cast<AffineConstantExpr>(product.getRHS())) {
      position.stride = stride.getValue();
      expr = product.getLHS();
    }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    position.offset += constant.getValue();
  else if (auto loop = dyn_cast<AffineDimExpr>(expr))
    position.loop = loop.getPosition();
  else
    return std::nullopt;
  if (position.loop && position.stride < 0) {
    int64_t size = sizes[*position.loop];
    if (ShapedType::isDynamic(size) || size < 1)
      return std::nullopt;
    std::optional<int64_t> last =
        llvm::checkedMulAdd(size - 1, position.stride, position.offset);
    if (!last)
      return std::nullopt;
    position = {position.loop, *last, -position.stride, /*isReversed=*/true};
  }
  if (position.stride < 1 || position.offset < 0)
    return std::nullopt;
  return position;
}

/// Returns the positions of all dimensions, if no two iterations write one
/// element.
static std::optional<SmallVector<Position>> matchPositions(linalg::LinalgOp op,
                                                           AffineMap map) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<Position> positions;
  llvm::SmallBitVector used(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    std::optional<Position> position = matchPosition(expr, sizes);
    if (!position || (position->loop && used.test(*position->loop)))
      return std::nullopt;
    if (position->loop)
      used.set(*position->loop);
    positions.push_back(*position);
  }
  return positions;
}

/// Returns true if `positions` cover a whole tensor of type `type`. Loops have
/// the sizes of the dimensions that they write.
static bool isWhole(ArrayRef<Position> positions, ShapedType type) {
  return llvm::all_of(llvm::enumerate(positions), [&](auto dim) {
    const Position &position = dim.value();
    return position.offset == 0 && position.stride == 1 &&
           !position.isReversed &&
           (position.loop || type.getDimSize(dim.index()) == 1);
  });
}

/// Returns true if every element that `map` addresses is written: the loops
/// that `map` does not use have at least one iteration.
static bool isReached(linalg::LinalgOp op, AffineMap map) {
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop) && (ShapedType::isDynamic(size) || size < 1))
      return false;
  return true;
}

/// Reverses the dimensions of `part` whose loops are reversed.
static Value reverse(RewriterBase &rewriter, Location loc, Value part,
                     ArrayRef<Position> positions) {
  if (llvm::none_of(positions,
                    [](auto &position) { return position.isReversed; }))
    return part;
  auto type = cast<RankedTensorType>(part.getType());
  SmallVector<AffineExpr> from;
  for (const Position &position : positions) {
    if (!position.loop)
      continue;
    AffineExpr dim = rewriter.getAffineDimExpr(from.size());
    from.push_back(position.isReversed ? type.getDimSize(from.size()) - 1 - dim
                                       : dim);
  }
  AffineMap to = rewriter.getMultiDimIdentityMap(type.getRank());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, part),
      type.getElementType());
  return linalg::GenericOp::create(
             rewriter, loc, type, part, empty,
             {AffineMap::get(type.getRank(), 0, from, rewriter.getContext()),
              to},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [](OpBuilder &b, Location loc, ValueRange elements) {
               linalg::YieldOp::create(b, loc, elements.front());
             })
      .getResult(0);
}

/// Computes the written part of result `number` as a tensor of its own, from
/// the old elements if the body reads them, and inserts it into the old value.
static linalg::GenericOp splitWrite(RewriterBase &rewriter,
                                    linalg::GenericOp op, unsigned number,
                                    ArrayRef<Position> positions, bool isRead) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value init = op.getDpsInits()[number];
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
  SmallVector<OpFoldResult> offsets, sizes, strides, partSizes;
  SmallVector<int64_t> partShape;
  SmallVector<AffineExpr> loops;
  for (const Position &position : positions) {
    offsets.push_back(rewriter.getIndexAttr(position.offset));
    strides.push_back(rewriter.getIndexAttr(position.stride));
    sizes.push_back(position.loop ? ranges[*position.loop].size
                                  : OpFoldResult(rewriter.getIndexAttr(1)));
    if (!position.loop)
      continue;
    partSizes.push_back(sizes.back());
    partShape.push_back(
        getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
    loops.push_back(rewriter.getAffineDimExpr(*position.loop));
  }
  Value part;
  if (isRead)
    part = tensor::ExtractSliceOp::create(rewriter, loc, type.clone(partShape),
                                          init, offsets, sizes, strides);
  else
    part = tensor::EmptyOp::create(rewriter, loc, partSizes,
                                   type.getElementType());

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[op.getNumDpsInputs() + number] =
      AffineMap::get(op.getNumLoops(), 0, loops, rewriter.getContext());
  SmallVector<Value> inits(op.getDpsInits());
  inits[number] = part;
  SmallVector<Type> types(op->getResultTypes());
  types[number] = part.getType();
  auto split =
      linalg::GenericOp::create(rewriter, loc, types, op.getInputs(), inits,
                                maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), split.getRegion(),
                              split.getRegion().end());
  Value written = reverse(rewriter, loc, split.getResult(number), positions);
  Value whole = tensor::InsertSliceOp::create(rewriter, loc, written, init,
                                              offsets, sizes, strides);
  SmallVector<Value> results(split.getResults());
  results[number] = whole;
  rewriter.replaceOp(op, results);
  return split;
}

LogicalResult raiseWrites(RewriterBase &rewriter, linalg::LinalgOp op) {
  for (unsigned number = 0; number < op.getNumDpsInits(); ++number) {
    OpOperand *init = op.getDpsInitOperand(number);
    AffineMap map = op.getMatchingIndexingMap(init);
    bool isRead = op.payloadUsesValueFromOperand(init);
    std::optional<SmallVector<Position>> positions = matchPositions(op, map);
    if (isRead && (!positions || llvm::any_of(*positions, [](auto &position) {
          return position.isReversed;
        })))
      continue;
    if (!positions || (!isRead && !isReached(op, map)))
      return op.emitOpError()
             << "expected a body that reads the old value of result #" << number
             << ", or a map of it by which each iteration writes one element "
                "of a slice, found "
             << AffineMapAttr::get(map);
    if (isWhole(*positions, cast<ShapedType>(init->get().getType())))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> general =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(general))
        return op.emitOpError()
               << "expected a result that is written as a whole";
      generic = *general;
    }
    op = splitWrite(rewriter, generic, number, *positions, isRead);
  }
  return success();
}

} // namespace flywheel::nn
