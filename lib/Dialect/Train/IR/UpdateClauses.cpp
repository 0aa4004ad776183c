//===- UpdateClauses.cpp - Clauses of an update ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Optimizers/OptimizerSupport.h"
#include "VariableVerifiers.h"

#include <cmath>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

ScaleRange flywheel::train::getScaleRange(Type lossType) {
  auto getBounds = [](const llvm::fltSemantics &semantics) {
    return ScaleRange{
        APFloat::getSmallestNormalized(semantics).convertToDouble(),
        APFloat::getLargest(semantics).convertToDouble()};
  };
  double smallest = getBounds(APFloat::IEEEsingle()).smallest;
  ScaleRange range{smallest, 1.0 / smallest};
  if (!lossType)
    return range;
  ScaleRange loss = getBounds(cast<FloatType>(lossType).getFloatSemantics());
  return {std::max(range.smallest, loss.smallest),
          std::min(range.largest, loss.largest)};
}

/// Checks a number that multiplies a scale in f32: there, too, it must be
/// finite, not 0 (as denormal numbers are), and not 1 unless it is written as
/// 1.
static LogicalResult
verifyFactorOfScale(function_ref<InFlightDiagnostic()> emitError,
                    StringRef name, double value) {
  if (failed(verifyPositive(emitError, name, value)))
    return failure();
  auto rounded = static_cast<float>(value);
  if (std::isnormal(rounded) && (rounded == 1.0F) == (value == 1.0))
    return success();
  return emitError() << "expected " << name
                     << " to be a number of f32, in which the scale is, found "
                     << value << ", which is " << rounded << " there";
}

LogicalResult
LossScaleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      Real initial, Real growth, Real backoff,
                      int64_t growthInterval) {
  if (failed(verifyPositive(emitError, "initial", initial.value)) ||
      failed(verifyFactorOfScale(emitError, "growth", growth.value)) ||
      failed(verifyFactorOfScale(emitError, "backoff", backoff.value)))
    return failure();
  ScaleRange range = getScaleRange({});
  if (initial.value < range.smallest || initial.value > range.largest)
    return emitError() << "expected initial from 2^-126 to 2^126, found "
                       << initial.value;
  if (growth.value < 1.0)
    return emitError() << "expected growth >= 1, found " << growth.value;
  if (backoff.value > 1.0)
    return emitError() << "expected backoff <= 1, found " << backoff.value;
  if (growthInterval < 1)
    return emitError() << "expected growth_interval >= 1, found "
                       << growthInterval;
  return success();
}

std::optional<ScalarVariableSpec>
flywheel::train::findClauseScalar(Operation *op, StringRef name) {
  LossScaleAttr scale;
  bool accumulates = false;
  if (auto minimize = dyn_cast<MinimizeOp>(op)) {
    scale = minimize.getLossScaleAttr();
    accumulates = minimize.getAccumulate().has_value();
  } else if (auto apply = dyn_cast<ApplyGradientsOp>(op)) {
    scale = apply.getLossScaleAttr();
    accumulates = apply.getAccumulate().has_value();
  }
  SmallVector<ScalarVariableSpec> specs;
  if (scale)
    specs = scale.getScalarVariables();
  if (accumulates)
    specs.push_back({"micro_step", ScalarRole::Counter, 0.0});
  for (const ScalarVariableSpec &spec : specs)
    if (spec.name == name)
      return spec;
  return std::nullopt;
}

SmallVector<ScalarVariableSpec> LossScaleAttr::getScalarVariables() const {
  SmallVector<ScalarVariableSpec> specs = {
      {"loss_scale", ScalarRole::Number, getInitial().value}};
  if (isDynamic())
    specs.push_back({"good_steps", ScalarRole::Counter, 0.0});
  return specs;
}

bool LossScaleAttr::isDynamic() const {
  return getGrowth().value != 1.0 || getBackoff().value != 1.0;
}

bool flywheel::train::isGradientType(Type gradient,
                                     RankedTensorType parameter) {
  return gradient == parameter ||
         gradient ==
             parameter.clone(nn::getComputeType(parameter.getElementType()));
}

/// Checks that clauses that add gradients up or skip updates are not used with
/// gradients of rows, as they need that of the whole variable.
template <typename OpT> static LogicalResult verifyNarrowClauses(OpT op) {
  std::optional<int64_t> count = op.getAccumulate();
  if (count && *count < 1)
    return op.emitOpError() << "expected to accumulate the gradients of one or "
                               "more calls, found "
                            << *count;
  StringRef clause = op.getMasterWeights() ? "master_weights"
                     : count               ? "accumulate"
                     : op.getLossScale()   ? "loss_scale"
                                           : "";
  if (op.getSparse() == SparseForm::lazy && !clause.empty())
    return op.emitOpError() << "expected no 'sparse lazy' with '" << clause
                            << "', which changes rows without a gradient";
  return success();
}

