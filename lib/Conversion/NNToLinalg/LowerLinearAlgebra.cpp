//===- LowerLinearAlgebra.cpp - Triangles and linear systems --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace flywheel;

/// `number`, which `type` can hold or which is rounded to it.
static TypedAttr getNumber(OpBuilder &b, Type type, const APFloat &number) {
  bool lost = false;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat rounded = number;
    rounded.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
    return b.getFloatAttr(type, rounded);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APSInt integer(width, /*isUnsigned=*/width == 1);
  number.convertToInteger(integer, APFloat::rmTowardZero, &lost);
  return b.getIntegerAttr(type, integer);
}

namespace {
struct LowerTriangle : OpRewritePattern<nn::TriangleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::TriangleOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    SmallVector<Extent> extents = e.getExtents(op.getX());
    int64_t rank = extents.size();
    Type type = getElementTypeOrSelf(op.getX());
    TypedAttr fill = getNumber(rewriter, type, op.getFill());
    auto kept = op.getKind() == nn::TriangleKind::lower
                    ? arith::CmpIPredicate::sle
                    : arith::CmpIPredicate::sge;
    e.replaceWith(
        e.map(extents, type, op.getX(), {e.identity(rank)},
              [&](OpBuilder &b, Location loc, ValueRange args) {
                Value row = linalg::IndexOp::create(b, loc, rank - 2);
                Value column = linalg::IndexOp::create(b, loc, rank - 1);
                Value shift =
                    arith::ConstantIndexOp::create(b, loc, op.getDiagonal());
                Value edge = arith::AddIOp::create(b, loc, row, shift);
                Value keep = arith::CmpIOp::create(b, loc, kept, column, edge);
                Value other = arith::ConstantOp::create(b, loc, fill);
                return arith::SelectOp::create(b, loc, keep, args[0], other);
              }));
    return success();
  }
};
} // namespace

void flywheel::populateLinearAlgebraPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerTriangle>(patterns.getContext());
}
