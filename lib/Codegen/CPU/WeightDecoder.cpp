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

#include "mlir/Dialect/Affine/ViewLikeInterfaceUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/TilingInterface.h"

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

/// Returns true if the function has `value` before it computes anything.
static bool isStored(Value value) {
  Operation *op = getRoot(value).getDefiningOp();
  return !op || op->hasTrait<OpTrait::ConstantLike>();
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

linalg::GenericOp findWeightDecoder(OpOperand &input) {
  Value weights = getWhole(input.get());
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
    left /= blocks[loop];
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

void decodeTile(RewriterBase &rewriter, OpOperand &input) {
  auto tile = input.get().getDefiningOp<tensor::ExtractSliceOp>();
  linalg::GenericOp decoder =
      tile ? findWeightDecoder(input) : linalg::GenericOp();
  if (!decoder ||
      decoder.getNumLoops() != static_cast<unsigned>(tile.getType().getRank()))
    return;
  rewriter.setInsertionPoint(input.getOwner());
  Location loc = decoder.getLoc();
  SmallVector<OpFoldResult> offsets = tile.getMixedOffsets(),
                            sizes = tile.getMixedSizes(),
                            strides = tile.getMixedStrides();
  for (auto slice = tile; slice.getSource() != decoder.getResult(0);) {
    slice = slice.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    SmallVector<OpFoldResult> newOffsets, newSizes, newStrides;
    if (failed(affine::mergeOffsetsSizesAndStrides(
            rewriter, loc, slice.getMixedOffsets(), slice.getMixedSizes(),
            slice.getMixedStrides(), slice.getDroppedDims(), offsets, sizes,
            strides, newOffsets, newSizes, newStrides)))
      return;
    offsets = newOffsets, sizes = newSizes, strides = newStrides;
  }
  auto slice = tensor::ExtractSliceOp::create(rewriter, loc, tile.getType(),
                                              decoder.getResult(0), offsets,
                                              sizes, strides);
  FailureOr<TilingResult> result = tensor::replaceExtractSliceWithTiledProducer(
      rewriter, slice, cast<OpResult>(decoder.getResult(0)));
  assert(succeeded(result) && "decoders are tiled along all their loops");
  auto decoded = cast<linalg::GenericOp>(result->tiledOps.front());
  rewriter.setInsertionPoint(decoded);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(decoder.getResult(0)));
  OpOperand &init = decoded.getDpsInitsMutable()[0];
  if (empty.getType() != init.get().getType())
    empty = tensor::CastOp::create(rewriter, loc, init.get().getType(), empty);
  rewriter.modifyOpInPlace(decoded, [&] { init.set(empty); });
  rewriter.modifyOpInPlace(input.getOwner(),
                           [&] { input.set(result->tiledValues.front()); });
  rewriter.eraseOp(slice);
}

} // namespace flywheel
