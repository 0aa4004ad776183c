//===- TileGroup.cpp - A contraction and what follows it ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueOps.h"
#include "Groups.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace flywheel {

TileGroup::TileGroup(const GroupMember &contraction) : members{contraction} {
  SmallVector<unsigned> loops = contraction.getLoopsOfResult();
  SmallVector<int64_t> tileOfLoop = chooseTile(contraction.op);
  for (unsigned loop : loops)
    tile.push_back(tileOfLoop[loop]);
  for (const GroupAccess &access : contraction.accesses) {
    Use use = !access.isWritten                 ? Use::Read
              : access.root && access.isRegular ? Use::Tiles
                                                : Use::Written;
    if (access.isWritten)
      shape = access.shape;
    Use &known = roots.try_emplace(access.root, use).first->second;
    if (known != use)
      known = Use::Written;
  }
  walks.push_back({shape, loops});
}

/// Returns the parts of `dims`, the shape of the result or that shape with
/// dimensions expanded; none if tiles of the result are not slices of it.
std::optional<SmallVector<TileGroup::DimPart>>
TileGroup::divide(ArrayRef<int64_t> dims) const {
  SmallVector<DimPart> parts;
  if (dims == ArrayRef<int64_t>(shape)) {
    for (auto [dim, dimSize] : llvm::enumerate(dims))
      parts.push_back(
          {static_cast<unsigned>(dim), 1, dimSize, tile[dim], true});
    return parts;
  }
  if (llvm::is_contained(dims, ShapedType::kDynamic) ||
      llvm::is_contained(shape, ShapedType::kDynamic) ||
      dims.size() < shape.size())
    return std::nullopt;
  Type element = IndexType::get(members.front().op->getContext());
  auto groups = getReassociationIndicesForReshape(
      MemRefType::get(shape, element), MemRefType::get(dims, element));
  if (!groups || groups->size() != shape.size())
    return std::nullopt;
  parts.resize(dims.size());
  for (auto [result, group] : llvm::enumerate(*groups)) {
    int64_t room = tile[result], inner = 1;
    if (group.size() > 1 && shape[result] % room != 0)
      return std::nullopt;
    for (int64_t dim : llvm::reverse(group)) {
      int64_t dimSize = dims[dim];
      if (group.size() > 1 && dimSize % room != 0 && room % dimSize != 0)
        return std::nullopt;
      int64_t size = group.size() > 1 ? std::min(dimSize, room) : room;
      parts[dim] = {static_cast<unsigned>(result), inner, dimSize, size,
                    group.size() == 1};
      room = std::max<int64_t>(room / size, 1);
      inner *= dimSize;
    }
  }
  return parts;
}

std::optional<TileGroup::Walk>
TileGroup::match(const GroupMember &member) const {
  std::optional<Walk> walk;
  for (const GroupAccess &access : member.accesses) {
    const auto *known = roots.find(access.root);
    if (known == roots.end() || known->second != Use::Tiles)
      continue;
    if (!access.isRegular || !access.map.isPermutation() ||
        access.map.getNumDims() != member.op.getNumLoops())
      return std::nullopt;
    Walk found{access.shape, {}};
    for (AffineExpr expr : access.map.getResults())
      found.loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    if (walk && (walk->shape != found.shape || walk->loops != found.loops))
      return std::nullopt;
    walk = found;
  }
  if (!walk || !divide(walk->shape))
    return std::nullopt;
  return walk;
}

bool TileGroup::canTake(const GroupMember &member) const {
  linalg::LinalgOp op = member.op;
  if (op.getNumParallelLoops() != op.getNumLoops() || member.fill ||
      !match(member))
    return false;
  for (const GroupAccess &access : member.accesses) {
    const auto *known = roots.find(access.root);
    bool isKnown = known != roots.end();
    // Another tile may write an unknown buffer.
    if (!access.root || (isKnown && known->second == Use::Written))
      return false;
    // A buffer that the group reads in any order must not be written.
    if (access.isWritten && ((isKnown && known->second == Use::Read) ||
                             !access.map.isProjectedPermutation() ||
                             access.map.getNumResults() != op.getNumLoops()))
      return false;
    // Nor one that the member itself reads in another order.
    for (const GroupAccess &other : member.accesses)
      if (access.isWritten && !other.isWritten && access.root == other.root &&
          access.map != other.map)
        return false;
  }
  return true;
}

