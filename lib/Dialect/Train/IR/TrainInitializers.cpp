//===- TrainInitializers.cpp - Initializer attributes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace flywheel::train;

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

std::pair<double, double>
flywheel::train::computeFans(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return {1.0, 1.0};
  if (shape.size() == 1)
    return {shape[0], shape[0]};
  double receptive = 1.0;
  for (int64_t dimSize : shape.drop_back(2))
    receptive *= static_cast<double>(dimSize);
  return {static_cast<double>(shape[shape.size() - 2]) * receptive,
          static_cast<double>(shape.back()) * receptive};
}

/// Builds the constant 0 or 1 of any element type, as it is stored.
static Value buildNumber(OpBuilder &b, Location loc, Type type, int64_t value) {
  type = getStorageElementType(type);
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(
        b, loc, b.getFloatAttr(type, static_cast<double>(value)));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

static Value buildF64(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

/// Rounds an f64 to the element type of the variable, to nearest even.
static Value roundTo(OpBuilder &b, Location loc, Type type, Value value) {
  return type.isF64() ? value : arith::TruncFOp::create(b, loc, type, value);
}

static LogicalResult verifyFloat(EmitErrorFn emitError, StringRef name,
                                 RankedTensorType type) {
  if (isa<FloatType>(type.getElementType()))
    return success();
  return emitError() << "expected a floating-point type for " << name
                     << ", found " << type;
}

static LogicalResult verifySpread(EmitErrorFn emitError, double mean,
                                  double stddev) {
  if (std::isfinite(mean) && std::isfinite(stddev) && stddev >= 0.0)
    return success();
  return emitError()
         << "expected a finite mean and a finite stddev >= 0, found " << mean
         << " and " << stddev;
}

//===----------------------------------------------------------------------===//
// zeros, ones, constant
//===----------------------------------------------------------------------===//

LogicalResult ZerosAttr::verifyInitializer(EmitErrorFn,
                                           RankedTensorType) const {
  return success();
}

Value ZerosAttr::buildElement(OpBuilder &b, Location loc, RankedTensorType type,
                              Value, Value) const {
  return buildNumber(b, loc, type.getElementType(), 0);
}

LogicalResult OnesAttr::verifyInitializer(EmitErrorFn emitError,
                                          RankedTensorType type) const {
  if (!isa<StringType>(type.getElementType()))
    return success();
  return emitError() << "expected a numeric or boolean type for ones, found "
                     << type;
}

Value OnesAttr::buildElement(OpBuilder &b, Location loc, RankedTensorType type,
                             Value, Value) const {
  return buildNumber(b, loc, type.getElementType(), 1);
}

LogicalResult flywheel::train::verifyFill(EmitErrorFn emitError, int64_t count,
                                          RankedTensorType type) {
  if (count > type.getNumElements())
    return emitError() << "Too many elements provided. Needed at most "
                       << type.getNumElements() << ", but received " << count;
  if (count == 0 && type.getNumElements() > 0)
    return emitError() << "expected at least one value, found none";
  return success();
}

LogicalResult StringsAttr::verify(EmitErrorFn emitError, ArrayAttr values) {
  for (Attribute value : values)
    if (auto text = dyn_cast<StringAttr>(value);
        !text || !isa<NoneType>(text.getType()))
      return emitError() << "expected strings, found " << value;
  return success();
}

LogicalResult ConstantAttr::verifyInitializer(EmitErrorFn emitError,
                                              RankedTensorType type) const {
  DenseElementsAttr values = getValues();
  if (isa<StringType>(type.getElementType()))
    return emitError() << "expected #train.strings for a variable of strings, "
                          "found "
                       << *this;
  if (values.getElementType() != type.getElementType())
    return emitError() << "expected values of type " << type.getElementType()
                       << ", found " << values.getElementType()
                       << ": Initializer type and variable type don't match";
  return verifyFill(emitError, values.getNumElements(), type);
}

Value ConstantAttr::buildElement(OpBuilder &b, Location loc, RankedTensorType,
                                 Value index, Value) const {
  DenseElementsAttr values =
      getValues().bitcast(getStorageElementType(getValues().getElementType()));
  int64_t count = values.getNumElements();
  if (values.isSplat())
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(values.getSplatValue<Attribute>()));
  auto flat = RankedTensorType::get({count}, values.getElementType());
  Value table = arith::ConstantOp::create(b, loc, values.reshape(flat));
  // The last value repeats.
  Value last =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(count - 1));
  Value position = arith::MinUIOp::create(b, loc, index, last);
  position = arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
  auto element = tensor::ExtractOp::create(b, loc, table, position);
  element->setAttr(TrainDialect::getInRangeAttrName(), b.getUnitAttr());
  return element;
}

