//===- LowerReductions.cpp - Reductions to linalg -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using nn::ReductionKind;

/// The smallest value of a float or integer type, as `argmax` orders it.
static TypedAttr getLowest(OpBuilder &b, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(),
                                                /*Negative=*/true));
  unsigned width = type.getIntOrFloatBitWidth();
  // Truth values are ordered false < true.
  return b.getIntegerAttr(type, width == 1 ? APInt::getZero(1)
                                           : APInt::getSignedMinValue(width));
}

static TypedAttr getHighest(OpBuilder &b, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics()));
  unsigned width = type.getIntOrFloatBitWidth();
  return b.getIntegerAttr(type, width == 1 ? APInt::getAllOnes(1)
                                           : APInt::getSignedMaxValue(width));
}

/// The value of a reduction over nothing.
static TypedAttr getNeutral(OpBuilder &b, ReductionKind kind, Type type) {
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    return b.getZeroAttr(type);
  case ReductionKind::prod:
    return b.getOneAttr(type);
  case ReductionKind::max:
    return getLowest(b, type);
  case ReductionKind::min:
    return getHighest(b, type);
  }
  llvm_unreachable("all kinds are covered");
}

/// One step of a reduction. The maximum and minimum of floats keep a NaN.
static Value combine(OpBuilder &b, Location loc, ReductionKind kind, Value acc,
                     Value value) {
  Type type = acc.getType();
  bool isFloat = isa<FloatType>(type), isBool = type.isInteger(1);
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    if (isFloat)
      return arith::AddFOp::create(b, loc, acc, value);
    return arith::AddIOp::create(b, loc, acc, value);
  case ReductionKind::prod:
    if (isFloat)
      return arith::MulFOp::create(b, loc, acc, value);
    return arith::MulIOp::create(b, loc, acc, value);
  case ReductionKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, acc, value);
    if (isBool)
      return arith::OrIOp::create(b, loc, acc, value);
    return arith::MaxSIOp::create(b, loc, acc, value);
  case ReductionKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, acc, value);
    if (isBool)
      return arith::AndIOp::create(b, loc, acc, value);
    return arith::MinSIOp::create(b, loc, acc, value);
  }
  llvm_unreachable("all kinds are covered");
}

/// Gives the reduced dimensions back, with extent 1.
static Value keepDims(LinalgEmitter &e, Value value, ArrayRef<int64_t> axes,
                      int64_t rank) {
  SmallVector<Extent> kept = e.getExtents(value);
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  ReassociationIndices leading;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool reduced = llvm::is_contained(axes, dim);
    if (!reduced) {
      Extent extent = kept[groups.size()];
      int64_t declared =
          cast<RankedTensorType>(value.getType()).getDimSize(groups.size());
      groups.push_back(std::exchange(leading, {}));
      sizes.push_back(e.materialize(extent));
      shape.push_back(declared);
    } else {
      sizes.push_back(e.b.getIndexAttr(1));
      shape.push_back(1);
    }
    // Extents of 1 before the first kept dimension join its group.
    (groups.empty() ? leading : groups.back()).push_back(dim);
  }
  auto type =
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return tensor::ExpandShapeOp::create(e.b, e.loc, type, value, groups, sizes);
}

namespace {
struct LowerReduce : OpRewritePattern<nn::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    ArrayRef<int64_t> axes = op.getAxes();
    if (axes.empty()) {
      e.replaceWith(op.getInput());
      return success();
    }
    ReductionKind kind = op.getKind();
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    int64_t rank = inputType.getRank();
    Type type = inputType.getElementType();
    bool isOrder = kind == ReductionKind::max || kind == ReductionKind::min;
    Type compute = isOrder ? type : e.getComputeType(type);

