//===- GroupAccesses.h - What ops of a group do to buffers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_GROUPACCESSES_H
#define FLYWHEEL_LIB_CODEGEN_GPU_GROUPACCESSES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <vector>

namespace flywheel {

/// Blocks that keep every multiprocessor of a large GPU busy: two for each.
inline constexpr int64_t kManyBlocks = 264;
/// Blocks that are enough where more would cost something else.
inline constexpr int64_t kEnoughBlocks = 128;
/// Rows of a block of products of many matrices at least.
inline constexpr int64_t kLeastRows = 16;
/// Bytes of a result that stay in the cache of a large GPU, which has 40 MB,
/// until the launches that read it are done.
inline constexpr int64_t kCachedBytes = 16 << 20;

/// Bytes of rows from which on they are tiled: two of them are all that a group
/// may have in workgroup memory.
inline constexpr int64_t kLongBytes = 16 * 1024;

/// How an op reads or writes one of its buffers.
struct BufferAccess {
  /// What was allocated or passed to the function; null where that is unknown.
  mlir::Value root;
  /// Whether the buffer is all of the root, in its order.
  bool isRegular = false;
  /// How many of its first dimensions are those of the root, whole: what is
  /// sliced of it is sliced within them.
  unsigned numWhole = 0;
  bool isWritten = false;
  mlir::AffineMap map;
  llvm::SmallVector<int64_t> shape;

  /// Whether the first dimensions of the buffer are the first `numDims` of
  /// `dims`, and no others are: then rows of the op use rows of the buffer.
  /// `sizes` are those of the loops.
  bool isOfRows(llvm::ArrayRef<unsigned> dims, unsigned numDims,
                llvm::ArrayRef<int64_t> sizes) const;
};

/// The extent of a loop.
struct Extent {
  /// Where it is known when it is compiled.
  std::optional<int64_t> known;
  /// Else the buffer, an argument of the function, that has it as the size of
  /// its dimension `dim`, or the number itself.
  mlir::Value source;
  unsigned dim = 0;

  bool operator==(const Extent &other) const {
    return known == other.known && source == other.source && dim == other.dim;
  }
  bool operator!=(const Extent &other) const { return !(*this == other); }
};

/// The extent of `dim`, a dimension of `buffer`; none where nothing is known of
/// it.
std::optional<Extent> findExtent(mlir::Value buffer, unsigned dim);

/// A number of rows that work can be divided into: the product of the extents
/// of some loops. Known ones that are next to each other are one.
struct RowCount {
  llvm::SmallVector<Extent, 2> extents;

  static RowCount get(int64_t known) {
    RowCount count;
    count.extents.push_back({known, mlir::Value(), 0});
    return count;
  }
  /// Where the number is known when it is compiled.
  std::optional<int64_t> getKnown() const {
    return extents.size() == 1 ? extents.front().known : std::nullopt;
  }
  bool isOne() const { return getKnown() == 1; }
  /// Whether it is one extent that is not known.
  bool isUnknownAlone() const {
    return extents.size() == 1 && !extents.front().known;
  }
  /// Makes it rows of rows: `extent` for each.
  void multiply(const Extent &extent);
  bool operator==(const RowCount &other) const {
    return extents == other.extents;
  }
};

/// Which iterations of an op one block computes: an offset and a size for each
/// loop that is divided, and size 0 for others.
struct GroupPart {
  explicit GroupPart(mlir::linalg::LinalgOp op);

  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
};

/// The op in the body of `op` that joins two partial results, for each result;
/// empty where `op` is no reduction or partial results cannot be joined.
llvm::SmallVector<mlir::Operation *> matchCombiners(mlir::linalg::LinalgOp op);

/// Whether the last dimension of the first input of `op` that has dimensions is
/// along a loop that is a reduction.
bool reducesAlongMemory(mlir::linalg::LinalgOp op);

/// Whether `op` is a contraction that reads each input several times.
bool isKernel(mlir::linalg::LinalgOp op);

/// A structured op on buffers that may be part of a group, with the fill of its
/// result where it starts from one.
class GroupMember {
public:
  explicit GroupMember(mlir::linalg::LinalgOp op);

