//===- RowGradients.cpp - Gradients that are rows of a table --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGradients.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/KnownSigns.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace flywheel;

/// A value that depends on more ops than this counts as dense: the look-up is
/// recursive.
static constexpr unsigned kMaxDepth = 64;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Values with one number everywhere
//===----------------------------------------------------------------------===//

/// Returns the op that creates `value` by repeating one number; null if there
/// is none.
static nn::BroadcastOp getBroadcastNumber(Value value) {
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  return broadcast && typeOf(broadcast.getInput()).getRank() == 0
             ? broadcast
             : nn::BroadcastOp();
}

/// Returns true if every element of `value` is the same number.
static bool isUniform(Value value) {
  return getSplat(value) || getBroadcastNumber(value);
}

/// Returns the number that every element of `value` is known to have.
static std::optional<APFloat> getKnownNumber(Value value) {
  if (nn::BroadcastOp broadcast = getBroadcastNumber(value))
    value = broadcast.getInput();
  if (auto number = dyn_cast_or_null<FloatAttr>(getSplat(value)))
    return number.getValue();
  return std::nullopt;
}

/// Returns `value`, which is uniform, in the shape of `rows`.
static Value buildLike(OpBuilder &b, Location loc, Value value, Value rows) {
  Value number;
  if (nn::BroadcastOp broadcast = getBroadcastNumber(value)) {
    number = broadcast.getInput();
  } else {
    TypedAttr splat = getSplat(value);
    number = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, splat.getType()),
                               cast<Attribute>(splat)));
  }
  return nn::buildBroadcast(b, loc, number, {}, rows);
}

//===----------------------------------------------------------------------===//
// Row sources
//===----------------------------------------------------------------------===//

namespace {
/// The rows that an op adds to a tensor.
struct AddedRows {
  Value init, indices, updates;
  int64_t axis;
};
} // namespace

/// Returns the rows that `op` adds, if it does: by one op, or, to a tensor of
/// narrow floats, by putting the sum with one row into its place.
static std::optional<AddedRows> getAddedRows(Operation *op) {
  if (auto add = dyn_cast<nn::ScatterAddOp>(op))
    return AddedRows{add.getInit(), add.getIndices(), add.getUpdates(),
                     static_cast<int64_t>(add.getAxis())};
  auto put = dyn_cast<nn::ScatterOp>(op);
  auto sum =
      put ? put.getUpdates().getDefiningOp<arith::AddFOp>() : arith::AddFOp();
  auto read = sum ? sum.getLhs().getDefiningOp<nn::GatherOp>() : nn::GatherOp();
  if (!read || read.getX() != put.getInit() ||
      read.getIndices() != put.getIndices() ||
      read.getAxis() != put.getAxis() ||
      !typeOf(put.getIndices()).hasStaticShape() ||
      typeOf(put.getIndices()).getNumElements() != 1)
    return std::nullopt;
  return AddedRows{put.getInit(), put.getIndices(), sum.getRhs(),
                   static_cast<int64_t>(put.getAxis())};
}

static bool isZeros(Value value) {
  std::optional<APFloat> number = getKnownNumber(value);
  return number && number->isZero();
}

