//===- CheckSlices.cpp - The flywheel-check-slices pass -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: slices and elements of tensors at positions that are known only when
// the step runs. After: a `linalg_ext.check` before each one checks that it is
// in range, also inside of branches and loops. There, the check is marked
// `safe`: if the op is not in range, it starts at 0 instead, or does
// not run. Refuses accesses that may be out of range in the body of another op,
// such as `tensor.pad`.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHECKSLICES
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using flywheel::linalg_ext::CheckKind;
using flywheel::linalg_ext::CheckOp;
using flywheel::linalg_ext::createCheck;
using flywheel::linalg_ext::NamedNumbers;
using flywheel::train::TrainDialect;

/// Returns true if `size` is the size of dimension `dim` of `whole`.
static bool isDimSizeOf(OpFoldResult size, Value whole, int64_t dim) {
  auto value = dyn_cast<Value>(size);
  auto dimSize = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return dimSize && dimSize.getSource() == whole &&
         dimSize.getConstantIndex() == dim;
}

/// Returns the first op around `op`, below the function, that is neither a
/// branch nor a loop; checks cannot be carried out of it. Null if there is
/// none.
static Operation *findOtherParent(Operation *op) {
  Operation *parent = op->getParentOp();
  while (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent))
    parent = parent->getParentOp();
  return isa<func::FuncOp>(parent) ? nullptr : parent;
}

namespace {
/// One dimension of the part of a tensor that an op accesses.
struct Part {
  int64_t dim;
  OpFoldResult offset, size, stride;
};

/// Emits the checks of one op before it. Inside of a branch or a loop, whose
/// checks run only after all of it has run, it also keeps the op in range if a
/// check fails.
class SliceChecker {
public:
  explicit SliceChecker(Operation *op)
      : b(op), op(op), loc(op->getLoc()),
        isNested(!isa<func::FuncOp>(op->getParentOp())) {}

  /// Checks the part of each dimension of `whole` that a slice takes.
  template <typename SliceOp> LogicalResult checkSlice(SliceOp slice);
  template <typename ElementOp> LogicalResult checkElement(ElementOp element);

private:
  Value value(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, loc, number);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return lhs ? arith::AndIOp::create(b, loc, lhs, rhs).getResult() : rhs;
  }
  /// Emits an i1 that is true if `count` is 0, or if `begin` and the last
  /// position, `begin + (count - 1) * stride`, are in [0, dimension size). The
  /// stride of a single position is ignored.
  Value isStridedInside(Value begin, Value count, Value stride, Value dimSize);
  Value isInside(Value whole, const Part &part);
  LogicalResult refuseConstants(Value whole, const Part &part);
  std::string describe(Value whole, const Part &part, NamedNumbers &numbers);
  /// Checks `parts` of `whole`, and makes those harmless that can be moved to
  /// the start of their dimension: `offsets` are the new ones.
  LogicalResult checkParts(Value whole, ArrayRef<Part> parts, StringRef what,
                           SmallVectorImpl<OpFoldResult> &offsets);
  /// Runs the op only if `ok` holds.
  LogicalResult guard(Value ok);
  Value buildOther(OpBuilder &at);

  OpBuilder b;
  Operation *op;
  Location loc;
  bool isNested;
};

struct CheckSlices : flywheel::impl::CheckSlicesBase<CheckSlices> {
  void getDependentDialects(DialectRegistry &registry) const override {
    CheckSlicesBase::getDependentDialects(registry);
    registry.insert<flywheel::linalg_ext::LinalgExtDialect>();
  }
  void runOnOperation() override;
};
} // namespace

