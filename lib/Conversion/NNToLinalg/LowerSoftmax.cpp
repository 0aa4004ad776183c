//===- LowerSoftmax.cpp - Softmax and cross entropies to linalg -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With m = max x and s = sum exp(x - m) over the last dimension:
//
//   softmax(x)     = exp(x - m) / s
//   log softmax(x) = (x - m) - log s
//
// No exponential overflows, and s >= 1. The ops for m, exp(x - m) and s are the
// same whoever asks, so that CSE leaves one copy for a loss and its gradient.
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace flywheel;
using nn::LossReduction;

namespace {
/// What softmax and its logarithm are made of, in the compute type.
struct SoftmaxParts {
  /// All but the last extent.
  SmallVector<Extent> rows;
  /// From a point of the tensor to its row.
  AffineMap toRow;
  Value max, exps, sum;
};
} // namespace

static SoftmaxParts emitSoftmaxParts(LinalgEmitter &e, Value x) {
  SmallVector<Extent> extents = e.getExtents(x);
  int64_t rank = extents.size();
  Type type = e.getComputeType(getElementTypeOrSelf(x));
  AffineMap all = e.identity(rank);
  SoftmaxParts parts;
  parts.rows.assign(extents.begin(), std::prev(extents.end()));
  parts.toRow = all.dropResult(rank - 1);
  Value lowest = e.scalar(type, -std::numeric_limits<double>::infinity());
  parts.max =
      e.generic(x, e.fill(parts.rows, lowest), {all, parts.toRow},
                [&](OpBuilder &b, Location loc, ValueRange args) {
                  Value value = widen(b, loc, args[0], type);
                  return arith::MaximumFOp::create(b, loc, args[1], value);
                });
  parts.exps = e.map(extents, type, {x, parts.max}, {all, parts.toRow},
                     [&](OpBuilder &b, Location loc, ValueRange args) {
                       Value value = widen(b, loc, args[0], type);
                       Value shifted =
                           arith::SubFOp::create(b, loc, value, args[1]);
                       return math::ExpOp::create(b, loc, shifted);
                     });
  parts.sum = e.generic(
      parts.exps, e.fill(parts.rows, e.scalar(type, 0.0)), {all, parts.toRow},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return arith::AddFOp::create(b, loc, args[1], args[0]);
      });
  return parts;
}

/// Reduces one loss a row, in the compute type, as the op asks, and rounds.
static Value reduceLoss(LinalgEmitter &e, Value losses, LossReduction reduction,
                        Type type) {
  Type compute = getElementTypeOrSelf(losses);
  SmallVector<Extent> rows = e.getExtents(losses);
  if (reduction != LossReduction::none)
    losses = e.generic(losses, e.fill({}, e.scalar(compute, 0.0)),
                       {e.identity(1), e.select(1, {})},
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return arith::AddFOp::create(b, loc, args[1], args[0]);
                       });
  bool isMean = reduction == LossReduction::mean;
  if (!isMean && compute == type)
    return losses;
  Value count = isMean ? e.countOf(rows, compute) : Value();
  SmallVector<Extent> extents = e.getExtents(losses);
  return e.map(extents, type, losses, {e.identity(extents.size())},
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 Value total = args[0];
                 if (isMean)
                   total = arith::DivFOp::create(b, loc, total, count);
                 return narrow(b, loc, total, type);
               });
}

namespace {
struct LowerSoftmax : OpRewritePattern<nn::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    SoftmaxParts parts = emitSoftmaxParts(e, op.getX());
    Type type = getElementTypeOrSelf(op.getX());
    SmallVector<Extent> extents = e.getExtents(op.getX());
    e.replaceWith(e.map(extents, type, {parts.exps, parts.sum},
                        {e.identity(extents.size()), parts.toRow},
                        [&](OpBuilder &b, Location loc, ValueRange args) {
                          Value share =
                              arith::DivFOp::create(b, loc, args[0], args[1]);
                          return narrow(b, loc, share, type);
                        }));
    return success();
  }
};

/// A row's loss is sum_c labels[c] (log s - (x[c] - m)).
struct LowerSoftmaxCrossEntropy : OpRewritePattern<nn::SoftmaxCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SoftmaxCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value x = op.getLogits(), labels = op.getLabels();
    e.expectEqual(e.getExtent(x, 0), e.getExtent(labels, 0),
                  "rows of logits and labels");
    e.expectEqual(e.getExtent(x, 1), e.getExtent(labels, 1),
                  "classes of logits and labels");
    Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
    SoftmaxParts parts = emitSoftmaxParts(e, x);
    Value logSum = e.map(parts.rows, compute, parts.sum, {e.identity(1)},
                         [](OpBuilder &b, Location loc, ValueRange args) {
                           return math::LogOp::create(b, loc, args[0]);
                         });
    Value losses = e.generic(
        {x, labels, parts.max, logSum},
        e.fill(parts.rows, e.scalar(compute, 0.0)),
        {e.identity(2), e.identity(2), parts.toRow, parts.toRow, parts.toRow},
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value logit = widen(b, loc, args[0], compute);
          Value label = widen(b, loc, args[1], compute);
          Value shifted = arith::SubFOp::create(b, loc, logit, args[2]);
          Value rest = arith::SubFOp::create(b, loc, args[3], shifted);
          Value loss = arith::MulFOp::create(b, loc, label, rest);
          return arith::AddFOp::create(b, loc, args[4], loss);
        });
    e.replaceWith(reduceLoss(e, losses, op.getReduction(), type));
    return success();
  }
};

/// A row's loss is log s - (x[label] - m).
struct LowerSparseSoftmaxCrossEntropy
    : OpRewritePattern<nn::SparseSoftmaxCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SparseSoftmaxCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value x = op.getLogits(), label = op.getLabel();
    e.expectEqual(e.getExtent(x, 0), e.getExtent(label, 0),
                  "rows of logits and labels");
    e.expectInRange(label, e.getExtent(x, 1), "label", "classes");
    Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
    SoftmaxParts parts = emitSoftmaxParts(e, x);
    // Picks by comparison: one term of the sum is not 0.
    Value zero = e.scalar(compute, 0.0);
    Value picked = e.generic(
        {x, label, parts.max}, e.fill(parts.rows, zero),
        {e.identity(2), parts.toRow, parts.toRow, parts.toRow},
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value logit = widen(b, loc, args[0], compute);
          Value shifted = arith::SubFOp::create(b, loc, logit, args[2]);
          Value wanted =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), args[1]);
          Value here = linalg::IndexOp::create(b, loc, 1);
          Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            here, wanted);
          Value term = arith::SelectOp::create(b, loc, hit, shifted, zero);
          return arith::AddFOp::create(b, loc, args[3], term);
        });
    Value losses = e.map(parts.rows, compute, {parts.sum, picked},
                         {e.identity(1), e.identity(1)},
                         [](OpBuilder &b, Location loc, ValueRange args) {
                           Value log = math::LogOp::create(b, loc, args[0]);
                           return arith::SubFOp::create(b, loc, log, args[1]);
                         });
    e.replaceWith(reduceLoss(e, losses, op.getReduction(), type));
    return success();
  }
};
} // namespace

void flywheel::populateSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSoftmax, LowerSoftmaxCrossEntropy,
               LowerSparseSoftmaxCrossEntropy>(patterns.getContext());
}
