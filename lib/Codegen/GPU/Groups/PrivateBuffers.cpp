//===- PrivateBuffers.cpp - Buffers of a group in workgroup memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Schedule/BlockNumbers.h"
#include "../Schedule/KnownDivisor.h"
#include "EpilogueOps.h"
#include "GroupAccesses.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

/// Uses `view` for `part`, and slices of it for those of `part`.
static void replacePart(memref::SubViewOp part, Value view) {
  for (Operation *user : llvm::make_early_inc_range(part->getUsers())) {
    auto slice = dyn_cast<memref::SubViewOp>(user);
    if (!slice)
      continue;
    OpBuilder b(slice);
    Value mine = memref::SubViewOp::create(
        b, slice.getLoc(), view, slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
    slice.replaceAllUsesWith(mine);
    slice.erase();
  }
  part.getResult().replaceAllUsesWith(view);
}

/// Returns the type of the largest part that `part` may be.
static MemRefType getLargestType(memref::SubViewOp part,
                                 Attribute space = Attribute()) {
  return MemRefType::get(flywheel::getLargestShape(part),
                         part.getType().getElementType(), AffineMap(), space);
}

/// Replaces `buffer`, of which each block of `group` uses one part that is like
/// those in all of `parts`, by workgroup memory: `mine` or, if that is null, a
/// new allocation. Returns it.
static Value makePrivate(memref::AllocOp buffer,
                         ArrayRef<memref::SubViewOp> parts, scf::ForallOp group,
                         Value mine) {
  OpBuilder b = OpBuilder::atBlockBegin(group.getBody());
  Location loc = buffer.getLoc();
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  MemRefType type = getLargestType(parts.front(), space);
  if (!mine)
    mine = memref::AllocOp::create(b, loc, type);
  for (memref::SubViewOp part : parts) {
    Value view = mine;
    MemRefType wanted = getLargestType(part, space);
    b.setInsertionPoint(part);
    if (wanted != type) {
      auto groups = getReassociationIndicesForReshape(type, wanted);
      view = wanted.getRank() < type.getRank()
                 ? memref::CollapseShapeOp::create(b, loc, mine, *groups)
                       .getResult()
                 : memref::ExpandShapeOp::create(b, loc, wanted, mine, *groups)
                       .getResult();
    }
    if (!part.getType().hasStaticShape()) {
      SmallVector<OpFoldResult> first(wanted.getRank(), b.getIndexAttr(0));
      view = memref::SubViewOp::create(
          b, loc, view, first, part.getMixedSizes(), part.getMixedStrides());
    }
    replacePart(part, view);
    part.erase();
  }
  return mine;
}

SmallVector<int64_t> flywheel::getLargestShape(memref::SubViewOp part) {
  SmallVector<int64_t> shape(part.getType().getShape());
  if (!part.getDroppedDims().none())
    return shape;
  for (auto [most, size] : llvm::zip_equal(shape, part.getMixedSizes()))
    most = getKnownBound(size).value_or(most);
  return shape;
}

/// Returns true if two parts of the same buffer are the same elements of it, in
/// any shape.
static bool areAlike(memref::SubViewOp lhs, memref::SubViewOp rhs) {
  MemRefType type = getLargestType(lhs), other = getLargestType(rhs);
  if (type == other)
    return true;
  return type.hasStaticShape() && other.hasStaticShape() &&
         lhs.getType().hasStaticShape() && rhs.getType().hasStaticShape() &&
         type.getNumElements() == other.getNumElements() &&
         getReassociationIndicesForReshape(type, other);
}

SmallVector<memref::SubViewOp>
flywheel::collectGroupParts(memref::AllocOp buffer, scf::ForallOp group) {
  SmallVector<memref::SubViewOp> parts;
  SmallVector<Value> worklist{buffer};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(user)) {
        worklist.push_back(user->getResult(0));
        continue;
      }
      if (isa<memref::DimOp>(user))
        continue;
      auto part = dyn_cast<memref::SubViewOp>(user);
      if (!part || part->getParentOp() != group ||
          llvm::any_of(part.getMixedStrides(), [](OpFoldResult stride) {
            return getConstantIntValue(stride) != 1;
          }))
        return {};
      if (!parts.empty() && !areAlike(parts.front(), part))
        return {};
      parts.push_back(part);
    }
  return parts;
}

