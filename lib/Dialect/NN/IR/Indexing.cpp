//===- Indexing.cpp - Slices at indices, and scans ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyElementTypes(Operation *op, Value a, Value b) {
  Type left = getElementTypeOrSelf(a), right = getElementTypeOrSelf(b);
  if (left == right)
    return success();
  return op->emitOpError() << "expected one element type, found " << left
                           << " and " << right;
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, Value value) {
  return verifyDims(op, "axis", axis, tensorOf(value).getRank());
}

/// The shape of `whole` with `axis` replaced by the dimensions of `indices`.
static SmallVector<int64_t> getSlicesShape(Value whole, Value indices,
                                           int64_t axis) {
  ArrayRef<int64_t> shape = tensorOf(whole).getShape();
  SmallVector<int64_t> slices(shape.take_front(axis));
  llvm::append_range(slices, tensorOf(indices).getShape());
  llvm::append_range(slices, shape.drop_front(axis + 1));
  return slices;
}

/// Checks that the elements of `value` can be added.
static LogicalResult verifyNumeric(Operation *op, Value value) {
  if (!getElementTypeOrSelf(value).isInteger(1))
    return success();
  return op->emitOpError() << "expected a numeric element type, found "
                           << value.getType();
}

LogicalResult GatherOp::verify() {
  if (failed(verifyElementTypes(*this, getX(), getResult())) ||
      failed(verifyAxis(*this, getAxis(), getX())))
    return failure();
  return verifyResultShape(*this, getResult(),
                           getSlicesShape(getX(), getIndices(), getAxis()));
}

LogicalResult ScatterAddOp::verify() {
  if (failed(verifyNumeric(*this, getInit())) ||
      failed(verifyElementTypes(*this, getInit(), getUpdates())) ||
      failed(verifyElementTypes(*this, getInit(), getResult())) ||
      failed(verifyAxis(*this, getAxis(), getInit())))
    return failure();
  auto expected =
      RankedTensorType::get(getSlicesShape(getInit(), getIndices(), getAxis()),
                            getElementTypeOrSelf(getInit()));
  if (failed(verifyCompatibleShape(expected, getUpdates().getType())))
    return emitOpError() << "expected updates of type " << expected
                         << ", found " << getUpdates().getType();
  return verifyResultShape(*this, getResult(), tensorOf(getInit()).getShape());
}

LogicalResult CumsumOp::verify() {
  if (failed(verifyNumeric(*this, getX())) ||
      failed(verifyElementTypes(*this, getX(), getResult())) ||
      failed(verifyAxis(*this, getAxis(), getX())))
    return failure();
  return verifyResultShape(*this, getResult(), tensorOf(getX()).getShape());
}

LogicalResult IotaOp::verify() {
  if (failed(verifyAxis(*this, getAxis(), getResult())))
    return failure();
  if (getLike())
    return verifyResultShape(*this, getResult(),
                             tensorOf(getLike()).getShape());
  if (!tensorOf(getResult()).hasStaticShape())
    return emitOpError() << "expected `like` for a result with dynamic "
                            "extents, found none";
  return success();
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  if (!needed[0])
    return success();
  Value zeros = buildSplat(b, getLoc(), getX(), 0.0);
  operands[0] = ScatterAddOp::create(b, getLoc(), getX().getType(), zeros,
                                     getIndices(), results[0], getAxis());
  return success();
}

LogicalResult ScatterAddOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                    ArrayRef<bool> needed,
                                    MutableArrayRef<Value> operands) {
  // The result may be declared with other extents than what it starts from.
  if (needed[0])
    operands[0] = buildCast(b, getLoc(), results[0], getInit().getType());
  if (needed[2])
    operands[2] = GatherOp::create(b, getLoc(), getUpdates().getType(),
                                   results[0], getIndices(), getAxis());
  return success();
}

LogicalResult CumsumOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  // An element of x is in the sums at it and behind it.
  operands[0] = CumsumOp::create(b, getLoc(), getX().getType(), results[0],
                                 getAxis(), getExclusive(), !getReverse());
  return success();
}