void TileGroup::add(const GroupMember &member) {
  Walk walk = *match(member);
  for (const GroupAccess &access : member.accesses) {
    if (!access.isWritten) {
      roots.try_emplace(access.root, Use::Read);
      continue;
    }
    SmallVector<unsigned> loops;
    for (AffineExpr expr : access.map.getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    bool isAlike =
        access.isRegular && access.shape == walk.shape && loops == walk.loops;
    Use &use = roots.try_emplace(access.root, Use::Tiles).first->second;
    use = isAlike ? Use::Tiles : Use::Written;
  }
  members.push_back(member);
  walks.push_back(walk);
}

/// Returns a map from indices in a tile of the result to the iteration of a
/// part of a member that uses the element. The member iterates by `walk` in
/// `parts`.
AffineMap TileGroup::mapAlong(const Walk &walk, ArrayRef<DimPart> parts) const {
  MLIRContext *context = members.front().op.getContext();
  SmallVector<AffineExpr> iteration(walk.loops.size());
  SmallVector<int64_t> inner(shape.size(), 1);
  for (size_t dim = parts.size(); dim-- > 0;) {
    const DimPart &part = parts[dim];
    AffineExpr index = getAffineDimExpr(part.result, context);
    if (!part.isWhole) {
      index = index.floorDiv(inner[part.result]) % part.size;
      inner[part.result] *= part.size;
    }
    iteration[walk.loops[dim]] = index;
  }
  return AffineMap::get(shape.size(), 0, iteration, context);
}

scf::ForallOp TileGroup::emit() {
  linalg::LinalgOp root = members.front().op;
  OpBuilder b(members.back().op);
  Location loc = root.getLoc();
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult of) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(1, 0, expr), of);
  };
  SmallVector<OpFoldResult> counts;
  SmallVector<Range> ranges = root.createLoopRanges(b, loc);
  for (auto [dim, loop] : llvm::enumerate(walks.front().loops))
    counts.push_back(apply(d0.ceilDiv(tile[dim]), ranges[loop].size));
  scf::ForallOp group = createBlocks(b, loc, counts);
  b.setInsertionPointToStart(group.getBody());
  bool hasEpilogue = true;
  for (auto [member, walk] : llvm::zip_equal(members, walks)) {
    GroupPart part(member.op);
    SmallVector<DimPart> parts = *divide(walk.shape);
    for (auto [loop, dim] : llvm::zip_equal(walk.loops, parts)) {
      AffineExpr first = d0 * tile[dim.result];
      if (!dim.isWhole)
        first = first.floorDiv(dim.inner) % dim.dimSize;
      part.offsets[loop] =
          apply(first, OpFoldResult(group.getInductionVar(dim.result)));
      part.sizes[loop] = b.getIndexAttr(dim.size);
    }
    linalg::LinalgOp emitted = member.emitPart(b, part);
    if (&member == &members.front())
      continue;
    // An epilogue that is too much code, and all ops after it, store their
    // results to memory.
    hasEpilogue &= isSmallEpilogue(emitted);
    if (hasEpilogue)
      emitted->setAttr(codegen::CodegenDialect::getAlongAttrName(),
                       AffineMapAttr::get(mapAlong(walk, parts)));
  }
  for (const GroupMember &member : members)
    member.erase();
  SmallVector<Value> written;
  for (auto [value, use] : roots)
    if (use != Use::Read)
      written.push_back(value);
  placePrivateBuffers(group, written);
  return group;
}

} // namespace flywheel
