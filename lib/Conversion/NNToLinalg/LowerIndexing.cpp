//===- LowerIndexing.cpp - Slices at indices, and scans -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace flywheel;

/// Emits an error of the step where an index is out of range.
static void expectIndices(LinalgEmitter &e, Value whole, Value indices,
                          int64_t axis) {
  e.expectInRange(indices, e.getExtent(whole, axis), "index");
}

/// `value` in the compute type of its elements.
static Value widenTensor(LinalgEmitter &e, Value value) {
  Type compute = e.getComputeType(getElementTypeOrSelf(value));
  if (compute == getElementTypeOrSelf(value))
    return value;
  SmallVector<Extent> extents = e.getExtents(value);
  return e.map(extents, compute, value, {e.identity(extents.size())},
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 return widen(b, loc, args[0], compute);
               });
}

namespace {
struct LowerGather : OpRewritePattern<nn::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::GatherOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    int64_t axis = op.getAxis();
    SmallVector<Extent> whole = e.getExtents(op.getX());
    expectIndices(e, op.getX(), op.getIndices(), axis);
    auto extents = llvm::to_vector(ArrayRef(whole).take_front(axis));
    llvm::append_range(extents, e.getExtents(op.getIndices()));
    llvm::append_range(extents, ArrayRef(whole).drop_front(axis + 1));
    Value init = e.empty(extents, getElementTypeOrSelf(op.getX()));
    e.replaceWith(linalg_ext::GatherOp::create(rewriter, e.loc, init.getType(),
                                               op.getX(), op.getIndices(), init,
                                               axis)
                      .getResult(0));
    return success();
  }
};

template <typename OpTy> struct LowerScatter : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  static constexpr auto kind = std::is_same_v<OpTy, nn::ScatterAddOp>
                                   ? linalg_ext::ScatterKind::add
                                   : linalg_ext::ScatterKind::replace;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value init = op.getInit(), indices = op.getIndices();
    Value updates = op.getUpdates();
    int64_t axis = op.getAxis();
    int64_t numIndices = cast<RankedTensorType>(indices.getType()).getRank();
    SmallVector<Extent> whole = e.getExtents(init);
    for (auto [dim, extent] : llvm::enumerate(whole)) {
      int64_t number = dim;
      if (number != axis)
        e.expectEqual(
            extent,
            e.getExtent(updates,
                        number < axis ? number : number + numIndices - 1),
            "extents of dimension " + Twine(dim) + " of init and of updates");
    }
    for (int64_t dim = 0; dim < numIndices; ++dim)
      e.expectEqual(e.getExtent(indices, dim), e.getExtent(updates, axis + dim),
                    "extents of dimension " + Twine(dim) +
                        " of indices and of updates");
    expectIndices(e, init, indices, axis);
    // A constant is no place to write to.
    Type type = getElementTypeOrSelf(init);
    if (TypedAttr splat = getSplat(init))
      init = e.fill(whole, e.scalar(splat));
    // Sums are rounded once, not at each of several updates of one place.
    if (kind == linalg_ext::ScatterKind::add) {
      init = widenTensor(e, init);
      updates = widenTensor(e, updates);
    }
    Value result =
        linalg_ext::ScatterOp::create(rewriter, e.loc, init.getType(), kind,
                                      indices, updates, init, axis)
            .getResult(0);
    e.replaceWith(e.narrowTensor(result, type));
    return success();
  }
};

struct LowerCumsum : OpRewritePattern<nn::CumsumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::CumsumOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value x = widenTensor(e, op.getX());
    Value init = e.empty(e.getExtents(op.getX()), getElementTypeOrSelf(x));
    Value sums = linalg_ext::ScanOp::create(rewriter, e.loc, init.getType(), x,
                                            init, op.getAxis(),
                                            op.getExclusive(), op.getReverse())
                     .getResult(0);
    e.replaceWith(e.narrowTensor(sums, getElementTypeOrSelf(op.getX())));
    return success();
  }
};

struct LowerIota : OpRewritePattern<nn::IotaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::IotaOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto result = cast<RankedTensorType>(op.getResult().getType());
    Type type = result.getElementType();
    SmallVector<Extent> extents;
    for (auto [dim, extent] : llvm::enumerate(result.getShape()))
      extents.push_back(op.getLike() ? e.getExtent(op.getLike(), dim)
                                     : Extent::constant(extent));
    e.replaceWith(e.map(
        extents, type, {}, {},
        [&](OpBuilder &b, Location loc, ValueRange) -> Value {
          Value index = linalg::IndexOp::create(b, loc, op.getAxis());
          if (!isa<FloatType>(type))
            return arith::IndexCastOp::create(b, loc, type, index);
          Value integer =
              arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
          Value number =
              arith::SIToFPOp::create(b, loc, e.getComputeType(type), integer);
          return narrow(b, loc, number, type);
        }));
    return success();
  }
};
} // namespace

void flywheel::populateIndexingPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerScatter<nn::ScatterAddOp>,
               LowerScatter<nn::ScatterOp>, LowerCumsum, LowerIota>(
      patterns.getContext());
}
