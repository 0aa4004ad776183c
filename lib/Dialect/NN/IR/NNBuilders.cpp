//===- NNBuilders.cpp - Building blocks of derivative rules ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NNBuilders.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace flywheel::nn {

SmallVector<int64_t> identityDims(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

SmallVector<int64_t> otherDims(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> others;
  for (int64_t dim : llvm::seq<int64_t>(0, rank))
    if (!llvm::is_contained(axes, dim))
      others.push_back(dim);
  return others;
}

SmallVector<ReassociationIndices> unitDimGroups(ArrayRef<bool> isKept) {
  SmallVector<ReassociationIndices> groups;
  bool isOpen = false;
  if (!llvm::is_contained(isKept, true))
    return groups;
  for (auto [dim, kept] : llvm::enumerate(isKept)) {
    if (groups.empty() || (kept && isOpen))
      groups.emplace_back();
    groups.back().push_back(dim);
    isOpen |= kept;
  }
  return groups;
}

Value buildSplat(OpBuilder &b, Location loc, Value like, double value) {
  Type elementType = getElementTypeOrSelf(like);
  TypedAttr element;
  if (isa<FloatType>(elementType))
    element = b.getFloatAttr(elementType, value);
  else
    element = b.getIntegerAttr(elementType, static_cast<int64_t>(value));
  auto type = dyn_cast<ShapedType>(like.getType());
  if (!type)
    return arith::ConstantOp::create(b, loc, element);
  if (type.hasStaticShape())
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, element));
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  Value scalar = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(scalarType, element));
  return buildBroadcast(b, loc, scalar, {}, like);
}

bool isZeros(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  return isa<RankedTensorType>(value.getType()) &&
         matchPattern(value, m_AnyZeroFloat());
}

SlicePlace::SlicePlace(OpBuilder &b, Location loc, Value whole, Value position)
    : sizes(tensor::getMixedSizes(b, loc, whole)) {
  offsets.assign(sizes.size(), b.getIndexAttr(0));
  strides.assign(sizes.size(), b.getIndexAttr(1));
  offsets[0] = position;
  sizes[0] = b.getIndexAttr(1);
}

Value buildCast(OpBuilder &b, Location loc, Value input, Type type) {
  return input.getType() == type
             ? input
             : Value(tensor::CastOp::create(b, loc, type, input));
}

static bool hasNoElements(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

/// Returns true if a slice of \p type of a \p whole has no elements, or has a
/// dynamic size and \p whole has no elements. (A slice of a static size is out
/// of bounds then.)
static bool isEmptySlice(RankedTensorType type, RankedTensorType whole) {
  return hasNoElements(type) ||
         (hasNoElements(whole) && !type.hasStaticShape());
}

Value buildExtractSlice(OpBuilder &b, Location loc, Value source,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides) {
  RankedTensorType type = tensor::ExtractSliceOp::inferResultType(
      cast<RankedTensorType>(source.getType()), sizes);
  return buildExtractSlice(b, loc, type, source, offsets, sizes, strides);
}

Value buildExtractSlice(OpBuilder &b, Location loc, RankedTensorType type,
                        Value source, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides) {
  if (!isEmptySlice(type, cast<RankedTensorType>(source.getType())))
    return tensor::ExtractSliceOp::create(b, loc, type, source, offsets, sizes,
                                          strides);
  SmallVector<Value> dynamic;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      dynamic.push_back(value);
  return tensor::EmptyOp::create(b, loc, type, dynamic);
}

Value buildInsertSlice(OpBuilder &b, Location loc, Value source, Value dest,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       ArrayRef<OpFoldResult> strides) {
  if (isEmptySlice(cast<RankedTensorType>(source.getType()),
                   cast<RankedTensorType>(dest.getType())))
    return dest;
  return tensor::InsertSliceOp::create(b, loc, source, dest, offsets, sizes,
                                       strides);
}

Value buildMatmul(OpBuilder &b, Location loc, Type type, Value lhs,
                  bool transposeLhs, Value rhs, bool transposeRhs) {
  return MatmulOp::create(b, loc, type, lhs, rhs, transposeLhs, transposeRhs);
}

Value buildGram(OpBuilder &b, Location loc, Type type, Value a,
                bool transposeB) {
  Value product = buildMatmul(b, loc, type, a, !transposeB, a, transposeB);
  return TriangleOp::create(b, loc, type, TriangleKind::lower, product,
                            /*diagonal=*/0, APFloat(0.0));
}

/// Returns the dimensions of a tensor of rank `rank` that are rows, and the
/// last.
static SmallVector<ReassociationIndices> getRowGroups(int64_t rank) {
  SmallVector<ReassociationIndices> groups(2);
  groups[0] = identityDims(rank - 1);
  groups[1] = {rank - 1};
  return groups;
}

Value buildRows(OpBuilder &b, Location loc, Value input) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  if (rank == 2)
    return input;
  return tensor::CollapseShapeOp::create(b, loc, input, getRowGroups(rank));
}

