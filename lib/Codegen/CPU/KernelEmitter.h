//===- KernelEmitter.h - Building blocks of vector kernels ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the kernels of flywheel-vectorize-kernels: how an operand is
// accessed along one loop, loops that fold when their bounds are known, and
// loads and stores of one vector that work for every layout.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_KERNELEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_CPU_KERNELEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace flywheel {

/// The way in which the element of an operand changes from one iteration of a
/// loop to the next.
enum class AccessKind {
  /// Not at all.
  Uniform,
  /// It is the next element in memory, along the innermost memref dimension
  /// except for those of one element: a vector load or store accesses all
  /// lanes.
  Contiguous,
  /// It is anywhere else: each lane is accessed separately.
  Strided
};

/// Classifies the access of an operand of type `type` with indexing map `map`
/// along the loop `dim`. A tensor counts as the buffer that it will be, with
/// contiguous rows. Types that memory holds padded (i1) are never `Contiguous`.
AccessKind classifyAccess(mlir::AffineMap map, mlir::Type type, unsigned dim);

/// True if the operand can be accessed by `memref.load`: all memrefs whose
/// element is an integer, index or float, and scalars of those types.
bool hasVectorizableElement(mlir::Type type);

/// The lanes of a vector that are in use: all if `mask` is null, otherwise
/// those of the loop iterations up to and including `last`, at least one of
/// which exists.
struct Lanes {
  int64_t length;
  mlir::Value mask;
  mlir::OpFoldResult last;
};

/// Emits kernels at the builder's insertion point. All indices are
/// `OpFoldResult`s so that static shapes give constant bounds.
class KernelEmitter {
public:
  using Fold = mlir::OpFoldResult;
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Fold iv, mlir::ValueRange args)>;

  KernelEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  Fold index(int64_t value) { return b.getIndexAttr(value); }
  mlir::Value value(Fold fold);
  Fold add(Fold lhs, Fold rhs);
  Fold add(Fold lhs, int64_t rhs) { return add(lhs, index(rhs)); }
  Fold sub(Fold lhs, Fold rhs);
  Fold min(Fold lhs, Fold rhs);
  /// Returns the greatest multiple of `step` that is not above `size`.
  Fold alignDown(Fold size, int64_t step);

  /// Emits a loop from `lower` below `upper` that carries `init`. Emits no loop
  /// for at most one iteration known statically, or if `unroll` is set.
  llvm::SmallVector<mlir::Value> loop(Fold lower, Fold upper, int64_t step,
                                      mlir::ValueRange init, LoopBody body);

  /// Emits loops over the whole of each of `dims`, outermost first, that set
  /// `ivs[dim]` and carry `init`.
  llvm::SmallVector<mlir::Value>
  nest(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<Fold> sizes,
       llvm::MutableArrayRef<Fold> ivs, mlir::ValueRange init,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
           body);

  /// Emits one loop over all iterations of `dims`, if all but the first of them
  /// have static sizes: sums that are carried by a loop inside of a short one
  /// would be stored to memory between the two.
  llvm::SmallVector<mlir::Value>
  flatNest(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<Fold> sizes,
           llvm::MutableArrayRef<Fold> ivs, mlir::ValueRange init,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
               body);

  /// Emits `body` under the condition `lhs > rhs`, which may fold.
  void ifGreater(Fold lhs, Fold rhs, llvm::function_ref<void()> body);

  /// Returns the lanes of a vector of `length` that starts at iteration `iv` of
  /// a loop of `size` iterations. If the first lane is out of range, all are.
  Lanes lanes(int64_t length, Fold iv, Fold size);

  llvm::SmallVector<mlir::Value> indices(mlir::AffineMap map,
                                         llvm::ArrayRef<Fold> ivs);

  /// Reads the scalar of a memref operand, or the scalar operand itself.
  mlir::Value loadScalar(mlir::Value source, mlir::AffineMap map,
                         llvm::ArrayRef<Fold> ivs);

  /// Reads `lanes` elements along the loop `dim`, starting at `ivs`. Unused
  /// lanes hold some value, and reading them touches no memory out of bounds.
  mlir::Value loadVector(mlir::Value source, mlir::AffineMap map,
                         llvm::ArrayRef<Fold> ivs, unsigned dim, Lanes lanes);

  /// Writes `lanes` elements along the loop `dim`, starting at `ivs`. With
  /// `streams` all lanes are a cache line, which is written around the caches.
  void storeVector(mlir::Value vector, mlir::Value target, mlir::AffineMap map,
                   llvm::ArrayRef<Fold> ivs, unsigned dim, Lanes lanes,
                   bool streams = false);

  /// Transposes the square matrix whose rows are `rows`. The length of the
  /// vectors must be a power of two.
  void transpose(llvm::MutableArrayRef<mlir::Value> rows);

  /// Returns `scalar` in each lane; constants become dense constants.
  mlir::Value broadcast(mlir::Value scalar, int64_t length);

  mlir::OpBuilder &b;
  mlir::Location loc;
  /// True if `loop` unrolls static loops.
  bool unroll = false;
};

/// Returns the sizes of the loops of `op`, static if the operands' types are.
llvm::SmallVector<mlir::OpFoldResult> getLoopSizes(mlir::OpBuilder &builder,
                                                   mlir::linalg::LinalgOp op);

/// Returns a constant that the index `size` does not exceed, or
/// `ShapedType::kDynamic` if none can be proved.
int64_t getUpperBound(mlir::OpFoldResult size);

/// Returns true if `value` is, or is part of, memory of `memref.alloca`.
bool isOnStack(mlir::Value value);

constexpr int64_t kCacheLineBytes = 64;

/// A matrix that is read after a contraction, and fetched during its sum.
struct FetchedTile {
  mlir::Value source;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// Upper bounds of the sizes.
  int64_t maxRows, maxColumns;
  bool isWritten;
  /// The steps of sums in which it is fetched, if not those of one tile alone,
  /// and which of them is the first one of the current tile.
  int64_t numSteps = 0;
  mlir::OpFoldResult firstStep = {};
  /// The hint of `memref.prefetch`: 3 for L1, 2 for L2.
  unsigned locality = 3;

  /// Return the elements of a cache line, the lines of a row, and those of all
  /// rows.
  int64_t getLineLength() const;
  int64_t countLinesOfRow() const;
  int64_t countLines() const { return maxRows * countLinesOfRow(); }
};

/// Returns the tiles that the op right after the contraction `op` reads, apart
/// from the output of `op`, and that have few lines each. Moves ops before `op`
/// so that these exist there.
llvm::SmallVector<FetchedTile> findEpilogueTiles(mlir::RewriterBase &rewriter,
                                                 mlir::linalg::LinalgOp op);

/// Returns the panel that is copied to `operand` of the contraction `op` next,
/// in the following iteration of a loop that has a copy and then several tiles
/// like `op`, of `steps` steps each. Inserts ops before `op`.
std::optional<FetchedTile> findNextPanel(mlir::RewriterBase &rewriter,
                                         mlir::linalg::LinalgOp op,
                                         mlir::OpOperand &operand,
                                         int64_t steps);

/// Emits a prefetch of a line of `tile`, counted row by row, or of another line
/// if the tile has fewer rows or columns.
void prefetchLine(KernelEmitter &e, const FetchedTile &tile,
                  mlir::OpFoldResult line);

/// Returns the `linalg.fill`, if any, of the output of `op` that precedes it in
/// its block with no access to memory in between.
mlir::linalg::LinalgOp findPrecedingFill(mlir::linalg::LinalgOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_KERNELEMITTER_H