/// Returns true if `op` maps zeros to zero: an element is zero if it is zero in
/// the operand, or in both operands, that are not uniform numbers.
static bool keepsZero(Operation *op) {
  auto isKnown = [&](Value value, auto holds) {
    std::optional<APFloat> number = getKnownNumber(value);
    return number && !number->isNaN() && holds(*number);
  };
  auto isAtMostZero = [](const APFloat &number) {
    return number.isZero() || number.isNegative();
  };
  auto isAtLeastZero = [](const APFloat &number) {
    return number.isZero() || !number.isNegative();
  };
  auto isAnyKnown = [&](auto holds) {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isKnown(operand, holds); });
  };
  if (isa<arith::NegFOp, arith::ExtFOp, arith::TruncFOp, arith::MulFOp,
          math::AbsFOp, math::SqrtOp>(op))
    return true;
  if (isa<arith::DivFOp>(op)) {
    // Zero divided by a number that may be 0 may be NaN.
    auto isNormal = [](const APFloat &number) { return number.isNormal(); };
    Value divisor = op->getOperand(1);
    return isUniform(divisor) &&
           (isKnown(divisor, isNormal) || nn::KnownSigns().isPositive(divisor));
  }
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return isAnyKnown(isAtMostZero);
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return isAnyKnown(isAtLeastZero);
  if (auto clamp = dyn_cast<math::ClampFOp>(op))
    return isKnown(clamp.getMin(), isAtMostZero) &&
           isKnown(clamp.getMax(), isAtLeastZero);
  return false;
}

RowGradients::Source RowGradients::getSumSource(Value sum, unsigned depth) {
  Operation *op = sum.getDefiningOp();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isa<arith::AddFOp>(op) && isZeros(lhs))
    return getSource(rhs, depth + 1);
  if (isZeros(rhs))
    return getSource(lhs, depth + 1);
  Source left = getSource(lhs, depth + 1);
  if (left.isNone())
    return {};
  Source right = getSource(rhs, depth + 1);
  if (right.isNone())
    return {};
  return left.value == right.value ? left : Source{sum, left.tableSize};
}

RowGradients::Source RowGradients::getElementwiseSource(Operation *op,
                                                        unsigned depth) {
  if (!keepsZero(op))
    return {};
  Source source;
  for (Value operand : op->getOperands()) {
    if (isUniform(operand))
      continue;
    Source other = getSource(operand, depth + 1);
    if (other.isNone() || (!source.isNone() && source.value != other.value))
      return {};
    source = other;
  }
  return source;
}

RowGradients::Source RowGradients::computeSource(Value value, unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || type.getRank() == 0 || !type.hasStaticShape() ||
      !isa<FloatType>(type.getElementType()))
    return {};
  if (std::optional<AddedRows> added = getAddedRows(op)) {
    if (added->axis != 0 || added->init.getType() != type)
      return {};
    if (isZeros(added->init))
      return {added->indices, type.getNumElements()};
    // Rows that are added to rows are a sum.
    return getSource(added->init, depth + 1).isNone()
               ? Source()
               : Source{value, type.getNumElements()};
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return getSumSource(value, depth);
  // The sum, or the largest element, of each row.
  if (auto reduce = dyn_cast<nn::ReduceOp>(op)) {
    ArrayRef<int64_t> axes = reduce.getAxes();
    bool isOfRows = axes.empty() || axes.front() > 0;
    return isOfRows && reduce.getKind() != nn::ReductionKind::prod
               ? getSource(reduce.getInput(), depth + 1)
               : Source();
  }
  return getElementwiseSource(op, depth);
}

RowGradients::Source RowGradients::getSource(Value value, unsigned depth) {
  if (auto it = sources.find(value); it != sources.end())
    return it->second;
  // A value of unreachable code may depend on itself.
  sources[value] = {};
  Source source = depth < kMaxDepth ? computeSource(value, depth) : Source();
  return sources[value] = source;
}