  /// The numbers of rows that the op can be divided into: 1 where it has at
  /// most `maxAlone` iterations.
  llvm::SmallVector<RowCount> getRowCounts(int64_t maxAlone) const;
  /// How many of `rowDims` are the rows where there are `count`.
  unsigned getNumRowDims(const RowCount &count) const;
  /// Which of `rowDims` are each extent of `count`. Some that have one
  /// iteration are none.
  std::vector<llvm::SmallVector<unsigned>>
  getExtentDims(const RowCount &count) const;
  /// How many iterations of other loops one row of `count` is, as far as that
  /// is known; what is not known counts as `unknown`.
  int64_t countPerRow(const RowCount &count, int64_t unknown) const;
  /// How many iterations of these dims are one row of `count`.
  int64_t getRowSize(const RowCount &count) const;
  /// Whether tiling loops by `tile`, where it is not 0, gives slices.
  bool canTile(llvm::ArrayRef<int64_t> tile) const;
  /// Whether one of both writes what the other one uses, as far as is known.
  bool conflictsWith(const GroupMember &other) const;
  /// Whether the op reduces, and its first input has the last of `numDims` of
  /// `rowDims` along its last dimension.
  bool hasRowsSideBySide(unsigned numDims) const;
  /// What partial results start from where the op is a reduction with one
  /// result whose partial ones can be joined; null without.
  mlir::TypedAttr getIdentity() const;
  /// The number of iterations of `dim`.
  mlir::OpFoldResult emitExtent(mlir::OpBuilder &b, unsigned dim) const;
  /// The loop along each dimension of the first result.
  llvm::SmallVector<unsigned> getLoopsOfResult() const;
  /// Whether the op is a contraction that is computed by tiles of its result,
  /// not by batches.
  bool isProduct() const;

  /// Computes `part` of the op, and of the fill, at the insertion point;
  /// returns the op that does.
  mlir::linalg::LinalgOp emitPart(mlir::OpBuilder &b,
                                  const GroupPart &part) const;
  void erase() const;

  /// A handle, whose methods are not `const`.
  mutable mlir::linalg::LinalgOp op;
  mutable mlir::linalg::FillOp fill;
  llvm::SmallVector<BufferAccess> accesses;
  /// Parallel loops in the order of the dimensions of the first result.
  llvm::SmallVector<unsigned> rowDims;
  llvm::SmallVector<int64_t> sizes;
  /// Joins two partial results; null where the op is no such reduction.
  mlir::Operation *combiner = nullptr;

private:
  std::optional<Extent> findLoopExtent(unsigned dim) const;
};

/// Ops in their order, between which nothing else uses memory.
using GroupRun = std::vector<GroupMember>;

/// Makes copies structured ops: contiguous ones are `memcpy` on the host only.
void structureCopies(mlir::Operation *function);

/// Sizes of a tile of the result of `op`, a contraction, by loop, as its
/// schedule says; 0 for others.
llvm::SmallVector<int64_t> chooseTile(mlir::linalg::LinalgOp op);

/// A loop over `counts` blocks, whose body is empty.
mlir::scf::ForallOp createBlocks(mlir::OpBuilder &b, mlir::Location loc,
                                 llvm::ArrayRef<mlir::OpFoldResult> counts);

/// Computes `part` of `op` at the insertion point; returns the op that does.
mlir::linalg::LinalgOp emitPartOf(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                                  const GroupPart &part);

/// The shape of `part` with the most that a size may be where it is the least
/// of some numbers one of which is known; a size of which nothing is known is
/// dynamic.
llvm::SmallVector<int64_t> getLargestShape(mlir::memref::SubViewOp part);

/// The parts of `buffer` that `group`, and nothing else, uses; none where some
/// are unlike others.
llvm::SmallVector<mlir::memref::SubViewOp>
collectGroupParts(mlir::memref::AllocOp buffer, mlir::scf::ForallOp group);

/// Reduces rows in buffers of `roots` that are too long for workgroup memory,
/// as rows of scores may be, tile by tile of their columns, each of which a
/// block computes where it is needed. Returns the bytes of workgroup memory for
/// that, 0 where there are no such rows.
int64_t tileColumns(mlir::scf::ForallOp group,
                    llvm::ArrayRef<mlir::Value> roots);

/// Puts buffers of `roots` that only `group` uses, each block its own part,
/// into workgroup memory, the first ones first, as long as there is room beside
/// `usedBytes`.
void placePrivateBuffers(mlir::scf::ForallOp group,
                         llvm::ArrayRef<mlir::Value> roots,
                         int64_t usedBytes = 0);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_GROUPACCESSES_H
