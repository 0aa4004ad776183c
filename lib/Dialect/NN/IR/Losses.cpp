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
  Value logits = getLogits(), labels = getLabels();
  int64_t last = tensorOf(logits).getRank() - 1;
  Value weights =
      buildRowWeights(b, loc, results[0], getReduction(), last, logits);
  if (needed[0]) {
    Value softmax = SoftmaxOp::create(b, loc, logits.getType(), logits);
    Value total = buildSum(b, loc, labels, {last});
    Value scaled = arith::MulFOp::create(
        b, loc, softmax, buildUnreduce(b, loc, total, {last}, false, logits));
    if (labels.getType() != logits.getType())
      labels = tensor::CastOp::create(b, loc, logits.getType(), labels);
    Value difference = arith::SubFOp::create(b, loc, scaled, labels);
    operands[0] = arith::MulFOp::create(b, loc, difference, weights);
  }
  if (needed[1]) {
    Value negated = arith::NegFOp::create(
        b, loc, LogSoftmaxOp::create(b, loc, logits.getType(), logits));
    Value cotangent = arith::MulFOp::create(b, loc, negated, weights);
    if (getLabels().getType() != cotangent.getType())
      cotangent =
          tensor::CastOp::create(b, loc, getLabels().getType(), cotangent);
    operands[1] = cotangent;
  }
  return success();
}

LogicalResult
SparseSoftmaxCrossEntropyOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                     ArrayRef<bool> needed,
                                     MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value logits = getLogits();
  if (!needed[0])
    return success();
  RankedTensorType type = tensorOf(logits);
  int64_t last = type.getRank() - 1;
  if (type.isDynamicDim(last))
    return emitOpError() << "expected a static number of classes to "
                            "differentiate, found logits of type "
                         << type;
  // softmax - one_hot(label), each row weighted.
  Value weights =
      buildRowWeights(b, loc, results[0], getReduction(), last, logits);
  Value softmax = SoftmaxOp::create(b, loc, type, logits);
  Value oneHot = OneHotOp::create(b, loc, type, getLabel());
  Value difference = arith::SubFOp::create(b, loc, softmax, oneHot);
  operands[0] = arith::MulFOp::create(b, loc, difference, weights);
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
