//===- CustomVjp.cpp - Derivative rules that users give -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomVjp.h"
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

LogicalResult flywheel::train::verifyVjp(Operation *op, Attribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute);
  if (!function || !symbol)
    return op->emitOpError()
           << "expected '" << TrainDialect::getVjpAttrName()
           << "' to name a function, on a function, found " << attribute;
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
