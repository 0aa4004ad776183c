//===- Scans.cpp - Running sums and products ------------------------------===//
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

template <typename OpTy> static LogicalResult verifyScan(OpTy op) {
  if (failed(verifyNumeric(op, op.getX())) ||
      failed(verifyElementTypes(op, op.getX(), op.getResult())) ||
      failed(verifyAxis(op, op.getAxis(), op.getX())))
    return failure();
  return verifyResultShape(op, op.getResult(), tensorOf(op.getX()).getShape());
}

LogicalResult CumsumOp::verify() { return verifyScan(*this); }
LogicalResult CumprodOp::verify() { return verifyScan(*this); }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

ExtentSource CumsumOp::getExtentSource(int64_t dim) { return {getX(), dim}; }
ExtentSource CumprodOp::getExtentSource(int64_t dim) { return {getX(), dim}; }

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult CumsumOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  // An element of x is in the sums at it and behind it.
  operands[0] = CumsumOp::create(b, getLoc(), getX().getType(), results[0],
                                 getAxis(), getExclusive(), !getReverse());
  return success();
}

LogicalResult CumprodOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  // dx[i] is the sum over k of dy[k] times product k without its factor i: that
  // of x with 1 in place of element i. Nothing is divided.
  Location loc = getLoc();
  ElementwiseExpr x = widen(b, loc, getX()), dy = widen(b, loc, results[0]);
  RankedTensorType type = tensorOf(x);
  int64_t axis = getAxis();
  // Dimension `axis` is i, the next one k.
  SmallVector<int64_t> dims = otherDims({axis}, type.getRank() + 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x);
  sizes.insert(sizes.begin() + axis, sizes[axis]);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, shape[axis]);
  Value like = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  auto repeat = [&](ElementwiseExpr value) {
    return value.with(buildBroadcast(b, loc, value, dims, like));
  };
  auto number = [&](int64_t dim) -> Value {
    auto numbers = RankedTensorType::get(shape, b.getI64Type());
    Value sizesOf = numbers.hasStaticShape() ? Value() : like;
    return IotaOp::create(b, loc, numbers, sizesOf, dim);
  };
  Value i = number(axis), k = number(axis + 1);
  auto compare = [&](arith::CmpIPredicate predicate) {
    return x.with(arith::CmpIOp::create(b, loc, predicate, i, k));
  };
  ElementwiseExpr all = repeat(x);
  ElementwiseExpr others =
      compare(arith::CmpIPredicate::eq).select(all.splat(1.0), all);
  ElementwiseExpr products =
      x.with(CumprodOp::create(b, loc, others.getType(), others, axis + 1,
                               getExclusive(), getReverse()));
  // Whether element i is a factor of product k.
  auto isFactor =
      getReverse() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
  if (getExclusive())
    isFactor =
        getReverse() ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
  ElementwiseExpr shares =
      compare(isFactor).select(products * repeat(dy), all.splat(0.0));
  Value dx = buildSum(b, loc, shares, {axis + 1});
  operands[0] = roundTo(b, loc, dx, getX().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// An op with the attribute `axis` in which all other dimensions are parallel.
/// `keepsZero` says that zeros give zeros.
template <typename OpTy>
static LogicalResult batchAlongAxis(OpTy op, Batcher &batcher, bool keepsZero) {
  BatchedValue x = batcher.lookup(op.getX());
  if (keepsZero && x.isDiagonal() &&
      x.dim != static_cast<int64_t>(op.getAxis()))
    return batcher.emitDiagonal(op, x.dim);
  if (failed(batcher.emitDense(op)))
    return failure();
  OpTy dense = batcher.lookup(op).value.template getDefiningOp<OpTy>();
  dense.setAxis(op.getAxis() + 1);
  return success();
}

LogicalResult CumsumOp::emitBatched(Batcher &batcher) {
  return batchAlongAxis(*this, batcher, /*keepsZero=*/true);
}

LogicalResult CumprodOp::emitBatched(Batcher &batcher) {
  // The product of no element is 1.
  return batchAlongAxis(*this, batcher, /*keepsZero=*/!getExclusive());
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult lowerScan(OpTy op, LinalgEmitter &e,
                               linalg_ext::ScanKind kind) {
  Value x = e.widenTensor(op.getX());
  Value init = e.empty(e.getExtents(op.getX()), getElementTypeOrSelf(x));
  Value scanned = linalg_ext::ScanOp::create(e.b, e.loc, init.getType(), kind,
                                             x, init, op.getAxis(),
                                             op.getExclusive(), op.getReverse())
                      .getResult(0);
  e.replaceWith(e.narrowTensor(scanned, getElementTypeOrSelf(op.getX())));
  return success();
}

LogicalResult CumsumOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerScan(*this, e, linalg_ext::ScanKind::add);
}

LogicalResult CumprodOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerScan(*this, e, linalg_ext::ScanKind::mul);
}