std::optional<int64_t> RowGradients::getNumRows(Value value) {
  auto getNumIndices = [](Value indices) {
    RankedTensorType type = typeOf(indices);
    return type.hasStaticShape() ? std::optional(type.getNumElements())
                                 : std::nullopt;
  };
  Source source = getSource(value);
  if (!isa<FloatType>(getElementTypeOrSelf(source.value)))
    return getNumIndices(source.value);
  Operation *sum = source.value.getDefiningOp();
  std::optional<AddedRows> added = getAddedRows(sum);
  std::optional<int64_t> lhs =
      getNumRows(added ? added->init : sum->getOperand(0));
  std::optional<int64_t> rhs =
      added ? getNumIndices(added->indices) : getNumRows(sum->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return *lhs + *rhs;
}

//===----------------------------------------------------------------------===//
// Emitting rows
//===----------------------------------------------------------------------===//

/// Returns `value` with its first `numLeading` dimensions collapsed to one.
static Value buildList(LinalgEmitter &e, Value value, int64_t numLeading) {
  RankedTensorType type = typeOf(value);
  if (numLeading == 1)
    return value;
  SmallVector<ReassociationIndices> groups;
  if (numLeading == 0) {
    // A dimension of size 1 in front: of nothing, or of the first one.
    SmallVector<int64_t> shape = {1};
    llvm::append_range(shape, type.getShape());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      groups.push_back({dim + 1});
    if (!groups.empty())
      groups.front().insert(groups.front().begin(), 0);
    SmallVector<DimSize> dimSizes = {DimSize::constant(1)};
    llvm::append_range(dimSizes, e.getDimSizes(value));
    return e.expand(value, type.clone(shape), groups, dimSizes);
  }
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, numLeading)));
  for (int64_t dim = numLeading; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  return tensor::CollapseShapeOp::create(e.b, e.loc, value, groups);
}

static Value buildCombined(LinalgEmitter &e, Value indices, Value order,
                           Value rows) {
  // A constant cannot be written.
  if (TypedAttr splat = getSplat(rows))
    rows = e.fill(e.getDimSizes(rows), e.scalar(splat));
  return linalg_ext::CombineRowsOp::create(e.b, e.loc, rows.getType(), indices,
                                           order, rows)
      .getResult(0);
}

RowGradient RowGradients::buildScatter(Operation *scatter) {
  LinalgEmitter e(b, scatter);
  std::optional<AddedRows> added = getAddedRows(scatter);
  Value indices = added->indices, updates = added->updates;
  RankedTensorType table = typeOf(added->init);
  int64_t numIndices = typeOf(indices).getRank();
  e.expectInRange(indices, DimSize::constant(table.getDimSize(0)), "index");
  // The sizes of a row are those of the table, which has been checked.
  SmallVector<DimSize> dimSizes = e.getDimSizes(updates);
  for (int64_t dim = 1; dim < table.getRank(); ++dim)
    dimSizes[dim + numIndices - 1] = DimSize::constant(table.getDimSize(dim));
  updates = e.refine(updates, dimSizes);
  indices = buildList(e, indices, numIndices);
  // Sums are rounded once.
  Value rows = buildList(e, e.widenTensor(updates), numIndices);
  Value order = e.argsort(indices, DimSize::constant(table.getDimSize(0)));
  rows = buildCombined(e, indices, order, rows);
  return {indices, order, e.narrowTensor(rows, table.getElementType())};
}

/// Concatenates `lhs` and `rhs` along the first dimension.
static Value buildConcat(LinalgEmitter &e, Value lhs, Value rhs) {
  OpBuilder &b = e.b;
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult numLeft = tensor::getMixedSize(b, e.loc, lhs, 0);
  OpFoldResult numRight = tensor::getMixedSize(b, e.loc, rhs, 0);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, e.loc, lhs);
  auto left = getConstantIntValue(numLeft),
       right = getConstantIntValue(numRight);
  if (left && right)
    sizes.front() = b.getIndexAttr(*left + *right);
  else
    sizes.front() =
        arith::AddIOp::create(
            b, e.loc, getValueOrCreateConstantIndexOp(b, e.loc, numLeft),
            getValueOrCreateConstantIndexOp(b, e.loc, numRight))
            .getResult();
  Value all =
      tensor::EmptyOp::create(b, e.loc, sizes, getElementTypeOrSelf(lhs));
  SmallVector<OpFoldResult> offsets(sizes.size(), zero),
      strides(sizes.size(), one);
  sizes.front() = numLeft;
  all = nn::buildInsertSlice(b, e.loc, lhs, all, offsets, sizes, strides);
  offsets.front() = numLeft;
  sizes.front() = numRight;
  return nn::buildInsertSlice(b, e.loc, rhs, all, offsets, sizes, strides);
}

