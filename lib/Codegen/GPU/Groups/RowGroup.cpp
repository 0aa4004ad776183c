//===- RowGroup.cpp - Ops on the same number of rows ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Schedule/BlockNumbers.h"
#include "../Schedule/BlockTile.h"
#include "Groups.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace flywheel;

/// Iterations of an op that one block may compute alone.
static constexpr int64_t kMaxAlone = 32768;
/// The most rows of a block.
static constexpr int64_t kMaxRows = 64;
/// Rows of a block if the number of rows is not known.
static constexpr int64_t kRowsOfUnknown = 8;
/// Rows of a block of a product: a tile of them.
static constexpr int64_t kRowsOfProduct = 32;
/// The least iterations of a row that is worth a block.
static constexpr int64_t kWorkOfRow = 64;

/// Returns true if rows of `count` divide the work of all of `members` so that
/// no block reads memory that another one writes.
static bool canDivide(ArrayRef<GroupMember> members, const RowCount &count) {
  if (count.isOne() || members.size() < 2)
    return true;
  // The number of members that use a root, and true if one writes it.
  struct Users {
    unsigned number = 0;
    bool isWritten = false;
  };
  llvm::SmallDenseMap<Value, Users> users;
  for (const GroupMember &member : members) {
    llvm::SmallDenseSet<Value> seen;
    for (const GroupAccess &access : member.accesses) {
      // Another member may write an unknown buffer.
      if (!access.root)
        return false;
      Users &known = users[access.root];
      known.number += seen.insert(access.root).second;
      known.isWritten |= access.isWritten;
    }
  }
  for (const GroupMember &member : members) {
    unsigned numDims = member.getNumRowDims(count);
    for (const GroupAccess &access : member.accesses) {
      const Users &known = users[access.root];
      if (known.isWritten && known.number > 1 &&
          !access.isOfRows(member.rowDims, numDims, member.sizes))
        return false;
    }
  }
  return true;
}

/// Returns true if a member is a batch of matrix products, of which a block has
/// rows.
static bool hasProduct(ArrayRef<GroupMember> members) {
  return llvm::any_of(
      members, [](const GroupMember &member) { return isKernel(member.op); });
}

/// Returns the loop of `member` along which the rows of a block are contiguous.
static unsigned getInnermost(const GroupMember &member, const RowCount &count) {
  return member.rowDims[member.getNumRowDims(count) - 1];
}

namespace {
/// The rows of a block.
struct BlockRows {
  int64_t number = 1;
  /// The size of the innermost loop that is rows, if the last block along it
  /// has fewer rows; none if the rows of a block divide it.
  std::optional<int64_t> partialSize;
};
} // namespace

/// Returns the size of the innermost loop that is rows, if all of `members`
/// have the same.
static std::optional<int64_t> findInnermostSize(ArrayRef<GroupMember> members,
                                                const RowCount &count) {
  std::optional<int64_t> common;
  for (const GroupMember &member : members) {
    int64_t dimSize = member.sizes[getInnermost(member, count)];
    if (ShapedType::isDynamic(dimSize) || (common && *common != dimSize) ||
        member.getRowSize(count) != 1)
      return std::nullopt;
    common = dimSize;
  }
  return common;
}

/// Chooses how many rows a block computes. They are contiguous in the innermost
/// of the dimensions that are rows.
static BlockRows chooseRows(ArrayRef<GroupMember> members,
                            const RowCount &count) {
  if (count.isOne())
    return {};
  std::optional<int64_t> known = count.getKnown();
  bool isAnyProduct = hasProduct(members);
  // Adjacent rows in memory are read together.
  bool hasMany =
      isAnyProduct || llvm::any_of(members, [&](const GroupMember &member) {
        return member.hasRowsSideBySide(member.getNumRowDims(count));
      });
  if (count.isUnknownAlone())
    return {kRowsOfUnknown, std::nullopt};
  BlockNumbers blocks(members.front().op);
  int64_t least = hasMany ? kRowsOfProduct : 1;
  if (known && isAnyProduct && *known / kRowsOfProduct < blocks.enough)
    least = kLeastRows;
  int64_t most = known     ? std::min(kMaxRows, *known)
                 : hasMany ? kRowsOfProduct
                           : kRowsOfUnknown;
  if (!count.dimSizes.back().known)
    return {most, std::nullopt};
  int64_t rows = 1;
  while (rows * 2 <= most) {
    int64_t next = rows * 2;
    bool divides = llvm::all_of(members, [&](const GroupMember &member) {
      unsigned numDims = member.getNumRowDims(count);
      int64_t dimSize = member.sizes[member.rowDims[numDims - 1]];
      return (numDims == 1 && known == dimSize) ||
             dimSize % (next * member.getRowSize(count)) == 0;
    });
    if (!divides || (known && *known / next < blocks.many && next > least))
      break;
    rows = next;
  }
  // A product of few rows reads its other factor as often as one of many rows.
  std::optional<int64_t> dimSize = findInnermostSize(members, count);
  if (!isAnyProduct || rows * 2 > least || !dimSize || *dimSize <= rows)
    return {rows, std::nullopt};
  auto partial = std::min<int64_t>(least, llvm::PowerOf2Ceil(*dimSize));
  return {partial, dimSize};
}

