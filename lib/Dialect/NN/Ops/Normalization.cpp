//===- Normalization.cpp - Normalization ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composite: the derivative of the decomposition needs the two sums over a
// sample that a rule of its own would need, and shares the forward values.
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  double value = epsilon.convertToDouble();
  if (value >= 0)
    return success();
  return op->emitOpError() << "expected an epsilon of at least 0, found "
                           << value;
}

/// Checks a statistic or parameter of the dimension sizes `shape`, if there is
/// one.
static LogicalResult verifyParameter(Operation *op, Value value, StringRef what,
                                     ArrayRef<int64_t> shape, Type element) {
  if (!value)
    return success();
  Type found = getElementTypeOrSelf(value);
  if (found != element && found != getComputeType(element))
    return op->emitOpError()
           << "expected " << what << " of element type "
           << getComputeType(element) << ", found " << value.getType();
  if (failed(verifyRank(op, value, what, shape.size())))
    return failure();
  return verifySameDimSizes(op, ("dimension sizes of " + what + " and x").str(),
                            shape, tensorOf(value).getShape());
}

/// Checks what normalizations over `axes` share.
template <typename OpTy> static LogicalResult verifyOverAxes(OpTy op) {
  RankedTensorType type = tensorOf(op.getX());
  Type element = type.getElementType();
  if (failed(verifyEpsilon(op, op.getEpsilon())) ||
      failed(verifyDims(op, "axes", op.getAxes(), type.getRank())))
    return failure();
  if (op.getAxes().empty())
    return op.emitOpError() << "expected at least one axis, found none";
  SmallVector<int64_t> shape;
  for (int64_t axis : op.getAxes())
    shape.push_back(type.getDimSize(axis));
  if (failed(verifyParameter(op, op.getGamma(), "gamma", shape, element)))
    return failure();
  if (element != getElementTypeOrSelf(op.getResult()))
    return op.emitOpError()
           << "expected a result of x's element type " << element << ", found "
           << op.getResult().getType();
  return verifyResultShape(op, op.getResult(), type.getShape());
}

/// Checks what normalizations of channels share.
template <typename OpTy> static LogicalResult verifyOverBatch(OpTy op) {
  if (failed(verifyEpsilon(op, op.getEpsilon())) ||
      failed(verifyMinRank(op, op.getX(), "x", 2)))
    return failure();
  RankedTensorType type = tensorOf(op.getX());
  Type element = type.getElementType();
  ArrayRef<int64_t> channels = type.getShape().take_back();
  if (failed(verifyParameter(op, op.getMean(), "mean", channels, element)) ||
      failed(verifyParameter(op, op.getVariance(), "variance", channels,
                             element)) ||
      failed(verifyParameter(op, op.getGamma(), "gamma", channels, element)) ||
      failed(verifyParameter(op, op.getBeta(), "beta", channels, element)))
    return failure();
  if (element != getElementTypeOrSelf(op.getResult()))
    return op.emitOpError()
           << "expected a result of x's element type " << element << ", found "
           << op.getResult().getType();
  return verifyResultShape(op, op.getResult(), type.getShape());
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyOverAxes(*this)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t axis : getAxes())
    shape.push_back(tensorOf(getX()).getDimSize(axis));
  return verifyParameter(*this, getBeta(), "beta", shape,
                         getElementTypeOrSelf(getX()));
}

LogicalResult RMSNormOp::verify() { return verifyOverAxes(*this); }
LogicalResult BatchNormTrainingOp::verify() { return verifyOverBatch(*this); }
LogicalResult BatchNormInferenceOp::verify() { return verifyOverBatch(*this); }

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

namespace {
/// Emits a normalization over `axes` of x, in the compute type.
struct Normalizer {
  Normalizer(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes)
      : b(b), loc(loc), x(widen(b, loc, input)), axes(axes) {}

