//===- Groups.h - Groups of ops that share a launch -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_H

#include "AssumedSizes.h"
#include "GroupAccesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {

/// A group whose members work on the same number of rows, each with one part of
/// every buffer that the group writes. With one row, one block does everything.
class RowGroup {
public:
  explicit RowGroup(const GroupMember &first);

  /// Whether `member` has rows in common with the group, and few enough fewer
  /// that the group keeps its blocks.
  bool canTake(const GroupMember &member);
  void add(const GroupMember &member);
  /// Whether there are rows at all.
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

  /// Whether `member` goes over the result element by element, and uses what
  /// the group writes tile by tile.
  bool canTake(const GroupMember &member) const;
  void add(const GroupMember &member);
  bool canEmit() const { return true; }
  mlir::scf::ForallOp emit();
  llvm::ArrayRef<GroupMember> getMembers() const { return members; }

private:
  /// How a dimension of a buffer that has the elements of the result in their
  /// order is divided: it is dimension `result` of that, without what `inner`
  /// elements of it and further in have in common.
  struct DimPart {
    unsigned result;
    int64_t inner, extent, size;
    bool isWhole;
  };
  /// How a member goes along the result: its loops, and the parts of each.
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

/// Whether `member` has so few results, each of so many terms, that most of the
/// device would wait for some blocks.
bool isLong(const GroupMember &member);

/// Where `member`, which is long, needs no pieces: makes it a reduction of
/// parts of the terms and one of their results, and returns both.
std::optional<std::pair<GroupMember, GroupMember>>
splitReduction(const GroupMember &member);

/// Whether `member` is long, and its terms are divided by a group: it is a
/// product, or how many terms there are is not known.
bool needsPieces(const GroupMember &member);

/// Computes parts of the terms of `member`, which needs pieces, in a group of
/// its own, and returns what adds up their results.
std::pair<mlir::scf::ForallOp, GroupMember>
splitTerms(const GroupMember &member);

/// A launch: a group, or a structured op that is in none.
struct LaunchNode {
  mlir::Operation *op;
  llvm::SmallVector<BufferAccess> accesses;
};

/// Says by a remark what the launches of `function` move, and have to move,
/// where none is of independent groups yet.
void reportStepTraffic(mlir::func::FuncOp function,
                       const AssumedSizes &assumed);

/// Makes one group of those of `nodes`, in their order and with no other use of
/// memory between them, that do not need each other's results.
void mergeIndependent(llvm::ArrayRef<LaunchNode> nodes);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_H
