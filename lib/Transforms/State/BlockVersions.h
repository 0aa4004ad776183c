//===- BlockVersions.h - Versions of storages in a block --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_STATE_BLOCKVERSIONS_H
#define FLYWHEEL_LIB_TRANSFORMS_STATE_BLOCKVERSIONS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel {

/// The versions of one storage at the start and the end of a block.
struct StorageRange {
  /// The argument of the function, or null for a buffer of the step: that of a
  /// value that a loop carries.
  mlir::BlockArgument storage;
  /// The versions in which the block finds and leaves it.
  mlir::Value first, last;
};

/// A version of a storage in a block.
struct Version {
  mlir::Value value;
  /// The value that overwrites it; null for the last version.
  mlir::Value next;
  mlir::BlockArgument storage;
  /// The ops of the block that overwrite it, or parts of it: the op that
  /// defines `next`, and the ops that compute a part of `next` in its place.
  llvm::SetVector<mlir::Operation *> writers;
};

/// Uses that one copy can serve: those of the same value.
using UsesByValue =
    llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::OpOperand *>>;

using OpPredicate = llvm::function_ref<bool(mlir::Operation *)>;

/// The versions of storages that a block finds and makes, and who reads them.
class BlockVersions {
public:
  BlockVersions(mlir::Block &block, llvm::ArrayRef<StorageRange> ranges);

  llvm::ArrayRef<Version> getVersions() const { return versions; }

  /// Returns true if `op` overwrites `version` or a later version of its
  /// storage. Such an op must come after the readers of `version`.
  bool overwrites(mlir::Operation *op, const Version &version) const;

  /// Returns the ops of the block that should read `version` before it is
  /// overwritten.
  llvm::SetVector<mlir::Operation *> findReaders(const Version &version) const;

  /// Returns the uses that read `version` at or after its overwrite, provided
  /// that its writers and the ops for which `isLate` returns true come last.
  UsesByValue findLateReads(const Version &version, OpPredicate isLate) const;

  /// Returns the operands that are inits of ops whose results are not the next
  /// version of `version`.
  llvm::SmallVector<mlir::OpOperand *> findStarts(const Version &version) const;

  /// Returns the blocks in this one, and the versions of storages and carried
  /// values in each.
  llvm::MapVector<mlir::Block *, llvm::SmallVector<StorageRange>>
  findNestedBlocks() const;

  /// Returns the op of this block that contains `op`, or null.
  mlir::Operation *getTopLevel(mlir::Operation *op) const {
    return block.findAncestorOpInBlock(*op);
  }

private:
  void collect(const StorageRange &range, llvm::DenseSet<mlir::Value> &seen);
  llvm::SmallVector<mlir::OpOperand *> collectUses(mlir::Value version,
                                                   OpPredicate isBlocked) const;

  mlir::Block &block;
  llvm::SmallVector<Version> versions;
  /// The versions that each op overwrites, or parts of them.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>>
      overwritten;
  /// The versions that the block makes, and their storages.
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> made;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_STATE_BLOCKVERSIONS_H
