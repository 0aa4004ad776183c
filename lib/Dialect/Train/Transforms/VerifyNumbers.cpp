//===- VerifyNumbers.cpp - Numbers in the types that use them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are written as f64, and verifiers of attributes see them as f64. The
// ops that use them may compute in f32: a beta_2 of 0.99999999 is 1 there, an
// epsilon of 1e-60 is 0, and every update NaN.
//
//===----------------------------------------------------------------------===//

#include "VerifyNumbers.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

/// Returns `value` in `type`, in which denormal numbers are 0.
static APFloat roundTo(double value, Type type) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  if (number.isDenormal())
    number = APFloat::getZero(number.getSemantics(), number.isNegative());
  return number;
}

static bool isSame(const NamedNumber &number, const APFloat &rounded) {
  return rounded.isFinite() && rounded.isZero() == (number.value == 0.0) &&
         !(number.isFraction && rounded.convertToDouble() >= 1.0);
}

static LogicalResult verifyNumber(Operation *op, const Twine &owner,
                                  const NamedNumber &number, Type type) {
  APFloat rounded = roundTo(number.value, type);
  if (isSame(number, rounded))
    return success();
  return op->emitError() << "expected " << number.name << owner
                         << " to be a number of " << type
                         << ", in which it is used, found " << number.value
                         << ", which is " << rounded.convertToDouble()
                         << " there";
}

LogicalResult train::verifyNumbers(Operation *op, Attribute owner,
                                   ArrayRef<NamedNumber> numbers, Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << " of " << owner;
  for (const NamedNumber &number : numbers)
    if (failed(verifyNumber(op, text, number, type)))
      return failure();
  return success();
}

LogicalResult train::verifyNumbers(ApplyGradientsOp apply, Type scalarType) {
  llvm::SmallSetVector<Type, 2> types;
  types.insert(scalarType);
  for (auto symbol : apply.getVarList().getAsRange<FlatSymbolRefAttr>())
    types.insert(nn::getComputeType(
        SymbolTable::lookupNearestSymbolFrom<VariableOp>(apply, symbol)
            .getTensorType()
            .getElementType()));
  OptimizerAttrInterface optimizer = apply.getOptimizer();
  ScheduleAttrInterface schedule = apply.getScheduleAttr();
  std::pair<StringRef, std::optional<APFloat>> factors[] = {
      {"l2", apply.getL2()}, {"weight_decay", apply.getWeightDecay()}};
  for (Type type : types) {
    if (failed(verifyNumbers(apply, optimizer, optimizer.getNumbers(), type)) ||
        (schedule &&
         failed(verifyNumbers(apply, schedule, schedule.getNumbers(), type))))
      return failure();
    for (const auto &[name, factor] : factors)
      if (factor && failed(verifyNumber(
                        apply, "", {name, factor->convertToDouble()}, type)))
        return failure();
  }
  std::optional<APFloat> bound = apply.getClipValue();
  if (!bound)
    return success();
  // One that is infinite clips nothing, as it should.
  for (Value gradient : apply.getGradients()) {
    NamedNumber number{"clip_value", bound->convertToDouble()};
    Type type = getElementTypeOrSelf(gradient);
    if (roundTo(number.value, type).isZero() &&
        failed(verifyNumber(apply, "", number, type)))
      return failure();
  }
  return success();
}
