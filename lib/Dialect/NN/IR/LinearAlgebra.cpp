//===- LinearAlgebra.cpp - Triangles and linear systems -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks that `value` is a matrix or a batch of them.
static LogicalResult verifyMatrices(Operation *op, Value value,
                                    StringRef what) {
  if (tensorOf(value).getRank() >= 2)
    return success();
  return op->emitOpError() << "expected " << what
                           << " of rank at least 2, found " << value.getType();
}

LogicalResult TriangleOp::verify() {
  if (failed(verifyMatrices(*this, getX(), "x")))
    return failure();
  auto type = dyn_cast<IntegerType>(tensorOf(getX()).getElementType());
  if (!type)
    return success();
  // Truth values are 0 and 1.
  APSInt number(type.getWidth(), /*isUnsigned=*/type.getWidth() == 1);
  bool isExact = false;
  getFill().convertToInteger(number, APFloat::rmTowardZero, &isExact);
  if (!isExact)
    return emitOpError() << "expected a fill that is a number of " << type
                         << ", found " << getFillAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult TriangleOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                  ArrayRef<bool> needed,
                                  MutableArrayRef<Value> operands) {
  operands[0] = TriangleOp::create(b, getLoc(), results[0].getType(), getKind(),
                                   results[0], getDiagonal(), APFloat(0.0));
  return success();
}
