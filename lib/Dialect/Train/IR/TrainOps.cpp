//===- TrainOps.cpp - Verifiers and effects of the train dialect ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeastSquares.h"
#include "UpdateClauses.h"
#include "VariableVerifiers.h"

#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using flywheel::tensorOf;
using namespace flywheel::train;

/// Parses a region that is not empty: an empty one could not be distinguished
/// from no region.
static ParseResult parseInitialRegion(OpAsmParser &parser, Region &region) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseRegion(region))
    return failure();
  if (region.empty())
    return parser.emitError(loc) << "expected the region of an initial value "
                                    "to end in 'train.yield', found nothing";
  return success();
}

static void printInitialRegion(OpAsmPrinter &printer, Operation *,
                               Region &region) {
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "flywheel/Dialect/Train/TrainOps.cpp.inc"

/// Checks that `op` uses the variable with the variable's own type.
static LogicalResult verifyAccess(Operation *op, FlatSymbolRefAttr symbol,
                                  Type type, SymbolTableCollection &symbols) {
  FailureOr<VariableOp> variable = lookupVariable(op, symbol, symbols);
  if (failed(variable))
    return failure();
  auto found = cast<RankedTensorType>(type);
  RankedTensorType expected = variable->getTensorType();
  if (expected == found)
    return success();
  StringRef what = expected.getElementType() != found.getElementType()
                       ? "element types"
                       : "shapes";
  InFlightDiagnostic error = op->emitOpError()
                             << "expected the type of variable " << symbol
                             << ", " << expected << ", found " << found << ": "
                             << what << " differ";
  error.attachNote(variable->getLoc()) << "variable declared here";
  return error;
}

/// Verifies the same for a variable that the program declares or that is a
/// scalar of one of its optimizers. `type` is null if the op does not state it.
static LogicalResult verifyAnyAccess(Operation *op, FlatSymbolRefAttr symbol,
                                     Type type,
                                     SymbolTableCollection &symbols) {
  std::optional<ScalarVariableSpec> scalar;
  if (!symbols.lookupNearestSymbolFrom(op, symbol.getAttr()))
    scalar = findOptimizerScalar(op, symbol.getValue());
  if (!scalar && type)
    return verifyAccess(op, symbol, type, symbols);
  if (!scalar)
    return success(succeeded(lookupVariable(op, symbol, symbols)));
  if (!type)
    return success();
  auto found = cast<RankedTensorType>(type);
  Type element = found.getElementType();
  if (found.getRank() == 0 &&
      (scalar->isCounter() ? element.isInteger(64)
                           : element.isF32() || element.isF64()))
    return success();
  return op->emitOpError() << "expected the type of " << symbol
                           << ", a scalar of an optimizer, "
                           << (scalar->isCounter()
                                   ? "tensor<i64>"
                                   : "tensor<f32> or tensor<f64>")
                           << ", found " << type;
}

//===----------------------------------------------------------------------===//
// Reads and assignments
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAnyAccess(*this, getVariableAttr(), getType(), symbols);
}

void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValue(), getVariable());
}

void ReadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult
InitializedValueOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAccess(*this, getVariableAttr(), getType(), symbols);
}

void InitializedValueOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValue(), getVariable());
}

void InitializedValueOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult
IsInitializedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAnyAccess(*this, getVariableAttr(), Type(), symbols);
}

void IsInitializedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAnyAccess(*this, getVariableAttr(), getValue().getType(),
                         symbols);
}

void AssignOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), getVariableAttr(),
                       VariableResource::get());
}

LogicalResult AssignNthOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getVariables().empty())
    return emitOpError() << "expected a variable, found none";
  llvm::SmallPtrSet<Attribute, 8> distinct;
  for (auto variable : getVariables().getAsRange<FlatSymbolRefAttr>()) {
    if (!distinct.insert(variable).second)
      return emitOpError() << "expected each variable once, found " << variable
                           << " again";
    if (failed(verifyAccess(*this, variable, getValue().getType(), symbols)))
      return failure();
  }
  return success();
}

void AssignNthOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (auto variable : getVariables().getAsRange<FlatSymbolRefAttr>())
    effects.emplace_back(MemoryEffects::Write::get(), variable,
                         VariableResource::get());
}

/// Checks that the variable has numbers, which arithmetic assigns need.
template <typename OpT>
static LogicalResult verifyArithmeticAssign(OpT op,
                                            SymbolTableCollection &symbols) {
  Type type = op.getValue().getType();
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1) || isa<StringType>(element))
    return op.emitOpError()
           << "expected a numeric element type, found " << type;
  return verifyAnyAccess(op, op.getVariableAttr(), type, symbols);
}

static void addReadWriteEffects(
    FlatSymbolRefAttr variable,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), variable,
                       VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), variable,
                       VariableResource::get());
}

LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyArithmeticAssign(*this, symbols);
}

void AssignAddOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadWriteEffects(getVariableAttr(), effects);
}

LogicalResult AssignSubOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyArithmeticAssign(*this, symbols);
}

void AssignSubOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadWriteEffects(getVariableAttr(), effects);
}

LogicalResult
MovingAverageOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!isa<FloatType>(getElementTypeOrSelf(getValue())))
    return emitOpError() << "expected a value of a floating-point type, found "
                         << getValue().getType();
  double momentum = getMomentum().convertToDouble();
  if (!(momentum >= 0 && momentum < 1))
    return emitOpError() << "expected a momentum within [0, 1), found "
                         << momentum;
  return verifyAccess(*this, getVariableAttr(), getValue().getType(), symbols);
}

void MovingAverageOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadWriteEffects(getVariableAttr(), effects);
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

LogicalResult RandomOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  if (getDynamicSizes().size() != static_cast<size_t>(type.getNumDynamicDims()))
    return emitOpError() << "expected " << type.getNumDynamicDims()
                         << " dimension sizes for " << type << ", found "
                         << getDynamicSizes().size();
  if (!isVariableElementType(type.getElementType()) ||
      isa<StringType>(type.getElementType()))
    return emitOpError()
           << "expected elements that a variable can have, and no "
              "strings, found "
           << type;
  if (!isa<RandomUniformAttr, RandomNormalAttr, TruncatedNormalAttr,
           GlorotUniformAttr, HeNormalAttr>(getDistribution()))
    return emitOpError() << "expected an initializer that draws, found "
                         << getDistribution();
  if (isa<GlorotUniformAttr, HeNormalAttr>(getDistribution()) &&
      !type.hasStaticShape())
    return emitOpError() << "expected a static shape for " << getDistribution()
                         << ", found " << type;
  return getDistribution().verifyInitializer([&] { return emitOpError(); },
                                             type);
}

/// Adds the effects of an op that draws, on a variable that expansion declares.
static void addDrawEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), VariableResource::get());
}

void RandomOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addDrawEffects(effects);
}

LogicalResult DropoutOp::verify() {
  double rate = getRate().convertToDouble();
  if (!(rate >= 0 && rate < 1))
    return emitOpError() << "expected a rate within [0, 1), found " << rate;
  return success();
}

void DropoutOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addDrawEffects(effects);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

namespace {
/// Functions of the host read and write nothing of the step.
struct HostResource : SideEffects::Resource::Base<HostResource> {
  StringRef getName() final { return "Host"; }
};
} // namespace

void HostCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), HostResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), HostResource::get());
}

