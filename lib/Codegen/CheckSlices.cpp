//===- CheckSlices.cpp - The flywheel-check-slices pass -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using flywheel::linalg_ext::LinalgExtDialect;

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
  /// As the others, in a branch or a loop, for one operand of the op: what is
  /// out of range starts at 0 instead, so that it does no harm.
  void checkOffset(Value whole, int64_t dim, OpOperand &offset, int64_t size,
                   const Twine &what);

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

void SliceChecker::checkOffset(Value whole, int64_t dim, OpOperand &offset,
                               int64_t size, const Twine &what) {
  auto type = cast<RankedTensorType>(whole.getType());
  // Where nothing may be there to take, no offset does no harm.
  if (type.isDynamicDim(dim) || size > type.getDimSize(dim))
    return;
  int64_t last = type.getDimSize(dim) - size;
  auto getBound = [&](presburger::BoundType bound) {
    return ValueBoundsConstraintSet::computeConstantBound(
        bound, offset.get(), nullptr, /*closedUB=*/true);
  };
  FailureOr<int64_t> lower = getBound(presburger::BoundType::LB),
                     upper = getBound(presburger::BoundType::UB);
  if (succeeded(lower) && succeeded(upper) && *lower >= 0 && *upper <= last)
    return;
  Value ok = compare(arith::CmpIPredicate::ule, offset.get(),
                     value(b.getIndexAttr(last)));
  cf::AssertOp check = flywheel::linalg_ext::createCheck(
      b, op, ok, what + " out of range of dimension " + Twine(dim));
  check->setAttr(LinalgExtDialect::getSafeAttrName(), b.getUnitAttr());
  offset.set(arith::SelectOp::create(b, loc, ok, offset.get(),
                                     value(b.getIndexAttr(0))));
}

/// Checks the offsets of a slice of `whole` in a branch or a loop.
static void checkNestedSlice(SliceChecker &checker, Value whole,
                             OffsetSizeAndStrideOpInterface slice) {
  MutableArrayRef<OpOperand> operands = slice->getOpOperands();
  unsigned next = slice.getOffsetSizeAndStrideStartOperandIndex();
  for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets())) {
    if (!isa<Value>(offset))
      continue;
    OpOperand &operand = operands[next++];
    std::optional<int64_t> size =
        getConstantIntValue(slice.getMixedSizes()[dim]);
    if (size && isOneInteger(slice.getMixedStrides()[dim]))
      checker.checkOffset(whole, dim, operand, *size, "slice");
  }
}

static void checkNestedIndices(SliceChecker &checker, Value whole,
                               MutableArrayRef<OpOperand> indices) {
  for (auto [dim, index] : llvm::enumerate(indices))
    checker.checkOffset(whole, dim, index, 1, "index");
}

/// Checks `op`, which is in a branch or a loop.
static void checkNested(Operation *op) {
  SliceChecker checker(op);
  TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractSliceOp slice) {
        checkNestedSlice(checker, slice.getSource(), slice);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        checkNestedSlice(checker, slice.getDest(), slice);
      })
      .Case([&](tensor::ExtractOp element) {
        checkNestedIndices(checker, element.getTensor(),
                           element.getIndicesMutable());
      })
      .Case([&](tensor::InsertOp element) {
        checkNestedIndices(checker, element.getDest(),
                           element.getIndicesMutable());
      });
}

/// Visits the ops in the control flow in `region`, but not in other ops.
static void forEachNested(Region &region, function_ref<void(Operation *)> visit,
                          bool isNested = false) {
  for (Operation &op : llvm::make_early_inc_range(region.getOps())) {
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      for (Region &inner : op.getRegions())
        forEachNested(inner, visit, /*isNested=*/true);
    else if (isNested)
      visit(&op);
  }
}

void CheckSlices::runOnOperation() {
  if (getOperation().isExternal())
    return;
  forEachNested(getOperation().getBody(), checkNested);
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
