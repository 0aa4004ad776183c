//===- LinearAlgebra.cpp - Triangles and linear systems -------------------===//
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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/APSInt.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult TriangleOp::verify() {
  if (failed(verifyMinRank(*this, getX(), "x", 2)))
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

LogicalResult LstsqOp::verify() {
  if (getDamping() && !getL2().isZero())
    return emitOpError() << "expected one l2, found an operand and "
                         << getL2Attr();
  if (getL2().isNegative() || !getL2().isFinite())
    return emitOpError() << "expected an l2 of at least 0, found "
                         << getL2Attr();
  return success();
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Counts n^3 / 3, rounded down, for each matrix of `a`.
static CostExpr countCholesky(Value a, CostSizes &sizes) {
  int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
  CostExpr n = sizes.getSize(a, rank - 1);
  CostExpr flops = sizes.getQuotient(n * n * n, 3);
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    flops = flops * sizes.getSize(a, dim);
  return flops;
}

CostExpr CholeskyOp::countFlops(CostSizes &sizes) {
  return countCholesky(getA(), sizes);
}

CostExpr TryCholeskyOp::countFlops(CostSizes &sizes) {
  return countCholesky(getA(), sizes);
}

/// Counts n^2 for each column of b.
CostExpr TriangularSolveOp::countFlops(CostSizes &sizes) {
  int64_t rank = getType().getRank();
  return sizes.getNumElements(getB()) * sizes.getSize(getA(), rank - 1);
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

static Value transposeMatrices(OpBuilder &b, Location loc, Value matrices) {
  int64_t rank = tensorOf(matrices).getRank();
  SmallVector<int64_t> permutation = identityDims(rank);
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, matrices);
  std::swap(sizes[rank - 2], sizes[rank - 1]);
  Value init = tensor::EmptyOp::create(b, loc, sizes,
                                       tensorOf(matrices).getElementType());
  return linalg::TransposeOp::create(b, loc, matrices, init, permutation)
      ->getResult(0);
}

/// Builds a triangle of each matrix with half of its diagonal.
static Value takeHalfDiagonal(OpBuilder &b, Location loc, TriangleKind kind,
                              Value matrices) {
  int64_t inside = kind == TriangleKind::lower ? -1 : 1;
  auto take = [&](int64_t diagonal) {
    return TriangleOp::create(b, loc, matrices.getType(), kind, matrices,
                              diagonal, APFloat(0.0));
  };
  Value twice = arith::AddFOp::create(b, loc, take(0), take(inside));
  return arith::MulFOp::create(b, loc, twice,
                               buildSplat(b, loc, matrices, 0.5));
}

/// Emits the cotangent of the matrix with factor `l`, from that of the factor.
static Value emitCholeskyVjp(OpBuilder &b, Location loc, Value l, Value dl) {
  // With p the lower triangle of L^T dL with half its diagonal and s = L^-T p
  // L^-1, the cotangent of the lower triangle of a is that of s + s^T with half
  // its diagonal: the elements below it count for both sides.
  Type type = l.getType();
  auto solve = [&](Value rhs) {
    return TriangularSolveOp::create(b, loc, type, TriangleKind::lower, l, rhs,
                                     /*transpose=*/true,
                                     /*unit_diagonal=*/false);
  };
  Value product = buildMatmul(b, loc, type, dl, true, l, false);
  Value half = takeHalfDiagonal(b, loc, TriangleKind::upper, product);
  Value right = transposeMatrices(b, loc, solve(half));
  Value s = solve(buildCast(b, loc, right, type));
  Value transposed = buildCast(b, loc, transposeMatrices(b, loc, s), type);
  Value sum = arith::AddFOp::create(b, loc, s, transposed);
  return takeHalfDiagonal(b, loc, TriangleKind::lower, sum);
}

LogicalResult CholeskyOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                  ArrayRef<bool> needed,
                                  MutableArrayRef<Value> operands) {
  operands[0] = emitCholeskyVjp(b, getLoc(), getResult(), results[0]);
  return success();
}

LogicalResult TryCholeskyOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                     ArrayRef<bool> needed,
                                     MutableArrayRef<Value> operands) {
  operands[0] = emitCholeskyVjp(b, getLoc(), getResult(), results[0]);
  return success();
}