//===----------------------------------------------------------------------===//
// Random
//===----------------------------------------------------------------------===//

std::optional<int64_t> RandomUniformAttr::getStreamSeed() const {
  return getSeed();
}

LogicalResult
RandomUniformAttr::verifyInitializer(EmitErrorFn emitError,
                                     RankedTensorType type) const {
  double low = getMinval(), high = getMaxval().value_or(Real(1.0));
  Type element = type.getElementType();
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
    return emitError() << "expected finite minval < maxval, found " << low
                       << " and " << high;
  if (auto number = dyn_cast<FloatType>(element)) {
    auto isFinite = [&](double value) {
      APFloat rounded(value);
      bool losesInfo;
      rounded.convert(number.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
      return rounded.isFinite();
    };
    if (isFinite(low) && isFinite(high) && std::isfinite(high - low))
      return success();
    return emitError() << "expected bounds and a range that are finite in "
                       << element << ", found " << low << " and " << high;
  }
  if (element.isInteger(1) || !element.isIntOrFloat())
    return emitError() << "expected a numeric type for random_uniform, found "
                       << type;
  if (!getMaxval())
    return emitError() << "Must specify maxval for integer dtype " << element;
  bool isUnsigned = element.isUnsignedInteger();
  int width = element.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, isUnsigned ? width : width - 1);
  if (std::trunc(low) != low || std::trunc(high) != high ||
      low < (isUnsigned ? 0.0 : -limit) || high > limit)
    return emitError() << "expected integral bounds within " << element
                       << ", found " << low << " and " << high;
  return success();
}

/// Converts an integral double of magnitude up to 2^64, modulo 2^64.
static uint64_t toUInt64(double value) {
  double magnitude = std::fabs(value);
  uint64_t bits = magnitude < 0x1p64 ? static_cast<uint64_t>(magnitude) : 0;
  return value < 0.0 ? -bits : bits;
}

Value RandomUniformAttr::buildElement(OpBuilder &b, Location loc,
                                      RankedTensorType type, Value index,
                                      Value key) const {
  Type element = getStorageElementType(type.getElementType());
  double low = getMinval(), high = getMaxval().value_or(Real(1.0));
  if (!isa<FloatType>(element)) {
    auto constant = [&](uint64_t bits) {
      return arith::ConstantOp::create(
          b, loc, b.getI64IntegerAttr(static_cast<int64_t>(bits)));
    };
    Value offset = RandomBitsOp::create(b, loc, key, index);
    // The upper half of bits * range: the multiply-shift reduction. A range of
    // 2^64, here 0, needs none.
    if (uint64_t range = toUInt64(high) - toUInt64(low))
      offset = arith::MulUIExtendedOp::create(b, loc, offset, constant(range))
                   .getHigh();
    Value value =
        arith::AddIOp::create(b, loc, constant(toUInt64(low)), offset);
    return element.isInteger(64)
               ? value
               : arith::TruncIOp::create(b, loc, element, value);
  }
  Value u = buildUniform(b, loc, key, index);
  Value scaled = arith::MulFOp::create(b, loc, u, buildF64(b, loc, high - low));
  Value value = arith::AddFOp::create(b, loc, buildF64(b, loc, low), scaled);
  // Rounding may reach the open end of the interval: start over from the other.
  Value rounded = roundTo(b, loc, element, value);
  Value end = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, high));
  Value start = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, low));
  Value inside =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, rounded, end);
  return arith::SelectOp::create(b, loc, inside, rounded, start);
}

