//===- SplitJoins.cpp - Ops on joined tensors, piece by piece -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitJoins.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {

/// An op becomes as many ops as there are pieces.
static constexpr size_t maxPieces = 64;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t sizeOf(Value value, int64_t dim) {
  return typeOf(value).getDimSize(dim);
}

/// Returns `type` with another size of one dimension.
static RankedTensorType resize(RankedTensorType type, int64_t dim,
                               int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

namespace {
/// The pieces of a tensor; their sizes along `dim` are static.
struct Join {
  int64_t dim;
  SmallVector<Value> pieces;
};

/// Emits ops on pieces before an op.
class Splitter {
public:
  explicit Splitter(Operation *op) : b(op), loc(op->getLoc()) {}

  /// Returns the result of `op`, computed of the pieces of its operands; null
  /// if it does not compute piece by piece.
  Value split(Operation *op);

private:
  Value splitConcat(tensor::ConcatOp op);
  Value splitElementwise(Operation *op);
  Value splitSlice(tensor::ExtractSliceOp op);
  Value splitTranspose(linalg::TransposeOp op);
  Value splitExpand(tensor::ExpandShapeOp op);
  Value splitCollapse(tensor::CollapseShapeOp op);
  Value splitReduce(nn::ReduceOp op);
  Value splitGather(nn::GatherOp op);
  Value splitCumprod(nn::CumprodOp op);

  /// Returns the result of an op that has just been emitted, split.
  Value emitted(Operation *op);
  /// Returns positions [begin, begin + size) of `value` along `dim`; `like`, of
  /// the shape of these, lends it to a broadcast.
  Value slice(Value value, int64_t dim, int64_t begin, int64_t size,
              Value like = {});
  Value join(int64_t dim, ValueRange pieces, RankedTensorType type);

  OpBuilder b;
  Location loc;
};
} // namespace

static std::optional<Join> getJoin(Value value) {
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  // Nothing is left of a tensor without elements.
  if (!concat || concat.getInputs().size() > maxPieces ||
      sizeOf(concat, static_cast<int64_t>(concat.getDim())) == 0)
    return std::nullopt;
  Join join{static_cast<int64_t>(concat.getDim()),
            llvm::to_vector(concat.getInputs())};
  for (Value piece : join.pieces)
    if (ShapedType::isDynamic(sizeOf(piece, join.dim)))
      return std::nullopt;
  return join;
}

/// Returns true if `slice` of `value` is more than an op that reads a part of
/// a computed tensor.
static bool isResolved(Value value) {
  return getJoin(value) || value.getDefiningOp<nn::BroadcastOp>() ||
         matchPattern(value, m_Constant());
}

static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<nn::ReluOp, nn::SigmoidOp, nn::SoftplusOp>(op);
}

Value Splitter::emitted(Operation *op) {
  Value found = Splitter(op).split(op);
  if (!found)
    return op->getResult(0);
  op->erase();
  return found;
}

Value Splitter::join(int64_t dim, ValueRange pieces, RankedTensorType type) {
  if (pieces.size() == 1)
    return nn::buildCast(b, loc, pieces.front(), type);
  return emitted(tensor::ConcatOp::create(b, loc, type, dim, pieces));
}

