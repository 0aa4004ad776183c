//===- Window.h - A window that slides over an image ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic that convolutions and pools share: numbers of windows and
// padding. See `#nn.padding`.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_WINDOW_H
#define FLYWHEEL_DIALECT_NN_WINDOW_H

#include "mlir/IR/AffineExpr.h"

#include <array>

namespace flywheel::nn {

/// A window that slides along one dimension of an image.
struct WindowDim {
  /// Positions that the window looks at, and the distance between two of them.
  int64_t size = 1, dilation = 1;
  /// The distance between two windows.
  int64_t stride = 1;
  PaddingKind padding = PaddingKind::valid;
  /// The numbers of elements that explicit padding adds in front and behind.
  int64_t before = 0, after = 0;

  /// The distance from the first position to behind the last one.
  int64_t getSpan() const { return (size - 1) * dilation + 1; }

  /// The smallest dimension size of an image that has a window.
  int64_t getLeastDimSize() const;

  /// The number of windows of an image of dimension size `dimSize`.
  mlir::AffineExpr getCount(mlir::AffineExpr dimSize) const;
  /// The same for a number; dynamic if that is.
  int64_t getCount(int64_t dimSize) const;

  /// Returns the dimension size of the image that a transposed convolution has
  /// of `count` windows, at least 1, unless it is given another one. Negative
  /// if padding is more than the image.
  int64_t getImageDimSize(int64_t count) const;

  /// Returns the number of elements that `same` padding adds to an image of
  /// dimension size `dimSize`, in front and behind together; negative if it
  /// adds none.
  mlir::AffineExpr getSamePadding(mlir::AffineExpr dimSize) const;
};

/// A window along height and width.
using Window = std::array<WindowDim, 2>;

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_WINDOW_H
