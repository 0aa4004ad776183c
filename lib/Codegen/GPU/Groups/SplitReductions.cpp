//===- SplitReductions.cpp - Parts of long reductions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction with few results has few blocks. Its terms are divided, so that
// many blocks have partial results, and those are joined. The division of the
// terms depends only on sizes, so that results are the same each time.
//
//===----------------------------------------------------------------------===//

#include "../Schedule/BlockNumbers.h"
#include "Groups.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <numeric>

using namespace mlir;

/// The most pieces of the terms of a product; and the most if the number of
/// terms is not known: each piece costs a result, and there may be few terms.
static constexpr int64_t kMaxPieces = 64, kMaxPiecesOfUnknown = 16;
/// Adjacent results in memory of a block that sums columns.
static constexpr int64_t kColumns = 64;
/// Iterations from which a reduction is divided.
static constexpr int64_t kMinDivided = 1 << 18;
/// Terms from which it is.
static constexpr int64_t kMinTerms = 1024;

namespace flywheel {

/// Returns the reduction loop with the most iterations, and their number; a
/// loop of unknown size takes precedence. None unless all other sizes are
/// known.
static std::optional<std::pair<unsigned, int64_t>>
getLongestReduction(const GroupMember &member) {
  SmallVector<unsigned> dims;
  member.op.getReductionDims(dims);
  std::optional<std::pair<unsigned, int64_t>> longest;
  for (unsigned dim : dims) {
    if (ShapedType::isDynamic(member.sizes[dim])) {
      longest = {dim, member.sizes[dim]};
      break;
    }
    if (!longest || member.sizes[dim] > longest->second)
      longest = {dim, member.sizes[dim]};
  }
  for (auto [dim, size] : llvm::enumerate(member.sizes))
    if (ShapedType::isDynamic(size) && (!longest || dim != longest->first))
      return std::nullopt;
  return longest;
}

/// Returns the iterations of each parallel loop that a block computes with some
/// terms.
static SmallVector<int64_t> choosePieceTile(const GroupMember &member) {
  if (member.isProduct())
    return chooseTile(member.op);
  SmallVector<int64_t> tile(member.sizes.size(), 0);
  SmallVector<unsigned> along = member.getLoopsOfResult();
  for (unsigned loop : along)
    tile[loop] = loop == along.back()
                     ? std::clamp<int64_t>(member.sizes[loop], 1, kColumns)
                     : 1;
  return tile;
}

/// Returns the number of blocks that compute `member` if reductions are not
/// divided.
static int64_t countBlocks(const GroupMember &member) {
  SmallVector<int64_t> tile(member.sizes.size(), 1);
  bool isProduct = member.isProduct();
  if (isProduct)
    tile = chooseTile(member.op);
  int64_t blocks = 1;
  SmallVector<unsigned> parallel;
  member.op.getParallelDims(parallel);
  for (unsigned dim : parallel)
    blocks *=
        llvm::divideCeil(member.sizes[dim], std::max<int64_t>(tile[dim], 1));
  // Adjacent results in memory share a block.
  return isProduct || reducesAlongMemory(member.op)
             ? blocks
             : llvm::divideCeil(blocks, 32);
}

bool isLong(const GroupMember &member) {
  auto longest = getLongestReduction(member);
  if (!longest || !member.getIdentity() || member.op.getNumDpsInits() != 1)
    return false;
  int64_t terms = 1, results = 1;
  for (auto [dim, size] : llvm::enumerate(member.sizes))
    (member.op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction
         ? terms
         : results) *= ShapedType::isDynamic(size) ? kAssumedTerms : size;
  bool isUnknown = ShapedType::isDynamic(longest->second);
  SmallVector<int64_t> tile(member.sizes.size(), 0);
  if (isUnknown) {
    AffineMap out =
        member.op.getMatchingIndexingMap(member.op.getDpsInitOperand(0));
    if (!out.isProjectedPermutation() ||
        out.getNumResults() != member.op.getNumParallelLoops())
      return false;
    tile = choosePieceTile(member);
  }
  tile[longest->first] = 1;
  return terms >= kMinTerms && terms * results >= kMinDivided &&
         countBlocks(member) * 4 <= BlockNumbers(member.op).many &&
         member.canTile(tile);
}

/// Fills `buffer` with the initial value of partial results of `member`.
static linalg::FillOp
createIdentityFill(OpBuilder &b, const GroupMember &member, Value buffer) {
  Location loc = member.op.getLoc();
  Value identity = arith::ConstantOp::create(b, loc, member.getIdentity());
  return linalg::FillOp::create(b, loc, identity, buffer);
}

/// Joins `partial`, results of `member` along its last dimensions and pieces
/// along the first `numPieces`, and erases the op of `member`.
static GroupMember joinPartial(OpBuilder &b, const GroupMember &member,
                               Value partial, unsigned numPieces) {
  Value out = member.op.getDpsInits().front();
  unsigned rank = cast<MemRefType>(partial.getType()).getRank();
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap results = AffineMap::get(
      rank, 0, all.getResults().drop_front(numPieces), b.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  for (unsigned i = 0; i < numPieces; ++i)
    iterators[i] = utils::IteratorType::reduction;
  Operation *combiner = member.combiner;
  auto joined = linalg::GenericOp::create(
      b, member.op.getLoc(), partial, out, ArrayRef<AffineMap>{all, results},
      iterators, [&](OpBuilder &nested, Location at, ValueRange arguments) {
        Operation *clone = nested.clone(*combiner);
        clone->setOperands({arguments[1], arguments[0]});
        linalg::YieldOp::create(nested, at, clone->getResult(0));
      });
  member.op->erase();
  GroupMember result(joined);
  result.fill = member.fill;
  return result;
}

bool needsPieces(const GroupMember &member) {
  return isLong(member) &&
         (member.isProduct() ||
          ShapedType::isDynamic(getLongestReduction(member)->second));
}

namespace {
/// The division of the terms of a loop into pieces of one length, except for
/// the last ones, which may be shorter or empty.
struct EqualPieces {
  int64_t count;
  OpFoldResult length;
};
} // namespace

/// Chooses pieces whose number does not depend on an unknown size.
static EqualPieces chooseEqualPieces(OpBuilder &b, const GroupMember &member) {
  auto [dim, size] = *getLongestReduction(member);
  bool isUnknown = ShapedType::isDynamic(size);
  int64_t wanted = std::clamp<int64_t>(
      llvm::divideCeil(BlockNumbers(member.op).many, countBlocks(member)), 2,
      isUnknown ? kMaxPiecesOfUnknown : kMaxPieces);
  if (!isUnknown) {
    int64_t length = llvm::divideCeil(size, wanted);
    return {static_cast<int64_t>(llvm::divideCeil(size, length)),
            b.getIndexAttr(length)};
  }
  Location loc = member.op.getLoc();
  linalg::LinalgOp op = member.op;
  OpFoldResult whole = op.createLoopRanges(b, loc)[dim].size;
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  return {wanted, affine::makeComposedFoldedAffineApply(
                      b, loc, AffineMap::get(0, 1, s0.ceilDiv(wanted)), whole)};
}

std::pair<scf::ForallOp, GroupMember> splitTerms(const GroupMember &member) {
  linalg::LinalgOp op = member.op;
  OpBuilder b(op);
  Location loc = op.getLoc();
  unsigned dim = getLongestReduction(member)->first;
  auto [pieces, length] = chooseEqualPieces(b, member);
  OpFoldResult numTerms = op.createLoopRanges(b, loc)[dim].size;
  Value out = op.getDpsInits().front();
  auto outType = cast<MemRefType>(out.getType());
  SmallVector<int64_t> shape{pieces};
  llvm::append_range(shape, outType.getShape());
  Value partial = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, outType.getElementType()));
  SmallVector<int64_t> tile = choosePieceTile(member);
  SmallVector<OpFoldResult> counts{b.getIndexAttr(pieces)};
  SmallVector<unsigned> along = member.getLoopsOfResult();
  for (unsigned loop : along)
    counts.push_back(
        b.getIndexAttr(llvm::divideCeil(member.sizes[loop], tile[loop])));
  scf::ForallOp group = createBlocks(b, loc, counts);
  b.setInsertionPointToStart(group.getBody());
  // The results of this piece.
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
      strides(shape.size(), b.getIndexAttr(1)), dimSizes;
  offsets[0] = group.getInductionVar(0);
  for (int64_t dimSize : shape)
    dimSizes.push_back(b.getIndexAttr(dimSize));
  dimSizes[0] = b.getIndexAttr(1);
  auto mineType = memref::SubViewOp::inferRankReducedResultType(
      outType.getShape(), cast<MemRefType>(partial.getType()), offsets,
      dimSizes, strides);
  Value mine = memref::SubViewOp::create(b, loc, cast<MemRefType>(mineType),
                                         partial, offsets, dimSizes, strides);
  GroupMember whole(cast<linalg::LinalgOp>(b.clone(*op)));
  whole.op.setDpsInitOperand(0, mine);
  b.setInsertionPoint(whole.op);
  whole.fill = createIdentityFill(b, member, mine);
  b.setInsertionPointAfter(whole.op);
  GroupPart part(op);
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto getFirst = [&](Value iv, int64_t step) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(1, 0, d0 * step), OpFoldResult(iv));
  };
  Value first =
      arith::MulIOp::create(b, loc, group.getInductionVar(0),
                            getValueOrCreateConstantIndexOp(b, loc, length));
  // Pieces after the last term are empty.
  part.offsets[dim] = b.createOrFold<arith::MinUIOp>(
      loc, first, getValueOrCreateConstantIndexOp(b, loc, numTerms));
  part.sizes[dim] = length;
  for (auto [number, loop] : llvm::enumerate(along)) {
    part.offsets[loop] =
        getFirst(group.getInductionVar(number + 1), tile[loop]);
    part.sizes[loop] = b.getIndexAttr(tile[loop]);
  }
  whole.emitPart(b, part);
  whole.erase();
  b.setInsertionPoint(op);
  return {group, joinPartial(b, member, partial, /*numPieces=*/1)};
}