Value Splitter::slice(Value value, int64_t dim, int64_t begin, int64_t size,
                      Value like) {
  RankedTensorType type = typeOf(value), part = resize(type, dim, size);
  if (type.getDimSize(dim) == size)
    return value;
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && part.hasStaticShape())
    return arith::ConstantOp::create(b, loc, splat.resizeSplat(part));
  if (std::optional<Join> joined = getJoin(value)) {
    SmallVector<Value> parts;
    if (joined->dim != dim) {
      for (Value piece : joined->pieces)
        parts.push_back(slice(piece, dim, begin, size));
      return join(joined->dim, parts, part);
    }
    int64_t at = 0, end = begin + size;
    for (Value piece : joined->pieces) {
      int64_t from = std::max(begin - at, int64_t(0)),
              to = std::min(end - at, sizeOf(piece, dim));
      if (from < to)
        parts.push_back(slice(piece, dim, from, to - from));
      at += sizeOf(piece, dim);
    }
    if (!parts.empty())
      return join(dim, parts, part);
  }
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  if (broadcast && (like || part.hasStaticShape())) {
    Value input = broadcast.getInput();
    for (auto [from, to] : llvm::enumerate(broadcast.getDims()))
      if (to == dim && sizeOf(input, from) != 1)
        input = slice(input, from, begin, size);
    if (!like)
      like = tensor::EmptyOp::create(b, loc, part.getShape(),
                                     part.getElementType());
    return nn::buildBroadcast(b, loc, input, broadcast.getDims(), like);
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, value);
  offsets[dim] = b.getIndexAttr(begin);
  sizes[dim] = b.getIndexAttr(size);
  return nn::buildExtractSlice(b, loc, part, value, offsets, sizes, strides);
}

Value Splitter::splitConcat(tensor::ConcatOp op) {
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<Value> pieces;
  for (Value input : op.getInputs()) {
    std::optional<Join> inner = getJoin(input);
    if (inner && inner->dim == dim)
      llvm::append_range(pieces, inner->pieces);
    else
      pieces.push_back(input);
  }
  if (pieces.size() == op.getInputs().size() || pieces.size() > maxPieces)
    return {};
  return tensor::ConcatOp::create(b, loc, op.getResultType(), dim, pieces);
}

Value Splitter::splitElementwise(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || op->getNumRegions() != 0)
    return {};
  std::optional<Join> joined;
  for (Value operand : op->getOperands())
    if (std::optional<Join> found = getJoin(operand))
      if (!joined || found->pieces.size() > joined->pieces.size())
        joined = found;
  if (!joined)
    return {};
  SmallVector<Value> parts;
  int64_t begin = 0;
  for (Value piece : joined->pieces) {
    int64_t size = sizeOf(piece, joined->dim);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? slice(operand, joined->dim, begin, size, piece)
                             : operand);
    parts.push_back(
        emitted(clone(b, op, resize(type, joined->dim, size), operands)));
    begin += size;
  }
  return join(joined->dim, parts, type);
}

Value Splitter::splitSlice(tensor::ExtractSliceOp op) {
  auto isOne = [](int64_t stride) { return stride == 1; };
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      !llvm::all_of(op.getStaticStrides(), isOne) ||
      !isResolved(op.getSource()))
    return {};
  Value part = op.getSource();
  for (auto [dim, begin, size] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticSizes()))
    part = slice(part, dim, begin, size);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  RankedTensorType type = op.getType();
  if (dropped.none())
    return nn::buildCast(b, loc, part, type);
  if (type.getRank() == 0)
    return emitted(tensor::CollapseShapeOp::create(
        b, loc, type, part, ArrayRef<ReassociationIndices>()));
  SmallVector<bool> isKept;
  for (int64_t dim = 0, rank = typeOf(part).getRank(); dim < rank; ++dim)
    isKept.push_back(!dropped.test(dim));
  return emitted(tensor::CollapseShapeOp::create(b, loc, type, part,
                                                 nn::unitDimGroups(isKept)));
}

Value Splitter::splitTranspose(linalg::TransposeOp op) {
  std::optional<Join> joined = getJoin(op.getInput());
  if (!joined || op->getNumResults() != 1)
    return {};
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<Value> parts;
  for (Value piece : joined->pieces) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, piece);
    applyPermutationToVector(sizes, permutation);
    Value init =
        tensor::EmptyOp::create(b, loc, sizes, typeOf(piece).getElementType());
    parts.push_back(
        emitted(linalg::TransposeOp::create(b, loc, piece, init, permutation)));
  }
  return join(llvm::find(permutation, joined->dim) - permutation.begin(), parts,
              typeOf(op->getResult(0)));
}

