//===- BlockVersions.cpp - Versions of storages in a block ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockVersions.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace flywheel;

/// Adds the ops of `block` that compute `part` in its place in a version:
/// writing a slice may start before the slice is inserted. A part may have
/// parts of its own.
static void addPartWriters(Version &version, Value part, Block &block) {
  SmallVector<Operation *> chain;
  while (Value overwritten = getOverwritten(part)) {
    if (part.getParentBlock() == &block)
      chain.push_back(part.getDefiningOp());
    part = overwritten;
  }
  if (getRoot(part) != version.value)
    return;
  version.writers.insert(chain.begin(), chain.end());
  for (Operation *op : chain)
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      addPartWriters(version, insert.getSource(), block);
}

/// Goes back from the last version of a storage to the first.
void BlockVersions::collect(const StorageRange &range,
                            llvm::DenseSet<Value> &seen) {
  if (!isInPlaceOf(range.last, range.first))
    return;
  Value next;
  for (Value value = range.last;; value = getOverwritten(value)) {
    Version version{value, next, range.storage, {}};
    if (next) {
      version.writers.insert(next.getDefiningOp());
      made[next] = range.storage;
    }
    if (auto insert = next.getDefiningOp<tensor::InsertSliceOp>())
      addPartWriters(version, insert.getSource(), block);
    // The threads of a parallel loop each write a part of the shared tensor.
    for (Operation *user : value.getUsers())
      if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(user))
        if (insert.getDest() == value)
          addPartWriters(version, insert.getSource(), block);
    // If two results start from one value, only the first one overwrites it.
    if (!next || seen.insert(value).second) {
      for (Operation *writer : version.writers)
        overwritten[writer].push_back(value);
      versions.push_back(std::move(version));
    }
    if (value == range.first)
      return;
    next = value;
  }
}

BlockVersions::BlockVersions(Block &block, ArrayRef<StorageRange> ranges)
    : block(block) {
  llvm::DenseSet<Value> seen;
  for (const StorageRange &range : ranges)
    collect(range, seen);
}

/// Returns the tensor that may be in the same memory as the value of `use`, if
/// its owner only passes it on; null otherwise.
static Value getPassedOn(OpOperand &use) {
  Operation *user = use.getOwner();
  if ((isView(user) && use.getOperandNumber() == 0) ||
      isa<arith::SelectOp>(user))
    return user->getResult(0);
  if (user->hasTrait<OpTrait::IsTerminator>() && isBranch(user->getParentOp()))
    return user->getParentOp()->getResult(use.getOperandNumber());
  return {};
}

/// Returns the uses of `version` and of the values that may be in the same
/// memory. Uses that forward the value at the level of this block do not count,
/// unless their op is blocked: it then runs too late to forward the old value.
SmallVector<OpOperand *>
BlockVersions::collectUses(Value version, OpPredicate isBlocked) const {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> worklist = {version};
  llvm::DenseSet<Value> seen = {version};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    // A value that a branch of this block forwards is a result of the branch.
    bool isInner = value != version && value.getParentBlock() != &block;
    for (OpOperand &use : value.getUses()) {
      Value other = getPassedOn(use);
      bool isHere = other && other.getParentBlock() == &block;
      if (!isInner && (!isHere || isBlocked(other.getDefiningOp())))
        uses.push_back(&use);
      if (!other || (isHere && (isBlocked(other.getDefiningOp()) ||
                                getOverwritten(other) == version)))
        continue;
      if (seen.insert(other).second)
        worklist.push_back(other);
    }
  }
  return uses;
}

bool BlockVersions::overwrites(Operation *op, const Version &version) const {
  auto it = overwritten.find(op);
  return it != overwritten.end() && llvm::any_of(it->second, [&](Value value) {
           return isInPlaceOf(value, version.value);
         });
}

