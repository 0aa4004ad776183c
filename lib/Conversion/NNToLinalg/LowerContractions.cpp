//===- LowerContractions.cpp - nn.matmul and nn.dense to linalg -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace flywheel;

/// Emits op(lhs) * op(rhs) in the compute type of the operands.
static Value emitMatmul(LinalgEmitter &e, Value lhs, bool transposeLhs,
                        Value rhs, bool transposeRhs, const Twine &contracted) {
  Type type = e.getComputeType(getElementTypeOrSelf(lhs));
  Extent m = e.getExtent(lhs, transposeLhs ? 1 : 0);
  Extent n = e.getExtent(rhs, transposeRhs ? 0 : 1);
  e.expectEqual(e.getExtent(lhs, transposeLhs ? 0 : 1),
                e.getExtent(rhs, transposeRhs ? 1 : 0), contracted);
  Value zero = e.fill({m, n}, e.scalar(type, 0.0));
  auto matmul =
      linalg::MatmulOp::create(e.b, e.loc, TypeRange{zero.getType()},
                               ValueRange{lhs, rhs}, ValueRange{zero});
  if (transposeLhs || transposeRhs) {
    SmallVector<AffineMap> maps = {
        transposeLhs ? e.select(3, {2, 0}) : e.select(3, {0, 2}),
        transposeRhs ? e.select(3, {1, 2}) : e.select(3, {2, 1}),
        e.select(3, {0, 1})};
    matmul.setIndexingMapsAttr(e.b.getAffineMapArrayAttr(maps));
  }
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

/// The bias is one elementwise op after the product: with an activation that
/// follows it fuses into one epilogue.
struct LowerDense : OpRewritePattern<nn::DenseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::DenseOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value product = emitMatmul(e, op.getX(), false, op.getW(), false,
                               "columns of x and rows of w");
    Extent columns = e.getExtent(product, 1);
    e.expectEqual(columns, e.getExtent(op.getB(), 0),
                  "columns of w and elements of b");
    Type type = getElementTypeOrSelf(op.getX());
    Type compute = e.getComputeType(type);
    e.replaceWith(e.map(e.getExtents(product), type, {product, op.getB()},
                        {e.identity(2), e.select(2, {1})},
                        [&](OpBuilder &b, Location loc, ValueRange args) {
                          Value bias = widen(b, loc, args[1], compute);
                          Value sum =
                              arith::AddFOp::create(b, loc, args[0], bias);
                          return narrow(b, loc, sum, type);
                        }));
    return success();
  }
};
} // namespace

void flywheel::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMatmul, LowerDense>(patterns.getContext());
}