/// Returns `count` with the rows that blocks divide as the last factor.
static RowCount divideSizes(const RowCount &count, const BlockRows &rows) {
  RowCount divided = count;
  if (!rows.partialSize)
    return divided;
  int64_t &last = *divided.dimSizes.back().known;
  last /= *rows.partialSize;
  if (last == 1)
    divided.dimSizes.pop_back();
  divided.dimSizes.push_back({rows.partialSize, Value(), 0});
  return divided;
}

/// Returns the count with the most rows. If the number is not known, prefers
/// one whose rows have the work of some threads each, or of a product.
static const RowCount &chooseCount(ArrayRef<GroupMember> members,
                                   ArrayRef<RowCount> counts) {
  bool isAnyProduct = hasProduct(members);
  int64_t many = BlockNumbers(members.front().op).many;
  auto getNumber = [&](const RowCount &count) -> int64_t {
    if (std::optional<int64_t> known = count.getKnown())
      return *known;
    if (count.isUnknownAlone())
      return many;
    int64_t work = 0;
    for (const GroupMember &member : members)
      work = std::max(work, member.countPerRow(count, kAssumedSize));
    int64_t number = 1;
    for (const BufferDimSize &dimSize : count.dimSizes)
      number = std::min<int64_t>(number * dimSize.known.value_or(kAssumedSize),
                                 1 << 30);
    return isAnyProduct || work >= kWorkOfRow ? many + number : 2;
  };
  return *llvm::max_element(counts,
                            [&](const RowCount &lhs, const RowCount &rhs) {
                              return getNumber(lhs) < getNumber(rhs);
                            });
}

/// Returns the number of blocks of a group of `members` with the best of
/// `counts`. An unknown number of rows counts as many.
static int64_t countBlocks(ArrayRef<GroupMember> members,
                           ArrayRef<RowCount> counts) {
  const RowCount &count = chooseCount(members, counts);
  std::optional<int64_t> known = count.getKnown();
  if (!known)
    return BlockNumbers(members.front().op).many;
  BlockRows rows = chooseRows(members, count);
  if (!rows.partialSize)
    return llvm::divideCeil(*known, rows.number);
  return *known / *rows.partialSize *
         llvm::divideCeil(*rows.partialSize, rows.number);
}

/// Returns true if a product of `members` has a result that caches do not hold.
/// Then few blocks that compute it where it is read are faster than many that
/// write and read it.
static bool keepsTooMuch(ArrayRef<GroupMember> members) {
  for (const GroupMember &member : members) {
    if (!isKernel(member.op))
      continue;
    auto type = cast<MemRefType>(member.op.getDpsInits().front().getType());
    if (type.hasStaticShape() &&
        type.getNumElements() * getElementBytes(type.getElementType()) >
            getCachedBytes(member.op))
      return true;
  }
  return false;
}

/// Returns true if a block of a group of `members` with the best of `counts`
/// has whole matrices of a product that are too large for workgroup memory,
/// although without the other members it would have some of their rows.
static bool hasLargeMatrices(ArrayRef<GroupMember> members,
                             ArrayRef<RowCount> counts) {
  const RowCount &count = chooseCount(members, counts);
  int64_t rows = chooseRows(members, count).number;
  for (const GroupMember &member : members) {
    if (!isKernel(member.op))
      continue;
    SmallVector<RowCount> own = member.getRowCounts(kMaxAlone);
    if (chooseCount(member, own) == count)
      continue;
    int64_t bytes = rows * getElementBytes(getElementTypeOrSelf(
                               member.op.getDpsInits().front().getType()));
    ArrayRef<unsigned> dims = member.rowDims;
    for (unsigned dim : dims.drop_front(member.getNumRowDims(count))) {
      int64_t size = member.sizes[dim];
      bytes = std::min<int64_t>(
          bytes * (ShapedType::isDynamic(size) ? kAssumedSize : size), 1 << 30);
    }
    if (bytes > WorkgroupBytes(member.op).longRow)
      return true;
  }
  return false;
}

