//===- Normalization.cpp - Normalization ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composite: the derivative of the decomposition needs the two sums over a
// sample that a rule of its own would need, and shares the forward values. To
// that end the mean is subtracted in another form. For any number s,
//
//   (x - mean) k = (x - s) k - (mean - s) k
//   mean((x - mean)^2) = mean((x - s)^2) - (mean - s)^2
//
// Here s is the mean once more, as a constant. Then mean - s is 0, and its
// derivative one number a sample, which the sums for k and for its offset give:
// that of x - mean would be a third sum over all elements.
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

/// Checks the elements of a statistic or parameter, if there is one.
static LogicalResult verifyElements(Operation *op, Value value, StringRef what,
                                    Type element) {
  if (!value)
    return success();
  Type found = getElementTypeOrSelf(value);
  if (found == element || found == getComputeType(element))
    return success();
  return op->emitOpError() << "expected " << what << " of element type "
                           << getComputeType(element) << ", found "
                           << value.getType();
}

/// Checks a parameter of the dimension sizes `shape`, if there is one.
static LogicalResult verifyParameter(Operation *op, Value value, StringRef what,
                                     ArrayRef<int64_t> shape, Type element) {
  if (!value)
    return success();
  if (failed(verifyElements(op, value, what, element)) ||
      failed(verifyRank(op, value, what, shape.size())))
    return failure();
  return verifySameDimSizes(op, ("dimension sizes of " + what + " and x").str(),
                            shape, tensorOf(value).getShape());
}

template <typename OpTy>
static LogicalResult verifyResultElements(OpTy op, Type element) {
  if (element == getElementTypeOrSelf(op.getResult()))
    return success();
  return op.emitOpError() << "expected a result of x's element type " << element
                          << ", found " << op.getResult().getType();
}

/// Checks the requirements shared by normalizations over `axes`.
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
  return verifyResultElements(op, element);
}

/// Checks the requirements shared by normalizations of channels.
template <typename OpTy> static LogicalResult verifyOverBatch(OpTy op) {
  Type element = getElementTypeOrSelf(op.getX());
  if (failed(verifyEpsilon(op, op.getEpsilon())) ||
      failed(verifyElements(op, op.getMean(), "mean", element)) ||
      failed(verifyElements(op, op.getVariance(), "variance", element)) ||
      failed(verifyElements(op, op.getGamma(), "gamma", element)) ||
      failed(verifyElements(op, op.getBeta(), "beta", element)))
    return failure();
  return verifyResultElements(op, element);
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

  /// Takes 0 for the mean of no elements. A parameter that all samples share
  /// would have NaN for its gradient otherwise: nothing, times a factor that is
  /// NaN.
  void defineEmptyMean() {
    ArrayRef<int64_t> sizes = tensorOf(x).getShape();
    isEmpty =
        llvm::any_of(axes, [&](int64_t axis) { return sizes[axis] == 0; });
    if (isEmpty || llvm::none_of(axes, [&](int64_t axis) {
          return ShapedType::isDynamic(sizes[axis]);
        }))
      return;
    count = buildCount(b, loc, x, axes,
                       cast<FloatType>(getElementTypeOrSelf(x.getType())));
  }
  /// Emits the mean over the axes.
  ElementwiseExpr mean(ElementwiseExpr value) const {
    Value reduced = buildReduce(b, loc, ReductionKind::mean, value, axes);
    if (!isEmpty && !count)
      return value.with(reduced);
    Value zero = buildSplat(b, loc, reduced, 0.0);
    if (isEmpty)
      return value.with(zero);
    Value counts = buildBroadcast(b, loc, count, {}, reduced);
    Value hasElements =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, counts, zero);
    return value.with(
        arith::SelectOp::create(b, loc, hasElements, reduced, zero));
  }
  /// Repeats a number for each sample over the axes.
  ElementwiseExpr spread(ElementwiseExpr reduced) const {
    return reduced.with(buildUnreduce(b, loc, reduced, axes, false, x));
  }
  /// Repeats `parameter`, whose dimensions are `dims` of x, over the other
  /// dimensions.
  ElementwiseExpr repeat(Value parameter, ArrayRef<int64_t> dims) const {
    return x.with(buildBroadcast(b, loc, widen(b, loc, parameter), dims, x));
  }
  /// Returns `value` as a constant: derivatives do not flow through its bits.
  ElementwiseExpr constant(ElementwiseExpr value) const {
    auto type = cast<RankedTensorType>(value.getType());
    Type bits = type.clone(b.getIntegerType(type.getElementTypeBitWidth()));
    Value integers = arith::BitcastOp::create(b, loc, bits, value);
    return value.with(arith::BitcastOp::create(b, loc, type, integers));
  }
  /// Returns value * gamma + beta, of those that there are.
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

