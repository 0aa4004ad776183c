//===- SizeOpInterfaces.cpp - Sizes of results and operands ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/SizeOpInterfaces.h"

using namespace mlir;

#include "flywheel/Interfaces/SizeOpInterfaces.cpp.inc"

flywheel::DimSizeSource flywheel::findDimSizeSource(OpResult value,
                                                    int64_t dim) {
  Operation *op = value.getOwner();
  // An elementwise op, or one that acts on rows.
  if (op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return {op->getOperand(0), dim};
  if (auto source = dyn_cast<DimSizeSourceOpInterface>(op))
    return source.getDimSizeSource(dim);
  return {};
}
