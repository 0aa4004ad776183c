//===- Reduce.cpp - Reductions over some dimensions -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"
#include "ProductDerivative.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Types and verifiers
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferTypes(Adaptor op, OpErrors errors,
                                   SmallVectorImpl<Type> &types) {
  RankedTensorType input = tensorOf(op.getInput());
  if (failed(verifyDims(errors, "axes", op.getAxes(), input.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, dimSize] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(i)))
      shape.push_back(dimSize);
    else if (op.getKeepdims())
      shape.push_back(1);
  }
  types.push_back(input.clone(shape));
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = tensorOf(getInput());
  if (input.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected one element type, found "
                         << input.getElementType() << " and "
                         << getElementTypeOrSelf(getResult());
  if (getKind() == ReductionKind::mean &&
      !isa<FloatType>(input.getElementType()))
    return emitOpError() << "expected a floating-point type for a mean, found "
                         << input.getElementType();
  bool isArithmetic =
      getKind() == ReductionKind::sum || getKind() == ReductionKind::prod;
  if (isArithmetic && input.getElementType().isInteger(1))
    return emitOpError() << "expected a numeric element type, found " << input;
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DimSizeSource ReduceOp::getDimSizeSource(int64_t dim) {
  if (!getKeepdims()) {
    // The dimension of the input that is number `dim` of those that stay.
    int64_t rank = tensorOf(getInput()).getRank();
    return {getInput(), otherDims(getAxes(), rank)[dim]};
  }
  if (llvm::is_contained(getAxes(), dim))
    return {};
  return {getInput(), dim};
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Counts the reduction; the mean also divides each sum.
CostExpr ReduceOp::countFlops(CostSizes &sizes) {
  CostExpr elements = sizes.getNumElements(getInput());
  if (getKind() == ReductionKind::mean)
    return elements;
  return elements - sizes.getNumElements(getResult());
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// Returns `type` with elements of at least single precision.
static Type widenTensor(OpBuilder &b, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getElementTypeBitWidth() < 32 ? tensor.clone(b.getF32Type())
                                              : tensor;
}

/// Expands `reduced` by dimensions of size 1 at `axes`.
static Value keepDims(OpBuilder &b, Value reduced, ArrayRef<int64_t> axes) {
  RankedTensorType type = tensorOf(reduced);
  Location loc = reduced.getLoc();
  SmallVector<OpFoldResult> sizes,
      known = tensor::getMixedSizes(b, loc, reduced);
  SmallVector<int64_t> shape;
  SmallVector<bool> isKept;
  int64_t rank = type.getRank() + axes.size(), next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    isKept.push_back(!llvm::is_contained(axes, dim));
    sizes.push_back(isKept.back() ? known[next] : b.getIndexAttr(1));
    shape.push_back(isKept.back() ? type.getDimSize(next) : 1);
    next += isKept.back();
  }
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), reduced,
                                       unitDimGroups(isKept), sizes);
}

LogicalResult ReduceOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  Location loc = getLoc();
  Value dy = results[0], x = getInput(), y = getResult();
  auto spread = [&](Value reduced) {
    return buildUnreduce(b, loc, reduced, getAxes(), getKeepdims(), x);
  };
  switch (getKind()) {
  case ReductionKind::sum:
    operands[0] = spread(dy);
    return success();
  case ReductionKind::mean: {
    // Counts may exceed the range of 16 bits.
    ElementwiseExpr wide = widen(b, loc, dy);
    Value count = buildCount(b, loc, x, getAxes(), floatOf(wide));
    ElementwiseExpr share =
        wide / wide.with(buildBroadcast(b, loc, count, {}, wide));
    operands[0] = spread(roundTo(b, loc, share, dy.getType()));
    return success();
  }
  case ReductionKind::max:
  case ReductionKind::min: {
    // Shared equally by the elements that equal the extremum, or are NaN as it.
    Value isEqual =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, spread(y));
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    Value hit = arith::OrIOp::create(b, loc, isEqual, isNaN);
    Value zero = buildSplat(b, loc, x, 0.0);
    Value ones =
        arith::SelectOp::create(b, loc, hit, buildSplat(b, loc, x, 1.0), zero);
    ElementwiseExpr wide = widen(b, loc, dy);
    Value ties =
        ReduceOp::create(b, loc, wide.getType(), ReductionKind::sum,
                         widen(b, loc, ones), getAxes(), getKeepdims());
    Value share = roundTo(b, loc, wide / wide.with(ties), dy.getType());
    operands[0] = arith::SelectOp::create(b, loc, hit, spread(share), zero);
    return success();
  }
  case ReductionKind::prod: {
    // Products of halves are rounded as often as there are halves.
    Type type = x.getType(), wide = widenTensor(b, type);
    if (wide != type) {
      x = arith::ExtFOp::create(b, loc, wide, x);
      dy = arith::ExtFOp::create(b, loc, widenTensor(b, dy.getType()), dy);
    }
    Value dx = deriveProduct(b, loc, x, getAxes(),
                             getKeepdims() ? dy : keepDims(b, dy, getAxes()));
    operands[0] =
        wide == type ? dx : Value(arith::TruncFOp::create(b, loc, type, dx));
    return success();
  }
  }
  llvm_unreachable("every reduction kind is handled");
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// Emits a reduction over other dimensions than the diagonal one.
static LogicalResult emitAround(ReduceOp op, BatchedValue input,
                                Batcher &batcher) {
  int64_t before =
      op.getKeepdims() ? 0 : llvm::count_if(op.getAxes(), [&](int64_t axis) {
        return axis < input.dim;
      });
  return batcher.emitDiagonal(op, input.dim - before, input.block);
}

