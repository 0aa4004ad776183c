//===- ColumnEmitter.h - Contractions whose lanes are columns ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that FMAKernel.cpp describes. ColumnPrefetch.cpp has their
// prefetches, ColumnStore.cpp the stores of their sums.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_COLUMNEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_CPU_COLUMNEMITTER_H

#include "ContractionEmitter.h"

namespace flywheel {

/// Emits the kernels of a contraction whose lanes are columns of C.
class ColumnEmitter : public ContractionEmitter {
public:
  /// `fetched` are the tiles to fetch during the only reduction.
  ColumnEmitter(mlir::RewriterBase &builder, Contraction contraction,
                ContractionTile tile, mlir::Value fillValue,
                llvm::SmallVector<FetchedTile> fetched)
      : ContractionEmitter(builder, std::move(contraction), tile, fillValue),
        fetched(std::move(fetched)) {}

  /// Like `emit`.
  bool emitAll();

private:
  /// Columns of one tile: one vector from each of `bases`.
  struct Columns {
    llvm::SmallVector<Fold> bases;
    llvm::SmallVector<Lanes> lanes;
  };

  void emitTiles() override;
  void emitBlock();
  void emitColumns(llvm::function_ref<void(const Columns &)> body);
  void emitTile(const Strip &rows, const Columns &columns);
  llvm::SmallVector<mlir::Value> emitStep(const Strip &rows,
                                          const Columns &columns,
                                          mlir::ValueRange accumulators);
  /// Chooses `slide`.
  void chooseSlide();
  /// Fetches the vectors of A that the next iteration of the outer loops reads
  /// and this one does not.
  void prefetchLanes(const Strip &rows, const Columns &columns);
  /// Emits `emitStep` for all iterations of `slide`.
  llvm::SmallVector<mlir::Value> emitSlide(const Strip &rows,
                                           const Columns &columns,
                                           mlir::ValueRange accumulators);
  /// Returns -`factor` if products are subtracted: it is part of the
  /// multiply-add.
  mlir::Value negateIfSubtracted(mlir::Value factor);
  /// Emits `emitStep` for two iterations of the last reduction, of bf16.
  llvm::SmallVector<mlir::Value> emitPairStep(const Strip &rows,
                                              const Columns &columns,
                                              mlir::ValueRange accumulators);
  /// Loads for each row the pair of elements of A at the current iteration of
  /// the last reduction and the next one, in all lanes of a vector.
  llvm::SmallVector<mlir::Value> loadPairs(const Strip &rows,
                                           mlir::VectorType type);
  /// Emits the inner reductions, or the current block of the last of them.
  llvm::SmallVector<mlir::Value> emitReduction(const Strip &rows,
                                               const Columns &columns,
                                               mlir::ValueRange accumulators);
  Columns columnsAt(Fold base, int64_t numVectors, Fold size);
  /// Fetches the lines of `fetched` that the next `count` steps are to fetch.
  void prefetchLines(int64_t count);
  /// Fetches the rows of A of a later step, if nothing else does.
  void prefetchRows(const Strip &rows);
  /// Fetches the columns of B of `count` later steps, if B is far away and is
  /// read where it is.
  void prefetchColumns(const Columns &columns, int64_t count);
  /// Calls `fetch` with the last reduction at later step `number`.
  void prefetchStep(int64_t number, llvm::function_ref<void()> fetch);
  /// Returns true if the last reduction is long enough to fetch ahead.
  bool hasManySteps();
  /// Stores the sums of a tile; around the caches if `streams` is set.
  void storeTile(const Strip &rows, const Columns &columns,
                 mlir::ValueRange accumulators, bool streams);
  /// Chooses `isStreamed`.
  void chooseStreaming();
  bool isTurned();
  /// Transposes the sums, so that rows of C are stored as vectors.
  void storeTurned(const Strip &rows, const Columns &columns,
                   mlir::ValueRange accumulators);

  /// If A is read as vectors: the reduction, if any, along which neighbouring
  /// rows read the same vectors of A. Each of these is loaded once, and the
  /// vectors of B are in registers for the whole reduction.
  std::optional<Slide> slide;
  /// True if C is stored around the caches; null if it is not.
  mlir::Value isStreamed;
  /// The block of the last reduction that is computed; the whole reduction if
  /// the schedule has no blocks.
  Strip block{};
  /// The tiles that are fetched line by line in the steps of the only
  /// reduction.
  llvm::SmallVector<FetchedTile> fetched;
};

/// Returns the bytes from the first element of the buffer that `value` is part
/// of to the end of its last outermost one; null if that is not known.
mlir::OpFoldResult getSpan(KernelEmitter &e, mlir::Value value);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_COLUMNEMITTER_H