Value Splitter::splitExpand(tensor::ExpandShapeOp op) {
  std::optional<Join> joined = getJoin(op.getSrc());
  RankedTensorType type = op.getResultType();
  if (!joined || !type.hasStaticShape())
    return {};
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  // The outermost dimension that is not 1, and the number of elements of those
  // within.
  int64_t outer = groups[joined->dim].back(), inner = 1;
  for (int64_t dim : llvm::reverse(groups[joined->dim]))
    if (type.getDimSize(dim) != 1)
      outer = dim;
  for (int64_t dim : groups[joined->dim])
    if (dim > outer)
      inner *= type.getDimSize(dim);
  // Each piece has whole rows of the outermost dimension, or each row is of
  // pieces of its own.
  auto hasRows = [&](Value piece) {
    int64_t size = sizeOf(piece, joined->dim);
    return size != 0 && inner != 0 && size % inner == 0;
  };
  SmallVector<Value> rows = joined->pieces;
  if (!llvm::all_of(rows, hasRows)) {
    int64_t count = type.getDimSize(outer);
    if (inner == 0 || count > static_cast<int64_t>(maxPieces))
      return {};
    rows.clear();
    for (int64_t row = 0; row < count; ++row)
      rows.push_back(slice(op.getSrc(), joined->dim, row * inner, inner));
  }
  SmallVector<Value> parts;
  for (Value row : rows)
    parts.push_back(emitted(tensor::ExpandShapeOp::create(
        b, loc, resize(type, outer, sizeOf(row, joined->dim) / inner), row,
        groups)));
  return join(outer, parts, type);
}

Value Splitter::splitCollapse(tensor::CollapseShapeOp op) {
  std::optional<Join> joined = getJoin(op.getSrc());
  if (!joined || !op.getSrcType().hasStaticShape())
    return {};
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  auto *group = llvm::find_if(groups, [&](const ReassociationIndices &dims) {
    return llvm::is_contained(dims, joined->dim);
  });
  // A tensor of one element.
  if (group == groups.end())
    return {};
  // Those further out would be joined in between.
  int64_t dim = group - groups.begin(), inner = 1;
  for (int64_t other : *group) {
    int64_t size = op.getSrcType().getDimSize(other);
    if (other < joined->dim && size != 1)
      return {};
    if (other > joined->dim)
      inner *= size;
  }
  SmallVector<Value> parts;
  for (Value piece : joined->pieces)
    parts.push_back(emitted(tensor::CollapseShapeOp::create(
        b, loc,
        resize(op.getResultType(), dim, sizeOf(piece, joined->dim) * inner),
        piece, groups)));
  return join(dim, parts, op.getResultType());
}

/// Returns the pieces of `value` along a dimension that is not in `axes`: its
/// own, or those into which all of its pieces are divided alike.
static std::optional<Join> getJoinAround(Value value, ArrayRef<int64_t> axes) {
  std::optional<Join> joined = getJoin(value);
  if (!joined || !llvm::is_contained(axes, joined->dim))
    return joined;
  std::optional<Join> first = getJoinAround(joined->pieces.front(), axes);
  for (Value piece : llvm::drop_begin(joined->pieces)) {
    std::optional<Join> other = getJoinAround(piece, axes);
    if (!first || !other || other->dim != first->dim ||
        other->pieces.size() != first->pieces.size())
      return std::nullopt;
    for (auto [own, of] : llvm::zip_equal(first->pieces, other->pieces))
      if (sizeOf(own, first->dim) != sizeOf(of, first->dim))
        return std::nullopt;
  }
  return first;
}

/// Splits what reduces each piece by itself. A product over the pieces has a
/// derivative that does.
Value Splitter::splitReduce(nn::ReduceOp op) {
  std::optional<Join> joined = getJoinAround(op.getInput(), op.getAxes());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!joined || !type)
    return {};
  int64_t dim = joined->dim, begin = 0;
  if (!op.getKeepdims())
    dim -= llvm::count_if(op.getAxes(),
                          [&](int64_t axis) { return axis < joined->dim; });
  SmallVector<Value> parts;
  for (Value piece : joined->pieces) {
    int64_t size = sizeOf(piece, joined->dim);
    parts.push_back(emitted(
        nn::ReduceOp::create(b, loc, resize(type, dim, size), op.getKind(),
                             slice(op.getInput(), joined->dim, begin, size),
                             op.getAxes(), op.getKeepdims())));
    begin += size;
  }
  return join(dim, parts, type);
}

