//===- Attention.cpp - Attention ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  Type element = getElementTypeOrSelf(getQ());
  for (Value value : {Value(getK()), Value(getV()), Value(getResult())})
    if (getElementTypeOrSelf(value) != element)
      return emitOpError() << "expected one element type, found " << element
                           << " and " << getElementTypeOrSelf(value);
  if (!getMask())
    return success();
  Type found = getElementTypeOrSelf(getMask());
  if (!found.isInteger(1) && found != element)
    return emitOpError() << "expected a mask of i1 or " << element << ", found "
                         << getMask().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

/// Scales q, which takes fewer products than scaling the scores.
static ElementwiseExpr scaleQueries(AttentionOp op, OpBuilder &b,
                                    ElementwiseExpr q) {
  Location loc = op.getLoc();
  if (std::optional<APFloat> scale = op.getScale())
    return q * scale->convertToDouble();
  RankedTensorType type = tensorOf(q);
  int64_t last = type.getRank() - 1;
  if (!type.isDynamicDim(last))
    return q * (1.0 / std::sqrt(static_cast<double>(type.getDimSize(last))));
  ElementwiseExpr size = q.with(buildCount(b, loc, q, {last}, floatOf(q)));
  return q * q.with(buildBroadcast(b, loc, size.apply<math::RsqrtOp>(), {}, q));
}

/// Returns the scores of positions that a mask of i1 leaves out: so low that
/// none of them has a weight beside any other score, but finite, so that a
/// softmax of only such scores is finite too.
static double getLowestScore(Value scores) {
  return -APFloat::getLargest(floatOf(scores).getFloatSemantics())
              .convertToDouble();
}

FailureOr<SmallVector<Value>> AttentionOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  ElementwiseExpr q = scaleQueries(*this, b, widen(b, loc, getQ()));
  ElementwiseExpr k = widen(b, loc, getK()), v = widen(b, loc, getV());
  SmallVector<int64_t> shape(tensorOf(q).getShape().drop_back());
  shape.push_back(tensorOf(k).getShape().drop_back().back());
  Type type = tensorOf(q).clone(shape);
  ElementwiseExpr scores =
      q.with(buildMatmul(b, loc, type, q, false, k, /*transposeB=*/true));

  Value mask = getMask();
  if (mask)
    mask = buildCast(b, loc, mask, tensorOf(mask).clone(shape));
  bool isChoice = mask && getElementTypeOrSelf(mask).isInteger(1);
  if (isChoice)
    scores = ElementwiseExpr(b, loc, mask)
                 .select(scores, scores.splat(getLowestScore(scores)));
  else if (mask)
    scores = scores + widen(b, loc, mask);
  // Mask later positions with -inf, below any score of the positions before, of
  // which there is at least one.
  if (getCausal())
    scores = scores.with(TriangleOp::create(
        b, loc, scores.getType(), TriangleKind::lower, scores, /*diagonal=*/0,
        APFloat::getInf(APFloat::IEEEdouble(),
                        /*Negative=*/true)));

  ElementwiseExpr weights =
      scores.with(SoftmaxOp::create(b, loc, type, scores));
  // If all scores of a row are the lowest, softmax gives each one a weight
  // above 0.
  if (isChoice)
    weights = ElementwiseExpr(b, loc, mask).select(weights, weights.splat(0.0));
  shape.back() = tensorOf(v).getShape().back();
  Value result =
      buildMatmul(b, loc, tensorOf(q).clone(shape), weights, false, v, false);
  return SmallVector<Value>{roundTo(b, loc, result, getResult().getType())};
}
