//===- ConvolutionEmitter.h - Convolutions in linalg ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is one contraction (one for each phase, if a stride has few) of a
// padded image, a filter and an output: a sum over the loops that the third
// tensor lacks. No columns are gathered (im2col).
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_CONVOLUTIONEMITTER_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_CONVOLUTIONEMITTER_H

#include "WindowEmitter.h"

namespace flywheel {

/// Emits the contractions of one op. With groups, tensors are split: the
/// channels of images and the outputs into two dimensions, the group and the
/// channel in it; or, if a group has one of each, a filter's channels are
/// dropped.
class ConvolutionEmitter {
public:
  ConvolutionEmitter(LinalgEmitter &emitter, int64_t channels,
                     mlir::RankedTensorType filter)
      : e(emitter), groups(channels / filter.getDimSize(2)),
        isDepthwise(groups > 1 && filter.getDimSize(2) == 1 &&
                    filter.getDimSize(3) == groups),
        exchanges(!isDepthwise &&
                  (filter.getDimSize(2) > kFewChannels ||
                   filter.getDimSize(2) >= filter.getDimSize(3) / groups)) {}

  /// Returns true if copying the operands takes longer than the multiply-adds,
  /// so that several ops are faster than one op on a padded image.
  bool isBoundByMemory() const { return isDepthwise; }

  /// Splits an image or output by group.
  mlir::Value split(mlir::Value tensor);
  mlir::Value splitFilter(mlir::Value filter);
  llvm::SmallVector<DimSize> splitDimSizes(llvm::ArrayRef<DimSize> dimSizes);
  /// Joins a result to its declared form.
  mlir::Value join(mlir::Value tensor);
  mlir::Value joinFilter(mlir::Value filter);

  /// The maps of image, filter and output from the loops of the contraction.
  struct Maps {
    mlir::AffineMap image, filter, output;
  };
  Maps getMaps(llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> dilations);
  /// Returns the maps of an output, as the image that is read, of the turned
  /// filter, and of the image, as the output.
  Maps getTurnedMaps(llvm::ArrayRef<int64_t> dilations);
  /// Returns the same for blocks: rows and columns of filter and output are two
  /// loops each, those of a block inside.
  Maps getBlockMaps();

  /// Emits init + sum of a * b.
  mlir::Value contract(mlir::Value a, mlir::AffineMap aMap, mlir::Value b,
                       mlir::AffineMap bMap, mlir::Value init,
                       mlir::AffineMap map);

  /// Emits the sum of a * b in elements of the type of `place`, in whose place
  /// it is computed, or narrowed to it part by part: sums are never stored as a
  /// whole in a wider type.
  mlir::Value contractTo(mlir::Value place, mlir::Value a, mlir::AffineMap aMap,
                         mlir::Value b, mlir::AffineMap bMap,
                         mlir::AffineMap map);

  /// Returns the filter of the turned windows of a phase: its elements from
  /// last to first, with channels and outputs exchanged, so that it is
  /// contiguous in the dimension in which the image is contiguous. If there are
  /// too few channels to fill a vector, the outputs, over which it sums, stay
  /// contiguous.
  mlir::Value turnFilter(mlir::Value filter,
                         const std::array<WindowPhase, 2> &phases);
  /// Returns the filter of the turned windows of all positions of a block,
  /// filled up with zeros.
  mlir::Value turnFilter(mlir::Value filter,
                         const std::array<Blocks, 2> &blocks);

private:
  /// Channels that leave most of the lanes of a long vector unused.
  static constexpr int64_t kFewChannels = 7;

  Maps getMaps(llvm::ArrayRef<int64_t> strides,
               llvm::ArrayRef<int64_t> dilations, bool hasBlocks,
               bool keepsOrder);
  /// Emits `filter` read at `source`, with channels and outputs exchanged or
  /// not.
  mlir::Value turn(mlir::Value filter, llvm::SmallVector<DimSize> dimSizes,
                   llvm::SmallVector<mlir::AffineExpr> source);

  /// Splits the last dimension of `tensor` by group if needed.
  mlir::Value splitLast(mlir::Value tensor);
  mlir::Value joinLast(mlir::Value tensor);

  LinalgEmitter &e;
  int64_t groups;
  bool isDepthwise;
  /// True if turned filters have channels and outputs exchanged.
  bool exchanges;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_CONVOLUTIONEMITTER_H
