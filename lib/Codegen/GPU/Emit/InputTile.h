//===- InputTile.h - Tiles of an input in workgroup memory ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_INPUTTILE_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_INPUTTILE_H

#include "ThreadEmitter.h"

namespace flywheel {

/// One input of a contraction, tiles of which all threads of a block copy to
/// workgroup memory: [stages][outer][pitch]. Terms are the fast dimension if
/// the input is contiguous along them, and the slow one if not. Elements after
/// the end of the input are zeros.
class InputTile {
public:
  /// A tile has `side` of the iterations of `dims`, and `depth` terms. Its
  /// elements are of type `element`, to which those of the input are narrowed.
  /// With `canCopyAsync` the chip can copy asynchronously.
  InputTile(ThreadEmitter &threads, mlir::OpOperand &input,
            llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<unsigned> terms,
            int64_t side, int64_t depth, mlir::Type element,
            bool usesTensorCores, bool canCopyAsync);

  /// Returns the shape of the buffer of `stages` tiles.
  llvm::SmallVector<int64_t> getShape(int64_t stages) const {
    return {stages, isAlongTerms ? side : depth, pitch};
  }
  mlir::Type getElement() const { return element; }

  /// Sets the memory of the tiles, and the first iteration of `dims` in them;
  /// `thread` is the number of the thread in the block.
  void setPlace(mlir::Value memory, mlir::Value firstOfSide,
                mlir::Value thread) {
    buffer = memory;
    first = firstOfSide;
    this->thread = thread;
  }

  /// Copies the tile from term `firstTerm` on to `slot`, if copies are
  /// asynchronous: they have to be committed.
  void emitAsyncCopy(mlir::Value firstTerm, mlir::Value slot);
  /// `emitLoads` loads this thread's part of the tile, if copies are not
  /// asynchronous; `emitStores` stores the loaded values.
  llvm::SmallVector<mlir::Value> emitLoads(mlir::Value firstTerm);
  /// Returns the types of the results of `emitLoads`.
  llvm::SmallVector<mlir::Type> getLoadTypes() const;
  void emitStores(mlir::ValueRange values, mlir::Value slot);

  /// Returns indices in the buffer.
  llvm::SmallVector<mlir::Value> getIndices(mlir::Value slot, mlir::Value row,
                                            mlir::Value term) const {
    return isAlongTerms ? llvm::SmallVector<mlir::Value>{slot, row, term}
                        : llvm::SmallVector<mlir::Value>{slot, term, row};
  }

  bool isAsync = false;
  bool isAlongTerms;
  mlir::Value buffer;
  int64_t side, depth, pitch;

private:
  /// A vector of the tile that a thread copies.
  struct Vector {
    /// Its position in the tile, and in the iterations of the op.
    mlir::Value row, term, rowNumber, termNumber;
    /// True if the vector is in the input, and in the tile; null for always.
    mlir::Value isInside, isInTile;
  };
  int64_t countVectors() const;
  Vector locate(int64_t number, mlir::Value firstTerm);
  /// Loads the elements of the input from the indices of the loops on.
  mlir::Value emitLoad(const Vector &vector);
  int64_t chooseWidth() const;

  ThreadEmitter &threads;
  mlir::OpOperand &input;
  llvm::SmallVector<unsigned> dims, terms;
  mlir::Type element;
  mlir::Value first, thread, count, numTerms;
  /// Elements that a thread copies at a time.
  int64_t width = 1;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_INPUTTILE_H