  /// The mean over the axes.
  ElementwiseExpr mean(ElementwiseExpr value) const {
    return value.with(buildReduce(b, loc, ReductionKind::mean, value, axes));
  }
  /// A number for each sample, repeated over the axes.
  ElementwiseExpr spread(ElementwiseExpr reduced) const {
    return reduced.with(buildUnreduce(b, loc, reduced, axes, false, x));
  }
  /// `parameter`, whose dimensions are `dims` of x, repeated over the others.
  ElementwiseExpr repeat(Value parameter, ArrayRef<int64_t> dims) const {
    return x.with(buildBroadcast(b, loc, widen(b, loc, parameter), dims, x));
  }
  /// value * gamma + beta, of those that there are.
  ElementwiseExpr scale(ElementwiseExpr value, Value gamma, Value beta,
                        ArrayRef<int64_t> dims) const {
    if (gamma)
      value = value * repeat(gamma, dims);
    if (beta)
      value = value + repeat(beta, dims);
    return value;
  }

  OpBuilder &b;
  Location loc;
  ElementwiseExpr x;
  SmallVector<int64_t> axes;
};
} // namespace

/// 1 / sqrt(x + epsilon).
static ElementwiseExpr inverseRoot(ElementwiseExpr x, const APFloat &epsilon) {
  return (x + epsilon.convertToDouble()).apply<math::RsqrtOp>();
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &b) {
  Normalizer n(b, getLoc(), getX(), getAxes());
  ElementwiseExpr centered = n.x - n.spread(n.mean(n.x));
  ElementwiseExpr variance = n.mean(centered * centered);
  ElementwiseExpr y = centered * n.spread(inverseRoot(variance, getEpsilon()));
  y = n.scale(y, getGamma(), getBeta(), getAxes());
  return SmallVector<Value>{roundTo(b, getLoc(), y, getResult().getType())};
}

FailureOr<SmallVector<Value>> RMSNormOp::decompose(OpBuilder &b) {
  Normalizer n(b, getLoc(), getX(), getAxes());
  ElementwiseExpr y =
      n.x * n.spread(inverseRoot(n.mean(n.x * n.x), getEpsilon()));
  y = n.scale(y, getGamma(), Value(), getAxes());
  return SmallVector<Value>{roundTo(b, getLoc(), y, getResult().getType())};
}

FailureOr<SmallVector<Value>> BatchNormTrainingOp::decompose(OpBuilder &b) {
  int64_t channels = tensorOf(getX()).getRank() - 1;
  Normalizer n(b, getLoc(), getX(), identityDims(channels));
  ElementwiseExpr mean = n.mean(n.x);
  ElementwiseExpr centered = n.x - n.spread(mean);
  ElementwiseExpr variance = n.mean(centered * centered);
  ElementwiseExpr y = centered * n.spread(inverseRoot(variance, getEpsilon()));
  y = n.scale(y, getGamma(), getBeta(), {channels});
  auto round = [&](ElementwiseExpr value, Value result) {
    return roundTo(b, getLoc(), value, result.getType());
  };
  return SmallVector<Value>{round(y, getResult()), round(mean, getMean()),
                            round(variance, getVariance())};
}

FailureOr<SmallVector<Value>> BatchNormInferenceOp::decompose(OpBuilder &b) {
  int64_t channels = tensorOf(getX()).getRank() - 1;
  Normalizer n(b, getLoc(), getX(), identityDims(channels));
  // One factor a channel.
  ElementwiseExpr factor =
      inverseRoot(widen(b, getLoc(), getVariance()), getEpsilon());
  if (getGamma()) {
    auto [left, right] =
        castToCommonType(b, getLoc(), factor, widen(b, getLoc(), getGamma()));
    factor = factor.with(left) * factor.with(right);
  }
  ElementwiseExpr y =
      (n.x - n.repeat(getMean(), {channels})) * n.repeat(factor, {channels});
  y = n.scale(y, Value(), getBeta(), {channels});
  return SmallVector<Value>{roundTo(b, getLoc(), y, getResult().getType())};
}
