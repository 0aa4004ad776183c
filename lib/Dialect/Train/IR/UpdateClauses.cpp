//===- UpdateClauses.cpp - What an update does around its optimizer -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Optimizers/OptimizerSupport.h"
#include "VariableVerifiers.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

LogicalResult
LossScaleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      Real initial, Real growth, Real backoff,
                      int64_t growthInterval) {
  if (failed(verifyPositive(emitError, "initial", initial.value)) ||
      failed(verifyPositive(emitError, "growth", growth.value)) ||
      failed(verifyPositive(emitError, "backoff", backoff.value)))
    return failure();
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
    specs.push_back({"micro_step", true, 0.0});
  for (const ScalarVariableSpec &spec : specs)
    if (spec.name == name)
      return spec;
  return std::nullopt;
}

SmallVector<ScalarVariableSpec> LossScaleAttr::getScalarVariables() const {
  SmallVector<ScalarVariableSpec> specs = {
      {"loss_scale", false, getInitial().value}};
  if (isDynamic())
    specs.push_back({"good_steps", true, 0.0});
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

/// What may be added up and left out has to be a tensor of its own, not rows.
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

/// Checks what an update does around its optimizer.
template <typename OpT>
static LogicalResult verifyUpdateClausesOf(OpT op,
                                           SymbolTableCollection &symbols) {
  std::pair<StringRef, std::optional<APFloat>> numbers[] = {
      {"l2", op.getL2()},
      {"weight_decay", op.getWeightDecay()},
      {"clip_norm", op.getClipNorm()},
      {"clip_global_norm", op.getClipGlobalNorm()},
      {"clip_value", op.getClipValue()}};
  for (const auto &[name, number] : numbers)
    if (number && !number->isFinite())
      return op.emitOpError() << "expected a finite " << name << ", found "
                              << number->convertToDouble();
  if (failed(verifyNarrowClauses(op)))
    return failure();
  std::optional<ArrayAttr> masked = op.getNoDecay();
  if (!masked)
    return success();
  if (!op.getL2() && !op.getWeightDecay())
    return op.emitOpError() << "expected l2 or weight_decay with no_decay";
  for (auto symbol : masked->template getAsRange<FlatSymbolRefAttr>())
    if (failed(lookupVariable(op, symbol, symbols)))
      return failure();
  return success();
}

LogicalResult
flywheel::train::verifyUpdateClauses(MinimizeOp op,
                                     SymbolTableCollection &symbols) {
  return verifyUpdateClausesOf(op, symbols);
}

LogicalResult
flywheel::train::verifyUpdateClauses(ApplyGradientsOp op,
                                     SymbolTableCollection &symbols) {
  return verifyUpdateClausesOf(op, symbols);
}
