//===- Indexing.cpp - Slices at indices -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  return verifyElementTypes(*this, getX(), getResult());
}

/// Checks that `updates` and the result have the elements of `init`.
template <typename OpTy> static LogicalResult verifyUpdates(OpTy op) {
  if (failed(verifyElementTypes(op, op.getInit(), op.getUpdates())))
    return failure();
  return verifyElementTypes(op, op.getInit(), op.getResult());
}

LogicalResult ScatterAddOp::verify() {
  if (failed(verifyNumeric(*this, getInit())))
    return failure();
  return verifyUpdates(*this);
}

LogicalResult ScatterOp::verify() { return verifyUpdates(*this); }

LogicalResult CheckIndicesOp::verify() {
  return verifyAxis(*this, getAxis(), getOf());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DimSizeSource CheckIndicesOp::getDimSizeSource(int64_t dim) {
  return {getIndices(), dim};
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

CostExpr ScatterAddOp::countFlops(CostSizes &sizes) {
  return sizes.getNumElements(getUpdates());
}

/// Counts the slices that are read and written, not all of the table.
CostExpr GatherOp::countBytes(CostSizes &sizes) {
  return sizes.getNumBytes(getResult()) * CostExpr::constant(2) +
         sizes.getNumBytes(getIndices());
}

/// Counts the updates and indices; `init` is updated in place.
static CostExpr countScatterBytes(Value updates, Value indices,
                                  int64_t numPasses, CostSizes &sizes) {
  return sizes.getNumBytes(updates) * CostExpr::constant(numPasses) +
         sizes.getNumBytes(indices);
}

CostExpr ScatterOp::countBytes(CostSizes &sizes) {
  return countScatterBytes(getUpdates(), getIndices(), 2, sizes);
}
CostExpr ScatterAddOp::countBytes(CostSizes &sizes) {
  return countScatterBytes(getUpdates(), getIndices(), 3, sizes);
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
  // The result type may have other static sizes than that of the init.
  if (needed[0])
    operands[0] = buildCast(b, getLoc(), results[0], getInit().getType());
  if (needed[2])
    operands[2] = GatherOp::create(b, getLoc(), getUpdates().getType(),
                                   results[0], getIndices(), getAxis());
  return success();
}

/// Builds the row-major number of each element of `tensor`, as i64.
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
    Value dimSize = arith::IndexCastOp::create(
        b, loc, b.getI64Type(), tensor::DimOp::create(b, loc, tensor, dim));
    Value dimSizes = buildBroadcast(
        b, loc,
        tensor::FromElementsOp::create(
            b, loc, RankedTensorType::get({}, b.getI64Type()), dimSize),
        {}, tensor);
    numbers = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, numbers, dimSizes), position);
  }
  return numbers;
}

/// Emits the same for few indices, of static sizes: an index is the last of its
/// value if no later one equals it.
static Value buildIsLastOfFew(OpBuilder &b, Location loc, Value indices) {
  RankedTensorType type = tensorOf(indices);
  int64_t count = type.getNumElements();
  SmallVector<ReassociationIndices> all{identityDims(type.getRank())};
  if (type.getRank() > 1)
    indices = tensor::CollapseShapeOp::create(b, loc, indices, all);
  Value like =
      tensor::EmptyOp::create(b, loc, {count, count}, type.getElementType());
  Value own = buildBroadcast(b, loc, indices, {0}, like);
  Value other = buildBroadcast(b, loc, indices, {1}, like);
  auto numbers = RankedTensorType::get({count, count}, b.getI64Type());
  Value place = IotaOp::create(b, loc, numbers, Value(), 0);
  Value otherPlace = IotaOp::create(b, loc, numbers, Value(), 1);
  Value isEqual =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, other);
  Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         place, otherPlace);
  Value isOverwritten = arith::AndIOp::create(b, loc, isEqual, isBehind);
  Value flags = arith::ExtUIOp::create(b, loc, numbers.clone(b.getI32Type()),
                                       isOverwritten);
  Value total = buildSum(b, loc, flags, {1});
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, total,
                                       buildSplat(b, loc, total, 0));
  if (type.getRank() > 1)
    isLast = tensor::ExpandShapeOp::create(b, loc, type.clone(b.getI1Type()),
                                           isLast, all);
  return isLast;
}