static Value moveToFront(OpBuilder &b, Location loc, Value value, int64_t dim) {
  if (dim == 0)
    return value;
  SmallVector<int64_t> permutation = identityDims(tensorOf(value).getRank());
  permutation.erase(permutation.begin() + dim);
  permutation.insert(permutation.begin(), dim);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  applyPermutationToVector(sizes, permutation);
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(value));
  return linalg::TransposeOp::create(b, loc, value, init, permutation)
      ->getResult(0);
}

/// Gives `value`, dense, the dimensions of dimension size 1 that `keepdims`
/// keeps at `axes`; `type` is the dense type of the result.
static Value addUnitDims(OpBuilder &b, Location loc, Value value,
                         ArrayRef<int64_t> axes, RankedTensorType type) {
  SmallVector<OpFoldResult> given = tensor::getMixedSizes(b, loc, value);
  SmallVector<OpFoldResult> sizes{given.front()};
  SmallVector<int64_t> shape{tensorOf(value).getDimSize(0)};
  SmallVector<ReassociationIndices> groups{{0}};
  for (int64_t dim = 1; dim < type.getRank(); ++dim) {
    if (llvm::is_contained(axes, dim - 1)) {
      sizes.push_back(b.getIndexAttr(1));
      shape.push_back(1);
    } else {
      sizes.push_back(given[groups.size()]);
      shape.push_back(tensorOf(value).getDimSize(groups.size()));
      groups.emplace_back();
    }
    groups.back().push_back(dim);
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups, sizes);
}

/// Emits a reduction over the diagonal dimension, in which each position has
/// one element, or a block of them, and over others.
static LogicalResult emitWithoutDiagonal(ReduceOp op, BatchedValue input,
                                         Batcher &batcher) {
  OpBuilder &b = batcher.getBuilder();
  Location loc = op.getLoc();
  Value parts = input.value;
  SmallVector<int64_t> others;
  bool hasBlocks = input.block != 1;
  if (hasBlocks)
    parts = batcher.splitBlocks(loc, parts, input.dim, input.block);
  for (int64_t axis : op.getAxes())
    if (axis != input.dim)
      others.push_back(hasBlocks && axis > input.dim ? axis + 1 : axis);
    else if (hasBlocks)
      others.push_back(axis + 1);
  Value value = buildSum(b, loc, parts, others);
  if (op.getKind() == ReductionKind::mean) {
    auto type = cast<FloatType>(getElementTypeOrSelf(op));
    Value count = buildCount(b, loc, input.value, op.getAxes(), type);
    Value counts = buildBroadcast(b, loc, count, {}, value);
    value = arith::DivFOp::create(b, loc, value, counts);
  }
  int64_t position = input.dim - llvm::count_if(others, [&](int64_t axis) {
                       return axis < input.dim;
                     });
  value = moveToFront(b, loc, value, position);
  if (op.getKeepdims())
    value = addUnitDims(b, loc, value, op.getAxes(),
                        batcher.getDenseType(op.getType()));
  batcher.setDense(op, value);
  return success();
}