Value buildFromRows(OpBuilder &b, Location loc, Value rows, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.getRank() == 2)
    return rows;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = cast<RankedTensorType>(rows.getType()).getDimSize(1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, like);
  sizes.back() = tensor::getMixedSize(b, loc, rows, 1);
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), rows,
                                       getRowGroups(type.getRank()), sizes);
}

Value buildSum(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes,
               Type type) {
  auto inputType = cast<RankedTensorType>(input.getType());
  if (!type) {
    SmallVector<int64_t> shape;
    for (int64_t dim : otherDims(axes, inputType.getRank()))
      shape.push_back(inputType.getDimSize(dim));
    type = RankedTensorType::get(shape, inputType.getElementType());
  }
  if (axes.empty())
    return buildCast(b, loc, input, type);
  return ReduceOp::create(b, loc, type, ReductionKind::sum, input, axes,
                          /*keepdims=*/false);
}

Value buildBroadcast(OpBuilder &b, Location loc, Value input,
                     ArrayRef<int64_t> dims, Value like) {
  auto likeType = cast<RankedTensorType>(like.getType());
  auto type = RankedTensorType::get(
      likeType.getShape(), getElementTypeOrSelf(input), likeType.getEncoding());
  Value shape = type.hasStaticShape() ? Value() : like;
  // A constant folds with its readers: derivatives of derivatives multiply by
  // the ones that a sum spreads, and would sum each such product again.
  DenseElementsAttr elements;
  if (type.hasStaticShape() && matchPattern(input, m_Constant(&elements)) &&
      elements.isSplat())
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  return BroadcastOp::create(b, loc, type, input, shape, dims);
}

Value buildUnreduce(OpBuilder &b, Location loc, Value reduced,
                    ArrayRef<int64_t> axes, bool keepdims, Value like) {
  int64_t rank = cast<RankedTensorType>(like.getType()).getRank();
  if (!keepdims)
    return buildBroadcast(b, loc, reduced, otherDims(axes, rank), like);
  // A dimension size that is 1 but declared dynamic would not stretch.
  auto type = cast<RankedTensorType>(reduced.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes)
    shape[axis] = 1;
  auto stretched = RankedTensorType::get(shape, type.getElementType());
  return buildBroadcast(b, loc, buildCast(b, loc, reduced, stretched),
                        identityDims(rank), like);
}

Value buildCount(OpBuilder &b, Location loc, Value input,
                 ArrayRef<int64_t> axes, FloatType elementType) {
  auto inputType = cast<RankedTensorType>(input.getType());
  auto type = RankedTensorType::get({}, elementType);
  int64_t known = 1;
  Value unknown;
  for (int64_t axis : axes) {
    if (!inputType.isDynamicDim(axis)) {
      known *= inputType.getDimSize(axis);
      continue;
    }
    Value dimSize = tensor::DimOp::create(b, loc, input, axis);
    unknown =
        unknown ? arith::MulIOp::create(b, loc, unknown, dimSize) : dimSize;
  }
  if (!unknown)
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type, b.getFloatAttr(elementType, known)));
  if (known != 1) {
    Value factor = arith::ConstantIndexOp::create(b, loc, known);
    unknown = arith::MulIOp::create(b, loc, unknown, factor);
  }
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), unknown);
  Value number = arith::SIToFPOp::create(b, loc, elementType, integer);
  return tensor::FromElementsOp::create(b, loc, type, number);
}

Type getComputeType(Type elementType) {
  return elementType.isF16() || elementType.isBF16()
             ? Float32Type::get(elementType.getContext())
             : elementType;
}

ElementwiseExpr widen(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type compute = getComputeType(type.getElementType());
  if (compute != type.getElementType())
    value = arith::ExtFOp::create(b, loc, type.clone(compute), value);
  return ElementwiseExpr(b, loc, value);
}

Value castElements(OpBuilder &b, Location loc, Value value, Type element) {
  auto from = cast<RankedTensorType>(value.getType());
  unsigned width = from.getElementTypeBitWidth();
  if (width < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, from.clone(element), value);
  if (width > element.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, from.clone(element), value);
  return value;
}

Value roundTo(OpBuilder &b, Location loc, Value value, Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  if (element != getElementTypeOrSelf(value))
    value = arith::TruncFOp::create(
        b, loc, cast<RankedTensorType>(value.getType()).clone(element), value);
  return buildCast(b, loc, value, type);
}

} // namespace flywheel::nn
