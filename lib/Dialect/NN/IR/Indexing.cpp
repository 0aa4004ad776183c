//===- Indexing.cpp - Slices at indices, and scans ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

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

/// Checks that `updates` are slices of `init` and of the result.
static LogicalResult verifyUpdates(Operation *op, Value init, Value indices,
                                   Value updates, int64_t axis) {
  Value result = op->getResult(0);
  if (failed(verifyElementTypes(op, init, updates)) ||
      failed(verifyElementTypes(op, init, result)) ||
      failed(verifyAxis(op, axis, init)))
    return failure();
  auto expected = RankedTensorType::get(getSlicesShape(init, indices, axis),
                                        getElementTypeOrSelf(init));
  if (failed(verifyCompatibleShape(expected, updates.getType())))
    return op->emitOpError() << "expected updates of type " << expected
                             << ", found " << updates.getType();
  return verifyResultShape(op, result, tensorOf(init).getShape());
}

LogicalResult ScatterAddOp::verify() {
  if (failed(verifyNumeric(*this, getInit())))
    return failure();
  return verifyUpdates(*this, getInit(), getIndices(), getUpdates(), getAxis());
}

LogicalResult ScatterOp::verify() {
  return verifyUpdates(*this, getInit(), getIndices(), getUpdates(), getAxis());
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

/// The row-major number of each element of `tensor`, as i64.
static Value buildNumbers(OpBuilder &b, Location loc, Value tensor) {
  auto type = tensorOf(tensor).clone(b.getI64Type());
  Value like = type.hasStaticShape() ? Value() : tensor;
  if (type.getRank() == 0)
    return buildSplat(b, loc, tensor::EmptyOp::create(b, loc, type, {}), 0);
  Value numbers;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value position = IotaOp::create(b, loc, type, like, dim);
    if (!numbers) {
      numbers = position;
      continue;
    }
    Value extent = arith::IndexCastOp::create(
        b, loc, b.getI64Type(), tensor::DimOp::create(b, loc, tensor, dim));
    Value extents = buildBroadcast(
        b, loc,
        tensor::FromElementsOp::create(
            b, loc, RankedTensorType::get({}, b.getI64Type()), extent),
        {}, tensor);
    numbers = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, numbers, extents), position);
  }
  return numbers;
}

/// Whether each index is the last of its value: what it is written with stays.
static Value buildIsLast(OpBuilder &b, Location loc, Value whole, Value indices,
                         int64_t axis) {
  Value numbers = buildNumbers(b, loc, indices);
  Value places = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSize(b, loc, whole, axis), b.getI64Type());
  Value owners =
      ScatterOp::create(b, loc, places.getType(), buildSplat(b, loc, places, 0),
                        indices, numbers, /*axis=*/0);
  Value owner = GatherOp::create(b, loc, numbers.getType(), owners, indices,
                                 /*axis=*/0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, owner,
                               numbers);
}

LogicalResult ScatterOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value zeros = buildSplat(b, loc, getUpdates(), 0.0);
  if (needed[0])
    operands[0] =
        ScatterOp::create(b, loc, getInit().getType(),
                          buildCast(b, loc, results[0], getInit().getType()),
                          getIndices(), zeros, getAxis());
  if (!needed[2])
    return success();
  Value dy = GatherOp::create(b, loc, getUpdates().getType(), results[0],
                              getIndices(), getAxis());
  Value isLast = buildIsLast(b, loc, getInit(), getIndices(), getAxis());
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < tensorOf(getIndices()).getRank(); ++dim)
    dims.push_back(static_cast<int64_t>(getAxis()) + dim);
  Value stays = buildBroadcast(b, loc, isLast, dims, getUpdates());
  operands[2] = arith::SelectOp::create(b, loc, stays, dy, zeros);
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
