//===- WinogradEmitter.h - Convolutions by Winograd's method ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A correlation of m + 2 numbers d with 3 numbers g has m results, and m + 2
// multiplications are enough for them: A^T ((G g) * (B^T d)), where * is
// elementwise. It is the transpose of multiplying a polynomial of degree m - 1
// by one of degree 2 at m + 1 points and infinity (Lavin and Gray, "Fast
// algorithms for convolutional neural networks", 2016). Along height and width
// that is a tile of m x m outputs from (m + 2)^2 inputs, and summed over
// channels a product of matrices for each of the (m + 2)^2 numbers.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_WINOGRADEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_CPU_WINOGRADEMITTER_H

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"

namespace flywheel {

/// A matrix of f64, in row-major order.
struct Coefficients {
  int64_t rows, columns;
  llvm::SmallVector<double> elements;

  Coefficients(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(rows * columns, 0.0) {}
  double &at(int64_t row, int64_t column) {
    return elements[row * columns + column];
  }
};

/// The matrices B^T, G and A^T for tiles of m outputs, 2 or 4.
struct WinogradMatrices {
  Coefficients input, filter, output;

  explicit WinogradMatrices(int64_t m);
};

/// The part of a convolution that is computed at a time: `rows` rows of tiles
/// of each of `images` images, whose output is `height` by `width`.
struct WinogradBlock {
  /// Outputs of a tile in each dimension.
  int64_t m = 0;
  int64_t images = 1, rows = 1;
  /// Tiles in a row.
  int64_t columns = 1;

  int64_t getLength() const { return m + 2; }
  int64_t countTiles() const { return images * rows * columns; }
};

/// Emits the parts of a convolution with a filter of 3 x 3.
class WinogradEmitter {
public:
  WinogradEmitter(LinalgEmitter &emitter, int64_t m) : e(emitter), m(m) {}

  /// Emits the transform of `filter`, whose dimensions `dims` are those of
  /// height, width, channels and outputs: [(m + 2)^2, channels, outputs].
  mlir::Value transformFilter(mlir::Value filter, llvm::ArrayRef<int64_t> dims);

  /// Emits the outputs of `block` as a tensor [images, rows * m, columns * m,
  /// outputs], which starts from `init` if that is given. `image` has the
  /// inputs of the block, or as many of them as exist. A profile counts the
  /// emitted ops as the op that they replace.
  mlir::Value emitBlock(const WinogradBlock &block, mlir::Value image,
                        mlir::Value filter, mlir::Value init);

private:
  mlir::Value coefficients(const Coefficients &matrix, mlir::Type type);
  /// Emits the sum over the last loop of `matrix`, whose indices are `row` and
  /// that loop, times `input`.
  mlir::Value apply(const Coefficients &matrix, unsigned row, mlir::Value input,
                    llvm::ArrayRef<mlir::AffineExpr> inputIndices,
                    llvm::ArrayRef<int64_t> shape, mlir::Value init = {});
  /// Attaches the work of the replaced op to the op that computes `value`.
  mlir::Value countWork(mlir::Value value);
  mlir::Value reshape(mlir::Value tensor, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<mlir::ReassociationIndices> groups);

  LinalgEmitter &e;
  int64_t m;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_WINOGRADEMITTER_H