LogicalResult ReduceOp::emitBatched(Batcher &batcher) {
  BatchedValue input = batcher.lookup(getInput());
  bool isLinear =
      getKind() == ReductionKind::sum || getKind() == ReductionKind::mean;
  if (input.isDiagonalInBlocks() && isLinear)
    return llvm::is_contained(getAxes(), input.dim)
               ? emitWithoutDiagonal(*this, input, batcher)
               : emitAround(*this, input, batcher);
  OpBuilder &b = batcher.getBuilder();
  Value dense =
      ReduceOp::create(b, getLoc(), batcher.getDenseType(getType()), getKind(),
                       batcher.getDense(getLoc(), getInput()),
                       shifted(getAxes()), getKeepdims());
  batcher.setDense(*this, dense);
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Returns the value of a reduction over nothing.
static TypedAttr getNeutral(OpBuilder &b, ReductionKind kind, Type type) {
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    return b.getZeroAttr(type);
  case ReductionKind::prod:
    return b.getOneAttr(type);
  case ReductionKind::max:
    return getLowestNumber(b, type);
  case ReductionKind::min:
    return getHighestNumber(b, type);
  }
  llvm_unreachable("all kinds are covered");
}

/// Emits one step of a reduction. The maximum and minimum of floats keep a NaN.
static Value combine(OpBuilder &b, Location loc, ReductionKind kind, Value acc,
                     Value value) {
  Type type = acc.getType();
  bool isFloat = isa<FloatType>(type), isBool = type.isInteger(1);
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    if (isFloat)
      return arith::AddFOp::create(b, loc, acc, value);
    return arith::AddIOp::create(b, loc, acc, value);
  case ReductionKind::prod:
    if (isFloat)
      return arith::MulFOp::create(b, loc, acc, value);
    return arith::MulIOp::create(b, loc, acc, value);
  case ReductionKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, acc, value);
    if (isBool)
      return arith::OrIOp::create(b, loc, acc, value);
    return arith::MaxSIOp::create(b, loc, acc, value);
  case ReductionKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, acc, value);
    if (isBool)
      return arith::AndIOp::create(b, loc, acc, value);
    return arith::MinSIOp::create(b, loc, acc, value);
  }
  llvm_unreachable("all kinds are covered");
}

/// Gives the reduced dimensions back, with dimension size 1.
static Value keepDims(LinalgEmitter &e, Value value, ArrayRef<int64_t> axes,
                      int64_t rank) {
  SmallVector<DimSize> kept = e.getDimSizes(value);
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  ReassociationIndices leading;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool reduced = llvm::is_contained(axes, dim);
    if (!reduced) {
      DimSize dimSize = kept[groups.size()];
      int64_t declared =
          cast<RankedTensorType>(value.getType()).getDimSize(groups.size());
      groups.push_back(std::exchange(leading, {}));
      sizes.push_back(e.materialize(dimSize));
      shape.push_back(declared);
    } else {
      sizes.push_back(e.b.getIndexAttr(1));
      shape.push_back(1);
    }
    // Dimension sizes of 1 before the first kept dimension join its group.
    (groups.empty() ? leading : groups.back()).push_back(dim);
  }
  auto type =
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return tensor::ExpandShapeOp::create(e.b, e.loc, type, value, groups, sizes);
}

LogicalResult ReduceOp::lowerToLinalg(LinalgEmitter &e) {
  ArrayRef<int64_t> axes = getAxes();
  if (axes.empty()) {
    e.replaceWith(getInput());
    return success();
  }
  ReductionKind kind = getKind();
  auto inputType = cast<RankedTensorType>(getInput().getType());
  int64_t rank = inputType.getRank();
  Type type = inputType.getElementType();
  bool isOrder = kind == ReductionKind::max || kind == ReductionKind::min;
  Type compute = isOrder ? type : e.getComputeType(type);

  SmallVector<int64_t> dims;
  SmallVector<DimSize> dimSizes, reduced;
  for (int64_t dim = 0; dim < rank; ++dim) {
    DimSize dimSize = e.getDimSize(getInput(), dim);
    if (llvm::is_contained(axes, dim)) {
      reduced.push_back(dimSize);
      continue;
    }
    dims.push_back(dim);
    dimSizes.push_back(dimSize);
  }
  Value init = e.fill(dimSizes, e.scalar(getNeutral(e.b, kind, compute)));
  Value value = e.generic(
      getInput(), init, {e.identity(rank), e.select(rank, dims)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        return combine(b, loc, kind, args[1], widen(b, loc, args[0], compute));
      });
  bool isMean = kind == ReductionKind::mean;
  if (isMean || compute != type) {
    Value count = isMean ? e.countOf(reduced, compute) : Value();
    value = e.map(dimSizes, type, value, {e.identity(dims.size())},
                  [&](OpBuilder &b, Location loc, ValueRange args) {
                    Value total = args[0];
                    if (isMean)
                      total = arith::DivFOp::create(b, loc, total, count);
                    return narrow(b, loc, total, type);
                  });
  }
  if (getKeepdims())
    value = keepDims(e, value, axes, rank);
  e.replaceWith(value);
  return success();
}
