//===- Scans.cpp - Running sums -------------------------------------------===//
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

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult CumsumOp::verify() {
  if (failed(verifyNumeric(*this, getX())) ||
      failed(verifyElementTypes(*this, getX(), getResult())) ||
      failed(verifyAxis(*this, getAxis(), getX())))
    return failure();
  return verifyResultShape(*this, getResult(), tensorOf(getX()).getShape());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

ExtentSource CumsumOp::getExtentSource(int64_t dim) { return {getX(), dim}; }

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

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// An op with the attribute `axis` in which all other dimensions are parallel.
template <typename OpTy>
static LogicalResult batchAlongAxis(OpTy op, Batcher &batcher) {
  BatchedValue x = batcher.lookup(op.getX());
  if (x.isDiagonal() && x.dim != static_cast<int64_t>(op.getAxis()))
    return batcher.emitDiagonal(op, x.dim);
  if (failed(batcher.emitDense(op)))
    return failure();
  OpTy dense = batcher.lookup(op).value.template getDefiningOp<OpTy>();
  dense.setAxis(op.getAxis() + 1);
  return success();
}

LogicalResult CumsumOp::emitBatched(Batcher &batcher) {
  return batchAlongAxis(*this, batcher);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult CumsumOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = e.widenTensor(getX());
  Value init = e.empty(e.getExtents(getX()), getElementTypeOrSelf(x));
  Value sums = linalg_ext::ScanOp::create(
                   e.b, e.loc, init.getType(), linalg_ext::ScanKind::add, x,
                   init, getAxis(), getExclusive(), getReverse())
                   .getResult(0);
  e.replaceWith(e.narrowTensor(sums, getElementTypeOrSelf(getX())));
  return success();
}
