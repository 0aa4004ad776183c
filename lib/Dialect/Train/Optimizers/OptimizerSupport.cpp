//===- OptimizerSupport.cpp - Terms shared by optimizers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

#include "../IR/VariableVerifiers.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

LogicalResult train::verifyFraction(EmitErrorFn emitError, StringRef name,
                                    double value) {
  if (value >= 0.0 && value < 1.0)
    return success();
  return emitError() << "expected " << name << " within [0, 1), found "
                     << value;
}

LogicalResult train::verifyFinite(EmitErrorFn emitError, StringRef name,
                                  double value) {
  if (std::isfinite(value))
    return success();
  return emitError() << "expected a finite " << name << ", found " << value;
}

LogicalResult train::verifyNonNegative(EmitErrorFn emitError, StringRef name,
                                       double value) {
  if (std::isfinite(value) && value >= 0.0)
    return success();
  return emitError() << "expected a finite " << name << " >= 0, found "
                     << value;
}

LogicalResult train::verifyPositive(EmitErrorFn emitError, StringRef name,
                                    double value) {
  if (std::isfinite(value) && value > 0.0)
    return success();
  return emitError() << "expected a finite " << name << " > 0, found " << value;
}

LogicalResult train::verifyName(EmitErrorFn emitError, StringAttr name) {
  if (!name || isVariableName(name))
    return success();
  return emitError() << "expected a name of an optimizer without whitespace, "
                        "':' and '^', found "
                     << name;
}

LogicalResult train::verifyAdam(EmitErrorFn emitError, double lr, double beta1,
                                double beta2, double epsilon, StringAttr name,
                                StringRef decayName, double decay) {
  return success(succeeded(verifyFinite(emitError, "lr", lr)) &&
                 succeeded(verifyFraction(emitError, "beta_1", beta1)) &&
                 succeeded(verifyFraction(emitError, "beta_2", beta2)) &&
                 succeeded(verifyNonNegative(emitError, "epsilon", epsilon)) &&
                 succeeded(verifyName(emitError, name)) &&
                 succeeded(verifyNonNegative(emitError, decayName, decay)));
}

std::optional<unsigned> StepScalars::find(ScalarRole role) const {
  const auto *it = llvm::find_if(
      specs, [&](const ScalarVariableSpec &spec) { return spec.role == role; });
  if (it == specs.end())
    return std::nullopt;
  return it - specs.begin();
}

Expr StepScalars::operator[](unsigned index) const {
  return {builder, loc, scalars[index]};
}

void StepScalars::set(unsigned index, Value value) {
  newScalars[index] = value;
}

Expr StepScalars::count() {
  unsigned index = *find(ScalarRole::Counter);
  Value counter = scalars[index];
  // The numbers of a step have one type.
  Type type = (*this)[*find(ScalarRole::Rate)].getType();
  Expr number(builder, loc,
              arith::SIToFPOp::create(builder, loc, type, counter));
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<RankedTensorType>(counter.getType()),
                             builder.getI64IntegerAttr(1).getValue()));
  newScalars[index] = arith::AddIOp::create(builder, loc, counter, one);
  return number;
}

Expr StepScalars::decayedRate(Expr iterations) const {
  Expr lr = (*this)[*find(ScalarRole::Rate)];
  std::optional<unsigned> decay = find(ScalarRole::Decay);
  return decay ? lr / (1.0 + (*this)[*decay] * iterations) : lr;
}

Expr train::mix(Expr beta, Expr old, Expr fresh) {
  Expr keep = beta * old;
  return keep + (1.0 - beta) * fresh;
}

Expr train::complementPower(Expr base, Expr exponent) {
  return 1.0 - pow(base, exponent);
}

SmallVector<Value> train::computeDecoupled(StepScalars &step, Expr lr,
                                           Expr beta1, Expr beta2,
                                           Expr weightDecay) {
  Expr t = step.count() + 1.0;
  return {lr / complementPower(beta1, t), beta1, beta2,
          complementPower(beta2, t), lr * weightDecay};
}

Value train::castScalar(OpBuilder &b, Location loc, Value scalar,
                        Value parameter) {
  return nn::castElements(
      b, loc, scalar,
      nn::getComputeType(getElementTypeOrSelf(parameter.getType())));
}

Expr train::sumSquares(OpBuilder &b, Location loc, Value value) {
  Expr x(b, loc, nn::castElements(b, loc, value, b.getF64Type()));
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  return x.with(nn::buildSum(b, loc, x * x, nn::identityDims(rank)));
}

Expr TensorTerms::widen(Value value) const {
  return nn::widen(builder, loc, value);
}

SmallVector<Value> TensorTerms::round(ValueRange values) const {
  Type element = getElementTypeOrSelf(parameter.getType());
  return llvm::map_to_vector(values, [&](Value value) {
    auto type = llvm::cast<RankedTensorType>(value.getType());
    return nn::roundTo(builder, loc, value, type.clone(element));
  });
}

Expr TensorTerms::widenScalar(Value scalar) const { return toDouble(scalar); }

Expr TensorTerms::toDouble(Value value) const {
  return {builder, loc,
          nn::castElements(builder, loc, value, builder.getF64Type())};
}

Expr TensorTerms::toComputeType(Expr x) const {
  Type element = getElementTypeOrSelf(parameter.getType());
  return x.with(nn::castElements(builder, loc, x, nn::getComputeType(element)));
}

Expr TensorTerms::saturate(Expr x) const {
  auto element = cast<FloatType>(getElementTypeOrSelf(parameter.getType()));
  APFloat largest = APFloat::getLargest(element.getFloatSemantics());
  return min(x, x.splat(largest.convertToDouble()));
}

Expr TensorTerms::spreadDouble(Value scalar, Value like) const {
  return {builder, loc,
          nn::buildBroadcast(builder, loc, toDouble(scalar), {}, like)};
}

Expr TensorTerms::spread(Value scalar, Value like) const {
  like = like ? like : parameter;
  return {builder, loc,
          nn::buildBroadcast(builder, loc,
                             castScalar(builder, loc, scalar, parameter), {},
                             like)};
}

Expr TensorTerms::norm(Expr x) const {
  Expr squares = sumSquares(builder, loc, x);
  // If the sum overflows to infinity, the norm is unknown: return NaN.
  return sqrt(squares) + (squares - squares);
}

/// Returns the divisor for the mean of `count` terms.
static double countForMean(int64_t count) {
  return static_cast<double>(std::max<int64_t>(count, 1));
}

double train::countForMean(Value x, int64_t axis) {
  return ::countForMean(cast<RankedTensorType>(x.getType()).getDimSize(axis));
}

Expr TensorTerms::rootMeanSquare(Expr x) const {
  auto type = llvm::cast<RankedTensorType>(x.getType());
  return norm(x) / std::sqrt(::countForMean(type.getNumElements()));
}

Expr TensorTerms::sum(Expr x, int64_t axis) const {
  return x.with(nn::buildSum(builder, loc, x, axis));
}

Expr TensorTerms::sumAll(Expr x) const {
  int64_t rank = llvm::cast<RankedTensorType>(x.getType()).getRank();
  return x.with(nn::buildSum(builder, loc, x, nn::identityDims(rank)));
}

Expr TensorTerms::mean(Expr x, int64_t axis) const {
  return sum(x, axis) / train::countForMean(x, axis);
}

Expr TensorTerms::unreduce(Expr x, int64_t axis, Expr like) const {
  return x.with(nn::buildUnreduce(builder, loc, x, axis, false, like));
}
