//===- Sorting.cpp - The order of elements --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Types and verifiers
//===----------------------------------------------------------------------===//

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto x = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!x)
    return failure();
  types.push_back(x.clone(IntegerType::get(context, 32)));
  return success();
}

bool ArgsortOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return inferred.size() == 1 && actual.size() == 1 &&
         getElementTypeOrSelf(actual.front()).isInteger(32) &&
         succeeded(verifyCompatibleShape(inferred.front(), actual.front()));
}

LogicalResult ArgsortOp::verify() {
  RankedTensorType x = tensorOf(getX());
  if (failed(verifyDims(*this, "axis", {static_cast<int64_t>(getAxis())},
                        x.getRank())))
    return failure();
  unsigned width = x.getElementTypeBitWidth();
  if (width > 32 && width != 64)
    return emitOpError() << "expected elements of 64 or at most 32 bits, found "
                         << getX().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DimSizeSource ArgsortOp::getDimSizeSource(int64_t dim) { return {getX(), dim}; }

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {
/// Sorts the elements of all rows at once: by the bits of their keys, a part of
/// 32 bits after the other, then by their rows. Each sort is stable.
class ArgsortLowering {
public:
  ArgsortLowering(ArgsortOp op, LinalgEmitter &e)
      : op(op), e(e), type(e.getComputeType(getElementTypeOrSelf(op.getX()))),
        width(type.getIntOrFloatBitWidth()), axis(op.getAxis()),
        dimSizes(e.getDimSizes(op.getX())) {
    // Dimensions of keys: the one that is sorted is the last.
    for (int64_t dim = 0, rank = dimSizes.size(); dim < rank; ++dim)
      if (dim != axis)
        order.push_back(dim);
    order.push_back(axis);
    for (int64_t dim : order)
      keySizes.push_back(dimSizes[dim]);
  }

  void run();

private:
  Value emitKey(OpBuilder &b, Location loc, Value element);
  Value emitRow(OpBuilder &b, Location loc);
  Value flatten(Value tensor);
  Value gather(Value list, Value positions);
  Value mapKeys(llvm::function_ref<Value(OpBuilder &, Location, Value)> part);

  ArgsortOp op;
  LinalgEmitter &e;
  Type type;
  unsigned width;
  int64_t axis;
  SmallVector<DimSize> dimSizes, keySizes;
  SmallVector<int64_t> order;
};
} // namespace

/// Emits an integer of the element's width that orders elements as unsigned
/// numbers: NaN comes last, and the zeros are equal. With `descending` the
/// order is reversed.
Value ArgsortLowering::emitKey(OpBuilder &b, Location loc, Value element) {
  auto integer = b.getIntegerType(width);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, value));
  };
  Value key = element;
  if (auto floating = dyn_cast<FloatType>(type)) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(floating, 0.0));
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, element, zero);
    Value number = arith::SelectOp::create(b, loc, isZero, zero, element);
    Value bits = arith::BitcastOp::create(b, loc, integer, number);
    // All bits of a negative number are flipped, the sign of another one.
    Value signs =
        arith::ShRSIOp::create(b, loc, bits, constant(APInt(width, width - 1)));
    Value flips = arith::OrIOp::create(b, loc, signs,
                                       constant(APInt::getSignMask(width)));
    Value flipped = arith::XOrIOp::create(b, loc, bits, flips);
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                        element, element);
    key = arith::SelectOp::create(b, loc, isNaN,
                                  constant(APInt::getAllOnes(width)), flipped);
  } else if (width > 1) {
    // Truth values are ordered as they are.
    key = arith::XOrIOp::create(b, loc, element,
                                constant(APInt::getSignMask(width)));
  }
  if (op.getDescending())
    key =
        arith::XOrIOp::create(b, loc, key, constant(APInt::getAllOnes(width)));
  return key;
}

/// Emits the number of the row of a point of the keys, an i64.
Value ArgsortLowering::emitRow(OpBuilder &b, Location loc) {
  Value row = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [dim, dimSize] : llvm::enumerate(ArrayRef(keySizes).drop_back())) {
    Value size =
        getValueOrCreateConstantIndexOp(b, loc, e.materialize(dimSize));
    Value index = linalg::IndexOp::create(b, loc, dim);
    Value scaled = arith::MulIOp::create(b, loc, row, size);
    row = arith::AddIOp::create(b, loc, scaled, index);
  }
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), row);
}

/// Returns `tensor` as a list.
Value ArgsortLowering::flatten(Value tensor) {
  auto rank = tensorOf(tensor).getRank();
  if (rank == 1)
    return tensor;
  ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(rank));
  return tensor::CollapseShapeOp::create(
      e.b, e.loc, tensor, SmallVector<ReassociationIndices>{all});
}

