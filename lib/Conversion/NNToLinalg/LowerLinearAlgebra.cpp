//===- LowerLinearAlgebra.cpp - Triangles and linear systems --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/APSInt.h"

#include <algorithm>
#include <limits>

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

/// A triangle of each matrix of x, and `fill` elsewhere, in place of `init`.
static Value takeTriangle(LinalgEmitter &e, Value x, Value init,
                          nn::TriangleKind kind, int64_t diagonal,
                          TypedAttr fill) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  // Beyond any matrix, and so that no sum overflows.
  constexpr int64_t beyond = std::numeric_limits<int64_t>::max() / 2;
  diagonal = std::clamp(diagonal, -beyond, beyond);
  auto kept = kind == nn::TriangleKind::lower ? arith::CmpIPredicate::sle
                                              : arith::CmpIPredicate::sge;
  return e.generic(
      x, init, {e.identity(rank), e.identity(rank)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value row = linalg::IndexOp::create(b, loc, rank - 2);
        Value column = linalg::IndexOp::create(b, loc, rank - 1);
        Value shift = arith::ConstantIndexOp::create(b, loc, diagonal);
        Value edge = arith::AddIOp::create(b, loc, row, shift);
        Value keep = arith::CmpIOp::create(b, loc, kept, column, edge);
        Value other = arith::ConstantOp::create(b, loc, fill);
        return arith::SelectOp::create(b, loc, keep, args[0], other);
      });
}

namespace {
struct LowerTriangle : OpRewritePattern<nn::TriangleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::TriangleOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Type type = getElementTypeOrSelf(op.getX());
    Value init = e.empty(e.getExtents(op.getX()), type);
    e.replaceWith(takeTriangle(e, op.getX(), init, op.getKind(),
                               op.getDiagonal(),
                               getNumber(rewriter, type, op.getFill())));
    return success();
  }
};

/// Factorizes a copy of the lower triangle.
struct LowerCholesky : OpRewritePattern<nn::CholeskyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::CholeskyOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    SmallVector<Extent> extents = e.getExtents(op.getA());
    int64_t rank = extents.size();
    extents[rank - 1] = e.expectEqual(extents[rank - 2], extents[rank - 1],
                                      "rows and columns of a");
    extents[rank - 2] = extents[rank - 1];
    Type type = getElementTypeOrSelf(op.getA());
    Value lower =
        takeTriangle(e, op.getA(), e.empty(extents, type),
                     nn::TriangleKind::lower, 0, rewriter.getZeroAttr(type));
    Value yes = e.fill({}, e.scalar(rewriter.getBoolAttr(true)));
    auto factors = linalg_ext::CholeskyOp::create(
        rewriter, e.loc, TypeRange{lower.getType(), yes.getType()}, lower, yes);
    e.expectSafely(tensor::ExtractOp::create(
                       rewriter, e.loc, factors.getResult(1), ValueRange()),
                   "Cholesky decomposition was not successful");
    // A check asks for the factors, so that no place that the step writes can
    // hold them yet.
    e.replaceWith(linalg::CopyOp::create(rewriter, e.loc, factors.getResult(0),
                                         e.empty(extents, type))
                      ->getResult(0));
    return success();
  }
};

struct LowerTriangularSolve : OpRewritePattern<nn::TriangularSolveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::TriangularSolveOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value a = op.getA(), b = op.getB();
    SmallVector<Extent> extents = e.getExtents(b);
    int64_t rank = extents.size();
    for (int64_t dim = 0; dim < rank - 1; ++dim)
      extents[dim] =
          e.expectEqual(extents[dim], e.getExtent(a, dim),
                        "extents of dimension " + Twine(dim) + " of a and b");
    e.expectEqual(extents[rank - 2], e.getExtent(a, rank - 1),
                  "rows and columns of a");
    // A destination of its own: b stays as it is.
    Value init =
        e.map(extents, getElementTypeOrSelf(b), b, {e.identity(rank)},
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    e.replaceWith(linalg_ext::TriangularSolveOp::create(
                      rewriter, e.loc, init.getType(), a, init,
                      op.getKind() == nn::TriangleKind::upper,
                      op.getTranspose(), op.getUnitDiagonal())
                      .getResult(0));
    return success();
  }
};
} // namespace

void flywheel::populateLinearAlgebraPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerTriangle, LowerCholesky, LowerTriangularSolve>(
      patterns.getContext());
}
