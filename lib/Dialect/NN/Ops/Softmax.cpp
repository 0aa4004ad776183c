//===- Softmax.cpp - Softmax and its logarithm ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxParts.h"

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return verifyMinRank(*this, getX(), "x", 1);
}

LogicalResult LogSoftmaxOp::verify() {
  return verifyMinRank(*this, getX(), "x", 1);
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  // dx = y (dy - sum(dy y)), the sum over the last dimension.
  Location loc = getLoc();
  Value dy = results[0], y = getResult();
  int64_t last = tensorOf(y).getRank() - 1;
  Value product = arith::MulFOp::create(b, loc, dy, y);
  Value sum = buildSum(b, loc, product, {last});
  Value mean = buildUnreduce(b, loc, sum, {last}, /*keepdims=*/false, y);
  Value centered = arith::SubFOp::create(b, loc, dy, mean);
  operands[0] = arith::MulFOp::create(b, loc, y, centered);
  return success();
}

LogicalResult LogSoftmaxOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                    ArrayRef<bool> needed,
                                    MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value x = getX();
  int64_t last = tensorOf(x).getRank() - 1;
  ElementwiseExpr dy = widen(b, loc, results[0]);
  ElementwiseExpr softmax =
      widen(b, loc, SoftmaxOp::create(b, loc, x.getType(), x).getResult());
  Value sum = buildSum(b, loc, dy, {last});
  ElementwiseExpr sums = dy.with(buildUnreduce(b, loc, sum, {last}, false, dy));
  operands[0] = roundTo(b, loc, dy - softmax * sums, x.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

Value nn::emitRowMax(LinalgEmitter &e, Value x) {
  SmallVector<DimSize> rows = e.getDimSizes(x);
  rows.pop_back();
  Type type = e.getComputeType(getElementTypeOrSelf(x));
  AffineMap all = e.identity(rows.size() + 1);
  Value lowest = e.scalar(type, -std::numeric_limits<double>::infinity());
  return e.generic(x, e.fill(rows, lowest), {all, all.dropResult(rows.size())},
                   [&](OpBuilder &b, Location loc, ValueRange args) {
                     Value value = widen(b, loc, args[0], type);
                     return arith::MaximumFOp::create(b, loc, args[1], value);
                   });
}

SoftmaxParts nn::emitSoftmaxParts(LinalgEmitter &e, Value x, Value max) {
  SmallVector<DimSize> dimSizes = e.getDimSizes(x);
  int64_t rank = dimSizes.size();
  Type type = e.getComputeType(getElementTypeOrSelf(x));
  AffineMap all = e.identity(rank);
  SoftmaxParts parts;
  parts.rows.assign(dimSizes.begin(), std::prev(dimSizes.end()));
  parts.toRow = all.dropResult(rank - 1);
  parts.max = max;
  parts.exps = e.map(dimSizes, type, {x, parts.max}, {all, parts.toRow},
                     [&](OpBuilder &b, Location loc, ValueRange args) {
                       Value value = widen(b, loc, args[0], type);
                       Value shifted =
                           arith::SubFOp::create(b, loc, value, args[1]);
                       return math::ExpOp::create(b, loc, shifted);
                     });
  parts.sum = e.generic(
      parts.exps, e.fill(parts.rows, e.scalar(type, 0.0)), {all, parts.toRow},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return arith::AddFOp::create(b, loc, args[1], args[0]);
      });
  return parts;
}

Value nn::emitLogSum(LinalgEmitter &e, const SoftmaxParts &parts) {
  return e.map(parts.rows, getElementTypeOrSelf(parts.sum), parts.sum,
               {e.identity(parts.rows.size())},
               [](OpBuilder &b, Location loc, ValueRange args) {
                 return math::LogOp::create(b, loc, args[0]);
               });
}

LogicalResult SoftmaxOp::lowerToLinalg(LinalgEmitter &e) {
  SoftmaxParts parts = emitSoftmaxParts(e, getX(), emitRowMax(e, getX()));
  Type type = getElementTypeOrSelf(getX());
  SmallVector<DimSize> dimSizes = e.getDimSizes(getX());
  e.replaceWith(e.map(dimSizes, type, {parts.exps, parts.sum},
                      {e.identity(dimSizes.size()), parts.toRow},
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        Value share =
                            arith::DivFOp::create(b, loc, args[0], args[1]);
                        return narrow(b, loc, share, type);
                      }));
  return success();
}

LogicalResult LogSoftmaxOp::lowerToLinalg(LinalgEmitter &e) {
  SoftmaxParts parts = emitSoftmaxParts(e, getX(), emitRowMax(e, getX()));
  Value logSum = emitLogSum(e, parts);
  Type type = getElementTypeOrSelf(getX());
  Type compute = e.getComputeType(type);
  SmallVector<DimSize> dimSizes = e.getDimSizes(getX());
  e.replaceWith(e.map(dimSizes, type, {getX(), parts.max, logSum},
                      {e.identity(dimSizes.size()), parts.toRow, parts.toRow},
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        Value x = widen(b, loc, args[0], compute);
                        Value shifted =
                            arith::SubFOp::create(b, loc, x, args[1]);
                        Value log =
                            arith::SubFOp::create(b, loc, shifted, args[2]);
                        return narrow(b, loc, log, type);
                      }));
  return success();
}