/// Returns `indices` as numbers of `type`.
static Value buildIndices(OpBuilder &b, Location loc, Value indices,
                          Type type) {
  Type element = getElementTypeOrSelf(indices);
  if (element == type)
    return indices;
  auto result = typeOf(indices).clone(type);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, result, indices);
  return arith::ExtSIOp::create(b, loc, result, indices);
}

RowGradient RowGradients::buildConcatenation(Operation *sum) {
  std::optional<AddedRows> added = getAddedRows(sum);
  RowGradient lhs = get(added ? added->init : sum->getOperand(0));
  RowGradient rhs = added ? buildScatter(sum) : get(sum->getOperand(1));
  LinalgEmitter e(b, sum);
  if (isa<arith::SubFOp>(sum))
    rhs.rows = arith::NegFOp::create(b, e.loc, rhs.rows);
  Type left = getElementTypeOrSelf(lhs.indices);
  Type right = getElementTypeOrSelf(rhs.indices);
  Type wide = left.getIntOrFloatBitWidth() < right.getIntOrFloatBitWidth()
                  ? right
                  : left;
  Value indices = buildConcat(e, buildIndices(b, e.loc, lhs.indices, wide),
                              buildIndices(b, e.loc, rhs.indices, wide));
  Value rows = buildConcat(e, lhs.rows, rhs.rows);
  int64_t limit = typeOf(sum->getResult(0)).getDimSize(0);
  Value order = e.argsort(indices, DimSize::constant(limit));
  return {indices, order, buildCombined(e, indices, order, rows)};
}

RowGradient RowGradients::buildElementwise(Operation *op) {
  RowGradient result;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!isUniform(operand)) {
      RowGradient rows = get(operand);
      // All operands have equal indices: takes the first ones.
      if (!result.indices)
        result = rows;
      operands.push_back(rows.rows);
    } else {
      operands.push_back({});
    }
  b.setInsertionPoint(op);
  Value like = *llvm::find_if(operands, [](Value value) { return !!value; });
  for (auto [operand, rows] : llvm::zip_equal(op->getOperands(), operands))
    if (!rows)
      rows = buildLike(b, op->getLoc(), operand, like);
  Type element = getElementTypeOrSelf(op->getResult(0));
  OperationState state(op->getLoc(), op->getName(), operands,
                       typeOf(like).clone(element), op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  result.rows = b.create(state)->getResult(0);
  return result;
}

RowGradient RowGradients::buildReduction(nn::ReduceOp reduce) {
  RowGradient result = get(reduce.getInput());
  b.setInsertionPoint(reduce);
  SmallVector<int64_t> shape(typeOf(reduce.getResult()).getShape());
  shape.front() = typeOf(result.rows).getDimSize(0);
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(result.rows));
  result.rows =
      nn::ReduceOp::create(b, reduce.getLoc(), type, reduce.getKind(),
                           result.rows, reduce.getAxes(), reduce.getKeepdims());
  return result;
}

RowGradient RowGradients::build(Value value) {
  Operation *op = value.getDefiningOp();
  if (std::optional<AddedRows> added = getAddedRows(op))
    return isZeros(added->init) ? buildScatter(op) : buildConcatenation(op);
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return buildReduction(reduce);
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    if (isa<arith::AddFOp>(op) && isZeros(op->getOperand(0)))
      return get(op->getOperand(1));
    if (isZeros(op->getOperand(1)))
      return get(op->getOperand(0));
    if (getSource(value).value == value)
      return buildConcatenation(op);
  }
  return buildElementwise(op);
}

RowGradient RowGradients::get(Value value) {
  if (auto it = built.find(value); it != built.end())
    return it->second;
  RowGradient rows = build(value);
  return built[value] = rows;
}
