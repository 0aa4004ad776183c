//===- CrossEntropies.cpp - Losses of logits ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"
#include "SoftmaxParts.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/LabelChecks.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult SparseSoftmaxCrossEntropyOp::verify() {
  RankedTensorType logits = tensorOf(getLogits());
  if (logits.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected a result of the logits' element type "
                         << logits.getElementType() << ", found "
                         << getResult().getType();
  if (getElementTypeOrSelf(getLabel()).isInteger(1))
    return emitOpError() << "expected integer labels, found "
                         << getLabel().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Returns the cost of the mean or the sum of `numLosses` losses.
static CostExpr countReduction(const CostExpr &numLosses,
                               LossReduction reduction) {
  switch (reduction) {
  case LossReduction::none:
    return CostExpr();
  case LossReduction::mean:
    return numLosses;
  case LossReduction::sum:
    return numLosses - CostExpr::constant(1);
  }
  llvm_unreachable("unknown reduction");
}

static CostExpr countRows(Value logits, CostSizes &sizes) {
  CostExpr rows = CostExpr::constant(1);
  for (int64_t dim = 0; dim < tensorOf(logits).getRank() - 1; ++dim)
    rows = rows * sizes.getSize(logits, dim);
  return rows;
}

/// Counts the softmax, the product with the labels, its sum and the sign.
CostExpr SoftmaxCrossEntropyOp::countFlops(CostSizes &sizes) {
  return sizes.getNumElements(getLogits()) * CostExpr::constant(7) +
         countReduction(countRows(getLogits(), sizes), getReduction());
}

/// Counts the softmax, and the sign of one number for each row.
CostExpr SparseSoftmaxCrossEntropyOp::countFlops(CostSizes &sizes) {
  CostExpr rows = countRows(getLogits(), sizes);
  return sizes.getNumElements(getLogits()) * CostExpr::constant(5) + rows +
         countReduction(rows, getReduction());
}

/// Counts the ops of the formula: max, x z, -, abs, -, exp, log1p, +.
CostExpr SigmoidCrossEntropyOp::countFlops(CostSizes &sizes) {
  CostExpr elements = sizes.getNumElements(getLogits());
  return elements * CostExpr::constant(8) +
         countReduction(elements, getReduction());
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// Builds the weight of each element of `like` in a loss over `rows`, the
/// leading dimensions of `like`: the cotangent `dy` of the loss, divided by the
/// number of rows for a mean, repeated to the shape of `like`.
static Value buildRowWeights(OpBuilder &b, Location loc, Value dy,
                             LossReduction reduction, int64_t rows,
                             Value like) {
  SmallVector<int64_t> dims = identityDims(rows);
  if (reduction == LossReduction::none)
    return rows == tensorOf(like).getRank()
               ? dy
               : buildBroadcast(b, loc, dy, dims, like);
  if (reduction == LossReduction::mean) {
    Value count = buildCount(b, loc, like, dims, floatOf(dy));
    dy = arith::DivFOp::create(b, loc, dy, count);
  }
  return buildBroadcast(b, loc, dy, {}, like);
}

LogicalResult SoftmaxCrossEntropyOp::emitVjp(OpBuilder &b,
                                             ArrayRef<Value> results,
                                             ArrayRef<bool> needed,
                                             MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  ElementwiseExpr x = widen(b, loc, getLogits());
  ElementwiseExpr z =
      widen(b, loc, buildCast(b, loc, getLabels(), getLogits().getType()));
  int64_t last = tensorOf(x).getRank() - 1;
  ElementwiseExpr weights = x.with(buildRowWeights(
      b, loc, widen(b, loc, results[0]), getReduction(), last, x));
  if (needed[0]) {
    ElementwiseExpr softmax = x.with(SoftmaxOp::create(b, loc, x.getType(), x));
    Value total = buildSum(b, loc, z, {last});
    ElementwiseExpr totals =
        z.with(buildUnreduce(b, loc, total, {last}, false, x));
    operands[0] = roundTo(b, loc, (softmax * totals - z) * weights,
                          getLogits().getType());
  }
  if (needed[1]) {
    ElementwiseExpr logSoftmax =
        x.with(LogSoftmaxOp::create(b, loc, x.getType(), x));
    operands[1] = roundTo(b, loc, -logSoftmax * weights, getLabels().getType());
  }
  return success();
}

/// Builds 1 at the position of the label along the last dimension of `like`,
/// and 0 elsewhere: `nn.one_hot` of any number of classes.
static Value buildOneHot(OpBuilder &b, Location loc, Value label, Value like) {
  RankedTensorType type = tensorOf(like).clone(b.getI64Type());
  int64_t last = type.getRank() - 1;
  if (!getElementTypeOrSelf(label).isInteger(64))
    label = arith::ExtSIOp::create(
        b, loc, tensorOf(label).clone(b.getI64Type()), label);
  Value labels = buildBroadcast(b, loc, label, identityDims(last), like);
  Value shape = type.hasStaticShape() ? Value() : like;
  Value classes = IotaOp::create(b, loc, type, shape, last);
  Value isHit =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, classes, labels);
  return arith::SelectOp::create(b, loc, isHit, buildSplat(b, loc, like, 1.0),
                                 buildSplat(b, loc, like, 0.0));
}

LogicalResult
SparseSoftmaxCrossEntropyOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                     ArrayRef<bool> needed,
                                     MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  if (!needed[0])
    return success();
  // softmax - one_hot(label), each row weighted.
  ElementwiseExpr x = widen(b, loc, getLogits());
  int64_t last = tensorOf(x).getRank() - 1;
  ElementwiseExpr weights = x.with(buildRowWeights(
      b, loc, widen(b, loc, results[0]), getReduction(), last, x));
  ElementwiseExpr softmax = x.with(SoftmaxOp::create(b, loc, x.getType(), x));
  ElementwiseExpr oneHot = x.with(buildOneHot(b, loc, getLabel(), x));
  operands[0] =
      roundTo(b, loc, (softmax - oneHot) * weights, getLogits().getType());
  return success();
}