/// Emits a mask of the indices that are the last of their value: a write to an
/// index overwrites earlier writes to the same one.
static Value buildIsLast(OpBuilder &b, Location loc, Value whole, Value indices,
                         int64_t axis) {
  // Pairs of few indices are fewer than the places.
  RankedTensorType type = tensorOf(indices);
  int64_t numPlaces = tensorOf(whole).getDimSize(axis);
  if (type.hasStaticShape() && type.getRank() > 0 &&
      type.getNumElements() < (1 << 15) &&
      (ShapedType::isDynamic(numPlaces)
           ? type.getNumElements() <= 16
           : type.getNumElements() * type.getNumElements() <= numPlaces))
    return buildIsLastOfFew(b, loc, indices);
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
  // The cotangents of the updates are read before zeros overwrite them.
  Location loc = getLoc();
  Value zeros = buildSplat(b, loc, getUpdates(), 0.0);
  if (needed[2])
    operands[2] = GatherOp::create(b, loc, getUpdates().getType(), results[0],
                                   getIndices(), getAxis());
  if (needed[0])
    operands[0] =
        ScatterOp::create(b, loc, getInit().getType(),
                          buildCast(b, loc, results[0], getInit().getType()),
                          getIndices(), zeros, getAxis());
  RankedTensorType indices = tensorOf(getIndices());
  if (!needed[2] || (indices.hasStaticShape() && indices.getNumElements() == 1))
    return success();
  Value isLast = buildIsLast(b, loc, getInit(), getIndices(), getAxis());
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < indices.getRank(); ++dim)
    dims.push_back(static_cast<int64_t>(getAxis()) + dim);
  Value stays = buildBroadcast(b, loc, isLast, dims, getUpdates());
  operands[2] = arith::SelectOp::create(b, loc, stays, operands[2], zeros);
  return success();
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

LogicalResult CheckIndicesOp::emitBatched(Batcher &batcher) {
  Location loc = getLoc();
  Value of = batcher.getShape(loc, getOf());
  bool isDense = batcher.isBatched(getIndices());
  Value indices = isDense ? batcher.getDense(loc, getIndices())
                          : batcher.getUniform(getIndices());
  Value checked = CheckIndicesOp::create(
      batcher.getBuilder(), loc, indices.getType(), indices, of, getAxis());
  if (isDense)
    batcher.setDense(*this, checked);
  else
    batcher.setUniform(*this, checked);
  return success();
}

LogicalResult GatherOp::emitBatched(Batcher &batcher) {
  if (batcher.isBatched(getIndices()))
    return batcher.batchInLoop(*this);
  BatchedValue x = batcher.lookup(getX());
  int64_t axis = getAxis();
  if (x.isDiagonal() && x.dim != axis) {
    int64_t added = tensorOf(getIndices()).getRank() - 1;
    return batcher.emitDiagonal(*this, x.dim < axis ? x.dim : x.dim + added);
  }
  batcher.setDense(*this, GatherOp::create(batcher.getBuilder(), getLoc(),
                                           batcher.getDenseType(getType()),
                                           batcher.getDense(getLoc(), getX()),
                                           batcher.getUniform(getIndices()),
                                           axis + 1));
  return success();
}

