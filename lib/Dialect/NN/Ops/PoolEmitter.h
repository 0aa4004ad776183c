//===- PoolEmitter.h - Pools in linalg --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A maximum is found together with its place, the number of an element within
// the window, which its gradient needs as well: the op that finds them is the
// same for both, so that CSE merges the two.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_POOLEMITTER_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_POOLEMITTER_H

#include "WindowEmitter.h"

namespace flywheel {

/// Emits reductions over windows. Loops are batch, height, width and channels
/// of the outputs, then those of the window.
class PoolEmitter {
public:
  PoolEmitter(LinalgEmitter &emitter, const nn::Window &shape,
              llvm::ArrayRef<DimSize> image)
      : e(emitter), shape(shape), window(emitter, shape, image),
        dimSizes({image[0], window.getCount(0), window.getCount(1), image[3]}) {
  }

  mlir::AffineMap getImageMap();
  mlir::AffineMap getOutputMap() { return e.select(6, {0, 1, 2, 3}); }
  /// Returns the map of phases to positions of the padded output.
  mlir::AffineMap getPhaseMap();

  /// Gives the loops of a window their dimension sizes; it is never read.
  mlir::Value makeShape(int64_t height, int64_t width) {
    return e.empty({DimSize::constant(height), DimSize::constant(width)},
                   e.b.getI8Type());
  }
  mlir::AffineMap getShapeMap() { return e.select(6, {4, 5}); }

  /// Returns the number of element (p, q) of the window.
  mlir::Value numberElement(mlir::OpBuilder &b, mlir::Value p, mlir::Value q);

  /// Emits the maximum of each window of x, in the compute type, and the number
  /// of its element.
  std::pair<mlir::Value, mlir::Value> findMaxima(mlir::Value x);

  /// Emits `sums`, an element a window, divided by the number of positions of
  /// the image that the window covers.
  mlir::Value divideByCount(mlir::Value sums, mlir::Type type);

  /// Builds the contribution of one element of a window to a position of the
  /// image, from one element of each output and the number of the window's
  /// element.
  using ShareFn =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange args,
                                     mlir::Value row, mlir::Value column)>;

  /// Emits the positions of one phase, into `init`: the sum, from `zero`, of
  /// the contributions of the turned window over `slices`.
  mlir::Value gather(const std::array<WindowPhase, 2> &phases, mlir::Value init,
                     mlir::Value zero, mlir::ValueRange slices, ShareFn share);
  /// Emits the same for the positions of all blocks, a tensor of
  /// `blockDimSizes`.
  mlir::Value gatherBlocks(const std::array<Blocks, 2> &blocks,
                           llvm::ArrayRef<DimSize> blockDimSizes,
                           mlir::Value zero, mlir::ValueRange slices,
                           ShareFn share);
  /// Emits either for the whole image.
  mlir::Value scatter(mlir::Value zero, mlir::ValueRange outputs,
                      mlir::ValueRange padValues, ShareFn share);

  LinalgEmitter &e;
  nn::Window shape;
  WindowEmitter window;
  /// Those of the outputs.
  llvm::SmallVector<DimSize> dimSizes;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_POOLEMITTER_H
