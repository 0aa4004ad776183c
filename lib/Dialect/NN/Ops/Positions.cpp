//===- Positions.cpp - Numbers of positions, and positions of numbers -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  if (failed(verifyAxis(*this, getAxis(), getResult())))
    return failure();
  if (getLike())
    return verifyResultShape(*this, getResult(),
                             tensorOf(getLike()).getShape());
  if (!tensorOf(getResult()).hasStaticShape())
    return emitOpError() << "expected `like` for a result with dynamic "
                            "dimension sizes, found none";
  return success();
}

LogicalResult OneHotOp::verify() {
  SmallVector<int64_t> shape(tensorOf(getIndices()).getShape());
  RankedTensorType result = tensorOf(getResult());
  if (result.getRank() == 0)
    return emitOpError() << "expected a result of rank " << shape.size() + 1
                         << ", found rank 0";
  int64_t depth = result.getShape().back();
  if (ShapedType::isDynamic(depth))
    return emitOpError() << "expected a static last dimension size, found "
                         << result;
  shape.push_back(depth);
  return verifyResultShape(*this, getResult(), shape);
}

/// Checks an op that gives the position of one element.
static LogicalResult verifyPosition(Operation *op, Value result) {
  Type index = getElementTypeOrSelf(result);
  if (index.isInteger(32) || index.isInteger(64))
    return success();
  return op->emitOpError() << "expected indices of i32 or i64, found "
                           << result.getType();
}

LogicalResult ArgmaxOp::verify() { return verifyPosition(*this, getResult()); }

LogicalResult ArgminOp::verify() { return verifyPosition(*this, getResult()); }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DimSizeSource IotaOp::getDimSizeSource(int64_t dim) {
  return getLike() ? DimSizeSource{getLike(), dim} : DimSizeSource{};
}

DimSizeSource OneHotOp::getDimSizeSource(int64_t dim) {
  if (dim == tensorOf(getIndices()).getRank())
    return {};
  return {getIndices(), dim};
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Counts comparisons: n - 1 for n numbers.
static CostExpr countComparisons(Value input, Value result, CostSizes &sizes) {
  return sizes.getNumElements(input) - sizes.getNumElements(result);
}

CostExpr ArgmaxOp::countFlops(CostSizes &sizes) {
  return countComparisons(getInput(), getResult(), sizes);
}
CostExpr ArgminOp::countFlops(CostSizes &sizes) {
  return countComparisons(getInput(), getResult(), sizes);
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// Batches the numbers of positions as a uniform value: they do not depend on
/// the elements of `like`.
LogicalResult IotaOp::emitBatched(Batcher &batcher) {
  Operation *copy = batcher.emitLike(
      *this, batcher.getShape(getLoc(), getLike()), /*isDense=*/false);
  batcher.setUniform(*this, copy->getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::lowerToLinalg(LinalgEmitter &e) {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type type = result.getElementType();
  SmallVector<DimSize> dimSizes;
  for (auto [dim, dimSize] : llvm::enumerate(result.getShape()))
    dimSizes.push_back(getLike() ? e.getDimSize(getLike(), dim)
                                 : DimSize::constant(dimSize));
  e.replaceWith(e.map(
      dimSizes, type, {}, {},
      [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        Value index = linalg::IndexOp::create(b, loc, getAxis());
        if (!isa<FloatType>(type))
          return arith::IndexCastOp::create(b, loc, type, index);
        Value integer =
            arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
        Value number =
            arith::SIToFPOp::create(b, loc, e.getComputeType(type), integer);
        return narrow(b, loc, number, type);
      }));
  return success();
}

LogicalResult OneHotOp::lowerToLinalg(LinalgEmitter &e) {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type type = result.getElementType();
  int64_t rank = result.getRank();
  SmallVector<DimSize> dimSizes = e.getDimSizes(getIndices());
  dimSizes.push_back(DimSize::constant(result.getShape().back()));
  auto rows = llvm::to_vector(llvm::seq<int64_t>(rank - 1));
  Value one = e.scalar(type, 1), zero = e.scalar(type, 0);
  e.replaceWith(
      e.map(dimSizes, type, getIndices(), {e.select(rank, rows)},
            [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
              Value wanted = toIndex(b, loc, args[0]);
              Value here = linalg::IndexOp::create(b, loc, rank - 1);
              Value hit = arith::CmpIOp::create(
                  b, loc, arith::CmpIPredicate::eq, here, wanted);
              return arith::SelectOp::create(b, loc, hit, one, zero);
            }));
  return success();
}

/// Emits an i1 that is true if `value` replaces `best`: if it is larger or
/// smaller, or the first NaN.
static Value isBetter(bool isMax, OpBuilder &b, Location loc, Value value,
                      Value best) {
  if (!isa<FloatType>(value.getType())) {
    // Truth values are ordered false < true.
    bool isBool = value.getType().isInteger(1);
    auto larger =
        isBool ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    auto smaller =
        isBool ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(b, loc, isMax ? larger : smaller, value, best);
  }
  // Unordered or better, unless the best so far is a NaN already.
  Value isBefore = arith::CmpFOp::create(
      b, loc, isMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT,
      value, best);
  Value isNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
  return arith::AndIOp::create(b, loc, isBefore, isNumber);
}

/// Emits one pass over the elements that carries the best so far, the largest
/// or the smallest, and its index.
template <typename OpTy>
static LogicalResult lowerPosition(OpTy op, LinalgEmitter &e) {
  constexpr bool isMax = std::is_same_v<OpTy, ArgmaxOp>;
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  Type type = inputType.getElementType();
  Type indexType = getElementTypeOrSelf(op.getResult());
  int64_t rank = inputType.getRank();
  int64_t axis = static_cast<int64_t>(op.getAxis());

  SmallVector<int64_t> dims;
  SmallVector<DimSize> dimSizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    dims.push_back(dim);
    dimSizes.push_back(e.getDimSize(op.getInput(), dim));
  }
  SmallVector<Value> inits = {
      e.fill(dimSizes, e.scalar(isMax ? getLowestNumber(e.b, type)
                                      : getHighestNumber(e.b, type))),
      e.fill(dimSizes, e.scalar(indexType, 0))};
  SmallVector<AffineMap> maps = {e.identity(rank), e.select(rank, dims),
                                 e.select(rank, dims)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[axis] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      e.b, e.loc, TypeRange(ValueRange(inits)), op.getInput(), inits, maps,
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value index = linalg::IndexOp::create(b, loc, axis);
        index = arith::IndexCastOp::create(b, loc, indexType, index);
        Value better = isBetter(isMax, b, loc, args[0], args[1]);
        Value value = arith::SelectOp::create(b, loc, better, args[0], args[1]);
        Value where = arith::SelectOp::create(b, loc, better, index, args[2]);
        linalg::YieldOp::create(b, loc, ValueRange{value, where});
      });
  e.replaceWith(generic.getResult(1));
  return success();
}

LogicalResult ArgmaxOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerPosition(*this, e);
}

LogicalResult ArgminOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerPosition(*this, e);
}
