//===- Averages.cpp - Verifiers of averages of variables ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableVerifiers.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

/// Checks the variables of an op, and the names of their averages.
template <typename OpT>
static LogicalResult verifyAveraged(OpT op, SymbolTableCollection &symbols) {
  if (!isVariableName(op.getName()))
    return op.emitOpError() << "expected a name of averages without "
                               "whitespace, ':' and '^', found \""
                            << op.getName() << "\"";
  std::optional<ArrayAttr> list = op.getVarList();
  if (!list)
    return success();
  llvm::SmallDenseSet<Attribute> seen;
  for (auto symbol : list->template getAsRange<FlatSymbolRefAttr>()) {
    FailureOr<VariableOp> variable = lookupVariable(op, symbol, symbols);
    if (failed(variable))
      return failure();
    if (!seen.insert(symbol).second)
      return op.emitOpError()
             << "expected distinct variables, found " << symbol << " twice";
    if (!isa<FloatType>(variable->getTensorType().getElementType()))
      return op.emitOpError()
             << "expected variables of a floating-point type, found " << symbol
             << " of type " << variable->getTensorType();
  }
  return success();
}

LogicalResult
AverageVariablesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  double decay = getDecay().convertToDouble();
  if (!(decay >= 0 && decay < 1))
    return emitOpError() << "expected a decay within [0, 1), found " << decay;
  if (failed(verifyAveraged(*this, symbols)))
    return failure();
  FlatSymbolRefAttr count = getNumUpdatesAttr();
  if (!count)
    return success();
  FailureOr<VariableOp> variable = lookupVariable(*this, count, symbols);
  if (failed(variable))
    return failure();
  RankedTensorType type = variable->getTensorType();
  if (type.getRank() == 0 && type.getElementType().isSignlessInteger() &&
      !type.getElementType().isInteger(1))
    return success();
  return emitOpError() << "expected a scalar integer variable as num_updates, "
                          "found "
                       << count << " of type " << type;
}

LogicalResult SwapAveragesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAveraged(*this, symbols);
}

/// The accessed variables are known only after expansion; until then, the op
/// affects all of them.
static void addEffectsOnVariables(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), VariableResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), VariableResource::get());
}

void AverageVariablesOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffectsOnVariables(effects);
}

void SwapAveragesOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffectsOnVariables(effects);
}
