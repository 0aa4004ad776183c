//===- Accesses.cpp - Accesses of workers to buffers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace flywheel;

bool Access::operator==(const Access &other) const {
  return buffer == other.buffer && isWrite == other.isWrite &&
         worker == other.worker &&
         (worker != Worker::Owner ||
          (slice == other.slice && share == other.share));
}

bool flywheel::conflict(const Access &a, const Access &b) {
  if (a.buffer != b.buffer || (!a.isWrite && !b.isWrite))
    return false;
  if (a.worker != b.worker || a.worker == Access::Worker::Every)
    return true;
  return a.worker == Access::Worker::Owner &&
         !(a.slice == b.slice && a.share == b.share);
}

void AccessSet::insert(const Access &access) {
  if (!llvm::is_contained(accesses, access))
    accesses.push_back(access);
}

void AccessSet::insert(ArrayRef<Access> others) {
  for (const Access &access : others)
    insert(access);
}

bool AccessSet::conflictsWith(ArrayRef<Access> others) const {
  return llvm::any_of(others, [&](const Access &other) {
    return llvm::any_of(accesses, [&](const Access &access) {
      return conflict(access, other);
    });
  });
}

bool AccessSet::operator==(const AccessSet &other) const {
  return accesses.size() == other.accesses.size() &&
         llvm::all_of(accesses, [&](const Access &access) {
           return llvm::is_contained(other.accesses, access);
         });
}

/// Returns the dimension of the source that dimension `dim` of `subview` is a
/// part of.
static int64_t getSourceDim(memref::SubViewOp subview, int64_t dim) {
  llvm::SmallBitVector dropped = subview.getDroppedDims();
  for (unsigned source = 0; source < dropped.size(); ++source)
    if (!dropped.test(source) && dim-- == 0)
      return source;
  llvm_unreachable("a view has the dimensions that are not dropped");
}

Slice flywheel::normalize(Slice slice) {
  while (auto subview = slice.view.getDefiningOp<memref::SubViewOp>()) {
    int64_t dim = getSourceDim(subview, slice.dim);
    if (getConstantIntValue(subview.getMixedOffsets()[dim]) != 0 ||
        getConstantIntValue(subview.getMixedStrides()[dim]) != 1)
      break;
    slice.view = subview.getSource();
    slice.dim = dim;
  }
  return slice;
}

void AccessSet::goAround(Operation *loop) {
  auto isComputedIn = [&](Value value) {
    return loop->isAncestor(value.getParentRegion()->getParentOp());
  };
  AccessSet around;
  for (Access access : accesses) {
    auto size = llvm::dyn_cast_if_present<Value>(access.share.size);
    if (access.worker == Access::Worker::Owner &&
        (isComputedIn(access.slice.view) || (size && isComputedIn(size))))
      access.worker = Access::Worker::Every;
    around.insert(access);
  }
  *this = std::move(around);
}

LogicalResult flywheel::collectAccesses(
    Operation *op, function_ref<void(const BufferAccess &, Access)> add) {
  for (const BufferAccess &access : getAccessesWithin(op)) {
    if (!access.buffer)
      return failure();
    BufferRoots roots = findRoots(access.buffer);
    if (!roots.isKnown)
      return failure();
    for (Value root : roots.roots) {
      Access touch;
      touch.buffer = root;
      if (access.isRead)
        add(access, touch);
      touch.isWrite = true;
      if (access.isWritten)
        add(access, touch);
    }
  }
  return success();
}