/// Batches slices that are added, or that overwrite others.
template <typename OpTy>
static LogicalResult batchUpdates(OpTy op, Batcher &batcher) {
  if (batcher.isBatched(op.getIndices()))
    return batcher.batchInLoop(op);
  BatchedValue updates = batcher.lookup(op.getUpdates());
  BatchedValue init = batcher.lookup(op.getInit());
  int64_t axis = op.getAxis();
  int64_t numIndexed = tensorOf(op.getIndices()).getRank();
  bool isIndexed = updates.isDiagonal() && updates.dim >= axis &&
                   updates.dim < axis + numIndexed;
  // Each position adds slices at indices of its own.
  if (std::is_same_v<OpTy, ScatterAddOp> && isIndexed) {
    if (init.isUniform())
      return batcher.batchSliced(
          op, {std::nullopt, updates.dim - axis, updates.dim});
    return batcher.batchThrough(op, [&](OpBuilder &b) -> SmallVector<Value> {
      Location loc = op.getLoc();
      Value zeros = buildSplat(b, loc, op.getInit(), 0.0);
      Value added = OpTy::create(b, loc, op.getType(), zeros, op.getIndices(),
                                 op.getUpdates(), op.getAxis());
      Value before = buildCast(b, loc, op.getInit(), op.getType());
      return {arith::AddFOp::create(b, loc, before, added)};
    });
  }
  for (int64_t dim = 0, e = tensorOf(op.getInit()).getRank(); dim < e; ++dim)
    if (dim != axis && batcher.isDiagonalOrZero(op.getInit(), dim) &&
        batcher.isDiagonalOrZero(op.getUpdates(),
                                 dim < axis ? dim : dim + numIndexed - 1))
      return batcher.emitDiagonal(op, dim);
  Location loc = op.getLoc();
  batcher.setDense(op, OpTy::create(batcher.getBuilder(), loc,
                                    batcher.getDenseType(op.getType()),
                                    batcher.getDense(loc, op.getInit()),
                                    batcher.getUniform(op.getIndices()),
                                    batcher.getDense(loc, op.getUpdates()),
                                    axis + 1));
  return success();
}

LogicalResult ScatterAddOp::emitBatched(Batcher &batcher) {
  return batchUpdates(*this, batcher);
}

LogicalResult ScatterOp::emitBatched(Batcher &batcher) {
  return batchUpdates(*this, batcher);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult CheckIndicesOp::lowerToLinalg(LinalgEmitter &e) {
  auto axis = static_cast<int64_t>(getAxis());
  e.expectInRange(getIndices(), e.getDimSize(getOf(), axis), "index",
                  " of axis " + Twine(axis));
  e.replaceWith(getIndices());
  return success();
}

/// Checks that the indices are in range; the step returns an error otherwise.
static void expectIndices(LinalgEmitter &e, Value whole, Value indices,
                          int64_t axis) {
  e.expectInRange(indices, e.getDimSize(whole, axis), "index");
}

LogicalResult GatherOp::lowerToLinalg(LinalgEmitter &e) {
  int64_t axis = getAxis();
  SmallVector<DimSize> whole = e.getDimSizes(getX());
  expectIndices(e, getX(), getIndices(), axis);
  auto dimSizes = llvm::to_vector(ArrayRef(whole).take_front(axis));
  llvm::append_range(dimSizes, e.getDimSizes(getIndices()));
  llvm::append_range(dimSizes, ArrayRef(whole).drop_front(axis + 1));
  Value init = e.empty(dimSizes, getElementTypeOrSelf(getX()));
  e.replaceWith(linalg_ext::GatherOp::create(e.b, e.loc, init.getType(), getX(),
                                             getIndices(), init, axis)
                    .getResult(0));
  return success();
}

template <typename OpTy>
static LogicalResult lowerUpdates(OpTy op, LinalgEmitter &e) {
  constexpr auto kind = std::is_same_v<OpTy, ScatterAddOp>
                            ? linalg_ext::ScatterKind::add
                            : linalg_ext::ScatterKind::replace;
  Value init = op.getInit(), indices = op.getIndices();
  Value updates = op.getUpdates();
  int64_t axis = op.getAxis();
  SmallVector<DimSize> whole = e.getDimSizes(init);
  expectIndices(e, init, indices, axis);
  // A constant cannot be overwritten.
  Type type = getElementTypeOrSelf(init);
  if (TypedAttr splat = getSplat(init))
    init = e.fill(whole, e.scalar(splat));
  // Sums are rounded once, not at each of several updates of one place.
  if (kind == linalg_ext::ScatterKind::add) {
    init = e.widenTensor(init);
    updates = e.widenTensor(updates);
  }
  Value result = linalg_ext::ScatterOp::create(e.b, e.loc, init.getType(), kind,
                                               indices, updates, init, axis)
                     .getResult(0);
  e.replaceWith(e.narrowTensor(result, type));
  return success();
}

LogicalResult ScatterAddOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerUpdates(*this, e);
}

LogicalResult ScatterOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerUpdates(*this, e);
}