/// Checks that only the clause or the optimizer has a decay, which would be
/// applied twice otherwise.
template <typename OpT> static LogicalResult verifyOneDecay(OpT op) {
  std::pair<StringRef, std::optional<APFloat>> clauses[] = {
      {"l2", op.getL2()}, {"weight_decay", op.getWeightDecay()}};
  SmallVector<NamedNumber> numbers = op.getOptimizer().getNumbers();
  for (const auto &pair : clauses) {
    StringRef name = pair.first;
    const std::optional<APFloat> &clause = pair.second;
    const auto *own = llvm::find_if(
        numbers, [&](const NamedNumber &each) { return each.name == name; });
    if (!clause || own == numbers.end())
      continue;
    double value = clause->convertToDouble();
    if (value > 0.0 && own->value > 0.0)
      return op.emitOpError()
             << "expected one " << name << ", found " << own->value
             << " of the optimizer and " << value
             << " of the clause, which would add up: give the optimizer "
             << name << " = 0.0, or leave the clause out";
  }
  return success();
}

/// Checks the clauses of an update around its optimizer.
template <typename OpT>
static LogicalResult verifyUpdateClausesOf(OpT op,
                                           SymbolTableCollection &symbols) {
  std::pair<StringRef, std::optional<APFloat>> numbers[] = {
      {"l2", op.getL2()},
      {"weight_decay", op.getWeightDecay()},
      {"clip_norm", op.getClipNorm()},
      {"clip_global_norm", op.getClipGlobalNorm()},
      {"clip_value", op.getClipValue()}};
  for (const auto &[name, number] : numbers) {
    if (!number)
      continue;
    double value = number->convertToDouble();
    if (!std::isfinite(value))
      return op.emitOpError()
             << "expected a finite " << name << ", found " << value;
    // A bound of 0 would leave nothing of any gradient.
    bool isBound = name.starts_with("clip");
    if (isBound ? value <= 0.0 : value < 0.0)
      return op.emitOpError()
             << "expected " << name << (isBound ? " > 0" : " >= 0")
             << ", found " << value
             << (isBound ? "; without a bound, leave "
                         : "; to decay nothing, leave ")
             << name << " out";
  }
  if (failed(verifyNarrowClauses(op)) || failed(verifyOneDecay(op)))
    return failure();
  std::optional<ArrayAttr> masked = op.getNoDecay();
  if (!masked)
    return success();
  if (!op.getL2() && !op.getWeightDecay())
    return op.emitOpError()
           << "expected l2 or weight_decay with no_decay, found neither: the "
              "weight_decay of an optimizer is one of all variables";
  std::optional<ArrayAttr> targets = op.getVarList();
  llvm::SmallDenseSet<Attribute> seen;
  for (auto symbol : masked->template getAsRange<FlatSymbolRefAttr>()) {
    if (failed(lookupVariable(op, symbol, symbols)))
      return failure();
    if (!seen.insert(symbol).second)
      return op.emitOpError()
             << "expected distinct variables in no_decay, found " << symbol
             << " twice";
    if (targets && !llvm::is_contained(*targets, symbol))
      return op.emitOpError()
             << "expected variables of var_list in no_decay, found " << symbol;
  }
  return success();
}

/// Checks the scale of a loss, which is multiplied by it in its own type.
static LogicalResult verifyScaledLoss(MinimizeOp op) {
  LossScaleAttr scale = op.getLossScaleAttr();
  if (!scale)
    return success();
  Type type = getElementTypeOrSelf(op.getLoss());
  ScaleRange range = getScaleRange(type);
  double initial = scale.getInitial().value;
  // A dynamic scale above the range of the type starts at its largest number.
  if (initial >= range.smallest &&
      (initial <= range.largest || scale.isDynamic()))
    return success();
  return op.emitOpError() << "expected the initial scale of a loss of " << type
                          << " from " << range.smallest << " to "
                          << range.largest << ", found " << initial;
}

LogicalResult
flywheel::train::verifyUpdateClauses(MinimizeOp op,
                                     SymbolTableCollection &symbols) {
  return success(succeeded(verifyScaledLoss(op)) &&
                 succeeded(verifyUpdateClausesOf(op, symbols)));
}

LogicalResult
flywheel::train::verifyUpdateClauses(ApplyGradientsOp op,
                                     SymbolTableCollection &symbols) {
  return verifyUpdateClausesOf(op, symbols);
}