LogicalResult HostCallOp::verify() {
  for (Type type : llvm::concat<const Type>(getInputs().getTypes(),
                                            getResults().getTypes()))
    if (!getElementTypeOrSelf(type).isIntOrFloat())
      return emitOpError() << "expected tensors of integers or floating-point "
                              "numbers, found "
                           << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

LogicalResult StringConstantOp::verify() {
  return verifyFill([&] { return emitOpError(); }, getValues().size(),
                    cast<RankedTensorType>(getType()));
}

LogicalResult StringEqualOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>,
                                              ValueRange operands,
                                              DictionaryAttr, OpaqueProperties,
                                              RegionRange,
                                              SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(operands.front().getType());
  types.push_back(
      RankedTensorType::get(type.getShape(), IntegerType::get(context, 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// Gradients and updates
//===----------------------------------------------------------------------===//

/// Checks the requirements shared by all derivatives.
static LogicalResult verifyDerivative(Operation *op, ValueRange ys,
                                      ValueRange xs) {
  auto requireFloat = [&](Value value, StringRef what) -> LogicalResult {
    if (isa<FloatType>(tensorOf(value).getElementType()))
      return success();
    return op->emitOpError()
           << "expected " << what << " of a floating-point type, found "
           << value.getType();
  };
  if (ys.empty())
    return op->emitOpError() << "expected at least one value to differentiate";
  if (xs.empty())
    return op->emitOpError() << "expected at least one gradient target";
  for (Value y : ys)
    if (failed(requireFloat(y, "differentiated values")))
      return failure();
  for (Value x : xs)
    if (failed(requireFloat(x, "gradient targets")))
      return failure();
  return success();
}

LogicalResult GradientOp::verify() {
  if (failed(verifyDerivative(*this, getYs(), getXs())))
    return failure();
  if (getXs().getTypes() != getGradients().getTypes())
    return emitOpError() << "expected results of the types of the gradient "
                            "targets, ("
                         << getXs().getTypes() << "), found ("
                         << getGradients().getTypes() << ")";
  if (!getGradYs().empty() && getGradYs().getTypes() != getYs().getTypes())
    return emitOpError() << "expected grad_ys of the types of the "
                            "differentiated values, ("
                         << getYs().getTypes() << "), found ("
                         << getGradYs().getTypes() << ")";
  return success();
}

LogicalResult JvpOp::verify() {
  if (failed(verifyDerivative(*this, getYs(), getXs())))
    return failure();
  if (getTangents().getTypes() != getXs().getTypes())
    return emitOpError() << "expected tangents of the types of the targets, ("
                         << getXs().getTypes() << "), found ("
                         << getTangents().getTypes() << ")";
  if (getDerivatives().getTypes() != getYs().getTypes())
    return emitOpError() << "expected results of the types of the "
                            "differentiated values, ("
                         << getYs().getTypes() << "), found ("
                         << getDerivatives().getTypes() << ")";
  return success();
}

LogicalResult JacobianOp::verify() {
  if (failed(verifyDerivative(*this, getY(), getXs())))
    return failure();
  RankedTensorType y = tensorOf(getY());
  SmallVector<Type> types;
  for (Value x : getXs()) {
    SmallVector<int64_t> shape(y.getShape());
    llvm::append_range(shape, tensorOf(x).getShape());
    Type element = getElementTypeOrSelf(x);
    types.push_back(RankedTensorType::get(shape, element));
    if (getMode() == JacobianMode::forward && element != y.getElementType())
      return emitOpError() << "expected one element type for `mode forward`, "
                              "found "
                           << y.getElementType() << " and " << element;
  }
  if (getJacobians().getTypes() != TypeRange(types))
    return emitOpError() << "expected results with the dimension sizes of the "
                            "differentiated value, then those of the target, ("
                         << types << "), found (" << getJacobians().getTypes()
                         << ")";
  return success();
}

/// Checks the variables that an optimizer is given to update.
static LogicalResult verifyTargets(Operation *op, ArrayAttr list,
                                   SymbolTableCollection &symbols) {
  if (list.empty())
    return op->emitError() << "No variables to optimize: var_list is empty";
  llvm::SmallDenseSet<Attribute> seen;
  for (auto symbol : list.getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<VariableOp> variable = lookupVariable(op, symbol, symbols);
    if (failed(variable))
      return failure();
    if (!seen.insert(symbol).second)
      return op->emitOpError()
             << "expected distinct variables in var_list, found " << symbol
             << " twice";
    if (!isa<FloatType>(variable->getTensorType().getElementType()))
      return op->emitOpError()
             << "expected variables of a floating-point type in "
                "var_list, found "
             << symbol << " of type " << variable->getTensorType();
  }
  return success();
}

/// Checks the variable that counts the steps of an optimizer.
static LogicalResult verifyGlobalStep(Operation *op, FlatSymbolRefAttr step,
                                      SymbolTableCollection &symbols) {
  if (!step)
    return success();
  FailureOr<VariableOp> variable = lookupVariable(op, step, symbols);
  if (failed(variable))
    return failure();
  RankedTensorType type = variable->getTensorType();
  if (type.getRank() == 0 && type.getElementType().isSignlessInteger() &&
      !type.getElementType().isInteger(1))
    return success();
  return op->emitOpError() << "expected a scalar integer variable as "
                              "global_step, found "
                           << step << " of type " << type;
}

LogicalResult ClipByGlobalNormOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "expected a tensor to clip, found none";
  if (!getBound().isFinite() || !(getBound().convertToDouble() > 0.0))
    return emitOpError() << "expected a finite bound > 0, found "
                         << getBound().convertToDouble();
  if (getClipped().size() != getInputs().size())
    return emitOpError() << "expected a result for each of the "
                         << getInputs().size()
                         << " tensors and the norm, found " << getNumResults();
  Type number = Float32Type::get(getContext());
  for (auto [input, result] : llvm::zip_equal(getInputs(), getClipped())) {
    Type element = getElementTypeOrSelf(input.getType());
    if (!element.isF16() && !element.isBF16() && !element.isF32() &&
        !element.isF64())
      return emitOpError()
             << "expected tensors of f16, bf16, f32 or f64, found "
             << input.getType();
    if (element.isF64())
      number = element;
    if (input.getType() != result.getType())
      return emitOpError() << "expected a result of the type of its tensor, "
                           << input.getType() << ", found " << result.getType();
  }
  auto expected = RankedTensorType::get({}, number);
  if (getNorm().getType() != expected)
    return emitOpError() << "expected a norm of type " << expected << ", found "
                         << getNorm().getType();
  return success();
}

LogicalResult MinimizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!isa<FloatType>(tensorOf(getLoss()).getElementType()))
    return emitOpError() << "expected a loss of a floating-point type, found "
                         << getLoss().getType();
  if (std::optional<ArrayAttr> list = getVarList())
    if (failed(verifyTargets(*this, *list, symbols)))
      return failure();
  if (failed(verifyUpdateClauses(*this, symbols)))
    return failure();
  return verifyGlobalStep(*this, getGlobalStepAttr(), symbols);
}

LogicalResult
ApplyGradientsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyTargets(*this, getVarList(), symbols)))
    return failure();
  if (getVarList().size() != getGradients().size())
    return emitOpError() << "expected one gradient for each of the "
                         << getVarList().size()
                         << " variables of var_list, found "
                         << getGradients().size();
  for (auto [symbol, gradient] : llvm::zip_equal(
           getVarList().getAsRange<FlatSymbolRefAttr>(), getGradients())) {
    FailureOr<VariableOp> variable = lookupVariable(*this, symbol, symbols);
    if (succeeded(variable) &&
        !isGradientType(gradient.getType(), variable->getTensorType()))
      return emitOpError() << "expected a gradient of " << symbol << "'s type "
                           << variable->getTensorType() << ", found "
                           << gradient.getType();
  }
  if (failed(verifyUpdateClauses(*this, symbols)))
    return failure();
  return verifyGlobalStep(*this, getGlobalStepAttr(), symbols);
}

/// The accessed variables are known only after expansion; until then, the op
/// affects all of them.
static void addEffectsOnAll(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), VariableResource::get());
}

void MinimizeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffectsOnAll(effects);
}

void ApplyGradientsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffectsOnAll(effects);
}
