//===- PrivateBuffers.cpp - Buffers of a group in workgroup memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupAccesses.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

/// Bytes of workgroup memory for what a group alone uses. The rest of the 48 KB
/// that every chip has is for tiles of contractions and trees.
static constexpr int64_t kPrivateBytes = 24 * 1024;

/// Makes `buffer`, of which each block of `group` uses one part that is like
/// those in all of `parts`, that part in workgroup memory.
static void makePrivate(memref::AllocOp buffer,
                        ArrayRef<memref::SubViewOp> parts,
                        scf::ForallOp group) {
  OpBuilder b = OpBuilder::atBlockBegin(group.getBody());
  Location loc = buffer.getLoc();
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto getType = [&](memref::SubViewOp part) {
    return MemRefType::get(part.getType().getShape(),
                           part.getType().getElementType(), AffineMap(), space);
  };
  MemRefType type = getType(parts.front());
  Value mine = memref::AllocOp::create(b, loc, type);
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
    part.getResult().replaceAllUsesWith(view);
    part.erase();
  }
}

/// The parts of `buffer` that `group`, and nothing else, uses; none where some
/// are unlike others.
static SmallVector<memref::SubViewOp> collectParts(memref::AllocOp buffer,
                                                   scf::ForallOp group) {
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

void flywheel::placePrivateBuffers(scf::ForallOp group, ArrayRef<Value> roots) {
  int64_t bytes = 0;
  for (Value root : roots) {
    auto buffer = root.getDefiningOp<memref::AllocOp>();
    // Outside of a loop around the group it would keep what an iteration wrote.
    bool isOfGroup = buffer && buffer->getBlock() == group->getBlock();
    SmallVector<memref::SubViewOp> parts =
        isOfGroup ? collectParts(buffer, group)
                  : SmallVector<memref::SubViewOp>();
    if (parts.empty())
      continue;
    MemRefType type = parts.front().getType();
    int64_t size =
        llvm::alignTo(type.getNumElements() *
                          flywheel::getElementBytes(type.getElementType()),
                      16);
    if (bytes + size > kPrivateBytes)
      continue;
    bytes += size;
    makePrivate(buffer, parts, group);
  }
}
