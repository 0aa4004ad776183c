//===- WindowEmitter.h - Windows over images in linalg ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emission shared by convolutions and pools. Forward, the image is padded if
// needed, and each window reads it at stride `s`. Backward, few windows contain
// a given position of the image. All positions whose distance is a multiple of
// the stride (a phase) are in the same elements of their windows: phase by
// phase, the gradient is a window of stride 1 over the padded output, written
// to a strided slice of the image. That computes no value twice and no unused
// value, and no two writes overlap.
//
// If that would take many ops, the phases are loops of one op: the image is cut
// into blocks of `s` positions, and position `r` of each block is in elements
// r, r + s, ... of its windows.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_WINDOWEMITTER_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_WINDOWEMITTER_H

#include "WindowRanges.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"

namespace flywheel {

/// The elements of a window that reach one phase of the image, in one
/// dimension: `first`, `first + step`, ..., `count` of them. Turned around,
/// they are a window over the output.
struct WindowPhase {
  int64_t count = 0, first = 0, step = 1;
  /// The distance of two of them in the output.
  int64_t dilation = 1;
  /// The first position of the phase in the image, and its number of positions.
  mlir::OpFoldResult offset, size;
  /// The start of its window in the padded output.
  mlir::OpFoldResult begin;
  /// Elements of the turned window, in front and behind, that are left out:
  /// they are in no output. `begin` is that of the first other one.
  int64_t skippedFront = 0, skippedBehind = 0;

  /// Returns the elements that are not left out.
  int64_t getNumRead() const { return count - skippedFront - skippedBehind; }

  /// Returns the element of the window that element `i` of the turned one is.
  mlir::AffineExpr getElement(mlir::AffineExpr i) const {
    return -(i * step) + (first + (count - 1) * step);
  }
  /// Emits the same in the body of a structured op.
  mlir::Value emitElement(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value i) const;
};

/// The blocks that an image is cut into in one dimension: `number` blocks of
/// `stride` positions each, the first `length` of which are in windows.
/// Position r of a block is `r + stride * t` behind the start of the t-th
/// window before it; turned around, `count` of these windows are one window
/// over the output. The distance of element k of a window from its start is `k
/// * dilation`.
struct Blocks {
  int64_t stride = 1, length = 1, count = 1, dilation = 1;
  DimSize number;
};

/// Emits window ops of an image [batch, height, width, ...].
class WindowEmitter {
public:
  using Fold = mlir::OpFoldResult;

  /// `image` gives the dimension sizes; it need not be an operand.
  WindowEmitter(LinalgEmitter &emitter, const nn::Window &window,
                llvm::ArrayRef<DimSize> image);

  /// Returns the number of windows in each dimension.
  DimSize getCount(unsigned i) { return toDimSize(counts[i]); }

  /// Returns `output` with the dimension sizes that it is known to have: it has
  /// an element for each window, and `channels`.
  mlir::Value refineOutput(mlir::Value output, DimSize channels);

  /// Returns `image` with its padding set to `value`.
  mlir::Value pad(mlir::Value image, mlir::Value value);

  /// Returns true if there is no padding.
  bool isUnpadded() const;

  /// Emits the results of a range of windows in each dimension, given the slice
  /// of the image that they read.
  using RangeFn = llvm::function_ref<void(
      const std::array<WindowRange, 2> &ranges, mlir::Value slice)>;

  /// Splits the windows over `image` into parts that need no padding, and calls
  /// `emit` for each. Returns false, and emits nothing, if there is no padding,
  /// if sizes are dynamic, or if there are too many parts.
  bool emitRanges(mlir::Value image, RangeFn emit);

  /// In the body of a structured op, emits an i1 that is true if element
  /// `element` of window `output` is in the image, in dimension i.
  mlir::Value isInside(mlir::OpBuilder &b, unsigned i, mlir::Value output,
                       mlir::Value element);