    SmallVector<int64_t> dims;
    SmallVector<Extent> extents, reduced;
    for (int64_t dim = 0; dim < rank; ++dim) {
      Extent extent = e.getExtent(op.getInput(), dim);
      if (llvm::is_contained(axes, dim)) {
        reduced.push_back(extent);
        continue;
      }
      dims.push_back(dim);
      extents.push_back(extent);
    }
    Value init = e.fill(extents, e.scalar(getNeutral(rewriter, kind, compute)));
    Value value =
        e.generic(op.getInput(), init, {e.identity(rank), e.select(rank, dims)},
                  [&](OpBuilder &b, Location loc, ValueRange args) {
                    return combine(b, loc, kind, args[1],
                                   widen(b, loc, args[0], compute));
                  });
    bool isMean = kind == ReductionKind::mean;
    if (isMean || compute != type) {
      Value count = isMean ? e.countOf(reduced, compute) : Value();
      value = e.map(extents, type, value, {e.identity(dims.size())},
                    [&](OpBuilder &b, Location loc, ValueRange args) {
                      Value total = args[0];
                      if (isMean)
                        total = arith::DivFOp::create(b, loc, total, count);
                      return narrow(b, loc, total, type);
                    });
    }
    if (op.getKeepdims())
      value = keepDims(e, value, axes, rank);
    e.replaceWith(value);
    return success();
  }
};

/// One pass over the elements carries the best so far, the largest or the
/// smallest, and its index.
template <typename OpTy> struct LowerPosition : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  static constexpr bool isMax = std::is_same_v<OpTy, nn::ArgmaxOp>;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    Type type = inputType.getElementType();
    Type indexType = getElementTypeOrSelf(op.getResult());
    int64_t rank = inputType.getRank();
    int64_t axis = static_cast<int64_t>(op.getAxis());
    expectElements(e, e.getExtent(op.getInput(), axis));

    SmallVector<int64_t> dims;
    SmallVector<Extent> extents;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim == axis)
        continue;
      dims.push_back(dim);
      extents.push_back(e.getExtent(op.getInput(), dim));
    }
    SmallVector<Value> inits = {
        e.fill(extents, e.scalar(isMax ? getLowest(rewriter, type)
                                       : getHighest(rewriter, type))),
        e.fill(extents, e.scalar(indexType, 0))};
    SmallVector<AffineMap> maps = {e.identity(rank), e.select(rank, dims),
                                   e.select(rank, dims)};
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    iterators[axis] = utils::IteratorType::reduction;
    auto generic = linalg::GenericOp::create(
        rewriter, e.loc, TypeRange(ValueRange(inits)), op.getInput(), inits,
        maps, iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          Value index = linalg::IndexOp::create(b, loc, axis);
          index = arith::IndexCastOp::create(b, loc, indexType, index);
          Value better = isBetter(b, loc, args[0], args[1]);
          Value value =
              arith::SelectOp::create(b, loc, better, args[0], args[1]);
          Value where = arith::SelectOp::create(b, loc, better, index, args[2]);
          linalg::YieldOp::create(b, loc, ValueRange{value, where});
        });
    e.replaceWith(generic.getResult(1));
    return success();
  }

private:
  static void expectElements(LinalgEmitter &e, Extent extent) {
    if (extent.isStatic())
      return;
    Value zero = arith::ConstantIndexOp::create(e.b, e.loc, 0);
    Value size = dyn_cast<Value>(e.materialize(extent));
    Value some =
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, size, zero);
    e.expectSafely(some, "expected a non-empty axis, found extent 0");
  }

  /// Whether `value` comes before `best`: larger or smaller, or the first NaN.
  static Value isBetter(OpBuilder &b, Location loc, Value value, Value best) {
    if (!isa<FloatType>(value.getType())) {
      // Truth values are ordered false < true.
      bool isBool = value.getType().isInteger(1);
      auto larger =
          isBool ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
      auto smaller =
          isBool ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
      return arith::CmpIOp::create(b, loc, isMax ? larger : smaller, value,
                                   best);
    }
    // Unordered or better, unless the best so far is a NaN already.
    Value isBefore = arith::CmpFOp::create(
        b, loc, isMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT,
        value, best);
    Value isNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
    return arith::AndIOp::create(b, loc, isBefore, isNumber);
  }
};
} // namespace

void flywheel::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReduce, LowerPosition<nn::ArgmaxOp>,
               LowerPosition<nn::ArgminOp>>(patterns.getContext());
}
