//===- SoftmaxParts.h - Parts of a softmax ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With m = max x and s = sum exp(x - m) over the last dimension:
//
//   softmax(x)     = exp(x - m) / s
//   log softmax(x) = (x - m) - log s
//
// No exponential overflows, and s >= 1. The ops for m, exp(x - m) and s are the
// same whoever asks, so that CSE leaves one copy for a loss and its gradient.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_SOFTMAXPARTS_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_SOFTMAXPARTS_H

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"

namespace flywheel::nn {

/// The values that softmax and its logarithm share, in the compute type.
struct SoftmaxParts {
  /// All but the last dimension size.
  llvm::SmallVector<DimSize> rows;
  /// From a point of the tensor to its row.
  mlir::AffineMap toRow;
  mlir::Value max, exps, sum;
};

/// Emits m of each row, in the compute type.
mlir::Value emitRowMax(LinalgEmitter &e, mlir::Value x);

/// Emits the other parts, with `max` from `emitRowMax`. Emit other ops that
/// read x first, so that the exponentials can overwrite x.
SoftmaxParts emitSoftmaxParts(LinalgEmitter &e, mlir::Value x, mlir::Value max);

/// Emits log s of each row.
mlir::Value emitLogSum(LinalgEmitter &e, const SoftmaxParts &parts);

} // namespace flywheel::nn

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_SOFTMAXPARTS_H