/// Returns the elements of `list` at these positions.
Value ArgsortLowering::gather(Value list, Value positions) {
  Value init = e.empty(e.getDimSizes(positions), getElementTypeOrSelf(list));
  return linalg_ext::GatherOp::create(e.b, e.loc, init.getType(), list,
                                      positions, init, /*axis=*/0)
      .getResult(0);
}

/// Returns a list of a part of each key, which `part` computes.
Value ArgsortLowering::mapKeys(
    llvm::function_ref<Value(OpBuilder &, Location, Value)> part) {
  int64_t rank = keySizes.size();
  SmallVector<AffineExpr> exprs(rank);
  for (auto [position, dim] : llvm::enumerate(order))
    exprs[dim] = e.b.getAffineDimExpr(position);
  AffineMap permuted = AffineMap::get(rank, 0, exprs, e.b.getContext());
  return flatten(e.map(keySizes, e.b.getI64Type(), op.getX(), {permuted},
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         Value element = args[0];
                         if (isa<FloatType>(type))
                           element = widen(b, loc, element, type);
                         return part(b, loc, emitKey(b, loc, element));
                       }));
}

void ArgsortLowering::run() {
  constexpr unsigned kPartBits = 32;
  Type wide = e.b.getI64Type();
  Value sorted;
  for (unsigned first = 0; first < width; first += kPartBits) {
    unsigned bits = std::min(kPartBits, width - first);
    Value part = mapKeys([&](OpBuilder &b, Location loc, Value key) -> Value {
      if (width < 64)
        return arith::ExtUIOp::create(b, loc, wide, key);
      auto constant = [&](uint64_t value) -> Value {
        return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
      };
      if (first > 0)
        return arith::ShRUIOp::create(b, loc, key, constant(first));
      return arith::AndIOp::create(
          b, loc, key, constant(llvm::maskTrailingOnes<uint64_t>(bits)));
    });
    Value keys = sorted ? gather(part, sorted) : part;
    Value next = e.argsort(keys, DimSize::constant(int64_t(1) << bits));
    sorted = sorted ? gather(sorted, next) : next;
  }

  Type indexType = getElementTypeOrSelf(op.getResult());
  int64_t rank = keySizes.size();
  SmallVector<int64_t> inverse(rank);
  for (auto [position, dim] : llvm::enumerate(order))
    inverse[dim] = position;
  if (rank > 1) {
    Value rows = flatten(e.map(keySizes, wide, {}, {},
                               [&](OpBuilder &b, Location loc, ValueRange) {
                                 return emitRow(b, loc);
                               }));
    Value numRows = arith::ConstantIndexOp::create(e.b, e.loc, 1);
    bool isStatic = true;
    int64_t product = 1;
    for (DimSize dimSize : ArrayRef(keySizes).drop_back()) {
      isStatic &= dimSize.isStatic();
      product *= dimSize.isStatic() ? dimSize.number : 1;
      Value size =
          getValueOrCreateConstantIndexOp(e.b, e.loc, e.materialize(dimSize));
      numRows = arith::MulIOp::create(e.b, e.loc, numRows, size);
    }
    DimSize limit = isStatic ? DimSize::constant(product) : DimSize{0, numRows};
    Value next = e.argsort(gather(rows, sorted), limit);
    sorted = gather(sorted, next);
  }

  // Positions of all elements become positions in their rows.
  SmallVector<int64_t> shape;
  for (DimSize dimSize : keySizes)
    shape.push_back(dimSize.isStatic() ? dimSize.number : ShapedType::kDynamic);
  if (rank > 1) {
    ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(rank));
    sorted =
        e.expand(sorted, RankedTensorType::get(shape, wide), {all}, keySizes);
  }
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : order)
    exprs.push_back(e.b.getAffineDimExpr(dim));
  AffineMap toKeys = AffineMap::get(rank, 0, exprs, e.b.getContext());
  e.replaceWith(
      e.map(dimSizes, indexType, sorted, {toKeys},
            [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
              Value row = arith::ConstantIndexOp::create(b, loc, 0);
              for (int64_t dim : ArrayRef(order).drop_back()) {
                Value size = getValueOrCreateConstantIndexOp(
                    b, loc, e.materialize(dimSizes[dim]));
                Value index = linalg::IndexOp::create(b, loc, dim);
                Value scaled = arith::MulIOp::create(b, loc, row, size);
                row = arith::AddIOp::create(b, loc, scaled, index);
              }
              Value count = getValueOrCreateConstantIndexOp(
                  b, loc, e.materialize(dimSizes[axis]));
              Value begin = arith::MulIOp::create(b, loc, row, count);
              Value first = arith::IndexCastOp::create(b, loc, wide, begin);
              Value place = arith::SubIOp::create(b, loc, args[0], first);
              return arith::TruncIOp::create(b, loc, indexType, place);
            }));
}

LogicalResult ArgsortOp::lowerToLinalg(LinalgEmitter &e) {
  ArgsortLowering(*this, e).run();
  return success();
}
