//===- PrivateBuffers.cpp - Buffers of a group in workgroup memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "GroupAccesses.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

/// Bytes of workgroup memory for what a group alone uses. The rest of the 48 KB
/// that every chip has is for tiles of contractions and trees.
static constexpr int64_t kPrivateBytes = 32 * 1024;

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

/// Makes `buffer`, of which each block of `group` uses one part that is like
/// those in all of `parts`, that part in workgroup memory: `mine`, or where
/// that is null a new one, which is returned.
static Value makePrivate(memref::AllocOp buffer,
                         ArrayRef<memref::SubViewOp> parts, scf::ForallOp group,
                         Value mine) {
  OpBuilder b = OpBuilder::atBlockBegin(group.getBody());
  Location loc = buffer.getLoc();
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto getType = [&](memref::SubViewOp part) {
    return MemRefType::get(part.getType().getShape(),
                           part.getType().getElementType(), AffineMap(), space);
  };
  MemRefType type = getType(parts.front());
  if (!mine)
    mine = memref::AllocOp::create(b, loc, type);
  for (memref::SubViewOp part : parts) {
    Value view = mine;
    MemRefType wanted = getType(part);
    b.setInsertionPoint(part);
    if (wanted != type) {
      auto groups = getReassociationIndicesForReshape(type, wanted);
      view = wanted.getRank() < type.getRank()
                 ? memref::CollapseShapeOp::create(b, loc, mine, *groups)
                       .getResult()
                 : memref::ExpandShapeOp::create(b, loc, wanted, mine, *groups)
                       .getResult();
    }
    replacePart(part, view);
    part.erase();
  }
  return mine;
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
          !part.getType().hasStaticShape() ||
          llvm::any_of(part.getMixedStrides(), [](OpFoldResult stride) {
            return getConstantIntValue(stride) != 1;
          }))
        return {};
      if (!parts.empty()) {
        MemRefType type = parts.front().getType(), other = part.getType();
        if (type.getNumElements() != other.getNumElements() ||
            (type.getShape() != other.getShape() &&
             !getReassociationIndicesForReshape(
                 MemRefType::get(type.getShape(), type.getElementType()),
                 MemRefType::get(other.getShape(), other.getElementType()))))
          return {};
      }
      parts.push_back(part);
    }
  return parts;
}

namespace {
/// A buffer that may be private.
struct Candidate {
  memref::AllocOp buffer;
  SmallVector<memref::SubViewOp> parts;
  /// The candidate whose memory it has.
  size_t memoryOf;
  /// Whether it needs none.
  bool isInRegisters;
};
} // namespace

/// The candidate that `value` is a part of; none for anything else.
static std::optional<size_t> findCandidate(ArrayRef<Candidate> candidates,
                                           Value value) {
  auto part = value.getDefiningOp<memref::SubViewOp>();
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (part && llvm::is_contained(candidate.parts, part))
      return number;
  return std::nullopt;
}

/// Lets the result of an op that goes over its elements have the memory of an
/// input that nothing uses behind it: one thread reads an element and writes
/// its place.
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
              candidates[*result].parts.front().getType())
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
    // Outside of a loop around the group it would keep what an iteration wrote.
    if (!buffer || buffer->getBlock() != group->getBlock())
      continue;
    SmallVector<memref::SubViewOp> parts = collectGroupParts(buffer, group);
    if (!parts.empty())
      candidates.push_back(
          {buffer, parts, candidates.size(), flywheel::isInRegisters(buffer)});
  }
  shareMemory(candidates, group);
  // Those that share memory are in it together, or none of them is.
  llvm::SmallDenseMap<size_t, Value> memories;
  llvm::SmallDenseSet<size_t> isRefused;
  int64_t bytes = usedBytes;
  for (Candidate &candidate : candidates) {
    size_t owner = candidate.memoryOf;
    if (isRefused.contains(owner))
      continue;
    Value &mine = memories[owner];
    if (!mine && !candidate.isInRegisters) {
      MemRefType type = candidate.parts.front().getType();
      int64_t size =
          llvm::alignTo(type.getNumElements() *
                            flywheel::getElementBytes(type.getElementType()),
                        16);
      if (bytes + size > kPrivateBytes) {
        isRefused.insert(owner);
        continue;
      }
      bytes += size;
    }
    mine = makePrivate(candidate.buffer, candidate.parts, group, mine);
  }
}
