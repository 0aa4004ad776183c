//===- Accesses.cpp - Who touches which part of a buffer ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

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

Value flywheel::getBuffer(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op))
      return view;
    auto viewLike = dyn_cast<ViewLikeOpInterface>(op);
    if (!viewLike)
      return {};
    view = viewLike.getViewSource();
  }
  // An argument of the function is memory of its own; those of loops are not.
  auto argument = cast<BlockArgument>(view);
  return isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ? view
                                                                      : Value();
}

Slice flywheel::normalize(Slice slice) {
  while (auto subview = slice.view.getDefiningOp<memref::SubViewOp>()) {
    MemRefType source = subview.getSourceType();
    if (source.getRank() != subview.getType().getRank() ||
        getConstantIntValue(subview.getMixedOffsets()[slice.dim]) != 0 ||
        getConstantIntValue(subview.getMixedStrides()[slice.dim]) != 1)
      break;
    slice.view = subview.getSource();
  }
  return slice;
}

LogicalResult flywheel::collectAccesses(Operation *op, Access::Worker worker,
                                        SmallVectorImpl<Access> &accesses) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return failure();
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect()))
      continue;
    Value value = effect.getValue();
    Value buffer = value && isa<BaseMemRefType>(value.getType())
                       ? getBuffer(value)
                       : Value();
    if (!buffer)
      return failure();
    Access access;
    access.buffer = buffer;
    access.isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    access.worker = worker;
    accesses.push_back(access);
  }
  return success();
}
