//===- Groups.h - Groups of ops that share a launch -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_GROUPS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_GROUPS_H

#include "../Report/AssumedSizes.h"
#include "GroupAccesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {

/// A group whose members work on the same number of rows, each with one part of
/// every buffer that the group writes. With one row, one block does everything.
class RowGroup {
public:
  explicit RowGroup(const GroupMember &first);

  /// Returns true if `member` has rows in common with the group, and the group
  /// would not lose too many of its blocks.
  bool canTake(const GroupMember &member);
  void add(const GroupMember &member);
  /// Returns true if there are rows.
  bool canEmit() const { return !counts.empty(); }
  mlir::scf::ForallOp emit();
  llvm::ArrayRef<GroupMember> getMembers() const { return members; }

private:
  llvm::SmallVector<RowCount> getCountsWith(const GroupMember &member);

  GroupRun members;
  llvm::SmallVector<RowCount> counts;
};

/// A group of the tiles of a contraction's result.
class TileGroup {
public:
  explicit TileGroup(const GroupMember &contraction);

  /// Returns true if `member` computes elements in the order of the result, and
  /// uses buffers that the group writes tile by tile.
  bool canTake(const GroupMember &member) const;
  void add(const GroupMember &member);
  bool canEmit() const { return true; }
  mlir::scf::ForallOp emit();
  llvm::ArrayRef<GroupMember> getMembers() const { return members; }

private:
  /// The division of a dimension of a buffer that has the elements of the
  /// result in their order: it is a part of dimension `result` of the result,
  /// and each of its indices covers `inner` elements of that dimension.
  struct DimPart {
    unsigned result;
    int64_t inner, dimSize, size;
    bool isWhole;
  };
  /// The loops by which a member iterates over the result, and the shape that
  /// they have.
  struct Walk {
    llvm::SmallVector<int64_t> shape;
    llvm::SmallVector<unsigned> loops;
  };
  enum class Use { Read, Tiles, Written };

  std::optional<llvm::SmallVector<DimPart>>
  divide(llvm::ArrayRef<int64_t> dims) const;
  std::optional<Walk> match(const GroupMember &member) const;
  mlir::AffineMap mapAlong(const Walk &walk,
                           llvm::ArrayRef<DimPart> parts) const;

  GroupRun members;
  std::vector<Walk> walks;
  llvm::SmallVector<int64_t> shape, tile;
  llvm::SmallMapVector<mlir::Value, Use, 8> roots;
};

/// Returns true if `member` has so few results, each of so many terms, that
/// most of the device would wait for some blocks.
bool isLong(const GroupMember &member);

/// If `member`, which is long, needs no pieces: makes it a reduction of parts
/// of the terms and a reduction of their results, and returns both.
std::optional<std::pair<GroupMember, GroupMember>>
splitReduction(const GroupMember &member);

/// Returns true if `member` is long and a group divides its terms: it is a
/// product, or the number of terms is not known.
bool needsPieces(const GroupMember &member);

/// Computes parts of the terms of `member`, which needs pieces, in a group of
/// its own; returns that group and the sum of its results.
std::pair<mlir::scf::ForallOp, GroupMember>
splitTerms(const GroupMember &member);

/// A launch: a group, or a structured op in no group.
struct LaunchNode {
  mlir::Operation *op;
  llvm::SmallVector<GroupAccess> accesses;
};

/// Merges those of `nodes` into one group, in their order and with no other use
/// of memory between them, that do not need each other's results.
void mergeIndependent(llvm::ArrayRef<LaunchNode> nodes);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_GROUPS_H
