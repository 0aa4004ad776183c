//===- WeightDecoder.cpp - Weights that few bits stand for ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightDecoder.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/State/StateVersions.h"
#include "flywheel/Transforms/State/StoredNumbers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/ViewLikeInterfaceUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/TilingInterface.h"

#include <numeric>

using namespace mlir;

namespace flywheel {

/// The inputs of a decoder have at most this part of the bytes of its result.
constexpr int64_t kMostReadBytes = 3, kOfDecodedBytes = 4;
/// A tile decodes the weights of some terms of a sum at a time. These are at
/// most a quarter of all terms, which keeps the tile smaller than the narrow
/// weights, and fill a page (`kTileBytes`). Fewer terms than `kLeastTerms`
/// would not pay for loading and storing a tile of C.
constexpr int64_t kPartOfTerms = 4, kLeastTerms = 8, kUsefulTerms = 16;
constexpr int64_t kTileBytes = 4096;

/// Returns the bytes of a tensor; nothing if a dimension size is dynamic.
static std::optional<CheckedSize> getBytes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  CheckedSize bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    bytes *= size;
  return bytes;
}

/// Returns true if `op` runs before `other`, both of which run once for each
/// iteration of the loops around both.
static bool runsBefore(Operation *op, Operation *other) {
  for (; op; op = op->getParentOp())
    if (Operation *ancestor =
            op->getBlock() ? op->getBlock()->findAncestorOpInBlock(*other)
                           : nullptr)
      return op->isBeforeInBlock(ancestor);
  return false;
}

/// Returns true if an op that may run before `reader` overwrites `value` or a
/// part of it.
static bool isOverwrittenBefore(Value value, Operation *reader) {
  for (Operation *user : value.getUsers()) {
    if (isView(user)) {
      if (isOverwrittenBefore(user->getResult(0), reader))
        return true;
      continue;
    }
    bool overwrites = user->hasTrait<OpTrait::IsTerminator>() ||
                      llvm::any_of(user->getResults(), [&](Value result) {
                        return getOverwritten(result) == value;
                      });
    if (overwrites && !runsBefore(reader, user))
      return true;
  }
  return false;
}

/// Returns the tensor that `value` is a slice of, or `value`.
static Value getWhole(Value value) {
  while (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>())
    value = slice.getSource();
  return value;
}

/// Returns the op that collapses dimensions of `weights`, each at most two into
/// one: rows in groups that share a scale. Null if there is none.
static tensor::CollapseShapeOp getCollapse(Value weights) {
  auto collapse = weights.getDefiningOp<tensor::CollapseShapeOp>();
  return collapse && collapse.getSrcType().hasStaticShape() &&
                 llvm::all_of(
                     collapse.getReassociationIndices(),
                     [](ArrayRef<int64_t> dims) { return dims.size() <= 2; })
             ? collapse
             : tensor::CollapseShapeOp();
}

/// Returns the number of neighbouring indices of dimension `dim` of `input`,
/// which is decoded, that are a group: one dimension of the decoder runs
/// through them, and another one through the groups. It is 1 without groups.
static int64_t getGroupSize(OpOperand &input, unsigned dim) {
  Value weights = getWhole(input.get());
  tensor::CollapseShapeOp collapse = getCollapse(weights);
  // A slice may have fewer dimensions.
  if (!collapse || !findWeightDecoder(input) ||
      cast<RankedTensorType>(input.get().getType()).getRank() !=
          collapse.getResultType().getRank())
    return 1;
  ReassociationIndices dims = collapse.getReassociationIndices()[dim];
  ArrayRef<int64_t> sizes = collapse.getSrcType().getShape();
  return dims.size() == 2 && sizes[dims[0]] != 1 ? sizes[dims[1]] : 1;
}

linalg::GenericOp findWeightDecoder(OpOperand &input) {
  Value weights = getWhole(input.get());
  if (tensor::CollapseShapeOp collapse = getCollapse(weights))
    weights = collapse.getSrc();
  auto op = weights.getDefiningOp<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || op.hasIndexSemantics() ||
      !hasTileableMaps(op) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return {};
  std::optional<CheckedSize> all = getBytes(weights);
  CheckedSize read = 0;
  bool isWidened = false;
  for (OpOperand *source : op.getDpsInputOperands()) {
    std::optional<CheckedSize> bytes = getBytes(source->get());
    if (!bytes || isOverwrittenBefore(getRoot(source->get()), input.getOwner()))
      return {};
    read += *bytes;
    isWidened |= getWideningOf(op.getMatchingBlockArgument(source)) &&
                 isStored(source->get());
  }
  bool isSmall = all && (read * kOfDecodedBytes).getSaturated() <=
                            (*all * kMostReadBytes).getSaturated();
  return isWidened && isSmall ? op : linalg::GenericOp();
}

