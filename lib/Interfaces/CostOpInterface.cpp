//===- CostOpInterface.cpp - Cost of an op --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/CostOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flywheel;

#include "flywheel/Interfaces/CostOpInterface.cpp.inc"

CostExpr CostSizes::getNumElements(Value value) {
  CostExpr product = CostExpr::constant(1);
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      product = product * getSize(value, dim);
  return product;
}

CostExpr CostSizes::getNumBytes(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!isa<RankedTensorType>(value.getType()) || !element.isIntOrFloat())
    return CostExpr();
  int64_t bytes =
      llvm::divideCeil(uint64_t{element.getIntOrFloatBitWidth()}, uint64_t{8});
  return getNumElements(value) * CostExpr::constant(bytes);
}

CostExpr flywheel::countResultElements(Operation *op, CostSizes &sizes) {
  CostExpr sum;
  for (Value result : op->getResults())
    sum = sum + sizes.getNumElements(result);
  return sum;
}

CostExpr flywheel::countAllBytes(Operation *op, CostSizes &sizes) {
  CostExpr sum;
  llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
  for (Value operand : operands)
    sum = sum + sizes.getNumBytes(operand);
  for (Value result : op->getResults())
    sum = sum + sizes.getNumBytes(result);
  return sum;
}
