//===- ContractionEmitter.h - What kernels of sums share --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H

#include "FMASchedule.h"
#include "KernelEmitter.h"

#include "flywheel/Codegen/CPU/ContractionTile.h"

namespace flywheel {

/// Emits the loops of one contraction around its tiles of registers.
class ContractionEmitter {
public:
  using Fold = mlir::OpFoldResult;

  ContractionEmitter(mlir::RewriterBase &builder, Contraction contraction,
                     ContractionTile tile, mlir::Value fillValue)
      : e(builder, contraction.op.getLoc()),
        contraction(std::move(contraction)), tile(tile), fillValue(fillValue) {}
  virtual ~ContractionEmitter() = default;

  /// Returns true if C starts from the fill value: otherwise the fill is still
  /// needed.
  bool emit();

protected:
  /// `count` iterations from `base`. If `size` is set, those below `size`
  /// exist, otherwise all.
  struct Strip {
    Fold base;
    int64_t count;
    Fold size;
  };

  /// Emits the tiles of one iteration of the passes and the outer loops.
  virtual void emitTiles() = 0;

  /// Calls `body` for all iterations of `loops`, up to `length` at a time.
  /// Iterations of several loops, which have static sizes, are numbered
  /// together and unrolled.
  void emitStrips(mlir::ArrayRef<unsigned> loops, int64_t length,
                  llvm::function_ref<void(const Strip &)> body);
  /// Moves `ivs` of `loops` to iteration `i` of the strip, or to the last one
  /// that exists if that one does not.
  void moveTo(mlir::ArrayRef<unsigned> loops, const Strip &strip, int64_t i);
  /// Emits `body` for iteration `i` of the strip if it exists.
  void ifExists(const Strip &strip, int64_t i, llvm::function_ref<void()> body);
  /// Converts `value`, a number or a vector of `input`, to the type of C.
  mlir::Value widen(mlir::Value value, mlir::OpOperand *input);

  KernelEmitter e;
  Contraction contraction;
  ContractionTile tile;
  mlir::Value fillValue;
  llvm::SmallVector<Fold> sizes;
  /// The current iteration of every loop.
  llvm::SmallVector<Fold> ivs;
};

/// Emits `contraction`, whose lanes are along a reduction, with `rows` times
/// `columns` elements of C in registers. Returns as `ContractionEmitter::emit`.
bool emitLaneSums(mlir::RewriterBase &builder, Contraction contraction,
                  ContractionTile tile, mlir::Value fillValue);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_CONTRACTIONEMITTER_H
