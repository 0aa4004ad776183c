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
  if (auto source = dyn_cast<DimSizeSourceOpInterface>(op);
      source && value.getResultNumber() == 0)
    return source.getDimSizeSource(dim);
  return {};
}

std::string flywheel::describeEqualSizes(int64_t i, StringRef nameA, int64_t j,
                                         StringRef nameB) {
  return ("sizes of dimension " + Twine(i) + " of " + nameA +
          " and dimension " + Twine(j) + " of " + nameB)
      .str();
}