bool readsDecodedWeights(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         llvm::any_of(op.getDpsInputOperands(), [](OpOperand *input) {
           return findWeightDecoder(*input) != nullptr;
         });
}

/// Returns `op`, a contraction, for `size` iterations of `loop` from `first`
/// on, added to `init`.
static linalg::LinalgOp createPart(RewriterBase &rewriter, linalg::LinalgOp op,
                                   unsigned loop, OpFoldResult first,
                                   int64_t size, Value init) {
  auto tiling = cast<TilingInterface>(op.getOperation());
  SmallVector<OpFoldResult> offsets, sizes;
  for (const Range &range : tiling.getIterationDomain(rewriter)) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
  }
  offsets[loop] = first;
  sizes[loop] = rewriter.getIndexAttr(size);
  FailureOr<TilingResult> result =
      tiling.getTiledImplementation(rewriter, offsets, sizes);
  assert(succeeded(result) && "a contraction with tiles can be tiled");
  auto part = cast<linalg::LinalgOp>(result->tiledOps.front());
  // All parts compute the whole of C.
  rewriter.modifyOpInPlace(part, [&] {
    part.getDpsInitsMutable()[0].set(init);
    part->getResult(0).setType(cast<RankedTensorType>(init.getType()));
  });
  return part;
}

/// Replaces `op` by contractions of `size` iterations of `loop` each, in a
/// loop, and one of the rest, if any; appends them to `parts`.
static void blockReduction(RewriterBase &rewriter, linalg::LinalgOp op,
                           unsigned loop, int64_t size,
                           SmallVectorImpl<linalg::LinalgOp> &parts) {
  Location loc = op.getLoc();
  int64_t all = op.getStaticLoopRanges()[loop];
  int64_t end = all / size * size;
  rewriter.setInsertionPoint(op);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto blocks = scf::ForOp::create(
      rewriter, loc, index(0), index(end), index(size), op.getDpsInits(),
      [&](OpBuilder &, Location, Value first, ValueRange sums) {
        parts.push_back(
            createPart(rewriter, op, loop, first, size, sums.front()));
        scf::YieldOp::create(rewriter, loc, parts.back()->getResults());
      });
  Value sum = blocks.getResult(0);
  if (end != all) {
    parts.push_back(createPart(rewriter, op, loop, rewriter.getIndexAttr(end),
                               all - end, sum));
    sum = parts.back()->getResult(0);
  }
  rewriter.replaceOp(op, sum);
}

/// Returns the number of iterations of a part of `loop`, about `size` of them,
/// which has whole groups or is a part of one, so that no tile has a part of
/// each of two groups.
static int64_t alignToGroups(linalg::LinalgOp op, unsigned loop, int64_t size) {
  int64_t group = 1;
  for (OpOperand *input : op.getDpsInputOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
      if (expr == getAffineDimExpr(loop, op.getContext()))
        group = std::lcm(group, getGroupSize(*input, dim));
  if (size >= group)
    return llvm::alignDown(size, group);
  int64_t part = size;
  while (group % part != 0)
    --part;
  // Very small parts would not pay for loading and storing a tile of C.
  return part >= std::min(size, kLeastTerms) ? part : group;
}

SmallVector<linalg::LinalgOp>
blockReductions(RewriterBase &rewriter, linalg::LinalgOp op, int64_t width) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  CheckedSize terms = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(sizes[loop]))
      return {op};
    terms *= sizes[loop];
  }
  int64_t bytes = getElementBytes(getElementTypeOrSelf(op.getDpsInits()[0]));
  int64_t most = std::max<int64_t>(kUsefulTerms, kTileBytes / bytes / width);
  int64_t left = std::max<int64_t>(
      kLeastTerms, std::min(most, terms.getSaturated() / kPartOfTerms));
  SmallVector<int64_t> blocks(sizes.size());
  for (unsigned loop : llvm::reverse(loops)) {
    blocks[loop] = std::clamp<int64_t>(left, 1, sizes[loop]);
    if (blocks[loop] != sizes[loop])
      blocks[loop] = alignToGroups(op, loop, blocks[loop]);
    left = std::max<int64_t>(1, left / blocks[loop]);
  }
  SmallVector<linalg::LinalgOp> parts = {op};
  for (unsigned loop : loops) {
    if (blocks[loop] == sizes[loop])
      continue;
    SmallVector<linalg::LinalgOp> smaller;
    for (linalg::LinalgOp part : parts)
      blockReduction(rewriter, part, loop, blocks[loop], smaller);
    parts = smaller;
  }
  return parts;
}