Value Splitter::splitGather(nn::GatherOp op) {
  std::optional<Join> joined = getJoin(op.getX());
  DenseIntElementsAttr indices;
  if (!joined || joined->dim != static_cast<int64_t>(op.getAxis()) ||
      !matchPattern(op.getIndices(), m_Constant(&indices)) ||
      indices.getType().getRank() != 1 || indices.empty() ||
      indices.getNumElements() > static_cast<int64_t>(maxPieces))
    return {};
  SmallVector<Value> parts;
  for (const APInt &index : indices.getValues<APInt>()) {
    int64_t position = index.getSExtValue();
    // The step fails.
    if (position < 0 || position >= sizeOf(op.getX(), joined->dim))
      return {};
    parts.push_back(slice(op.getX(), joined->dim, position, 1));
  }
  return join(joined->dim, parts, typeOf(op.getResult()));
}

Value Splitter::splitCumprod(nn::CumprodOp op) {
  std::optional<Join> joined = getJoin(op.getX());
  if (!joined)
    return {};
  SmallVector<Value> parts;
  RankedTensorType type = typeOf(op.getResult());
  if (joined->dim != static_cast<int64_t>(op.getAxis())) {
    for (Value piece : joined->pieces)
      parts.push_back(emitted(clone(b, op, piece.getType(), {piece})));
    return join(joined->dim, parts, type);
  }
  auto isOne = [&](Value piece) { return sizeOf(piece, joined->dim) == 1; };
  if (!llvm::all_of(joined->pieces, isOne))
    return {};
  SmallVector<Value> factors = joined->pieces;
  if (op.getReverse())
    std::reverse(factors.begin(), factors.end());
  // Products of halves are in single precision, and rounded once.
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  auto widen = [&](Value value) -> Value {
    if (!isNarrow)
      return value;
    return emitted(arith::ExtFOp::create(
        b, loc, typeOf(value).clone(b.getF32Type()), value));
  };
  Value product;
  if (op.getExclusive())
    product = widen(nn::buildSplat(b, loc, factors.front(), 1.0));
  for (Value factor : factors) {
    Value before = product, wide = widen(factor);
    product =
        before ? emitted(arith::MulFOp::create(b, loc, before, wide)) : wide;
    Value part = op.getExclusive() ? before : product;
    parts.push_back(isNarrow ? emitted(arith::TruncFOp::create(
                                   b, loc, factor.getType(), part))
                             : part);
  }
  if (op.getReverse())
    std::reverse(parts.begin(), parts.end());
  return join(joined->dim, parts, type);
}

Value Splitter::split(Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](tensor::ConcatOp op) { return splitConcat(op); })
      .Case([&](tensor::ExtractSliceOp op) { return splitSlice(op); })
      .Case([&](linalg::TransposeOp op) { return splitTranspose(op); })
      .Case([&](tensor::ExpandShapeOp op) { return splitExpand(op); })
      .Case([&](tensor::CollapseShapeOp op) { return splitCollapse(op); })
      .Case([&](nn::ReduceOp op) { return splitReduce(op); })
      .Case([&](nn::GatherOp op) { return splitGather(op); })
      .Case([&](nn::CumprodOp op) { return splitCumprod(op); })
      .Default([&](Operation *op) {
        return isElementwise(op) ? splitElementwise(op) : Value();
      });
}

void splitJoins(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (Value found = Splitter(op).split(op))
      op->getResult(0).replaceAllUsesWith(found);
  // The ops that follow read the results of those before.
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

} // namespace flywheel