namespace {
/// Pieces of the terms of a reduction, by loop.
struct Pieces {
  /// The number of pieces of each divided loop: some of the first reductions.
  llvm::SmallMapVector<unsigned, int64_t, 4> counts;
  int64_t total = 1;
};
} // namespace

/// Divides the first reductions of `member` into `wanted` pieces, or into as
/// many as divide their sizes.
static Pieces choosePieces(const GroupMember &member, int64_t wanted) {
  Pieces pieces;
  SmallVector<unsigned> dims;
  member.op.getReductionDims(dims);
  int64_t rest = wanted;
  for (unsigned dim : dims) {
    int64_t count = std::gcd(rest, member.sizes[dim]);
    if (count > 1)
      pieces.counts[dim] = count;
    rest /= count;
    if (rest == 1 || count != member.sizes[dim])
      break;
  }
  pieces.total = wanted / rest;
  return pieces;
}

/// Returns `buffer` with each dimension along a loop of `pieces` split in two,
/// if the loop has more iterations than pieces, and updates its map: the loops
/// after the first `numLoops` are pieces. Returns null if that is not possible.
static Value divideBuffer(OpBuilder &b, Location loc, Value buffer,
                          AffineMap &map, const Pieces &pieces,
                          ArrayRef<int64_t> sizes) {
  auto type = cast<MemRefType>(buffer.getType());
  unsigned numLoops = map.getNumDims();
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [expr, whole] :
       llvm::zip_equal(map.getResults(), type.getShape())) {
    int64_t dimSize = whole;
    groups.emplace_back();
    for (auto [number, piece] : llvm::enumerate(pieces.counts)) {
      auto [dim, count] = piece;
      if (count == sizes[dim] || !expr.isFunctionOfDim(dim))
        continue;
      if (!isa<AffineDimExpr>(expr))
        return {};
      groups.back().push_back(shape.size());
      shape.push_back(count);
      exprs.push_back(b.getAffineDimExpr(numLoops + number));
      dimSize /= count;
    }
    groups.back().push_back(shape.size());
    shape.push_back(dimSize);
    exprs.push_back(expr);
  }
  map =
      AffineMap::get(numLoops + pieces.counts.size(), 0, exprs, b.getContext());
  if (shape.size() == static_cast<size_t>(type.getRank()))
    return buffer;
  auto expanded =
      memref::ExpandShapeOp::computeExpandedType(type, shape, groups);
  if (failed(expanded))
    return {};
  return memref::ExpandShapeOp::create(b, loc, *expanded, buffer, groups);
}

