//===- Broadcast.cpp - Tensors that repeat --------------------------------===//
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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  if (input.getElementType() != result.getElementType())
    return emitOpError() << "expected one element type, found "
                         << input.getElementType() << " and "
                         << result.getElementType();
  ArrayRef<int64_t> dims = getDims();
  if (static_cast<int64_t>(dims.size()) != input.getRank())
    return emitOpError() << "expected one entry of dims for each of the "
                         << input.getRank()
                         << " dimensions of the input, found " << dims.size();
  if (failed(verifyDims(*this, "dims", dims, result.getRank())) ||
      failed(verifySizeRelations(*this)))
    return failure();
  if (getLike())
    return verifyResultShape(*this, getResult(),
                             tensorOf(getLike()).getShape());
  if (!result.hasStaticShape())
    return emitOpError()
           << "expected `like` for a result with dynamic dimension sizes, "
              "found none";
  return success();
}

LogicalResult TileOp::inferTypes(Adaptor op, OpErrors errors,
                                 SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorOf(op.getX());
  if (static_cast<int64_t>(op.getMultiples().size()) != x.getRank())
    return errors.emitOpError()
           << "expected one multiple for each of the " << x.getRank()
           << " dimensions of x, found " << op.getMultiples().size();
  SmallVector<int64_t> shape(x.getShape());
  for (auto [dimSize, multiple] : llvm::zip(shape, op.getMultiples())) {
    if (multiple < 0)
      return errors.emitOpError()
             << "expected multiples of at least 0, found " << multiple;
    int64_t times = dimSize;
    if (!ShapedType::isDynamic(dimSize) &&
        llvm::MulOverflow(times, multiple, dimSize))
      return errors.emitOpError()
             << "expected dimension sizes below 2^63, found " << times
             << " repeated " << multiple << " times";
  }
  types.push_back(x.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DimSizeSource BroadcastOp::getDimSizeSource(int64_t dim) {
  return getLike() ? DimSizeSource{getLike(), dim} : DimSizeSource{};
}

void BroadcastOp::relateSizes(SizeRelationSink &sizes) {
  for (auto [i, dim] : llvm::enumerate(getDims()))
    // Only dimensions of static size 1 are stretched.
    if (tensorOf(getInput()).getDimSize(i) != 1)
      sizes.equalDims(getInput(), i, getResult(), dim, "the input",
                      "the result");
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

// Only the shape of `like` is used.
bool BroadcastOp::hasDerivative(unsigned operandNumber) {
  return operandNumber == 0;
}

LogicalResult BroadcastOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                   ArrayRef<bool> needed,
                                   MutableArrayRef<Value> operands) {
  if (!needed[0])
    return success();
  Location loc = getLoc();
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  // Sum over stretched dimensions, keeping dimension size 1, then over added
  // ones.
  SmallVector<int64_t> stretched, shape(result.getShape());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (input.getDimSize(i) == 1 && result.getDimSize(dim) != 1) {
      stretched.push_back(dim);
      shape[dim] = 1;
    }
  Value dx = results[0];
  if (!stretched.empty())
    dx = ReduceOp::create(b, loc,
                          RankedTensorType::get(shape, input.getElementType()),
                          ReductionKind::sum, dx, stretched, /*keepdims=*/true);
  operands[0] =
      buildSum(b, loc, dx, otherDims(getDims(), result.getRank()), input);
  return success();
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

/// Returns the dimension sizes of the result as a dense value. Without `like`,
/// those of the op are static.
static SmallVector<OpFoldResult> getDenseSizes(BroadcastOp op,
                                               Batcher &batcher) {
  if (op.getLike())
    return batcher.getDenseSizes(op.getLoc(), op.getLike());
  SmallVector<OpFoldResult> sizes = {batcher.getDimSize()};
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(op.getContext(), tensorOf(op).getShape()));
  return sizes;
}

LogicalResult BroadcastOp::emitBatched(Batcher &batcher) {
  OpBuilder &b = batcher.getBuilder();
  Location loc = getLoc();
  BatchedValue input = batcher.lookup(getInput());
  ArrayRef<int64_t> dims = getDims();
  auto isStretched = [&](int64_t dim) {
    return tensorOf(getInput()).getDimSize(dim) == 1 &&
           tensorOf(*this).getDimSize(dims[dim]) != 1;
  };
  if (input.isUniform() ||
      (input.isDiagonalInBlocks() && !isStretched(input.dim))) {
    Value like = getLike() ? batcher.getShape(loc, getLike()) : Value();
    Value repeated =
        BroadcastOp::create(b, loc, getType(), input.value, like, dims);
    if (input.isUniform())
      batcher.setUniform(*this, repeated);
    else
      batcher.setDiagonal(*this, repeated, dims[input.dim], input.block);
    return success();
  }

  RankedTensorType type = batcher.getDenseType(getType());
  Value like;
  if (!type.hasStaticShape()) {
    // The shape of a value that is dense already, or of none.
    if (getLike() && batcher.lookup(getLike()).isDense())
      like = batcher.getDense(loc, getLike());
    else
      like = buildCast(b, loc,
                       tensor::EmptyOp::create(b, loc,
                                               getDenseSizes(*this, batcher),
                                               type.getElementType()),
                       type);
  }
  SmallVector<int64_t> denseDims = shifted(dims);
  denseDims.insert(denseDims.begin(), 0);
  batcher.setDense(*this, BroadcastOp::create(b, loc, type,
                                              batcher.getDense(loc, getInput()),
                                              like, denseDims));
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::lowerToLinalg(LinalgEmitter &e) {
  auto type = cast<RankedTensorType>(getResult().getType());
  SmallVector<DimSize> dimSizes;
  for (auto [dim, dimSize] : llvm::enumerate(type.getShape()))
    dimSizes.push_back(getLike() ? e.getDimSize(getLike(), dim)
                                 : DimSize::constant(dimSize));
  // A dimension size that is 1 by its type stretches; any other has to fit,
  // also one that turns out to be 1: the derivative is that of the type.
  auto inputType = cast<RankedTensorType>(getInput().getType());
  SmallVector<AffineExpr> exprs;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (inputType.getDimSize(i) == 1) {
      exprs.push_back(e.b.getAffineConstantExpr(0));
      continue;
    }
    dimSizes[dim] = dimSizes[dim].merge(e.getDimSize(getInput(), i));
    exprs.push_back(e.b.getAffineDimExpr(dim));
  }
  if (TypedAttr splat = getSplat(getInput())) {
    e.replaceWith(e.fill(dimSizes, e.scalar(splat)));
    return success();
  }
  auto map = AffineMap::get(type.getRank(), 0, exprs, e.b.getContext());
  e.replaceWith(
      e.map(dimSizes, type.getElementType(), getInput(), {map},
            [](OpBuilder &, Location, ValueRange args) { return args[0]; }));
  return success();
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> TileOp::decompose(OpBuilder &b) {
  // Insert a dimension before each one, along which it repeats.
  Location loc = getLoc();
  Value x = getX();
  RankedTensorType type = tensorOf(x);
  SmallVector<int64_t> dims, shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, multiple] : llvm::enumerate(getMultiples())) {
    int64_t number = dim;
    dims.push_back(2 * number + 1);
    shape.append({multiple, type.getDimSize(number)});
    sizes.push_back(b.getIndexAttr(multiple));
    sizes.push_back(tensor::getMixedSize(b, loc, x, number));
    groups.push_back({2 * number, 2 * number + 1});
  }
  if (dims.empty())
    return SmallVector<Value>{x};
  auto repeatedType = RankedTensorType::get(shape, type.getElementType());
  Value like;
  if (!repeatedType.hasStaticShape())
    like = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value repeated = BroadcastOp::create(b, loc, repeatedType, x, like, dims);
  Value tiled = tensor::CollapseShapeOp::create(b, loc, repeated, groups);
  return SmallVector<Value>{buildCast(b, loc, tiled, getResult().getType())};
}
