//===- RowGroup.cpp - Ops on the same number of rows ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace flywheel;

/// Iterations of an op that one block may compute alone.
static constexpr int64_t kMaxAlone = 32768;
/// Rows of a block at most.
static constexpr int64_t kMaxRows = 64;
/// Rows of a block where the number of rows is not known.
static constexpr int64_t kRowsOfUnknown = 8;

/// Whether rows of `count` divide what all of `members` do so that no block
/// needs what another one writes.
static bool canDivide(ArrayRef<GroupMember> members, const RowCount &count) {
  if (count.isOne() || members.size() < 2)
    return true;
  // How many members use a root, and whether one writes it.
  struct Users {
    unsigned number = 0;
    bool isWritten = false;
  };
  llvm::SmallDenseMap<Value, Users> users;
  for (const GroupMember &member : members) {
    llvm::SmallDenseSet<Value> seen;
    for (const BufferAccess &access : member.accesses) {
      // What is not known may be anything that another member writes.
      if (!access.root)
        return false;
      Users &known = users[access.root];
      known.number += seen.insert(access.root).second;
      known.isWritten |= access.isWritten;
    }
  }
  for (const GroupMember &member : members) {
    unsigned numDims = member.getNumRowDims(count);
    for (const BufferAccess &access : member.accesses) {
      const Users &known = users[access.root];
      if (known.isWritten && known.number > 1 &&
          !access.isOfRows(member.rowDims, numDims))
        return false;
    }
  }
  return true;
}

/// How many rows a block computes. A block's rows are next to each other in the
/// innermost of the dimensions that are rows.
static int64_t chooseRows(ArrayRef<GroupMember> members,
                          const RowCount &count) {
  if (count.isOne())
    return 1;
  if (!count.known)
    return kRowsOfUnknown;
  // Rows side by side in memory are read together.
  bool hasMany = llvm::any_of(members, [&](const GroupMember &member) {
    return isKernel(member.op) ||
           member.hasRowsSideBySide(member.getNumRowDims(count));
  });
  int64_t least = hasMany ? 32 : 1;
  int64_t rows = 1;
  while (rows * 2 <= std::min(kMaxRows, *count.known)) {
    int64_t next = rows * 2;
    bool divides = llvm::all_of(members, [&](const GroupMember &member) {
      unsigned numDims = member.getNumRowDims(count);
      int64_t extent = member.sizes[member.rowDims[numDims - 1]];
      return (numDims == 1 && *count.known == extent) ||
             extent % (next * member.getRowSize(count)) == 0;
    });
    if (!divides || (*count.known / next < kManyBlocks && next > least))
      break;
    rows = next;
  }
  return rows;
}

/// As many rows as there can be.
static const RowCount &chooseCount(ArrayRef<RowCount> counts) {
  auto getNumber = [](const RowCount &count) {
    return count.known.value_or(kManyBlocks);
  };
  return *llvm::max_element(counts,
                            [&](const RowCount &lhs, const RowCount &rhs) {
                              return getNumber(lhs) < getNumber(rhs);
                            });
}

/// Blocks of a group of `members` with the best of `counts`.
static int64_t countBlocks(ArrayRef<GroupMember> members,
                           ArrayRef<RowCount> counts) {
  const RowCount &count = chooseCount(counts);
  return count.known
             ? llvm::divideCeil(*count.known, chooseRows(members, count))
             : kManyBlocks;
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
  // Nor is a reduction left to fewer blocks than it has alone.
  if (member.op.getNumReductionLoops() > 0)
    before =
        std::max(before, countBlocks(member, member.getRowCounts(kMaxAlone)));
  members.push_back(member);
  int64_t after = countBlocks(members, common);
  members.pop_back();
  return after >= std::min(before, kEnoughBlocks);
}

void RowGroup::add(const GroupMember &member) {
  counts = getCountsWith(member);
  members.push_back(member);
}

scf::ForallOp RowGroup::emit() {
  const RowCount &count = chooseCount(counts);
  OpBuilder b(members.back().op);
  Location loc = members.back().op.getLoc();
  int64_t rows = chooseRows(members, count);
  OpFoldResult numRows = count.known
                             ? OpFoldResult(b.getIndexAttr(*count.known))
                             : members.front().emitExtent(b);
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, d0.ceilDiv(rows)), numRows);
  scf::ForallOp group = createBlocks(b, loc, blocks);
  b.setInsertionPointToStart(group.getBody());
  OpFoldResult block = group.getInductionVar(0);
  SmallVector<Value> roots;
  for (const GroupMember &member : members) {
    unsigned numDims = member.getNumRowDims(count);
    int64_t size = rows * member.getRowSize(count);
    GroupPart part(member.op);
    AffineExpr rest = d0 * size;
    for (unsigned i = numDims; i-- > 0;) {
      unsigned dim = member.rowDims[i];
      AffineExpr index = i == 0 ? rest : rest % member.sizes[dim];
      part.offsets[dim] = affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(1, 0, index), block);
      part.sizes[dim] = b.getIndexAttr(i + 1 == numDims ? size : 1);
      if (i != 0)
        rest = rest.floorDiv(member.sizes[dim]);
    }
    member.emitPart(b, part);
    for (const BufferAccess &access : member.accesses)
      if (access.root && !llvm::is_contained(roots, access.root))
        roots.push_back(access.root);
  }
  for (const GroupMember &member : members)
    member.erase();
  // One block may as well use memory that all have.
  if (!count.isOne())
    placePrivateBuffers(group, roots, tileColumns(group, roots));
  return group;
}

} // namespace flywheel