/// Returns a divisor of all values of `index`; 0 if it is 0.
static int64_t getDivisor(OpFoldResult index);

/// Returns a divisor of all values of `expr` of `operands`; 0 if it is 0.
static int64_t getDivisor(AffineExpr expr, ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getDivisor(operands[dim.getPosition()]);
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (both && expr.getKind() == AffineExprKind::Add)
    return std::gcd(getDivisor(both.getLHS(), operands),
                    getDivisor(both.getRHS(), operands));
  if (both && expr.getKind() == AffineExprKind::Mul)
    return getDivisor(both.getLHS(), operands) *
           getDivisor(both.getRHS(), operands);
  return 1;
}

static int64_t getDivisor(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = cast<Value>(index);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return apply.getAffineMap().getNumSymbols() == 0
               ? getDivisor(apply.getAffineMap().getResult(0),
                            apply.getMapOperands())
               : 1;
  if (scf::ForOp loop = scf::getForInductionVarOwner(value))
    return std::gcd(getDivisor(OpFoldResult(loop.getLowerBound())),
                    getDivisor(OpFoldResult(loop.getStep())));
  if (scf::ForallOp loop = scf::getForallOpThreadIndexOwner(value)) {
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    return std::gcd(getDivisor(loop.getMixedLowerBound()[number]),
                    getDivisor(loop.getMixedStep()[number]));
  }
  return 1;
}

/// Returns a number that `size`, the size of a tile, is at most, if one is
/// known: a last tile is smaller than others.
static std::optional<int64_t> getMost(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return known;
  std::optional<int64_t> most;
  if (auto least = cast<Value>(size).getDefiningOp<affine::AffineMinOp>())
    for (AffineExpr expr : least.getAffineMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        most =
            std::min(most.value_or(constant.getValue()), constant.getValue());
  return most;
}

namespace {
/// A slice of a tensor, with steps of 1.
struct Part {
  SmallVector<OpFoldResult> offsets, sizes;

  void add(OpFoldResult offset, OpFoldResult size) {
    offsets.push_back(offset);
    sizes.push_back(size);
  }
};
} // namespace

/// Appends to `source` the part of two dimensions of sizes `outer` and `inner`
/// that covers the indices from `offset` on of the dimension that they are
/// collapsed to. Returns the position of `offset` in the collapsed part, which
/// has whole groups if the indices are not a part of one group.
static OpFoldResult addGroups(RewriterBase &rewriter, Location loc,
                              Part &source, OpFoldResult offset,
                              OpFoldResult size, int64_t outer, int64_t inner) {
  OpFoldResult zero = rewriter.getIndexAttr(0);
  OpFoldResult one = rewriter.getIndexAttr(1);
  OpFoldResult whole = rewriter.getIndexAttr(inner);
  if (outer == 1) {
    source.add(zero, one);
    source.add(offset, size);
    return zero;
  }
  AffineExpr index = rewriter.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, {offset});
  };
  int64_t divisor = getDivisor(offset);
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known > 0 && inner % *known == 0 && divisor % *known == 0) {
    source.add(apply(index.floorDiv(inner)), one);
    source.add(apply(index % inner), size);
    return zero;
  }
  if (known && *known % inner == 0 && divisor % inner == 0) {
    source.add(apply(index.floorDiv(inner)),
               rewriter.getIndexAttr(*known / inner));
    source.add(zero, whole);
    return zero;
  }
  int64_t most = getMost(size).value_or(outer * inner);
  int64_t groups =
      std::min<int64_t>(outer, llvm::divideCeil(most + inner - 1, inner));
  AffineMap first = AffineMap::get(
      1, 0,
      {index.floorDiv(inner), rewriter.getAffineConstantExpr(outer - groups)},
      rewriter.getContext());
  OpFoldResult start =
      affine::makeComposedFoldedAffineMin(rewriter, loc, first, {offset});
  source.add(start, rewriter.getIndexAttr(groups));
  source.add(zero, whole);
  return affine::makeComposedFoldedAffineApply(
      rewriter, loc, index - rewriter.getAffineDimExpr(1) * inner,
      {offset, start});
}

