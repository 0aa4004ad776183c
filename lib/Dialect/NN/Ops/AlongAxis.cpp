//===- AlongAxis.cpp - Elements at indices along one dimension ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommonBatching.h"

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult TakeAlongAxisOp::verify() {
  return verifyElementTypes(*this, getX(), getResult());
}

LogicalResult ScatterAddAlongAxisOp::verify() {
  if (failed(verifyNumeric(*this, getInit())) ||
      failed(verifyElementTypes(*this, getInit(), getUpdates())))
    return failure();
  return verifyElementTypes(*this, getInit(), getResult());
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

CostExpr ScatterAddAlongAxisOp::countFlops(CostSizes &sizes) {
  return sizes.getNumElements(getUpdates());
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult TakeAlongAxisOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                       ArrayRef<bool> needed,
                                       MutableArrayRef<Value> operands) {
  if (!needed[0])
    return success();
  Value zeros = buildSplat(b, getLoc(), getX(), 0.0);
  operands[0] =
      ScatterAddAlongAxisOp::create(b, getLoc(), getX().getType(), zeros,
                                    getIndices(), results[0], getAxis());
  return success();
}

LogicalResult ScatterAddAlongAxisOp::emitVjp(OpBuilder &b,
                                             ArrayRef<Value> results,
                                             ArrayRef<bool> needed,
                                             MutableArrayRef<Value> operands) {
  if (needed[0])
    operands[0] = buildCast(b, getLoc(), results[0], getInit().getType());
  if (needed[2])
    operands[2] = TakeAlongAxisOp::create(b, getLoc(), getUpdates().getType(),
                                          results[0], getIndices(), getAxis());
  return success();
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

LogicalResult TakeAlongAxisOp::emitBatched(Batcher &batcher) {
  BatchedValue x = batcher.lookup(getX());
  if (x.isDiagonal() && x.dim != static_cast<int64_t>(getAxis()) &&
      !batcher.isBatched(getIndices()))
    return batcher.emitDiagonal(*this, x.dim);
  return batchAlongAxis(*this, batcher);
}

LogicalResult ScatterAddAlongAxisOp::emitBatched(Batcher &batcher) {
  if (!batcher.isBatched(getIndices()))
    for (int64_t dim = 0; dim < tensorOf(getInit()).getRank(); ++dim)
      if (dim != static_cast<int64_t>(getAxis()) &&
          batcher.isDiagonalOrZero(getInit(), dim) &&
          batcher.isDiagonalOrZero(getUpdates(), dim))
        return batcher.emitDiagonal(*this, dim);
  return batchAlongAxis(*this, batcher);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Returns {0, 1, ..., rank - 1}: all dimensions as one.
static SmallVector<ReassociationIndices> groupAll(int64_t rank) {
  return {ReassociationIndices(identityDims(rank))};
}

/// Reshapes `tensor` to one row.
static Value flatten(LinalgEmitter &e, Value tensor) {
  int64_t rank = tensorOf(tensor).getRank();
  if (rank == 1)
    return tensor;
  return tensor::CollapseShapeOp::create(e.b, e.loc, tensor, groupAll(rank));
}

namespace {
/// The dimension sizes of a tensor and of the indices into it, each as static
/// as both say.
struct Places {
  SmallVector<DimSize> whole, indices;

  /// Returns true if there are no indices or no elements. Upstream's ops cannot
  /// reshape such a tensor for all dimension sizes.
  bool isEmpty() const {
    return llvm::any_of(
        llvm::concat<const DimSize>(whole, indices),
        [](const DimSize &dimSize) { return dimSize == DimSize::constant(0); });
  }
};
} // namespace

/// Checks that each of `indices` is in range.
static Places expectPlaces(LinalgEmitter &e, Value whole, Value indices,
                           int64_t axis) {
  Places places = {e.getDimSizes(whole), e.getDimSizes(indices)};
  for (auto [dim, pair] :
       llvm::enumerate(llvm::zip_equal(places.whole, places.indices))) {
    auto &[dimSize, other] = pair;
    if (static_cast<int64_t>(dim) == axis)
      e.expectInRange(indices, dimSize, "index");
    else
      other = dimSize;
  }
  return places;
}

/// Returns the row-major numbers of the elements at `indices`. The number of an
/// index that is out of range is unspecified; users skip such indices.
static Value emitNumbers(LinalgEmitter &e, const Places &places, Value indices,
                         int64_t axis) {
  if (places.whole.size() == 1)
    return indices;
  SmallVector<Value> sizes;
  for (DimSize dimSize : places.whole)
    sizes.push_back(
        getValueOrCreateConstantIndexOp(e.b, e.loc, e.materialize(dimSize)));
  return e.map(
      places.indices, e.b.getI64Type(), indices, {e.identity(sizes.size())},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value number;
        for (auto [dim, size] : llvm::enumerate(sizes)) {
          Value position = static_cast<int64_t>(dim) == axis
                               ? toIndex(b, loc, args[0])
                               : Value(linalg::IndexOp::create(b, loc, dim));
          if (number) {
            number = arith::MulIOp::create(b, loc, number, size);
            position = arith::AddIOp::create(b, loc, number, position);
          }
          number = position;
        }
        return arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
      });
}

LogicalResult TakeAlongAxisOp::lowerToLinalg(LinalgEmitter &e) {
  Places places = expectPlaces(e, getX(), getIndices(), getAxis());
  Type type = getElementTypeOrSelf(getX());
  if (places.isEmpty()) {
    e.replaceWith(e.fill(places.indices, e.scalar(type, 0)));
    return success();
  }
  Value numbers = emitNumbers(e, places, getIndices(), getAxis());
  Value init = e.empty(places.indices, type);
  e.replaceWith(linalg_ext::GatherOp::create(e.b, e.loc, init.getType(),
                                             flatten(e, getX()), numbers, init,
                                             /*axis=*/0)
                    .getResult(0));
  return success();
}

LogicalResult ScatterAddAlongAxisOp::lowerToLinalg(LinalgEmitter &e) {
  Value init = getInit();
  Places places = expectPlaces(e, init, getIndices(), getAxis());
  if (places.isEmpty()) {
    e.replaceWith(init);
    return success();
  }
  // A constant cannot be overwritten.
  Type type = getElementTypeOrSelf(init);
  SmallVector<DimSize> whole = e.getDimSizes(init);
  if (TypedAttr splat = getSplat(init))
    init = e.fill(whole, e.scalar(splat));
  // Sums are rounded once, not at each of several updates of one place.
  init = e.widenTensor(init);
  Value numbers = emitNumbers(e, places, getIndices(), getAxis());
  Value flat = flatten(e, init);
  Value sums = linalg_ext::ScatterOp::create(
                   e.b, e.loc, flat.getType(), linalg_ext::ScatterKind::add,
                   flatten(e, numbers), flatten(e, e.widenTensor(getUpdates())),
                   flat, /*axis=*/0)
                   .getResult(0);
  if (whole.size() != 1)
    sums = e.expand(sums, tensorOf(init), groupAll(whole.size()), whole);
  e.replaceWith(e.narrowTensor(sums, type));
  return success();
}
