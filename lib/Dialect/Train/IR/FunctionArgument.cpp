//===- FunctionArgument.cpp - Roles of the arguments of steps -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/FunctionArgument.h"

#include "flywheel/Dialect/Train/Train.h"

using namespace mlir;
using namespace flywheel::train;

std::optional<FunctionArgument> FunctionArgument::get(Value value) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  auto function =
      dyn_cast_if_present<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return std::nullopt;
  return FunctionArgument(function, argument.getArgNumber());
}

FunctionArgument::Role FunctionArgument::getRole() const {
  if (Attribute storage = getStorage())
    return isa<ArrayAttr>(storage) ? Role::Variables : Role::Variable;
  if (getFlagged())
    return Role::IsInitialized;
  if (getAttr(TrainDialect::getWorkspaceAttrName()))
    return Role::Workspace;
  return getResultNumber() ? Role::Result : Role::Feed;
}

Attribute FunctionArgument::getStorage() const {
  return getAttr(TrainDialect::getVariableAttrName());
}

FlatSymbolRefAttr FunctionArgument::getVariable() const {
  return dyn_cast_if_present<FlatSymbolRefAttr>(getStorage());
}

ArrayAttr FunctionArgument::getVariables() const {
  return dyn_cast_if_present<ArrayAttr>(getStorage());
}

FlatSymbolRefAttr FunctionArgument::getFlagged() const {
  return cast_if_present<FlatSymbolRefAttr>(
      getAttr(TrainDialect::getIsInitializedAttrName()));
}

bool FunctionArgument::isRead() const {
  return static_cast<bool>(getAttr(TrainDialect::getReadsAttrName()));
}

bool FunctionArgument::isInitializedValueRead() const {
  return static_cast<bool>(
      getAttr(TrainDialect::getInitializedValueAttrName()));
}

bool FunctionArgument::isWritten() const {
  return static_cast<bool>(getAttr(TrainDialect::getWritesAttrName()));
}

bool FunctionArgument::isUpdated() const {
  return static_cast<bool>(getAttr(TrainDialect::getUpdatedAttrName()));
}

void FunctionArgument::removeUpdated() {
  function.removeArgAttr(number, TrainDialect::getUpdatedAttrName());
}

std::optional<unsigned> FunctionArgument::getResultNumber() const {
  auto result =
      cast_if_present<IntegerAttr>(getAttr(TrainDialect::getResultAttrName()));
  if (!result)
    return std::nullopt;
  return result.getInt();
}

StringAttr FunctionArgument::getGivenName() const {
  return cast_if_present<StringAttr>(getAttr(TrainDialect::getNameAttrName()));
}

std::string FunctionArgument::getName() const {
  StringAttr given = getGivenName();
  return given ? given.str() : "arg" + std::to_string(number);
}

StringRef FunctionArgument::getDimName(int64_t dim) const {
  auto names =
      cast_if_present<ArrayAttr>(getAttr(TrainDialect::getDimsAttrName()));
  if (!names || dim < 0 || dim >= static_cast<int64_t>(names.size()))
    return {};
  return cast<StringAttr>(names[dim]).getValue();
}

int64_t FunctionArgument::getDimSymbol(int64_t dim) const {
  auto symbols = cast_if_present<DenseI64ArrayAttr>(
      getAttr(TrainDialect::getDimSizesAttrName()));
  return symbols && dim < symbols.size() ? symbols[dim] : -1;
}

SmallVector<StringRef> FunctionArgument::getDimSizePlaces() const {
  auto places = cast_if_present<ArrayAttr>(
      getAttr(TrainDialect::getDimSizePlacesAttrName()));
  return places ? llvm::to_vector(places.getAsValueRange<StringAttr>())
                : SmallVector<StringRef>();
}

Type FunctionArgument::getElementType() const {
  auto declared = cast_if_present<TypeAttr>(
      getAttr(TrainDialect::getElementTypeAttrName()));
  return declared ? declared.getValue()
                  : getElementTypeOrSelf(function.getArgumentTypes()[number]);
}
