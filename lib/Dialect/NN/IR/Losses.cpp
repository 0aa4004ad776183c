//===- Losses.cpp - Losses ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult nn::verifyLossResult(Operation *op, Value result,
                                   LossReduction reduction,
                                   ArrayRef<int64_t> shape) {
  if (reduction != LossReduction::none)
    shape = {};
  return verifyResultShape(op, result, shape);
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyMinRank(*this, getLogits(), "logits", 2)) ||
      failed(verifyRank(*this, getLabels(), "labels",
                        tensorOf(getLogits()).getRank())))
    return failure();
  ArrayRef<int64_t> logits = tensorOf(getLogits()).getShape(),
                    labels = tensorOf(getLabels()).getShape();
  if (failed(verifySameExtents(*this, "rows of logits and labels",
                               logits.drop_back(), labels.drop_back())) ||
      failed(verifySameExtent(*this, "classes of logits and labels",
                              logits.back(), labels.back())))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(),
                          logits.drop_back());
}

LogicalResult SparseSoftmaxCrossEntropyOp::verify() {
  if (failed(verifyMinRank(*this, getLogits(), "logits", 2)) ||
      failed(verifyRank(*this, getLabel(), "label",
                        tensorOf(getLogits()).getRank() - 1)))
    return failure();
  RankedTensorType logits = tensorOf(getLogits());
  if (logits.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected a result of the logits' element type "
                         << logits.getElementType() << ", found "
                         << getResult().getType();
  if (getElementTypeOrSelf(getLabel()).isInteger(1))
    return emitOpError() << "expected integer labels, found "
                         << getLabel().getType();
  ArrayRef<int64_t> rows = logits.getShape().drop_back();
  if (failed(verifySameExtents(*this, "rows of logits and labels", rows,
                               tensorOf(getLabel()).getShape())))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(), rows);
}

LogicalResult SigmoidCrossEntropyOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getLabels(), "labels",
                        tensorOf(getLogits()).getRank())))
    return failure();
  ArrayRef<int64_t> shape = tensorOf(getLogits()).getShape();
  if (failed(verifySameExtents(*this, "extents of logits and labels", shape,
                               tensorOf(getLabels()).getShape())))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(), shape);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// The weight of each element of `like` in a loss over `rows`, the leading
/// dimensions of `like`: the cotangent `dy` of the loss, divided by the number
/// of rows for a mean, repeated to the shape of `like`.
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
  Term x = widen(b, loc, getLogits());
  Term z = widen(b, loc, buildCast(b, loc, getLabels(), getLogits().getType()));
  int64_t last = tensorOf(x).getRank() - 1;
  Term weights = x.with(buildRowWeights(b, loc, widen(b, loc, results[0]),
                                        getReduction(), last, x));
  if (needed[0]) {
    Term softmax = x.with(SoftmaxOp::create(b, loc, x.getType(), x));
    Value total = buildSum(b, loc, z, {last});
    Term totals = z.with(buildUnreduce(b, loc, total, {last}, false, x));
    operands[0] = roundTo(b, loc, (softmax * totals - z) * weights,
                          getLogits().getType());
  }
  if (needed[1]) {
    Term logSoftmax = x.with(LogSoftmaxOp::create(b, loc, x.getType(), x));
    operands[1] = roundTo(b, loc, -logSoftmax * weights, getLabels().getType());
  }
  return success();
}

/// 1 at the position of the label along the last dimension of `like`, 0
/// elsewhere: `nn.one_hot` of any number of classes.
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
  Term x = widen(b, loc, getLogits());
  int64_t last = tensorOf(x).getRank() - 1;
  Term weights = x.with(buildRowWeights(b, loc, widen(b, loc, results[0]),
                                        getReduction(), last, x));
  Term softmax = x.with(SoftmaxOp::create(b, loc, x.getType(), x));
  Term oneHot = x.with(buildOneHot(b, loc, getLabel(), x));
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
  Term x = widen(b, loc, logits), z = widen(b, loc, labels);
  Value dy = results[0];
  if (dy.getType() != logits.getType() && getReduction() == LossReduction::none)
    dy = tensor::CastOp::create(b, loc, logits.getType(), dy);
  Term weights =
      x.with(buildRowWeights(b, loc, widen(b, loc, dy), getReduction(),
                             tensorOf(logits).getRank(), x));
  if (needed[0]) {
    Term sigmoid = x.with(SigmoidOp::create(b, loc, x.getType(), x));
    operands[0] =
        roundTo(b, loc, (sigmoid - z) * weights, getLogits().getType());
  }
  if (needed[1])
    operands[1] = roundTo(b, loc, -(x * weights), getLabels().getType());
  return success();
}
