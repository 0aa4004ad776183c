//===- Losses.cpp - Losses ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks the result of a loss over rows: [batch], or a scalar.
static LogicalResult verifyLossResult(Operation *op, Value result,
                                      LossReduction reduction, int64_t batch) {
  if (reduction == LossReduction::none)
    return verifyResultShape(op, result, {batch});
  return verifyResultShape(op, result, {});
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getLogits(), "logits", 2)) ||
      failed(verifyRank(*this, getLabels(), "labels", 2)))
    return failure();
  RankedTensorType logits = tensorOf(getLogits()),
                   labels = tensorOf(getLabels());
  if (failed(verifySameExtent(*this, "rows of logits and labels",
                              logits.getDimSize(0), labels.getDimSize(0))) ||
      failed(verifySameExtent(*this, "classes of logits and labels",
                              logits.getDimSize(1), labels.getDimSize(1))))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(),
                          logits.getDimSize(0));
}

LogicalResult SparseSoftmaxCrossEntropyOp::verify() {
  if (failed(verifyRank(*this, getLogits(), "logits", 2)) ||
      failed(verifyRank(*this, getLabel(), "label", 1)))
    return failure();
  RankedTensorType logits = tensorOf(getLogits());
  if (logits.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected a result of the logits' element type "
                         << logits.getElementType() << ", found "
                         << getResult().getType();
  if (getElementTypeOrSelf(getLabel()).isInteger(1))
    return emitOpError() << "expected integer labels, found "
                         << getLabel().getType();
  if (failed(verifySameExtent(*this, "rows of logits and labels",
                              logits.getDimSize(0),
                              tensorOf(getLabel()).getDimSize(0))))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(),
                          logits.getDimSize(0));
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// The weight of each element of `logits` in a loss over rows: the cotangent
/// `dy` of the loss, divided by the batch for a mean, repeated to [batch,
/// classes].
static Value buildRowWeights(OpBuilder &b, Location loc, Value dy,
                             LossReduction reduction, Value logits) {
  if (reduction == LossReduction::none)
    return buildBroadcast(b, loc, dy, {0}, logits);
  if (reduction == LossReduction::mean) {
    Value batch = buildCount(b, loc, logits, {0}, floatOf(dy));
    dy = arith::DivFOp::create(b, loc, dy, batch);
  }
  return buildBroadcast(b, loc, dy, {}, logits);
}

/// log(softmax(logits)) over the last dimension, without overflow.
static Value buildLogSoftmax(OpBuilder &b, Location loc, Value logits) {
  RankedTensorType type = tensorOf(logits);
  int64_t last = type.getRank() - 1;
  auto rowType =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  Value max = ReduceOp::create(b, loc, rowType, ReductionKind::max, logits,
                               ArrayRef<int64_t>(last), /*keepdims=*/false);
  Value shifted = arith::SubFOp::create(
      b, loc, logits, buildUnreduce(b, loc, max, {last}, false, logits));
  Value sum = buildSum(b, loc, math::ExpOp::create(b, loc, shifted), {last});
  Value log = math::LogOp::create(b, loc, sum);
  return arith::SubFOp::create(
      b, loc, shifted, buildUnreduce(b, loc, log, {last}, false, logits));
}

LogicalResult SoftmaxCrossEntropyOp::emitVjp(OpBuilder &b,
                                             ArrayRef<Value> results,
                                             ArrayRef<bool> needed,
                                             MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value logits = getLogits(), labels = getLabels();
  Value weights = buildRowWeights(b, loc, results[0], getReduction(), logits);
  if (needed[0]) {
    Value softmax = SoftmaxOp::create(b, loc, logits.getType(), logits);
    Value total = buildSum(b, loc, labels, {1});
    Value scaled = arith::MulFOp::create(
        b, loc, softmax, buildUnreduce(b, loc, total, {1}, false, logits));
    if (labels.getType() != logits.getType())
      labels = tensor::CastOp::create(b, loc, logits.getType(), labels);
    Value difference = arith::SubFOp::create(b, loc, scaled, labels);
    operands[0] = arith::MulFOp::create(b, loc, difference, weights);
  }
  if (needed[1]) {
    Value negated =
        arith::NegFOp::create(b, loc, buildLogSoftmax(b, loc, logits));
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
  if (type.isDynamicDim(1))
    return emitOpError() << "expected a static number of classes to "
                            "differentiate, found logits of type "
                         << type;
  // softmax - one_hot(label), each row weighted.
  Value weights = buildRowWeights(b, loc, results[0], getReduction(), logits);
  Value softmax = SoftmaxOp::create(b, loc, type, logits);
  Value oneHot = OneHotOp::create(b, loc, type, getLabel());
  Value difference = arith::SubFOp::create(b, loc, softmax, oneHot);
  operands[0] = arith::MulFOp::create(b, loc, difference, weights);
  return success();
}
