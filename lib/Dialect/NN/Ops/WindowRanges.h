//===- WindowRanges.h - Windows by what they have of an image ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without padding, windows at the border of an image have fewer elements than
// those inside. In each dimension, windows with the same elements in the image
// are neighbours. So a few ops without a border replace one op with a border,
// and the image is not copied.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_WINDOWRANGES_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_WINDOWRANGES_H

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"

namespace flywheel {

/// Neighbouring windows that have the same elements in the image, in one
/// dimension: windows `begin` to `begin + count`, elements `first` to `first +
/// size`, of which the first one of the first window is at `offset`.
struct WindowRange {
  int64_t begin = 0, count = 0, first = 0, size = 0, offset = 0;
};

/// Ops that one with a border may become. Those of a 3x3 window are as many.
constexpr size_t kMaxWindowRanges = 9;

/// Splits `numWindows` windows of `dim` over an image of `dimSize` positions,
/// with `before` positions of padding before it. Returns none if a window has
/// no element in the image, or if there are more than `kMaxWindowRanges`
/// ranges.
llvm::SmallVector<WindowRange> splitWindows(int64_t numWindows,
                                            const nn::WindowDim &dim,
                                            int64_t before, int64_t dimSize);

/// A part of a tensor: some of dimension `dim` and of the next one, all of the
/// others.
class SpatialSlice {
public:
  SpatialSlice(LinalgEmitter &e, mlir::Value whole, unsigned dim,
               std::array<int64_t, 2> begins, std::array<int64_t, 2> counts);

  mlir::Value extract(mlir::Value whole) const;
  /// Inserts `part` into `whole` at the slice.
  mlir::Value insert(mlir::Value part, mlir::Value whole) const;

private:
  LinalgEmitter &e;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_WINDOWRANGES_H
