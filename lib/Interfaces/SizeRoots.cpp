//===- SizeRoots.cpp - Where sizes come from ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeRoots.h"

#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {

/// A size behind more ops than this is a root.
constexpr unsigned kMaxDepth = 512;

static SizeRoot toRoot(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return {Value(), *constant};
  return {cast<Value>(number), -1};
}

template <typename OpTy> static SizeRoot getSliceSize(OpTy op, int64_t dim) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(i) && dim-- == 0)
      return toRoot(size);
  return {op->getResult(0), dim};
}

template <typename OpTy> static SizeRoot getReadSize(OpTy op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto type = cast<ShapedType>(op.getSource().getType());
  if (!dim || !type.hasRank() || *dim < 0 || *dim >= type.getRank())
    return {op.getResult(), -1};
  return {op.getSource(), *dim};
}

/// Returns the size that the op which computes `size.value` makes it of; `size`
/// if it computes it.
SizeRoot SizeRoots::getSource(SizeRoot size) {
  auto [value, dim] = size;
  Operation *op = value.getDefiningOp();
  if (!op)
    return size;
  if (dim < 0)
    return llvm::TypeSwitch<Operation *, SizeRoot>(op)
        .Case<tensor::DimOp, memref::DimOp>(
            [](auto read) { return getReadSize(read); })
        .Default(size);
  return llvm::TypeSwitch<Operation *, SizeRoot>(op)
      .Case<tensor::CastOp, memref::CastOp>([&, dim = dim](auto cast) {
        return isa<ShapedType>(cast.getSource().getType()) &&
                       llvm::cast<ShapedType>(cast.getSource().getType())
                           .hasRank()
                   ? SizeRoot{cast.getSource(), dim}
                   : size;
      })
      .Case<tensor::EmptyOp, memref::AllocOp, memref::AllocaOp>(
          [dim = dim](auto made) { return toRoot(made.getMixedSizes()[dim]); })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>(
          [dim = dim](auto expand) {
            return toRoot(expand.getMixedOutputShape()[dim]);
          })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
          [dim = dim](auto slice) { return getSliceSize(slice, dim); })
      .Case([&, value = value, dim = dim](DestinationStyleOpInterface styled) {
        OpOperand *init = styled.getTiedOpOperand(cast<OpResult>(value));
        return SizeRoot{init->get(), dim};
      })
      .Default(size);
}

SizeRoot SizeRoots::compute(SizeRoot size) {
  if (size.number >= 0) {
    auto type = cast<ShapedType>(size.value.getType());
    if (!type.isDynamicDim(size.number))
      return {Value(), type.getDimSize(size.number)};
  }
  SmallVector<Value> forwarded = getForwardedValues(size.value);
  if (auto select = size.value.getDefiningOp<arith::SelectOp>())
    forwarded = {select.getTrueValue(), select.getFalseValue()};
  if (forwarded.empty()) {
    SizeRoot source = getSource(size);
    return source == size ? size : get(source);
  }
  SizeRoot first = get(SizeRoot{forwarded.front(), size.number});
  auto isFirst = [&](Value value) {
    return get(SizeRoot{value, size.number}) == first;
  };
  if (isa<OpResult>(size.value))
    return llvm::all_of(forwarded, isFirst) ? first : size;
  // An iteration that leaves the size with which it started, if that is the one
  // in front of the loop, never starts with another one.
  auto before = known;
  known[{size.value, size.number}] = first;
  if (llvm::all_of(forwarded, isFirst))
    return first;
  known = std::move(before);
  return size;
}

SizeRoot SizeRoots::get(SizeRoot size) {
  if (!size.value)
    return size;
  if (std::optional<int64_t> constant =
          size.number < 0 ? getConstantIntValue(size.value) : std::nullopt)
    return {Value(), *constant};
  // A value that is looked at is its own root until its root is known.
  auto [it, isNew] = known.try_emplace({size.value, size.number}, size);
  SizeRoot root = it->second;
  if (isNew) {
    if (depth == kMaxDepth)
      return size;
    ++depth;
    root = compute(size);
    --depth;
    known[{size.value, size.number}] = root;
    return root;
  }
  return root == size ? root : get(root);
}

SizeRoot SizeRoots::get(Value value, std::optional<int64_t> dim) {
  return get(SizeRoot{value, dim.value_or(-1)});
}

} // namespace flywheel