private:
  /// The number of elements a mean is of, where it may be 0.
  Value count;
  /// Set where it is 0.
  bool isEmpty = false;
};

/// The mean and the variance over the axes, and x without the mean.
struct Moments {
  explicit Moments(const Normalizer &n) : mean(n.mean(n.x)) {
    ElementwiseExpr fixed = n.constant(mean);
    shift = mean - fixed;
    centered = n.x - n.spread(fixed);
    variance = n.mean(centered * centered) - shift * shift;
  }

  ElementwiseExpr mean, variance, centered;
  /// 0: the mean that is to be subtracted from `centered`.
  ElementwiseExpr shift;
};
} // namespace

/// Returns 1 / sqrt(x + epsilon).
static ElementwiseExpr inverseRoot(ElementwiseExpr x, const APFloat &epsilon) {
  return (x + epsilon.convertToDouble()).apply<math::RsqrtOp>();
}

/// Multiplies `factor` by the numbers `gamma`, whose static sizes may differ.
static ElementwiseExpr multiply(OpBuilder &b, Location loc,
                                ElementwiseExpr factor, Value gamma) {
  Value wide = widen(b, loc, gamma), number = factor;
  return factor * factor.with(buildCast(b, loc, wide, number.getType()));
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &b) {
  Normalizer n(b, getLoc(), getX(), getAxes());
  Moments moments(n);
  ElementwiseExpr factor = inverseRoot(moments.variance, getEpsilon());
  ElementwiseExpr y =
      moments.centered * n.spread(factor) - n.spread(moments.shift * factor);
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
  n.defineEmptyMean();
  Moments moments(n);
  // One factor and one offset a channel.
  ElementwiseExpr factor = inverseRoot(moments.variance, getEpsilon());
  if (getGamma())
    factor = multiply(b, getLoc(), factor, getGamma());
  ElementwiseExpr offset = -(moments.shift * factor);
  if (getBeta()) {
    auto [left, right] =
        castToCommonType(b, getLoc(), offset, widen(b, getLoc(), getBeta()));
    offset = offset.with(left) + offset.with(right);
  }
  ElementwiseExpr y = moments.centered * n.repeat(factor, {channels}) +
                      n.repeat(offset, {channels});
  auto round = [&](ElementwiseExpr value, Value result) {
    return roundTo(b, getLoc(), value, result.getType());
  };
  return SmallVector<Value>{round(y, getResult()),
                            round(moments.mean, getMean()),
                            round(moments.variance, getVariance())};
}

FailureOr<SmallVector<Value>> BatchNormInferenceOp::decompose(OpBuilder &b) {
  int64_t channels = tensorOf(getX()).getRank() - 1;
  Normalizer n(b, getLoc(), getX(), identityDims(channels));
  // One factor a channel.
  ElementwiseExpr factor =
      inverseRoot(widen(b, getLoc(), getVariance()), getEpsilon());
  if (getGamma())
    factor = multiply(b, getLoc(), factor, getGamma());
  ElementwiseExpr y =
      (n.x - n.repeat(getMean(), {channels})) * n.repeat(factor, {channels});
  y = n.scale(y, Value(), getBeta(), {channels});
  return SmallVector<Value>{roundTo(b, getLoc(), y, getResult().getType())};
}
