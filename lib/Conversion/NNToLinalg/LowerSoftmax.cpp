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

/// log s of each row.
static Value emitLogSum(LinalgEmitter &e, const SoftmaxParts &parts) {
  return e.map(parts.rows, getElementTypeOrSelf(parts.sum), parts.sum,
               {e.identity(parts.rows.size())},
               [](OpBuilder &b, Location loc, ValueRange args) {
                 return math::LogOp::create(b, loc, args[0]);
               });
}

/// Reduces losses, in the compute type, as the op asks, and rounds.
static Value reduceLoss(LinalgEmitter &e, Value losses, LossReduction reduction,
                        Type type) {
  Type compute = getElementTypeOrSelf(losses);
  SmallVector<Extent> rows = e.getExtents(losses);
  if (reduction != LossReduction::none)
    losses = e.generic(losses, e.fill({}, e.scalar(compute, 0.0)),
                       {e.identity(rows.size()), e.select(rows.size(), {})},
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

/// Checks the extents of the rows of logits and labels, and returns the
/// dimension after them, that of the classes.
static int64_t expectRows(LinalgEmitter &e, Value logits, Value labels) {
  int64_t last = cast<RankedTensorType>(logits.getType()).getRank() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    e.expectEqual(e.getExtent(logits, dim), e.getExtent(labels, dim),
                  "rows of logits and labels");
  return last;
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

struct LowerLogSoftmax : OpRewritePattern<nn::LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::LogSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    SoftmaxParts parts = emitSoftmaxParts(e, op.getX());
    Value logSum = emitLogSum(e, parts);
    Type type = getElementTypeOrSelf(op.getX());
    Type compute = e.getComputeType(type);
    SmallVector<Extent> extents = e.getExtents(op.getX());
    e.replaceWith(e.map(extents, type, {op.getX(), parts.max, logSum},
                        {e.identity(extents.size()), parts.toRow, parts.toRow},
                        [&](OpBuilder &b, Location loc, ValueRange args) {
                          Value x = widen(b, loc, args[0], compute);
                          Value shifted =
                              arith::SubFOp::create(b, loc, x, args[1]);
                          Value log =
                              arith::SubFOp::create(b, loc, shifted, args[2]);
                          return narrow(b, loc, log, type);
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
    int64_t last = expectRows(e, x, labels);
    e.expectEqual(e.getExtent(x, last), e.getExtent(labels, last),
                  "classes of logits and labels");
    AffineMap all = e.identity(last + 1);
    Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
    SoftmaxParts parts = emitSoftmaxParts(e, x);
    Value logSum = emitLogSum(e, parts);
    Value losses = e.generic(
        {x, labels, parts.max, logSum},
        e.fill(parts.rows, e.scalar(compute, 0.0)),
        {all, all, parts.toRow, parts.toRow, parts.toRow},
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
    int64_t last = expectRows(e, x, label);
    e.expectInRange(label, e.getExtent(x, last), "label");
    Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
    SoftmaxParts parts = emitSoftmaxParts(e, x);
    // Picks by comparison: one term of the sum is not 0.
    Value zero = e.scalar(compute, 0.0);
    Value picked = e.generic(
        {x, label, parts.max}, e.fill(parts.rows, zero),
        {e.identity(last + 1), parts.toRow, parts.toRow, parts.toRow},
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value logit = widen(b, loc, args[0], compute);
          Value shifted = arith::SubFOp::create(b, loc, logit, args[2]);
          Value wanted =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), args[1]);
          Value here = linalg::IndexOp::create(b, loc, last);
          Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            here, wanted);
          Value term = arith::SelectOp::create(b, loc, hit, shifted, zero);
          return arith::AddFOp::create(b, loc, args[3], term);
        });
    Value losses = e.map(parts.rows, compute, {parts.sum, picked},
                         {e.identity(last), e.identity(last)},
                         [](OpBuilder &b, Location loc, ValueRange args) {
                           Value log = math::LogOp::create(b, loc, args[0]);
                           return arith::SubFOp::create(b, loc, log, args[1]);
                         });
    e.replaceWith(reduceLoss(e, losses, op.getReduction(), type));
    return success();
  }
};

/// An element's loss is max(x, 0) - x z + log(1 + exp(-|x|)).
struct LowerSigmoidCrossEntropy : OpRewritePattern<nn::SigmoidCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SigmoidCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    Value x = op.getLogits(), labels = op.getLabels();
    SmallVector<Extent> extents = e.getExtents(x);
    int64_t rank = extents.size();
    for (auto [dim, extent] : llvm::enumerate(extents))
      extent = e.expectEqual(extent, e.getExtent(labels, dim),
                             "extents of logits and labels");
    Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
    Value zero = e.scalar(compute, 0.0);
    Value losses = e.map(
        extents, compute, {x, labels}, {e.identity(rank), e.identity(rank)},
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value logit = widen(b, loc, args[0], compute);
          Value label = widen(b, loc, args[1], compute);
          Value hinge = arith::MaximumFOp::create(b, loc, logit, zero);
          Value product = arith::MulFOp::create(b, loc, logit, label);
          Value away = arith::NegFOp::create(
              b, loc, math::AbsFOp::create(b, loc, logit));
          Value rest =
              math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, away));
          Value linear = arith::SubFOp::create(b, loc, hinge, product);
          return arith::AddFOp::create(b, loc, linear, rest);
        });
    e.replaceWith(reduceLoss(e, losses, op.getReduction(), type));
    return success();
  }
};
} // namespace

void flywheel::populateSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSoftmax, LowerLogSoftmax, LowerSoftmaxCrossEntropy,
               LowerSparseSoftmaxCrossEntropy, LowerSigmoidCrossEntropy>(
      patterns.getContext());
}