Value SliceChecker::isStridedInside(Value begin, Value count, Value stride,
                                    Value dimSize) {
  auto ult = arith::CmpIPredicate::ult, ule = arith::CmpIPredicate::ule;
  Value zero = value(b.getIndexAttr(0)), one = value(b.getIndexAttr(1));
  Value steps = arith::SubIOp::create(b, loc, count, one);
  Value length = arith::MulIOp::create(b, loc, steps, stride);
  Value last = arith::AddIOp::create(b, loc, begin, length);
  Value areInside =
      both(compare(ult, begin, dimSize), compare(ult, last, dimSize));
  // The sums of numbers that are at most a dimension size do not overflow.
  Value isSingle = compare(arith::CmpIPredicate::eq, count, one);
  Value moved = arith::AddIOp::create(b, loc, stride, dimSize);
  Value twice = arith::AddIOp::create(b, loc, dimSize, dimSize);
  Value isNear =
      arith::OrIOp::create(b, loc, isSingle, compare(ule, moved, twice));
  Value areSmall = both(compare(ule, count, dimSize), isNear);
  Value isNothing = compare(arith::CmpIPredicate::eq, count, zero);
  return arith::OrIOp::create(b, loc, isNothing, both(areInside, areSmall));
}

Value SliceChecker::isInside(Value whole, const Part &part) {
  Value dimSize = value(tensor::getMixedSize(b, loc, whole, part.dim));
  Value begin = value(part.offset), count = value(part.size);
  // A negative number is a large unsigned one.
  if (isOneInteger(part.size))
    return compare(arith::CmpIPredicate::ult, begin, dimSize);
  if (!isOneInteger(part.stride))
    return isStridedInside(begin, count, value(part.stride), dimSize);
  auto ule = arith::CmpIPredicate::ule;
  Value rest = arith::SubIOp::create(b, loc, dimSize, begin);
  return both(compare(ule, begin, dimSize), compare(ule, count, rest));
}

/// Returns true if a slice with constant offset, size and stride is in range of
/// a dimension of size `dimSize`.
static bool isConstantInside(int64_t offset, int64_t size, int64_t stride,
                             int64_t dimSize) {
  if (size == 0)
    return offset >= 0 && offset <= dimSize;
  std::optional<int64_t> last = llvm::checkedMulAdd(size - 1, stride, offset);
  return offset >= 0 && offset < dimSize && last && *last >= 0 &&
         *last < dimSize;
}

/// Returns true if `part` of `whole` is provably in range wherever its op runs.
static bool isKnownInside(Value whole, const Part &part) {
  using Bounds = ValueBoundsConstraintSet;
  std::optional<int64_t> offset = getConstantIntValue(part.offset),
                         size = getConstantIntValue(part.size),
                         stride = getConstantIntValue(part.stride);
  int64_t dimSize =
      cast<RankedTensorType>(whole.getType()).getDimSize(part.dim);
  if (offset && size && stride && !ShapedType::isDynamic(dimSize))
    return isConstantInside(*offset, *size, *stride, dimSize);
  if (isZeroInteger(part.offset) && isOneInteger(part.stride) &&
      isDimSizeOf(part.size, whole, part.dim))
    return true;
  if (!stride || *stride < 1)
    return false;
  MLIRContext *context = whole.getContext();
  AffineExpr begin = getAffineDimExpr(0, context),
             count = getAffineDimExpr(1, context);
  Bounds::Variable last(
      AffineMap::get(2, 0, begin + (count - 1) * *stride),
      {Bounds::Variable(part.offset), Bounds::Variable(part.size)});
  Bounds::Variable zero(OpFoldResult(Builder(context).getIndexAttr(0)));
  return Bounds::compare(part.offset, Bounds::ComparisonOperator::GE, zero) &&
         Bounds::compare(part.size, Bounds::ComparisonOperator::GE, zero) &&
         Bounds::compare(last, Bounds::ComparisonOperator::LT,
                         Bounds::Variable(whole, part.dim));
}

/// Returns true if `part` would be in range at offset 0.
static bool isInsideAtStart(Value whole, const Part &part) {
  std::optional<int64_t> size = getConstantIntValue(part.size),
                         stride = getConstantIntValue(part.stride);
  int64_t dimSize =
      cast<RankedTensorType>(whole.getType()).getDimSize(part.dim);
  return size && stride && *stride > 0 && !ShapedType::isDynamic(dimSize) &&
         (*size - 1) * *stride < dimSize;
}