llvm::SetVector<Operation *>
BlockVersions::findReaders(const Version &version) const {
  llvm::SetVector<Operation *> readers;
  for (OpOperand *use :
       collectUses(version.value, [](Operation *) { return false; })) {
    Operation *reader = getTopLevel(use->getOwner());
    // The terminator forwards its operands after all other ops.
    if (reader && reader != block.getTerminator() &&
        !overwrites(reader, version))
      readers.insert(reader);
  }
  return readers;
}

/// Returns true if an op that writes `version` reads through `use` only the
/// element that it is writing.
static bool readsWhatItWrites(OpOperand &use, Value version) {
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!op || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  AffineMap map = op.getMatchingIndexingMap(&use);
  bool isWritten = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (getRoot(init.get()) != version)
      continue;
    if (init.get() != use.get() || op.getMatchingIndexingMap(&init) != map)
      return false;
    isWritten = true;
  }
  return isWritten && map.isPermutation();
}

static bool isInit(OpOperand &use) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner()))
    return loop.getTiedLoopRegionIterArg(&use) != nullptr;
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return op && op.isDpsInit(&use);
}

/// Returns true if the owner of `use` reads its value; a destination may only
/// be overwritten.
static bool isRead(OpOperand &use) {
  if (!isInit(use))
    return true;
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return !isa<linalg_ext::StoreOp>(use.getOwner()) &&
         (!op || op.payloadUsesValueFromOperand(&use));
}

/// Returns true if `use`, by `writer` or an op inside of it, needs the old
/// value of `version` after `writer` has begun to overwrite it.
static bool isSelfConflict(OpOperand &use, Operation *writer,
                           const Version &version) {
  Operation *op = use.getOwner();
  // Each branch is a block that is ordered by itself; an iteration of a loop
  // reads values that the previous one has written.
  if (op != writer)
    return !isBranch(writer);
  if (isa<linalg_ext::StoreOp, LoopLikeOpInterface>(op))
    return false;
  if (!isInit(use))
    return !readsWhatItWrites(use, version.value);
  // Two results cannot both be made in the place of one old value.
  return use.get() == version.value && isRead(use) &&
         cast<DestinationStyleOpInterface>(op).getTiedOpResult(&use) !=
             version.next;
}

UsesByValue BlockVersions::findLateReads(const Version &version,
                                         OpPredicate isLate) const {
  UsesByValue reads;
  for (OpOperand *use : collectUses(version.value, isLate)) {
    Operation *top = getTopLevel(use->getOwner());
    bool isConflict = false;
    if (top == block.getTerminator())
      isConflict = version.next != nullptr;
    else if (version.writers.contains(top))
      isConflict = isSelfConflict(*use, top, version);
    else if (top)
      isConflict = isLate(top) && isRead(*use);
    if (isConflict)
      reads[use->get()].push_back(use);
  }
  return reads;
}

SmallVector<OpOperand *>
BlockVersions::findStarts(const Version &version) const {
  SmallVector<OpOperand *> starts;
  for (OpOperand *use :
       collectUses(version.value, [](Operation *) { return false; })) {
    Operation *top = getTopLevel(use->getOwner());
    if (top && !version.writers.contains(top) && isInit(*use) && isRead(*use))
      starts.push_back(use);
  }
  return starts;
}

llvm::MapVector<Block *, SmallVector<StorageRange>>
BlockVersions::findNestedBlocks() const {
  llvm::MapVector<Block *, SmallVector<StorageRange>> nested;
  for (Operation &op : block) {
    if (!isa<RegionBranchOpInterface>(op))
      continue;
    for (Region &region : op.getRegions())
      if (region.hasOneBlock())
        nested[&region.front()];
    for (OpResult result : op.getResults()) {
      auto it = made.find(result);
      bool isCarried = isa<LoopLikeOpInterface>(op) &&
                       isa<RankedTensorType>(result.getType()) &&
                       getOverwritten(result);
      if (it == made.end() && !isCarried)
        continue;
      for (auto [region, range] :
           llvm::zip(op.getRegions(),
                     getRegionVersions(&op, result.getResultNumber())))
        nested[&region.front()].push_back(
            {it == made.end() ? BlockArgument() : it->second, range.first,
             range.second});
    }
  }
  return nested;
}
