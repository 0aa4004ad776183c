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
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyScan(OpTy op) {
  if (failed(verifyNumeric(op, op.getX())))
    return failure();
  return verifyElementTypes(op, op.getX(), op.getResult());
}

LogicalResult CumsumOp::verify() { return verifyScan(*this); }
LogicalResult CumprodOp::verify() { return verifyScan(*this); }
LogicalResult LogcumsumexpOp::verify() { return verifyScan(*this); }

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

/// Returns factor * other, with 0 times infinity as 0: the infinity comes from
/// numbers that overflowed, and a factor of 0 discards these.
static ElementwiseExpr multiplyFinite(ElementwiseExpr factor,
                                      ElementwiseExpr other) {
  ElementwiseExpr isInfinite =
      other.apply<math::AbsFOp>() == std::numeric_limits<double>::infinity();
  ElementwiseExpr finite = isInfinite.select(other.splat(0.0), other);
  return factor * (factor == 0.0).select(finite, other);
}

namespace {
/// Reads the slice of a tensor at the position of a step.
using Read = function_ref<ElementwiseExpr(Value)>;
/// Computes, from the state, the result at a position and then the next state.
using Step = function_ref<SmallVector<Value>(Read, ArrayRef<ElementwiseExpr>)>;
} // namespace

/// Emits a loop over the positions of `x` along `axis`, from the first one to
/// the last one or backwards. `starts` are the numbers with which the state is
/// filled before the first step. Returns the results of all steps.
static Value emitRecurrence(OpBuilder &b, Location loc, ElementwiseExpr x,
                            int64_t axis, bool backwards,
                            ArrayRef<double> starts, Step step) {
  RankedTensorType type = tensorOf(x);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x),
                            offsets(sizes.size(), b.getIndexAttr(0)),
                            strides(sizes.size(), b.getIndexAttr(1));
  Value all = buildCast(
      b, loc, tensor::EmptyOp::create(b, loc, sizes, type.getElementType()),
      type);
  Value count = getValueOrCreateConstantIndexOp(b, loc, sizes[axis]);
  sizes[axis] = b.getIndexAttr(1);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  RankedTensorType sliceType = type.clone(shape);
  Value slice = buildCast(
      b, loc, tensor::EmptyOp::create(b, loc, sizes, type.getElementType()),
      sliceType);
  SmallVector<Value> inits;
  for (double start : starts)
    inits.push_back(buildSplat(b, loc, slice, start));
  inits.push_back(all);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto emitBody = [&](OpBuilder &in, Location, Value number,
                      ValueRange carried) {
    Value position = number;
    if (backwards) {
      Value last = arith::SubIOp::create(in, loc, count, one);
      position = arith::SubIOp::create(in, loc, last, number);
    }
    offsets[axis] = position;
    SmallVector<ElementwiseExpr> state;
    for (Value value : carried.drop_back())
      state.emplace_back(in, loc, value);
    auto read = [&](Value whole) {
      return ElementwiseExpr(in, loc,
                             tensor::ExtractSliceOp::create(in, loc, sliceType,
                                                            whole, offsets,
                                                            sizes, strides));
    };
    SmallVector<Value> found = step(read, state);
    SmallVector<Value> next = llvm::to_vector(llvm::drop_begin(found));
    next.push_back(buildInsertSlice(in, loc, found.front(), carried.back(),
                                    offsets, sizes, strides));
    scf::YieldOp::create(in, loc, next);
  };
  return scf::ForOp::create(b, loc, zero, count, one, inits, emitBody)
      .getResults()
      .back();
}

/// Emits the recurrence of the derivative of `op`, from its last product to its
/// first one: element i of the result is the sum over the products k that x[i]
/// is a factor of, of dy[k] times those factors of product k that come after
/// x[i]. Without `exclusive` that is s[i] = dy[i] + x[i + 1] s[i + 1], and with
/// it s[i] = dy[i + 1] + x[i + 1] s[i + 1].
static Value emitSumsBehind(OpBuilder &b, CumprodOp op, ElementwiseExpr x,
                            ElementwiseExpr dy) {
  auto step = [&](Read read,
                  ArrayRef<ElementwiseExpr> state) -> SmallVector<Value> {
    ElementwiseExpr behind = state[0], own = read(dy), factor = read(x);
    ElementwiseExpr sum = op.getExclusive() ? behind : own + behind;
    ElementwiseExpr product = multiplyFinite(factor, sum);
    ElementwiseExpr next = op.getExclusive() ? own + product : product;
    return {sum, next};
  };
  return emitRecurrence(b, op.getLoc(), x, op.getAxis(), !op.getReverse(),
                        {0.0}, step);
}

