//===- GroupAccesses.h - What ops of a group do to buffers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_GROUPACCESSES_H
#define FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_GROUPACCESSES_H

#include "flywheel/Analysis/BufferAccesses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <vector>

namespace flywheel {

/// An access of a member of a group, which asks for more: a launch writes whole
/// rows or tiles of a root, as one of its dimensions or of several.
struct GroupAccess : BufferAccess {
  explicit GroupAccess(const BufferAccess &access);

  /// The allocation or the argument of the function; null if it is not known.
  mlir::Value root;
  /// True if the buffer has all elements of the root, in its order.
  bool isRegular = false;
  /// The number of first dimensions that are whole dimensions of the root:
  /// slices of the buffer are slices within them.
  unsigned numWhole = 0;
  mlir::AffineMap map;
  llvm::SmallVector<int64_t> shape;

  /// Returns true if the first dimensions of the buffer are the first `numDims`
  /// of `dims`, and no others are: then rows of the op use rows of the buffer.
  /// `sizes` are those of the loops.
  bool isOfRows(llvm::ArrayRef<unsigned> dims, unsigned numDims,
                llvm::ArrayRef<int64_t> sizes) const;
};

/// The size of a dimension: the number of iterations of a loop over it.
struct BufferDimSize {
  /// The number, if it is known at compile time.
  std::optional<int64_t> known;
  /// Otherwise, the buffer, an argument of the function, whose dimension `dim`
  /// has this size, or the number itself.
  mlir::Value source;
  unsigned dim = 0;

  bool operator==(const BufferDimSize &other) const {
    return known == other.known && source == other.source && dim == other.dim;
  }
  bool operator!=(const BufferDimSize &other) const {
    return !(*this == other);
  }
};

/// Returns the size of `dim`, a dimension of `buffer`; none if nothing is known
/// of it.
std::optional<BufferDimSize> findDimSize(mlir::Value buffer, unsigned dim);

/// A number of rows that work can be divided into: the product of the
/// iterations of some loops. Adjacent known numbers are multiplied.
struct RowCount {
  llvm::SmallVector<BufferDimSize, 2> dimSizes;

  static RowCount get(int64_t known) {
    RowCount count;
    count.dimSizes.push_back({known, mlir::Value(), 0});
    return count;
  }
  /// Returns the number if it is known at compile time.
  std::optional<int64_t> getKnown() const {
    return dimSizes.size() == 1 ? dimSizes.front().known : std::nullopt;
  }
  bool isOne() const { return getKnown() == 1; }
  /// Returns true if the only factor is a number that is not known.
  bool isUnknownAlone() const {
    return dimSizes.size() == 1 && !dimSizes.front().known;
  }
  /// Multiplies the rows by `dimSize` rows each.
  void multiply(const BufferDimSize &dimSize);
  bool operator==(const RowCount &other) const {
    return dimSizes == other.dimSizes;
  }
};

/// The iterations of an op that one block computes: an offset and a size for
/// each loop that is divided, and size 0 for others.
struct GroupPart {
  explicit GroupPart(mlir::linalg::LinalgOp op);

  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
};

/// Returns true if an output of `op` is along a reduction loop: the running
/// sums of a reduction, or each term of it.
bool hasOutputAlongReduction(mlir::linalg::LinalgOp op);

/// Returns the op in the body of `op` that joins two partial results, for each
/// result; empty if `op` is not a reduction or partial results cannot be
/// joined.
llvm::SmallVector<mlir::Operation *> matchCombiners(mlir::linalg::LinalgOp op);

/// Returns true if the last dimension of the first input of `op` that has
/// dimensions is along a reduction loop.
bool reducesAlongMemory(mlir::linalg::LinalgOp op);

/// A structured op on buffers that may be part of a group, with the fill that
/// initializes its result, if any.
class GroupMember {
public:
  explicit GroupMember(mlir::linalg::LinalgOp op);

