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
  bool isOfRows(llvm::ArrayRef<unsigned> dims, unsigned numDims) const;
};

/// A number of rows that work can be divided into.
struct RowCount {
  /// Where the number is known when it is compiled.
  std::optional<int64_t> known;
  /// Else the buffer, an argument of the function, that has it as the size of
  /// its dimension `dim`, or the number itself.
  mlir::Value source;
  unsigned dim = 0;

  bool isOne() const { return known == 1; }
  bool operator==(const RowCount &other) const {
    return known == other.known && source == other.source && dim == other.dim;
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
  /// The extent of the first row dimension.
  mlir::OpFoldResult emitExtent(mlir::OpBuilder &b) const;
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
  RowCount countFirst() const;
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
