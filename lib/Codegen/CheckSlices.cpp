//===- CheckSlices.cpp - The flywheel-check-slices pass -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: slices and elements of tensors at positions that are known only when
// the step runs. After: at the top level of the function, a `cf.assert` in
// front of each says that it is in range. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHECKSLICES
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

/// Whether `size` is the extent of dimension `dim` of `whole`.
static bool isExtentOf(OpFoldResult size, Value whole, int64_t dim) {
  auto value = dyn_cast<Value>(size);
  auto extent = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return extent && extent.getSource() == whole &&
         extent.getConstantIndex() == dim;
}

namespace {
/// Emits the checks of one op, in front of it.
class SliceChecker {
public:
  explicit SliceChecker(Operation *op) : b(op), op(op), loc(op->getLoc()) {}

  /// Checks the part of each dimension of `whole` that a slice takes.
  void checkSlice(Value whole, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides);
  void checkIndices(Value whole, ValueRange indices);

private:
  Value value(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, loc, number);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(b, loc, lhs, rhs);
  }
  /// Whether nothing is taken, or `begin` and the last position, that many
  /// strides behind it, are in [0, extent).
  Value isStridedInside(Value begin, Value count, Value stride, Value extent);
  void checkPart(Value whole, int64_t dim, OpFoldResult offset,
                 OpFoldResult size, OpFoldResult stride);

  OpBuilder b;
  Operation *op;
  Location loc;
};

struct CheckSlices : flywheel::impl::CheckSlicesBase<CheckSlices> {
  void runOnOperation() override;
};
} // namespace

Value SliceChecker::isStridedInside(Value begin, Value count, Value stride,
                                    Value extent) {
  auto ult = arith::CmpIPredicate::ult, ule = arith::CmpIPredicate::ule;
  Value zero = value(b.getIndexAttr(0)), one = value(b.getIndexAttr(1));
  Value steps = arith::SubIOp::create(b, loc, count, one);
  Value length = arith::MulIOp::create(b, loc, steps, stride);
  Value last = arith::AddIOp::create(b, loc, begin, length);
  Value areInside =
      both(compare(ult, begin, extent), compare(ult, last, extent));
  // Numbers that are no larger than an extent do not overflow.
  Value moved = arith::AddIOp::create(b, loc, stride, extent);
  Value twice = arith::AddIOp::create(b, loc, extent, extent);
  Value areSmall =
      both(compare(ule, count, extent), compare(ule, moved, twice));
  Value isNothing = compare(arith::CmpIPredicate::eq, count, zero);
  return arith::OrIOp::create(b, loc, isNothing, both(areInside, areSmall));
}

void SliceChecker::checkPart(Value whole, int64_t dim, OpFoldResult offset,
                             OpFoldResult size, OpFoldResult stride) {
  auto type = cast<RankedTensorType>(whole.getType());
  bool isStatic = getConstantIntValue(offset) && getConstantIntValue(size) &&
                  getConstantIntValue(stride);
  if (isStatic && !type.isDynamicDim(dim))
    return;
  if (isZeroInteger(offset) && isOneInteger(stride) &&
      isExtentOf(size, whole, dim))
    return;
  Value extent = value(tensor::getMixedSize(b, loc, whole, dim));
  Value begin = value(offset), count = value(size);
  Value ok;
  if (isOneInteger(stride)) {
    // A negative number is a large unsigned one.
    auto ule = arith::CmpIPredicate::ule;
    Value rest = arith::SubIOp::create(b, loc, extent, begin);
    ok = both(compare(ule, begin, extent), compare(ule, count, rest));
  } else {
    ok = isStridedInside(begin, count, value(stride), extent);
  }
  flywheel::linalg_ext::createCheck(
      b, op, ok, "slice out of range of dimension " + Twine(dim));
}

void SliceChecker::checkSlice(Value whole, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes,
                              ArrayRef<OpFoldResult> strides) {
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(offsets, sizes, strides))
    checkPart(whole, dim, offset, size, stride);
}

void SliceChecker::checkIndices(Value whole, ValueRange indices) {
  auto type = cast<RankedTensorType>(whole.getType());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> number = getConstantIntValue(index);
    if (number && !type.isDynamicDim(dim) && *number >= 0 &&
        *number < type.getDimSize(dim))
      continue;
    Value extent = value(tensor::getMixedSize(b, loc, whole, dim));
    flywheel::linalg_ext::createCheck(
        b, op, compare(arith::CmpIPredicate::ult, index, extent),
        "index out of range of dimension " + Twine(dim));
  }
}

void CheckSlices::runOnOperation() {
  for (Operation &op :
       llvm::make_early_inc_range(getOperation().getBody().getOps())) {
    SliceChecker checker(&op);
    TypeSwitch<Operation *>(&op)
        .Case([&](tensor::ExtractSliceOp slice) {
          checker.checkSlice(slice.getSource(), slice.getMixedOffsets(),
                             slice.getMixedSizes(), slice.getMixedStrides());
        })
        .Case([&](tensor::InsertSliceOp slice) {
          checker.checkSlice(slice.getDest(), slice.getMixedOffsets(),
                             slice.getMixedSizes(), slice.getMixedStrides());
        })
        .Case([&](tensor::ExtractOp element) {
          checker.checkIndices(element.getTensor(), element.getIndices());
        })
        .Case([&](tensor::InsertOp element) {
          checker.checkIndices(element.getDest(), element.getIndices());
        });
  }
}
