//===- CustomVjp.cpp - Derivative rules that users give -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace flywheel::train;

FunctionType flywheel::train::getVjpType(MLIRContext *context, TypeRange inputs,
                                         TypeRange results) {
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  SmallVector<Type> from(inputs), to;
  llvm::copy_if(results, std::back_inserter(from), isFloat);
  llvm::copy_if(inputs, std::back_inserter(to), isFloat);
  return FunctionType::get(context, from, to);
}

/// Checks that `region` is a computation of type `expected`.
static LogicalResult verifyRegion(CustomVjpOp op, Region &region,
                                  StringRef name, FunctionType expected) {
  Block &block = region.front();
  auto yield = dyn_cast_or_null<VjpYieldOp>(block.getTerminator());
  if (!yield)
    return op.emitOpError()
           << "expected 'train.vjp_yield' at the end of the " << name;
  auto found = FunctionType::get(op.getContext(), block.getArgumentTypes(),
                                 yield.getValues().getTypes());
  if (found == expected)
    return success();
  return op.emitOpError() << "expected a " << name << " of type " << expected
                          << ", found " << found;
}

LogicalResult CustomVjpOp::verifyRegions() {
  MLIRContext *context = getContext();
  TypeRange inputs = getInputs().getTypes(), results = getResultTypes();
  if (failed(verifyRegion(*this, getBody(), "body",
                          FunctionType::get(context, inputs, results))))
    return failure();
  return verifyRegion(*this, getVjp(), "rule",
                      getVjpType(context, inputs, results));
}

/// Whether `attribute` is a list of `T`.
template <typename T> static bool isListOf(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<T>);
}

/// Whether `attribute` is the list of sizes of a slot: functions of the
/// symbols.
static bool isSizes(Attribute attribute) {
  return isListOf<AffineMapAttr>(attribute) &&
         llvm::all_of(
             cast<ArrayAttr>(attribute).getAsValueRange<AffineMapAttr>(),
             [](AffineMap map) {
               return map.getNumResults() == 1 && map.getNumDims() == 0;
             });
}

/// What stages attach is read again by the next, from a file also.
static LogicalResult verifyList(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName(), expected;
  Attribute list = attribute.getValue();
  if (name == TrainDialect::getSymbolsAttrName())
    expected = isListOf<StringAttr>(list) ? "" : "strings";
  else if (name == TrainDialect::getInitialReadsAttrName() ||
           name == TrainDialect::getInitialValuesAttrName())
    expected = isListOf<FlatSymbolRefAttr>(list) ? "" : "symbols of variables";
  else if (name == TrainDialect::getWorkspaceSlotsAttrName())
    expected = isListOf<ArrayAttr>(list) &&
                       llvm::all_of(cast<ArrayAttr>(list), isSizes)
                   ? ""
                   : "lists of affine maps from symbols to one result";
  if (expected.empty())
    return success();
  return op->emitOpError() << "expected a list of " << expected << " as '"
                           << name << "', found " << list;
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() != getVjpAttrName())
    return verifyList(op, attribute);
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue());
  if (!function || !symbol)
    return op->emitOpError() << "expected '" << getVjpAttrName()
                             << "' to name a function, on a function, found "
                             << attribute.getValue();
  auto rule = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      op->getParentOp(), symbol);
  if (!rule)
    return op->emitOpError() << "expected a function that is the derivative "
                                "rule, found no "
                             << symbol;
  FunctionType expected = getVjpType(
      op->getContext(), function.getArgumentTypes(), function.getResultTypes());
  if (rule.getFunctionType() == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "expected the derivative rule " << symbol
                             << " to have type " << expected << ", found "
                             << rule.getFunctionType();
  error.attachNote(rule.getLoc()) << "the rule is defined here";
  return error;
}
