//===- DeclareVariable.cpp - Variables that passes make -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeclareVariable.h"

#include "flywheel/Support/UniqueName.h"

using namespace mlir;
using namespace flywheel::train;

VariableOp flywheel::train::declareVariable(Operation *table, Location loc,
                                            const Twine &name,
                                            RankedTensorType type,
                                            Attribute initialValue,
                                            VariableOp owner) {
  std::string unique = makeUniqueName(name.str(), [&](StringRef symbol) {
    return SymbolTable::lookupSymbolIn(table, symbol) != nullptr;
  });
  Block &body = table->getRegion(0).front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (Operation &op : llvm::reverse(body))
    if (isa<VariableOp>(op)) {
      b.setInsertionPointAfter(&op);
      break;
    }
  return VariableOp::create(
      b, loc, b.getStringAttr(unique), TypeAttr::get(type), initialValue,
      /*trainable=*/b.getBoolAttr(false),
      // A slot has the type of its parameter; a variable of another type is not
      // a slot.
      owner && owner.getTensorType() == type
          ? FlatSymbolRefAttr::get(owner.getSymNameAttr())
          : FlatSymbolRefAttr(),
      /*collections=*/ArrayAttr(),
      /*device=*/owner ? owner.getDeviceAttr() : StringAttr(),
      /*constraint=*/ConstraintAttrInterface(),
      /*element_type=*/TypeAttr());
}

DenseElementsAttr flywheel::train::getSplatOf(RankedTensorType type,
                                              double value) {
  Builder builder(type.getContext());
  Type element = type.getElementType();
  if (!isa<FloatType>(element))
    return getCounterOf(type, static_cast<int64_t>(value));
  return DenseElementsAttr::get(
      type, cast<Attribute>(builder.getFloatAttr(element, value)));
}

DenseElementsAttr flywheel::train::getCounterOf(RankedTensorType type,
                                                int64_t value) {
  Builder builder(type.getContext());
  return DenseElementsAttr::get(type, cast<Attribute>(builder.getIntegerAttr(
                                          type.getElementType(), value)));
}