namespace flywheel {

RowGroup::RowGroup(const GroupMember &first)
    : members{first}, counts(first.getRowCounts(kMaxAlone)) {}

SmallVector<RowCount> RowGroup::getCountsWith(const GroupMember &member) {
  SmallVector<RowCount> common;
  SmallVector<RowCount> offered = member.getRowCounts(kMaxAlone);
  members.push_back(member);
  for (const RowCount &count : counts)
    if (llvm::is_contained(offered, count) && canDivide(members, count))
      common.push_back(count);
  members.pop_back();
  return common;
}

bool RowGroup::canTake(const GroupMember &member) {
  if (counts.empty())
    return false;
  SmallVector<RowCount> common = getCountsWith(member);
  if (common.empty())
    return false;
  int64_t before = countBlocks(members, counts);
  // A reduction must not have fewer blocks than it has alone, either.
  if (member.op.getNumReductionLoops() > 0 && !keepsTooMuch(members))
    before =
        std::max(before, countBlocks(member, member.getRowCounts(kMaxAlone)));
  members.push_back(member);
  int64_t after = countBlocks(members, common);
  bool isTooLarge = hasLargeMatrices(members, common);
  members.pop_back();
  return after >= std::min(before, BlockNumbers(member.op).enough) &&
         !isTooLarge;
}

void RowGroup::add(const GroupMember &member) {
  counts = getCountsWith(member);
  members.push_back(member);
}

scf::ForallOp RowGroup::emit() {
  const RowCount &count = chooseCount(members, counts);
  OpBuilder b(members.back().op);
  Location loc = members.back().op.getLoc();
  BlockRows rows = chooseRows(members, count);
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult of) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(1, 0, expr), of);
  };
  // Blocks along each factor, of which the last one is divided.
  RowCount divided = divideSizes(count, rows);
  SmallVector<OpFoldResult> blocks;
  for (auto [number, dimSize] : llvm::enumerate(divided.dimSizes)) {
    OpFoldResult size;
    if (dimSize.known)
      size = b.getIndexAttr(*dimSize.known);
    else
      size = members.front().emitDimSize(
          b, members.front().getSizeDims(count)[number].front());
    bool isLast = number + 1 == divided.dimSizes.size();
    blocks.push_back(apply(isLast ? d0.ceilDiv(rows.number) : d0, size));
  }
  scf::ForallOp group = createBlocks(b, loc, blocks);
  b.setInsertionPointToStart(group.getBody());
  SmallVector<Value> roots;
  for (const GroupMember &member : members) {
    GroupPart part(member.op);
    if (!count.isOne()) {
      std::vector<SmallVector<unsigned>> dims = member.getSizeDims(count);
      if (rows.partialSize) {
        unsigned innermost = dims.back().pop_back_val();
        if (dims.back().empty())
          dims.pop_back();
        dims.push_back({innermost});
      }
      for (auto [number, block] : llvm::enumerate(group.getInductionVars())) {
        bool isLast = number + 1 == dims.size();
        int64_t size = isLast ? rows.number * member.getRowSize(count) : 1;
        AffineExpr rest = d0 * size;
        for (unsigned i = dims[number].size(); i-- > 0;) {
          unsigned dim = dims[number][i];
          AffineExpr index = i == 0 ? rest : rest % member.sizes[dim];
          part.offsets[dim] = apply(index, block);
          part.sizes[dim] =
              b.getIndexAttr(i + 1 == dims[number].size() ? size : 1);
          if (i != 0)
            rest = rest.floorDiv(member.sizes[dim]);
        }
      }
    }
    member.emitPart(b, part);
    for (const GroupAccess &access : member.accesses)
      if (access.root && !llvm::is_contained(roots, access.root))
        roots.push_back(access.root);
  }
  for (const GroupMember &member : members)
    member.erase();
  // A single block may use memory that all blocks share.
  if (!count.isOne())
    placePrivateBuffers(group, roots, tileColumns(group, roots));
  return group;
}

} // namespace flywheel
