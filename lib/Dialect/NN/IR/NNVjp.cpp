//===- NNVjp.cpp - Vector-Jacobian products of the nn dialect -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule is written for `dy`, the cotangent of the op's only result. A
// cotangent is declared with the type of its operand, which may know more or
// less about the extents than what the rule computes it from.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace flywheel::nn;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static FloatType floatOf(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  Value dy = results[0], lhs = getA(), rhs = getB();
  bool ta = getTransposeA(), tb = getTransposeB();
  // With A = op(a), B = op(b): dA = dy B^T and dB = A^T dy, each transposed
  // once more where the operand is.
  if (needed[0])
    operands[0] =
        ta ? buildMatmul(b, getLoc(), lhs.getType(), rhs, tb, dy, true)
           : buildMatmul(b, getLoc(), lhs.getType(), dy, false, rhs, !tb);
  if (needed[1])
    operands[1] =
        tb ? buildMatmul(b, getLoc(), rhs.getType(), dy, true, lhs, ta)
           : buildMatmul(b, getLoc(), rhs.getType(), lhs, !ta, dy, false);
  return success();
}

LogicalResult DenseOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                               ArrayRef<bool> needed,
                               MutableArrayRef<Value> operands) {
  Value dy = results[0];
  if (needed[0])
    operands[0] =
        buildMatmul(b, getLoc(), getX().getType(), dy, false, getW(), true);
  if (needed[1])
    operands[1] =
        buildMatmul(b, getLoc(), getW().getType(), getX(), true, dy, false);
  if (needed[2])
    operands[2] = buildSum(b, getLoc(), dy, {0}, getB().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Activations and losses
//===----------------------------------------------------------------------===//

LogicalResult ReluOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                              ArrayRef<bool> needed,
                              MutableArrayRef<Value> operands) {
  Value zero = buildSplat(b, getLoc(), getResult(), 0.0);
  Value positive = arith::CmpFOp::create(b, getLoc(), arith::CmpFPredicate::OGT,
                                         getResult(), zero);
  operands[0] =
      arith::SelectOp::create(b, getLoc(), positive, results[0], zero);
  return success();
}

LogicalResult SoftmaxOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  // dx = y (dy - sum(dy y)), the sum over the last dimension.
  Location loc = getLoc();
  Value dy = results[0], y = getResult();
  int64_t last = tensorOf(y).getRank() - 1;
  Value product = arith::MulFOp::create(b, loc, dy, y);
  Value sum = buildSum(b, loc, product, {last});
  Value mean = buildUnreduce(b, loc, sum, {last}, /*keepdims=*/false, y);
  Value centered = arith::SubFOp::create(b, loc, dy, mean);
  operands[0] = arith::MulFOp::create(b, loc, y, centered);
  return success();
}

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

//===----------------------------------------------------------------------===//
// Shapes and reductions
//===----------------------------------------------------------------------===//

// Of `like` nothing but the shape is used.
bool BroadcastOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 0;
}

LogicalResult BroadcastOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                   ArrayRef<bool> needed,
                                   MutableArrayRef<Value> operands) {
  if (!needed[0])
    return success();
  Location loc = getLoc();
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  // Sum over what was stretched, keeping extent 1, then over what was added.
  SmallVector<int64_t> stretched, shape(result.getShape());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (input.getDimSize(i) == 1 && result.getDimSize(dim) != 1) {
      stretched.push_back(dim);
      shape[dim] = 1;
    }
  Value dx = results[0];
  if (!stretched.empty())
    dx = ReduceOp::create(b, loc,
                          RankedTensorType::get(shape, input.getElementType()),
                          ReductionKind::sum, dx, stretched, /*keepdims=*/true);
  operands[0] =
      buildSum(b, loc, dx, otherDims(getDims(), result.getRank()), input);
  return success();
}

LogicalResult ReduceOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value dy = results[0], x = getInput(), y = getResult();
  auto spread = [&](Value reduced) {
    return buildUnreduce(b, loc, reduced, getAxes(), getKeepdims(), x);
  };
  switch (getKind()) {
  case ReductionKind::sum:
    operands[0] = spread(dy);
    return success();
  case ReductionKind::mean: {
    Value count = buildCount(b, loc, x, getAxes(), floatOf(dy));
    Value counts = buildBroadcast(b, loc, count, {}, dy);
    operands[0] = spread(arith::DivFOp::create(b, loc, dy, counts));
    return success();
  }
  case ReductionKind::max:
  case ReductionKind::min: {
    // Shared equally by the elements that equal the extremum.
    Value hit =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, spread(y));
    Value zero = buildSplat(b, loc, x, 0.0);
    Value ones =
        arith::SelectOp::create(b, loc, hit, buildSplat(b, loc, x, 1.0), zero);
    Value ties = ReduceOp::create(b, loc, y.getType(), ReductionKind::sum, ones,
                                  getAxes(), getKeepdims());
    Value share = spread(arith::DivFOp::create(b, loc, dy, ties));
    operands[0] = arith::SelectOp::create(b, loc, hit, share, zero);
    return success();
  }
  case ReductionKind::prod: {
    // The product of the other elements: y / x where none is 0; at a single 0
    // the product of the rest, and 0 elsewhere; with more, 0 everywhere. An
    // element has a derivative where it alone accounts for the zeros.
    Value zero = buildSplat(b, loc, x, 0.0), one = buildSplat(b, loc, x, 1.0);
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
    Value own = arith::SelectOp::create(b, loc, isZero, one, zero);
    Value safe = arith::SelectOp::create(b, loc, isZero, one, x);
    Value zeros = ReduceOp::create(b, loc, y.getType(), ReductionKind::sum, own,
                                   getAxes(), getKeepdims());
    Value rest = ReduceOp::create(b, loc, y.getType(), ReductionKind::prod,
                                  safe, getAxes(), getKeepdims());
    Value total = spread(arith::MulFOp::create(b, loc, dy, rest));
    Value others = arith::DivFOp::create(b, loc, total, safe);
    Value has = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                      spread(zeros), own);
    operands[0] = arith::SelectOp::create(b, loc, has, others, zero);
    return success();
  }
  }
  llvm_unreachable("every reduction kind is handled");
}