/// Refuses a slice that is always out of range; upstream only refuses a slice
/// that ends behind the dimension.
LogicalResult SliceChecker::refuseConstants(Value whole, const Part &part) {
  std::optional<int64_t> offset = getConstantIntValue(part.offset),
                         size = getConstantIntValue(part.size),
                         stride = getConstantIntValue(part.stride);
  int64_t dimSize =
      cast<RankedTensorType>(whole.getType()).getDimSize(part.dim);
  if (!offset || !size || !stride || ShapedType::isDynamic(dimSize) ||
      isConstantInside(*offset, *size, *stride, dimSize))
    return success();
  return op->emitOpError() << "expected a slice in range of dimension "
                           << part.dim << " of size " << dimSize << ", found "
                           << *size << " positions from " << *offset
                           << " with a stride of " << *stride;
}

/// Returns the part of the error message that names the numbers of `part`.
std::string SliceChecker::describe(Value whole, const Part &part,
                                   NamedNumbers &numbers) {
  std::string offset = numbers.add(part.offset);
  std::string found = ", found ";
  if (isa<tensor::ExtractOp, tensor::InsertOp>(op))
    found += "index " + offset;
  else
    found += "offset " + offset + ", size " + numbers.add(part.size) +
             ", stride " + numbers.add(part.stride);
  OpFoldResult size = tensor::getMixedSize(b, loc, whole, part.dim);
  return found + " and dimension size " + numbers.add(size);
}

/// Returns what `ok` depends on: sizes, unless an element of a tensor is among
/// the numbers that it is computed from.
static CheckKind getCheckKind(Value ok) {
  llvm::SetVector<Value> numbers;
  numbers.insert(ok);
  for (size_t i = 0; i < numbers.size(); ++i) {
    Operation *op = numbers[i].getDefiningOp();
    if (isa_and_nonnull<tensor::ExtractOp>(op))
      return CheckKind::data;
    if (op && !isa<tensor::DimOp>(op))
      for (Value operand : op->getOperands())
        if (operand.getType().isIntOrIndex())
          numbers.insert(operand);
  }
  return CheckKind::sizes;
}

LogicalResult SliceChecker::checkParts(Value whole, ArrayRef<Part> parts,
                                       StringRef what,
                                       SmallVectorImpl<OpFoldResult> &offsets) {
  Value needed;
  for (const Part &part : parts) {
    offsets.push_back(part.offset);
    if (isKnownInside(whole, part))
      continue;
    if (Operation *parent = findOtherParent(op))
      return op->emitOpError()
             << "expected the " << what << " to be known to be in range of "
             << "dimension " << part.dim << " in the body of '"
             << parent->getName() << "', where it cannot be checked";
    Value ok = isInside(whole, part);
    NamedNumbers numbers;
    std::string found = describe(whole, part, numbers);
    CheckOp check = createCheck(
        b, op, getCheckKind(ok), ok,
        what + " out of range of dimension " + Twine(part.dim), found, numbers);
    if (!isNested)
      continue;
    check.setSafe(true);
    if (isInsideAtStart(whole, part))
      offsets.back() = arith::SelectOp::create(b, loc, ok, value(part.offset),
                                               value(b.getIndexAttr(0)))
                           .getResult();
    else
      needed = both(needed, ok);
  }
  return needed ? guard(needed) : success();
}

/// Returns the sizes of the dimensions that `slice` keeps.
static SmallVector<OpFoldResult> getResultSizes(tensor::ExtractSliceOp slice) {
  SmallVector<OpFoldResult> sizes;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(dim))
      sizes.push_back(size);
  return sizes;
}