LogicalResult TriangularSolveOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                         ArrayRef<bool> needed,
                                         MutableArrayRef<Value> operands) {
  // db = op(a)^-T dx, and the cotangent of op(a) is -db x^T.
  Location loc = getLoc();
  Value db =
      TriangularSolveOp::create(b, loc, getB().getType(), getKind(), getA(),
                                results[0], !getTranspose(), getUnitDiagonal());
  operands[1] = db;
  if (!needed[0])
    return success();
  Value x = getResult();
  Value product =
      getTranspose()
          ? buildMatmul(b, loc, getA().getType(), x, false, db, true)
          : buildMatmul(b, loc, getA().getType(), db, false, x, true);
  int64_t inside = getKind() == TriangleKind::lower ? -1 : 1;
  Value triangle =
      TriangleOp::create(b, loc, product.getType(), getKind(), product,
                         getUnitDiagonal() ? inside : 0, APFloat(0.0));
  operands[0] = arith::NegFOp::create(b, loc, triangle);
  return success();
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

LogicalResult TriangleOp::emitBatched(Batcher &batcher) {
  BatchedValue x = batcher.lookup(getX());
  return x.isDiagonal() && getFill().isZero()
             ? batcher.emitDiagonal(*this, x.dim)
             : batcher.emitDense(*this);
}

LogicalResult TriangularSolveOp::emitBatched(Batcher &batcher) {
  BatchedValue b = batcher.lookup(getB());
  bool solvesEach = b.dim != tensorOf(getB()).getRank() - 2;
  if (b.isDiagonal() && solvesEach && !batcher.isBatched(getA()))
    return batcher.emitDiagonal(*this, b.dim);
  return batcher.emitDense(*this);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Returns `number` as an attribute of `type`, rounded if `type` cannot hold
/// it.
static TypedAttr getNumber(OpBuilder &b, Type type, const APFloat &number) {
  bool lost = false;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat rounded = number;
    rounded.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
    return b.getFloatAttr(type, rounded);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APSInt integer(width, /*isUnsigned=*/width == 1);
  number.convertToInteger(integer, APFloat::rmTowardZero, &lost);
  return b.getIntegerAttr(type, integer);
}

/// Emits a triangle of each matrix of x, with `fill` elsewhere, in place of
/// `init`.
static Value takeTriangle(LinalgEmitter &e, Value x, Value init,
                          TriangleKind kind, int64_t diagonal, TypedAttr fill) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  // Beyond any matrix, and so that no sum overflows.
  constexpr int64_t beyond = std::numeric_limits<int64_t>::max() / 2;
  diagonal = std::clamp(diagonal, -beyond, beyond);
  auto kept = kind == TriangleKind::lower ? arith::CmpIPredicate::sle
                                          : arith::CmpIPredicate::sge;
  return e.generic(
      x, init, {e.identity(rank), e.identity(rank)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value row = linalg::IndexOp::create(b, loc, rank - 2);
        Value column = linalg::IndexOp::create(b, loc, rank - 1);
        Value shift = arith::ConstantIndexOp::create(b, loc, diagonal);
        Value edge = arith::AddIOp::create(b, loc, row, shift);
        Value keep = arith::CmpIOp::create(b, loc, kept, column, edge);
        Value other = arith::ConstantOp::create(b, loc, fill);
        return arith::SelectOp::create(b, loc, keep, args[0], other);
      });
}

LogicalResult TriangleOp::lowerToLinalg(LinalgEmitter &e) {
  Type type = getElementTypeOrSelf(getX());
  Value init = e.empty(e.getDimSizes(getX()), type);
  e.replaceWith(takeTriangle(e, getX(), init, getKind(), getDiagonal(),
                             getNumber(e.b, type, getFill())));
  return success();
}

/// Factorizes a copy of the lower triangles of `a`; the second result is a flag
/// that is true if all are positive definite.
static linalg_ext::CholeskyOp emitCholesky(LinalgEmitter &e, Value a) {
  SmallVector<DimSize> dimSizes = e.getDimSizes(a);
  int64_t rank = dimSizes.size();
  dimSizes[rank - 1] = dimSizes[rank - 2];
  Type type = getElementTypeOrSelf(a);
  Value lower = takeTriangle(e, a, e.empty(dimSizes, type), TriangleKind::lower,
                             0, e.b.getZeroAttr(type));
  Value yes = e.fill({}, e.scalar(e.b.getBoolAttr(true)));
  return linalg_ext::CholeskyOp::create(
      e.b, e.loc, TypeRange{lower.getType(), yes.getType()}, lower, yes);
}

LogicalResult CholeskyOp::lowerToLinalg(LinalgEmitter &e) {
  linalg_ext::CholeskyOp factors = emitCholesky(e, getA());
  e.expect(
      tensor::ExtractOp::create(e.b, e.loc, factors.getResult(1), ValueRange()),
      "Cholesky decomposition was not successful");
  // A check asks for the factors, so that no place that the step writes can
  // hold them yet.
  Value init = e.empty(e.getDimSizes(factors.getResult(0)),
                       getElementTypeOrSelf(getA()));
  e.replaceWith(linalg::CopyOp::create(e.b, e.loc, factors.getResult(0), init)
                    ->getResult(0));
  return success();
}

LogicalResult TryCholeskyOp::lowerToLinalg(LinalgEmitter &e) {
  linalg_ext::CholeskyOp factors = emitCholesky(e, getA());
  Value result =
      buildCast(e.b, e.loc, factors.getResult(0), getResult().getType());
  e.b.replaceOp(*this, {result, factors.getResult(1)});
  return success();
}

LogicalResult TriangularSolveOp::lowerToLinalg(LinalgEmitter &e) {
  Value a = getA(), b = getB();
  SmallVector<DimSize> dimSizes = e.getDimSizes(b);
  int64_t rank = dimSizes.size();
  // A destination of its own: b stays as it is.
  Value init =
      e.map(dimSizes, getElementTypeOrSelf(b), b, {e.identity(rank)},
            [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  e.replaceWith(
      linalg_ext::TriangularSolveOp::create(e.b, e.loc, init.getType(), a, init,
                                            getKind() == TriangleKind::upper,
                                            getTranspose(), getUnitDiagonal())
          .getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> LstsqOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value a = getA(), rhs = getB();
  RankedTensorType aType = tensorOf(a);
  int64_t rank = aType.getRank();
  int64_t m = aType.getDimSize(rank - 2), n = aType.getDimSize(rank - 1);
  bool isUnderdetermined =
      !ShapedType::isDynamic(m) && !ShapedType::isDynamic(n) && m < n;
  auto withLastTwo = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> shape(aType.getShape().drop_back(2));
    shape.append({rows, columns});
    return RankedTensorType::get(shape, aType.getElementType());
  };
  int64_t columns = tensorOf(rhs).getShape().back();
  int64_t size = isUnderdetermined ? m : n;
  Value gram = buildGram(b, loc, withLastTwo(size, size), a, isUnderdetermined);
  if (!isUnderdetermined)
    rhs = buildMatmul(b, loc, withLastTwo(n, columns), a, true, rhs, false);
  if (getDamping() || !getL2().isZero()) {
    Value diagonal = getDamping()
                         ? buildBroadcast(b, loc, getDamping(), {}, gram)
                         : buildSplat(b, loc, gram, getL2().convertToDouble());
    for (TriangleKind kind : {TriangleKind::lower, TriangleKind::upper})
      diagonal = TriangleOp::create(b, loc, gram.getType(), kind, diagonal, 0,
                                    APFloat(0.0));
    gram = arith::AddFOp::create(b, loc, gram, diagonal);
  }
  Value l = CholeskyOp::create(b, loc, gram.getType(), gram);
  for (bool transpose : {false, true})
    rhs = TriangularSolveOp::create(b, loc, rhs.getType(), TriangleKind::lower,
                                    l, rhs, transpose,
                                    /*unit_diagonal=*/false);
  if (isUnderdetermined)
    rhs = buildMatmul(b, loc, withLastTwo(n, columns), a, true, rhs, false);
  return SmallVector<Value>{buildCast(b, loc, rhs, getResult().getType())};
}