std::optional<std::pair<GroupMember, GroupMember>>
splitReduction(const GroupMember &member) {
  linalg::LinalgOp op = member.op;
  int64_t wanted = BlockNumbers(op).enough;
  Pieces pieces = choosePieces(member, wanted);
  bool usesIndices = op.hasIndexSemantics();
  if (pieces.total < 2 || pieces.total * 4 < wanted || usesIndices)
    return std::nullopt;
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    Value buffer = input->get();
    if (isa<MemRefType>(buffer.getType()))
      buffer = divideBuffer(b, loc, buffer, map, pieces, member.sizes);
    else
      map = AffineMap::get(map.getNumDims() + pieces.counts.size(), 0,
                           map.getResults(), b.getContext());
    if (!buffer)
      return std::nullopt;
    inputs.push_back(buffer);
    maps.push_back(map);
  }
  // If each iteration of a loop is a piece, the loop of pieces replaces it.
  auto outType = cast<MemRefType>(op.getDpsInits().front().getType());
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  unsigned numLoops = op.getNumLoops();
  for (auto [number, piece] : llvm::enumerate(pieces.counts)) {
    auto [dim, count] = piece;
    bool isWhole = count == member.sizes[dim];
    exprs.push_back(b.getAffineDimExpr(isWhole ? dim : numLoops + number));
    shape.push_back(count);
    if (isWhole)
      iterators[dim] = utils::IteratorType::parallel;
    iterators.push_back(utils::IteratorType::parallel);
  }
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::append_range(exprs, outMap.getResults());
  llvm::append_range(shape, outType.getShape());
  maps.push_back(AffineMap::get(numLoops + pieces.counts.size(), 0, exprs,
                                b.getContext()));
  // Loops that are in no map any more are left out.
  llvm::SmallBitVector unused = getUnusedDimsBitVector(maps);
  SmallVector<utils::IteratorType> usedIterators;
  for (auto [dim, iterator] : llvm::enumerate(iterators))
    if (!unused.test(dim))
      usedIterators.push_back(iterator);
  for (AffineMap &map : maps)
    map = projectDims(map, unused, /*compressDimsFlag=*/true);

  Value partial = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, outType.getElementType()));
  linalg::FillOp fill = createIdentityFill(b, member, partial);
  auto divided =
      linalg::GenericOp::create(b, loc, inputs, partial, maps, usedIterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&divided.getRegion(), mapping);
  GroupMember first(divided);
  first.fill = fill;
  GroupMember second = joinPartial(b, member, partial, pieces.counts.size());
  return std::make_pair(first, second);
}

} // namespace flywheel
