//===- LowerContractions.cpp - nn.matmul and nn.dense to linalg -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

/// Emits op(lhs) * op(rhs) in the compute type of the operands, a product for
/// each index of their leading dimensions.
static Value emitMatmul(LinalgEmitter &e, Value lhs, bool transposeLhs,
                        Value rhs, bool transposeRhs, const Twine &contracted) {
  Type type = e.getComputeType(getElementTypeOrSelf(lhs));
  // Loops: the leading dimensions, m, n and k.
  int64_t rank = cast<RankedTensorType>(lhs.getType()).getRank();
  int64_t m = rank - 2, n = rank - 1, k = rank;
  SmallVector<Extent> extents;
  for (int64_t dim = 0; dim < m; ++dim)
    extents.push_back(e.expectEqual(e.getExtent(lhs, dim),
                                    e.getExtent(rhs, dim),
                                    "leading extents of a and b"));
  extents.push_back(e.getExtent(lhs, transposeLhs ? n : m));
  extents.push_back(e.getExtent(rhs, transposeRhs ? m : n));
  e.expectEqual(e.getExtent(lhs, transposeLhs ? m : n),
                e.getExtent(rhs, transposeRhs ? n : m), contracted);
  Value zero = e.fill(extents, e.scalar(type, 0.0));

  auto mapOf = [&](int64_t row, int64_t column) {
    SmallVector<int64_t> dims = nn::identityDims(m);
    dims.append({row, column});
    return e.select(rank + 1, dims);
  };
  Attribute maps = e.b.getAffineMapArrayAttr(
      {transposeLhs ? mapOf(k, m) : mapOf(m, k),
       transposeRhs ? mapOf(n, k) : mapOf(k, n), mapOf(m, n)});
  // Named ops both: no elementwise op is drawn into their loops.
  if (rank > 2)
    return linalg::ContractOp::create(e.b, e.loc, TypeRange{zero.getType()},
                                      ValueRange{lhs, rhs}, ValueRange{zero},
                                      cast<ArrayAttr>(maps))
        .getResult(0);
  auto matmul =
      linalg::MatmulOp::create(e.b, e.loc, TypeRange{zero.getType()},
                               ValueRange{lhs, rhs}, ValueRange{zero});
  if (transposeLhs || transposeRhs)
    matmul.setIndexingMapsAttr(cast<ArrayAttr>(maps));
  return matmul.getResult(0);
}

namespace {
struct LowerMatmul : OpRewritePattern<nn::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value product =
        emitMatmul(e, op.getA(), op.getTransposeA(), op.getB(),
                   op.getTransposeB(), "contracted extents of a and b");
    e.replaceWith(e.narrowTensor(product, getElementTypeOrSelf(op.getA())));
    return success();
  }
};

/// Rows are collapsed to one dimension, which copies nothing. The bias is one
/// elementwise op after the product: with an activation that follows it fuses
/// into one epilogue.
struct LowerDense : OpRewritePattern<nn::DenseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::DenseOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value x = op.getX();
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    SmallVector<ReassociationIndices> groups(2);
    groups[0] = nn::identityDims(rank - 1);
    groups[1] = {rank - 1};
    if (rank > 2)
      x = tensor::CollapseShapeOp::create(rewriter, e.loc, x, groups);
    Value y = emitBias(e, op,
                       emitMatmul(e, x, false, op.getW(), false,
                                  "columns of x and rows of w"));
    if (rank > 2)
      y = expandRows(e, y, op.getX(), groups);
    e.replaceWith(y);
    return success();
  }

private:
  /// Adds the bias, if there is one, to the product and rounds.
  static Value emitBias(LinalgEmitter &e, nn::DenseOp op, Value product) {
    Type type = getElementTypeOrSelf(op.getX());
    Value bias = op.getB();
    if (!bias)
      return e.narrowTensor(product, type);
    Type compute = e.getComputeType(type);
    e.expectEqual(e.getExtent(product, 1), e.getExtent(bias, 0),
                  "columns of w and elements of b");
    return e.map(e.getExtents(product), type, {product, bias},
                 {e.identity(2), e.select(2, {1})},
                 [&](OpBuilder &b, Location loc, ValueRange args) {
                   Value sum = arith::AddFOp::create(
                       b, loc, args[0], widen(b, loc, args[1], compute));
                   return narrow(b, loc, sum, type);
                 });
  }

  /// The rows of the matrix `y` in the leading dimensions of `like`.
  static Value expandRows(LinalgEmitter &e, Value y, Value like,
                          ArrayRef<ReassociationIndices> groups) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(like.getType()).getShape());
    shape.back() = cast<RankedTensorType>(y.getType()).getDimSize(1);
    SmallVector<Extent> extents = e.getExtents(like);
    extents.back() = e.getExtent(y, 1);
    return e.expand(y, RankedTensorType::get(shape, getElementTypeOrSelf(y)),
                    groups, extents);
  }
};
} // namespace

void flywheel::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMatmul, LowerDense>(patterns.getContext());
}
