//===- TrainConstraints.cpp - Constraint attributes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The projections of Keras 2.1 on one element or one norm.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace flywheel::train;

using EmitErrorFn = llvm::function_ref<InFlightDiagnostic()>;

/// The constant that avoids division by a norm of 0.
static constexpr double kEpsilon = 1e-7;

static Value constant(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// Emits wanted / (epsilon + norm).
static Value buildFactor(OpBuilder &b, Location loc, Value wanted, Value norm) {
  Value epsilon = constant(b, loc, norm.getType(), kEpsilon);
  Value divisor = arith::AddFOp::create(b, loc, epsilon, norm);
  return arith::DivFOp::create(b, loc, wanted, divisor);
}

/// Emits a clamped norm, which keeps a NaN.
static Value buildClip(OpBuilder &b, Location loc, Value norm, double min,
                       double max) {
  Type type = norm.getType();
  Value raised =
      arith::MaximumFOp::create(b, loc, norm, constant(b, loc, type, min));
  return arith::MinimumFOp::create(b, loc, raised, constant(b, loc, type, max));
}

static LogicalResult verifyFloat(EmitErrorFn emitError, StringRef name,
                                 RankedTensorType type) {
  if (isa<FloatType>(type.getElementType()))
    return success();
  return emitError() << "expected a floating-point type for constraint " << name
                     << ", found " << type;
}

static LogicalResult verifyNorm(EmitErrorFn emitError, StringRef name,
                                RankedTensorType type, int64_t axis) {
  if (failed(verifyFloat(emitError, name, type)))
    return failure();
  if (axis < type.getRank())
    return success();
  return emitError() << "expected the axis of constraint " << name
                     << " within the rank of " << type << ", found " << axis;
}

static LogicalResult verifyAxis(EmitErrorFn emitError, int64_t axis) {
  if (axis >= 0)
    return success();
  return emitError() << "expected axis >= 0, found " << axis;
}

/// Checks 0 <= min <= max, all finite.
static LogicalResult verifyBounds(EmitErrorFn emitError, double min,
                                  double max) {
  if (min >= 0.0 && min <= max && std::isfinite(max))
    return success();
  return emitError() << "expected finite norms 0 <= min <= max, found " << min
                     << " and " << max;
}

//===----------------------------------------------------------------------===//
// non_neg
//===----------------------------------------------------------------------===//

LogicalResult NonNegAttr::verifyConstraint(EmitErrorFn emitError,
                                           RankedTensorType type) const {
  return verifyFloat(emitError, "non_neg", type);
}

std::optional<int64_t> NonNegAttr::getNormAxis() const { return std::nullopt; }

Value NonNegAttr::buildProjection(OpBuilder &b, Location loc,
                                  Value element) const {
  return arith::MaximumFOp::create(b, loc, element,
                                   constant(b, loc, element.getType(), 0.0));
}

//===----------------------------------------------------------------------===//
// max_norm
//===----------------------------------------------------------------------===//

LogicalResult MaxNormAttr::verify(EmitErrorFn emitError, Real max,
                                  int64_t axis) {
  return success(succeeded(verifyBounds(emitError, 0.0, max)) &&
                 succeeded(verifyAxis(emitError, axis)));
}

LogicalResult MaxNormAttr::verifyConstraint(EmitErrorFn emitError,
                                            RankedTensorType type) const {
  return verifyNorm(emitError, "max_norm", type, getAxis());
}

std::optional<int64_t> MaxNormAttr::getNormAxis() const { return getAxis(); }

Value MaxNormAttr::buildProjection(OpBuilder &b, Location loc,
                                   Value norm) const {
  Value wanted = arith::MinimumFOp::create(
      b, loc, norm, constant(b, loc, norm.getType(), getMax()));
  return buildFactor(b, loc, wanted, norm);
}

//===----------------------------------------------------------------------===//
// unit_norm
//===----------------------------------------------------------------------===//

LogicalResult UnitNormAttr::verify(EmitErrorFn emitError, int64_t axis) {
  return verifyAxis(emitError, axis);
}

LogicalResult UnitNormAttr::verifyConstraint(EmitErrorFn emitError,
                                             RankedTensorType type) const {
  return verifyNorm(emitError, "unit_norm", type, getAxis());
}

std::optional<int64_t> UnitNormAttr::getNormAxis() const { return getAxis(); }

Value UnitNormAttr::buildProjection(OpBuilder &b, Location loc,
                                    Value norm) const {
  return buildFactor(b, loc, constant(b, loc, norm.getType(), 1.0), norm);
}

//===----------------------------------------------------------------------===//
// min_max_norm
//===----------------------------------------------------------------------===//

LogicalResult MinMaxNormAttr::verify(EmitErrorFn emitError, Real min, Real max,
                                     Real rate, int64_t axis) {
  if (failed(verifyBounds(emitError, min, max)) ||
      failed(verifyAxis(emitError, axis)))
    return failure();
  if (rate >= 0.0 && rate <= 1.0)
    return success();
  return emitError() << "expected rate within [0, 1], found " << rate.value;
}

LogicalResult MinMaxNormAttr::verifyConstraint(EmitErrorFn emitError,
                                               RankedTensorType type) const {
  return verifyNorm(emitError, "min_max_norm", type, getAxis());
}

std::optional<int64_t> MinMaxNormAttr::getNormAxis() const { return getAxis(); }

Value MinMaxNormAttr::buildProjection(OpBuilder &b, Location loc,
                                      Value norm) const {
  Type type = norm.getType();
  Value wanted = buildClip(b, loc, norm, getMin(), getMax());
  if (getRate() != 1.0) {
    Value part = arith::MulFOp::create(
        b, loc, constant(b, loc, type, getRate()), wanted);
    Value rest = arith::MulFOp::create(
        b, loc, constant(b, loc, type, 1.0 - getRate()), norm);
    wanted = arith::AddFOp::create(b, loc, part, rest);
  }
  return buildFactor(b, loc, wanted, norm);
}