namespace {
/// A buffer that may be private.
struct Candidate {
  memref::AllocOp buffer;
  SmallVector<memref::SubViewOp> parts;
  /// The candidate whose memory this one uses.
  size_t memoryOf;
  /// True if it needs no memory.
  bool isInRegisters;
};
} // namespace

/// Returns the candidate that `value` is a part of; none for other values.
static std::optional<size_t> findCandidate(ArrayRef<Candidate> candidates,
                                           Value value) {
  auto part = value.getDefiningOp<memref::SubViewOp>();
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (part && llvm::is_contained(candidate.parts, part))
      return number;
  return std::nullopt;
}

/// Gives the result of an elementwise op the memory of an input that no later
/// op uses: one thread reads an element and then overwrites it.
static void shareMemory(MutableArrayRef<Candidate> candidates,
                        scf::ForallOp group) {
  // The first and the last op that uses a candidate.
  SmallVector<std::pair<Operation *, Operation *>> uses(candidates.size());
  for (auto op : group.getBody()->getOps<linalg::LinalgOp>())
    for (Value operand : op->getOperands())
      if (auto number = findCandidate(candidates, operand)) {
        if (!uses[*number].first)
          uses[*number].first = op;
        uses[*number].second = op;
      }
  for (auto op : group.getBody()->getOps<linalg::LinalgOp>()) {
    if (op.getNumParallelLoops() != op.getNumLoops() ||
        op.getNumDpsInits() != 1)
      continue;
    OpOperand &out = op.getDpsInitsMutable()[0];
    auto result = findCandidate(candidates, out.get());
    AffineMap map = op.getMatchingIndexingMap(&out);
    if (!result || candidates[*result].isInRegisters ||
        uses[*result].first != op || !map.isPermutation())
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto source = findCandidate(candidates, input->get());
      bool isOnlyUse =
          source && llvm::count_if(op->getOperands(), [&](Value operand) {
                      return findCandidate(candidates, operand) == source;
                    }) == 1;
      if (!isOnlyUse || source == result || uses[*source].second != op ||
          candidates[*source].isInRegisters ||
          op.getMatchingIndexingMap(input) != map ||
          candidates[*source].parts.front().getType() !=
              candidates[*result].parts.front().getType() ||
          getLargestType(candidates[*source].parts.front()) !=
              getLargestType(candidates[*result].parts.front()))
        continue;
      size_t memory = candidates[*source].memoryOf;
      candidates[*result].memoryOf = memory;
      break;
    }
  }
}

void flywheel::placePrivateBuffers(scf::ForallOp group, ArrayRef<Value> roots,
                                   int64_t usedBytes) {
  SmallVector<Candidate> candidates;
  for (Value root : roots) {
    auto buffer = root.getDefiningOp<memref::AllocOp>();
    // A buffer outside of a loop around the group keeps values between
    // iterations.
    if (!buffer || buffer->getBlock() != group->getBlock())
      continue;
    SmallVector<memref::SubViewOp> parts = collectGroupParts(buffer, group);
    if (!parts.empty() && getLargestType(parts.front()).hasStaticShape())
      candidates.push_back(
          {buffer, parts, candidates.size(), flywheel::isInRegisters(buffer)});
  }
  shareMemory(candidates, group);
  // Buffers that share memory are all in it, or none of them.
  llvm::SmallDenseMap<size_t, Value> memories;
  llvm::SmallDenseSet<size_t> isRefused;
  int64_t bytes = usedBytes, mostBytes = WorkgroupBytes(group).buffers;
  for (Candidate &candidate : candidates) {
    size_t owner = candidate.memoryOf;
    if (isRefused.contains(owner))
      continue;
    Value &mine = memories[owner];
    if (!mine && !candidate.isInRegisters) {
      MemRefType type = getLargestType(candidate.parts.front());
      int64_t size =
          llvm::alignTo(type.getNumElements() *
                            flywheel::getElementBytes(type.getElementType()),
                        16);
      if (bytes + size > mostBytes) {
        isRefused.insert(owner);
        continue;
      }
      bytes += size;
    }
    mine = makePrivate(candidate.buffer, candidate.parts, group, mine);
  }
}