LogicalResult SigmoidCrossEntropyOp::emitVjp(OpBuilder &b,
                                             ArrayRef<Value> results,
                                             ArrayRef<bool> needed,
                                             MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  auto [logits, labels] = castToCommonType(b, loc, getLogits(), getLabels());
  ElementwiseExpr x = widen(b, loc, logits), z = widen(b, loc, labels);
  Value dy = results[0];
  if (dy.getType() != logits.getType() && getReduction() == LossReduction::none)
    dy = tensor::CastOp::create(b, loc, logits.getType(), dy);
  ElementwiseExpr weights =
      x.with(buildRowWeights(b, loc, widen(b, loc, dy), getReduction(),
                             tensorOf(logits).getRank(), x));
  if (needed[0]) {
    ElementwiseExpr sigmoid = x.with(SigmoidOp::create(b, loc, x.getType(), x));
    operands[0] =
        roundTo(b, loc, (sigmoid - z) * weights, getLogits().getType());
  }
  if (needed[1])
    operands[1] = roundTo(b, loc, -(x * weights), getLabels().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// Batches a loss as one loss with an element for each row, or element, of all
/// positions, which is reduced for each position.
template <typename OpTy>
static LogicalResult batchLoss(OpTy op, Batcher &batcher) {
  OpBuilder &b = batcher.getBuilder();
  Location loc = op.getLoc();
  Value logits = batcher.getDense(loc, op->getOperand(0));
  Value labels = batcher.getDense(loc, op->getOperand(1));
  bool isElementwise = std::is_same_v<OpTy, SigmoidCrossEntropyOp>;
  RankedTensorType type = tensorOf(logits);
  auto lossType = RankedTensorType::get(
      type.getShape().drop_back(isElementwise ? 0 : 1), type.getElementType());
  Value losses =
      OpTy::create(b, loc, lossType, logits, labels, LossReduction::none);
  if (op.getReduction() != LossReduction::none) {
    bool isMean = op.getReduction() == LossReduction::mean;
    SmallVector<int64_t> axes = identityDims(tensorOf(losses).getRank());
    axes.erase(axes.begin());
    losses = ReduceOp::create(b, loc, batcher.getDenseType(op.getType()),
                              isMean ? ReductionKind::mean : ReductionKind::sum,
                              losses, axes, /*keepdims=*/false);
  }
  batcher.setDense(op, losses);
  return success();
}

LogicalResult SoftmaxCrossEntropyOp::emitBatched(Batcher &batcher) {
  return batchLoss(*this, batcher);
}

LogicalResult SparseSoftmaxCrossEntropyOp::emitBatched(Batcher &batcher) {
  return batchLoss(*this, batcher);
}

LogicalResult SigmoidCrossEntropyOp::emitBatched(Batcher &batcher) {
  return batchLoss(*this, batcher);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Reduces losses, in the compute type, as the op asks, and rounds.
static Value reduceLoss(LinalgEmitter &e, Value losses, LossReduction reduction,
                        Type type) {
  Type compute = getElementTypeOrSelf(losses);
  SmallVector<DimSize> rows = e.getDimSizes(losses);
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
  SmallVector<DimSize> dimSizes = e.getDimSizes(losses);
  return e.map(dimSizes, type, losses, {e.identity(dimSizes.size())},
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 Value total = args[0];
                 if (isMean)
                   total = arith::DivFOp::create(b, loc, total, count);
                 return narrow(b, loc, total, type);
               });
}

/// Emits the loss of each row, sum_c labels[c] (log s - (x[c] - m)).
LogicalResult SoftmaxCrossEntropyOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = getLogits(), labels = getLabels();
  int64_t last = tensorOf(x).getRank() - 1;
  AffineMap all = e.identity(last + 1);
  Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
  SoftmaxParts parts = emitSoftmaxParts(e, x, emitRowMax(e, x));
  Value logSum = emitLogSum(e, parts);
  Value losses =
      e.generic({x, labels, parts.max, logSum},
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
  e.replaceWith(reduceLoss(e, losses, getReduction(), type));
  return success();
}

void flywheel::nn::expectLabels(LinalgEmitter &e,
                                SparseSoftmaxCrossEntropyOp loss) {
  Value x = loss.getLogits();
  e.expectInRange(loss.getLabel(), e.getDimSize(x, tensorOf(x).getRank() - 1),
                  "label");
}

/// Emits the loss of each row, log s - (x[label] - m).
LogicalResult SparseSoftmaxCrossEntropyOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = getLogits(), label = getLabel();
  int64_t last = tensorOf(x).getRank() - 1;
  expectLabels(e, *this);
  Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
  Value max = emitRowMax(e, x);
  SmallVector<DimSize> rows = e.getDimSizes(max);
  AffineMap all = e.identity(last + 1), toRow = all.dropResult(last);
  // Picks by comparison: one term of the sum is not 0.
  Value zero = e.scalar(compute, 0.0);
  Value picked = e.generic(
      {x, label, max}, e.fill(rows, zero), {all, toRow, toRow, toRow},
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
  SoftmaxParts parts = emitSoftmaxParts(e, x, max);
  Value losses = e.map(rows, compute, {parts.sum, picked},
                       {e.identity(last), e.identity(last)},
                       [](OpBuilder &b, Location loc, ValueRange args) {
                         Value log = math::LogOp::create(b, loc, args[0]);
                         return arith::SubFOp::create(b, loc, log, args[1]);
                       });
  e.replaceWith(reduceLoss(e, losses, getReduction(), type));
  return success();
}

/// Emits the loss of each element, max(x, 0) - x z + log(1 + exp(-|x|)).
LogicalResult SigmoidCrossEntropyOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = getLogits(), labels = getLabels();
  SmallVector<DimSize> dimSizes = e.getDimSizes(x);
  int64_t rank = dimSizes.size();
  Type type = getElementTypeOrSelf(x), compute = e.getComputeType(type);
  Value zero = e.scalar(compute, 0.0);
  Value losses = e.map(
      dimSizes, compute, {x, labels}, {e.identity(rank), e.identity(rank)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value logit = widen(b, loc, args[0], compute);
        Value label = widen(b, loc, args[1], compute);
        Value hinge = arith::MaximumFOp::create(b, loc, logit, zero);
        Value product = arith::MulFOp::create(b, loc, logit, label);
        Value away =
            arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, logit));
        Value rest =
            math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, away));
        Value linear = arith::SubFOp::create(b, loc, hinge, product);
        return arith::AddFOp::create(b, loc, linear, rest);
      });
  e.replaceWith(reduceLoss(e, losses, getReduction(), type));
  return success();
}