  /// Returns the numbers of rows that the op can be divided into: 1 if it has
  /// at most `maxAlone` iterations.
  llvm::SmallVector<RowCount> getRowCounts(int64_t maxAlone) const;
  /// Returns how many of `rowDims` are the rows if there are `count`.
  unsigned getNumRowDims(const RowCount &count) const;
  /// Returns the loops of `rowDims` that each factor of `count` consists of.
  /// Loops of one iteration may be left out.
  std::vector<llvm::SmallVector<unsigned>>
  getSizeDims(const RowCount &count) const;
  /// Returns the iterations of other loops that one row of `count` has; sizes
  /// that are not known count as `unknown`.
  int64_t countPerRow(const RowCount &count, int64_t unknown) const;
  /// Returns the iterations of `rowDims` that one row of `count` has.
  int64_t getRowSize(const RowCount &count) const;
  /// Returns true if tiling loops by `tile`, where it is not 0, gives slices.
  bool canTile(llvm::ArrayRef<int64_t> tile) const;
  /// Returns true if the op writes, or may write, a buffer that `other` uses.
  bool writesBufferOf(const GroupMember &other) const;
  /// Returns true if one of both writes, or may write, a buffer of the other.
  bool conflictsWith(const GroupMember &other) const;
  /// Returns true if the op reduces, and its first input has the last of
  /// `numDims` of `rowDims` along its last dimension.
  bool hasRowsSideBySide(unsigned numDims) const;
  /// Returns the initial value of partial results if the op is a reduction with
  /// one result whose partial results can be joined; otherwise null.
  mlir::TypedAttr getIdentity() const;
  /// Emits the number of iterations of `dim`.
  mlir::OpFoldResult emitDimSize(mlir::OpBuilder &b, unsigned dim) const;
  /// Returns the loop along each dimension of the first result.
  llvm::SmallVector<unsigned> getLoopsOfResult() const;
  /// Returns true if the op is a contraction that is computed by tiles of its
  /// result, not by batches.
  bool isProduct() const;

  /// Computes `part` of the op, and of the fill, at the insertion point;
  /// returns the new op.
  mlir::linalg::LinalgOp emitPart(mlir::OpBuilder &b,
                                  const GroupPart &part) const;
  void erase() const;

  /// A handle, whose methods are not `const`.
  mutable mlir::linalg::LinalgOp op;
  mutable mlir::linalg::FillOp fill;
  llvm::SmallVector<GroupAccess> accesses;
  /// Parallel loops in the order of the dimensions of the first result.
  llvm::SmallVector<unsigned> rowDims;
  llvm::SmallVector<int64_t> sizes;
  /// Joins two partial results; null if the op is not such a reduction.
  mlir::Operation *combiner = nullptr;

private:
  std::optional<BufferDimSize> findLoopSize(unsigned dim) const;
};

/// Ops in their order, between which no other op accesses memory.
using GroupRun = std::vector<GroupMember>;

/// Replaces copies by structured ops: contiguous copies are `memcpy` on the
/// host only.
void structureCopies(mlir::Operation *function);

/// Returns the sizes of a tile of the result of `op`, a contraction, by loop,
/// from its schedule; 0 for others.
llvm::SmallVector<int64_t> chooseTile(mlir::linalg::LinalgOp op);

/// Creates a loop over `counts` blocks, whose body is empty.
mlir::scf::ForallOp createBlocks(mlir::OpBuilder &b, mlir::Location loc,
                                 llvm::ArrayRef<mlir::OpFoldResult> counts);

/// Computes `part` of `op` at the insertion point; returns the new op.
mlir::linalg::LinalgOp emitPartOf(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                                  const GroupPart &part);

/// Returns the shape of `part` with an upper bound for each size that is the
/// minimum of numbers one of which is known; other unknown sizes are dynamic.
llvm::SmallVector<int64_t> getLargestShape(mlir::memref::SubViewOp part);

/// Returns the parts of `buffer` that `group`, and nothing else, uses; none if
/// some differ from others.
llvm::SmallVector<mlir::memref::SubViewOp>
collectGroupParts(mlir::memref::AllocOp buffer, mlir::scf::ForallOp group);

/// Reduces rows in buffers of `roots` that are too long for workgroup memory,
/// as rows of scores may be, tile by tile of their columns. A block computes
/// each tile where it uses it. Returns the bytes of workgroup memory for the
/// tiles, 0 if there are no such rows.
int64_t tileColumns(mlir::scf::ForallOp group,
                    llvm::ArrayRef<mlir::Value> roots);

/// Moves buffers of `roots` that only `group` uses, each block its own part, to
/// workgroup memory, the first ones first, as long as there is room besides
/// `usedBytes`.
void placePrivateBuffers(mlir::scf::ForallOp group,
                         llvm::ArrayRef<mlir::Value> roots,
                         int64_t usedBytes = 0);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_GROUPACCESSES_H