  /// In the body of a structured op, emits the number of positions of the image
  /// that are in window `output`, in dimension i. Without dilation.
  mlir::Value countCovered(mlir::OpBuilder &b, unsigned i, mlir::Value output);

  /// Emits one phase, given an init and the slices of the padded outputs over
  /// which its turned window slides with stride 1.
  using PhaseFn = llvm::function_ref<mlir::Value(
      const std::array<WindowPhase, 2> &phases, mlir::Value init,
      mlir::ValueRange slices)>;

  /// Emits all phases: a tensor of `dimSizes`, those of the image but with two
  /// for height and width each, the number of blocks and their length.
  using BlockFn = llvm::function_ref<mlir::Value(
      const std::array<Blocks, 2> &blocks, llvm::ArrayRef<DimSize> dimSizes,
      mlir::ValueRange slices)>;

  /// Returns an image that starts as `zero` and whose positions in windows are
  /// computed from `outputs`, padded with `padValues`, by either `emitPhase` or
  /// `emitBlocks`. If `splits`, phases are divided into parts that need no
  /// padding, if these are few.
  mlir::Value scatter(mlir::Value zero, mlir::ValueRange outputs,
                      mlir::ValueRange padValues, PhaseFn emitPhase,
                      BlockFn emitBlocks, bool splits = false);

private:
  /// Returns the position of an element of a window; padding in front is below
  /// 0.
  mlir::Value emitPosition(mlir::OpBuilder &b, unsigned i, mlir::Value output,
                           mlir::Value element);
  Fold apply(mlir::AffineExpr expr, llvm::ArrayRef<Fold> symbols);
  static DimSize toDimSize(Fold fold);
  void computePadding(unsigned i);
  /// Returns the number of phases that windows reach.
  int64_t countPhases(unsigned i) const;
  /// Returns those of the phases that have positions.
  llvm::SmallVector<WindowPhase> makePhases(unsigned i);
  /// Returns the blocks of dimension `i`, and a phase with one position per
  /// block that describes the output elements that all blocks read.
  std::pair<Blocks, WindowPhase> makeBlocks(unsigned i);
  mlir::Value scatterPhases(mlir::Value zero, mlir::ValueRange outputs,
                            mlir::ValueRange padValues, PhaseFn emit,
                            bool splits);
  /// Divides `phases` into phases whose windows are inside of the outputs, if
  /// sizes are static and these are few.
  void splitPhases(std::array<llvm::SmallVector<WindowPhase>, 2> &phases);
  mlir::Value scatterBlocks(mlir::Value zero, mlir::ValueRange outputs,
                            mlir::ValueRange padValues, BlockFn emit);
  /// Joins the blocks of an image in `tensor`.
  mlir::Value joinBlocks(mlir::Value tensor, mlir::Value zero,
                         const std::array<Blocks, 2> &blocks,
                         llvm::ArrayRef<DimSize> dimSizes);
  /// Returns `outputs`, padded as `phases` need it, and moves the `begin` of
  /// `phases` accordingly.
  llvm::SmallVector<mlir::Value>
  padOutputs(mlir::ValueRange outputs, mlir::ValueRange padValues,
             std::array<llvm::MutableArrayRef<WindowPhase>, 2> phases);
  /// Returns the padding of the outputs that `phases` need in front and behind.
  std::pair<int64_t, int64_t>
  getOutputPadding(unsigned i, llvm::ArrayRef<WindowPhase> phases);
  /// Returns the part of `output` that the turned windows of `phases` slide
  /// over.
  mlir::Value sliceOutput(mlir::Value output,
                          const std::array<WindowPhase, 2> &phases);
  mlir::Value padSpatial(mlir::Value tensor, llvm::ArrayRef<Fold> low,
                         llvm::ArrayRef<Fold> high, mlir::Value value);

  LinalgEmitter &e;
  nn::Window window;
  llvm::SmallVector<DimSize> image;
  /// By dimension: the image's dimension size, the windows, the padding.
  std::array<Fold, 2> dimSizes, counts, before, after;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_WINDOWEMITTER_H