/// Returns the part of the result of `decoder` that `part` of it is.
static Value decodePart(RewriterBase &rewriter, linalg::GenericOp decoder,
                        const Part &part) {
  Location loc = decoder.getLoc();
  SmallVector<OpFoldResult> strides(part.sizes.size(),
                                    rewriter.getIndexAttr(1));
  auto slice = tensor::ExtractSliceOp::create(
      rewriter, loc, decoder.getResult(0), part.offsets, part.sizes, strides);
  FailureOr<TilingResult> result = tensor::replaceExtractSliceWithTiledProducer(
      rewriter, slice, cast<OpResult>(decoder.getResult(0)));
  assert(succeeded(result) && "decoders are tiled along all their loops");
  auto decoded = cast<linalg::GenericOp>(result->tiledOps.front());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(decoded);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, part.sizes, getElementTypeOrSelf(decoder.getResult(0)));
  OpOperand &init = decoded.getDpsInitsMutable()[0];
  if (empty.getType() != init.get().getType())
    empty = tensor::CastOp::create(rewriter, loc, init.get().getType(), empty);
  rewriter.modifyOpInPlace(decoded, [&] { init.set(empty); });
  rewriter.eraseOp(slice);
  return result->tiledValues.front();
}

void decodeTile(RewriterBase &rewriter, OpOperand &input, bool isWhole) {
  auto tile = input.get().getDefiningOp<tensor::ExtractSliceOp>();
  linalg::GenericOp decoder =
      tile || isWhole ? findWeightDecoder(input) : linalg::GenericOp();
  Value weights = getWhole(input.get());
  auto type = cast<RankedTensorType>(input.get().getType());
  if (!decoder ||
      cast<RankedTensorType>(weights.getType()).getRank() != type.getRank())
    return;
  rewriter.setInsertionPoint(input.getOwner());
  Location loc = decoder.getLoc();
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      sizes = tensor::getMixedSizes(rewriter, loc, input.get()),
      strides(type.getRank(), rewriter.getIndexAttr(1));
  for (auto slice = tile; slice;
       slice = slice.getSource().getDefiningOp<tensor::ExtractSliceOp>()) {
    SmallVector<OpFoldResult> newOffsets, newSizes, newStrides;
    if (failed(affine::mergeOffsetsSizesAndStrides(
            rewriter, loc, slice.getMixedOffsets(), slice.getMixedSizes(),
            slice.getMixedStrides(), slice.getDroppedDims(), offsets, sizes,
            strides, newOffsets, newSizes, newStrides)))
      return;
    offsets = newOffsets, sizes = newSizes, strides = newStrides;
  }
  if (!llvm::all_of(strides, isOneInteger))
    return;
  Part part;
  tensor::CollapseShapeOp collapse = getCollapse(weights);
  if (!collapse) {
    part.offsets = offsets, part.sizes = sizes;
    Value decoded = decodePart(rewriter, decoder, part);
    rewriter.modifyOpInPlace(input.getOwner(), [&] { input.set(decoded); });
    return;
  }
  SmallVector<OpFoldResult> starts;
  ArrayRef<int64_t> sourceSizes = collapse.getSrcType().getShape();
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  for (auto [dim, dims] : llvm::enumerate(groups)) {
    if (dims.size() == 1) {
      part.add(offsets[dim], sizes[dim]);
      starts.push_back(rewriter.getIndexAttr(0));
      continue;
    }
    starts.push_back(addGroups(rewriter, loc, part, offsets[dim], sizes[dim],
                               sourceSizes[dims[0]], sourceSizes[dims[1]]));
  }
  Value decoded = decodePart(rewriter, decoder, part);
  rewriter.setInsertionPoint(input.getOwner());
  decoded = tensor::CollapseShapeOp::create(rewriter, loc, decoded, groups);
  if (decoded.getType() != type)
    decoded = tensor::ExtractSliceOp::create(rewriter, loc, type, decoded,
                                             starts, sizes, strides);
  rewriter.modifyOpInPlace(input.getOwner(), [&] { input.set(decoded); });
}

} // namespace flywheel