std::optional<int64_t> RandomNormalAttr::getStreamSeed() const {
  return getSeed();
}

LogicalResult RandomNormalAttr::verifyInitializer(EmitErrorFn emitError,
                                                  RankedTensorType type) const {
  return success(succeeded(verifyFloat(emitError, "random_normal", type)) &&
                 succeeded(verifySpread(emitError, getMean(), getStddev())));
}

/// Builds mean + stddev * x, rounded to the element type.
static Value buildScaled(OpBuilder &b, Location loc, Type type, double mean,
                         double stddev, Value x) {
  Value scaled = arith::MulFOp::create(b, loc, buildF64(b, loc, stddev), x);
  Value value = arith::AddFOp::create(b, loc, buildF64(b, loc, mean), scaled);
  return roundTo(b, loc, type, value);
}

Value RandomNormalAttr::buildElement(OpBuilder &b, Location loc,
                                     RankedTensorType type, Value index,
                                     Value key) const {
  return buildScaled(b, loc, type.getElementType(), getMean(), getStddev(),
                     buildStandardNormal(b, loc, key, index));
}

std::optional<int64_t> TruncatedNormalAttr::getStreamSeed() const {
  return getSeed();
}

LogicalResult
TruncatedNormalAttr::verifyInitializer(EmitErrorFn emitError,
                                       RankedTensorType type) const {
  return success(succeeded(verifyFloat(emitError, "truncated_normal", type)) &&
                 succeeded(verifySpread(emitError, getMean(), getStddev())));
}

Value TruncatedNormalAttr::buildElement(OpBuilder &b, Location loc,
                                        RankedTensorType type, Value index,
                                        Value key) const {
  return buildScaled(b, loc, type.getElementType(), getMean(), getStddev(),
                     buildTruncatedNormal(b, loc, key, index));
}

std::optional<int64_t> GlorotUniformAttr::getStreamSeed() const {
  return getSeed();
}

LogicalResult
GlorotUniformAttr::verifyInitializer(EmitErrorFn emitError,
                                     RankedTensorType type) const {
  return verifyFloat(emitError, "glorot_uniform", type);
}

Value GlorotUniformAttr::buildElement(OpBuilder &b, Location loc,
                                      RankedTensorType type, Value index,
                                      Value key) const {
  auto [fanIn, fanOut] = computeFans(type.getShape());
  double limit = std::sqrt(3.0 / std::max(1.0, (fanIn + fanOut) / 2.0));
  return RandomUniformAttr::get(getContext(), Real(-limit), Real(limit),
                                getSeed())
      .buildElement(b, loc, type, index, key);
}

std::optional<int64_t> HeNormalAttr::getStreamSeed() const { return getSeed(); }

LogicalResult HeNormalAttr::verifyInitializer(EmitErrorFn emitError,
                                              RankedTensorType type) const {
  return verifyFloat(emitError, "he_normal", type);
}

Value HeNormalAttr::buildElement(OpBuilder &b, Location loc,
                                 RankedTensorType type, Value index,
                                 Value key) const {
  double fanIn = computeFans(type.getShape()).first;
  return TruncatedNormalAttr::get(getContext(), 0.0,
                                  std::sqrt(2.0 / std::max(1.0, fanIn)),
                                  getSeed())
      .buildElement(b, loc, type, index, key);
}

std::optional<int64_t> StreamAttr::getStreamSeed() const { return getSeed(); }

LogicalResult StreamAttr::verifyInitializer(EmitErrorFn emitError,
                                            RankedTensorType type) const {
  if (type.getShape() == ArrayRef<int64_t>{2} &&
      type.getElementType().isSignlessInteger(64))
    return success();
  return emitError() << "expected type tensor<2xi64> for stream, found "
                     << type;
}

Value StreamAttr::buildElement(OpBuilder &b, Location loc, RankedTensorType,
                               Value index, Value key) const {
  Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value isKey =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, zero);
  return arith::SelectOp::create(b, loc, isKey, key, zero);
}