/// Builds the value that replaces the result of the op when the op does not
/// run: zeros for a read, the unchanged destination for a write.
Value SliceChecker::buildOther(OpBuilder &at) {
  if (auto insert = dyn_cast<DestinationStyleOpInterface>(op))
    return insert.getDpsInits()[0];
  TypedAttr zero = at.getZeroAttr(getElementTypeOrSelf(op->getResult(0)));
  if (!zero)
    return {};
  Value number = arith::ConstantOp::create(at, loc, zero);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice)
    return number;
  Value empty = tensor::EmptyOp::create(at, loc, getResultSizes(slice),
                                        slice.getType().getElementType());
  return linalg::FillOp::create(at, loc, number, empty).getResult(0);
}

LogicalResult SliceChecker::guard(Value ok) {
  Type type = op->getResult(0).getType();
  auto branch = scf::IfOp::create(b, loc, type, ok, /*withElseRegion=*/true);
  Value guarded = branch.getResult(0);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (slice && !slice.getType().hasStaticShape()) {
    // The sizes, which both branches have, are known behind it, too.
    SmallVector<OpFoldResult> zeros(slice.getType().getRank(),
                                    b.getIndexAttr(0)),
        ones(slice.getType().getRank(), b.getIndexAttr(1));
    auto whole = tensor::ExtractSliceOp::create(
        b, loc, slice.getType(), guarded, zeros, getResultSizes(slice), ones);
    whole->setAttr(TrainDialect::getInRangeAttrName(), b.getUnitAttr());
    guarded = whole;
  }
  op->getResult(0).replaceAllUsesWith(guarded);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
  scf::YieldOp::create(inside, loc, op->getResult(0));
  inside.setInsertionPointToEnd(branch.elseBlock());
  Value other = buildOther(inside);
  if (!other)
    return op->emitOpError() << "expected numbers, found " << type;
  scf::YieldOp::create(inside, loc, other);
  return success();
}

template <typename SliceOp>
LogicalResult SliceChecker::checkSlice(SliceOp slice) {
  Value whole = slice->getOperand(isa<tensor::InsertSliceOp>(op) ? 1 : 0);
  SmallVector<Part> parts;
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides()))
    parts.push_back({static_cast<int64_t>(dim), offset, size, stride});
  for (const Part &part : parts)
    if (!isNested && failed(refuseConstants(whole, part)))
      return failure();
  SmallVector<OpFoldResult> offsets;
  if (failed(checkParts(whole, parts, "slice", offsets)))
    return failure();
  SmallVector<int64_t> staticOffsets;
  SmallVector<Value> dynamicOffsets;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  slice.getOffsetsMutable().assign(dynamicOffsets);
  slice.setStaticOffsets(staticOffsets);
  return success();
}

template <typename ElementOp>
LogicalResult SliceChecker::checkElement(ElementOp element) {
  Value whole = element->getOperand(isa<tensor::InsertOp>(op) ? 1 : 0);
  SmallVector<Part> parts;
  for (auto [dim, index] : llvm::enumerate(element.getIndices()))
    parts.push_back({static_cast<int64_t>(dim), getAsOpFoldResult(index),
                     b.getIndexAttr(1), b.getIndexAttr(1)});
  SmallVector<OpFoldResult> indices;
  if (failed(checkParts(whole, parts, "index", indices)))
    return failure();
  b.setInsertionPoint(op);
  for (auto [operand, part, index] :
       llvm::zip(element.getIndicesMutable(), parts, indices))
    if (index != part.offset)
      operand.set(value(index));
  return success();
}

void CheckSlices::runOnOperation() {
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) {
    if (!op->hasAttr(TrainDialect::getInRangeAttrName()) &&
        isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ExtractOp,
            tensor::InsertOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    SliceChecker checker(op);
    LogicalResult result =
        TypeSwitch<Operation *, LogicalResult>(op)
            .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp>(
                [&](auto slice) { return checker.checkSlice(slice); })
            .Case<tensor::ExtractOp, tensor::InsertOp>(
                [&](auto element) { return checker.checkElement(element); });
    if (failed(result))
      return signalPassFailure();
  }
}