LogicalResult CumprodOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  // dx[i] is the sum over k of dy[k] times product k without its factor i: the
  // product of the factors before it, times the sum of those of the factors
  // behind it. Nothing is divided.
  Location loc = getLoc();
  Value cotangent = buildCast(b, loc, results[0], getX().getType());
  ElementwiseExpr x = widen(b, loc, getX()), dy = widen(b, loc, cotangent);
  ElementwiseExpr before =
      x.with(CumprodOp::create(b, loc, x.getType(), x, getAxis(),
                               /*exclusive=*/true, getReverse()));
  ElementwiseExpr behind = x.with(emitSumsBehind(b, *this, x, dy));
  operands[0] =
      roundTo(b, loc, multiplyFinite(before, behind), getX().getType());
  return success();
}

/// Returns exp(a - b), and 1 for equal numbers: the difference of equal
/// infinities is NaN.
static ElementwiseExpr emitQuotient(ElementwiseExpr a, ElementwiseExpr b) {
  return (a == b).select(a.splat(0.0), a - b).apply<math::ExpOp>();
}

LogicalResult LogcumsumexpOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                      ArrayRef<bool> needed,
                                      MutableArrayRef<Value> operands) {
  // dx[i] is the sum of dy[k] exp(x[i] - y[k]) over all k whose sum includes i.
  // That is exp(x[i] - y[i]) s[i], where
  //
  //   s[i] = dy[i] + exp(y[i] - y[i + 1]) s[i + 1]
  //
  // No exponent is above 0.
  Location loc = getLoc();
  Value cotangent = buildCast(b, loc, results[0], getX().getType());
  ElementwiseExpr x = widen(b, loc, getX()), dy = widen(b, loc, cotangent);
  ElementwiseExpr y = x.with(buildCast(b, loc, getResult(), getX().getType()));
  // Rounded results would make exponents inexact.
  if (x.getType() != getX().getType())
    y = x.with(LogcumsumexpOp::create(b, loc, x.getType(), x, getAxis(),
                                      getReverse()));
  auto step = [&](Read read,
                  ArrayRef<ElementwiseExpr> state) -> SmallVector<Value> {
    ElementwiseExpr own = read(y);
    ElementwiseExpr sum = read(dy) + emitQuotient(own, state[1]) * state[0];
    return {sum, sum, own};
  };
  ElementwiseExpr sums = x.with(
      emitRecurrence(b, loc, x, getAxis(), !getReverse(),
                     {0.0, std::numeric_limits<double>::infinity()}, step));
  operands[0] = roundTo(b, loc, emitQuotient(x, y) * sums, getX().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult lowerScan(OpTy op, LinalgEmitter &e,
                               linalg_ext::ScanKind kind, bool exclusive) {
  Value x = e.widenTensor(op.getX());
  Value init = e.empty(e.getDimSizes(op.getX()), getElementTypeOrSelf(x));
  Value scanned =
      linalg_ext::ScanOp::create(e.b, e.loc, init.getType(), kind, x, init,
                                 op.getAxis(), exclusive, op.getReverse())
          .getResult(0);
  e.replaceWith(e.narrowTensor(scanned, getElementTypeOrSelf(op.getX())));
  return success();
}

LogicalResult CumsumOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerScan(*this, e, linalg_ext::ScanKind::add, getExclusive());
}

LogicalResult CumprodOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerScan(*this, e, linalg_ext::ScanKind::mul, getExclusive());
}

LogicalResult LogcumsumexpOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerScan(*this, e, linalg_ext::ScanKind::logaddexp,
                   /*exclusive=*/false);
}
