//===- Matmul.h - Products of two matrices ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_FUSION_MATMUL_H
#define FLYWHEEL_TRANSFORMS_FUSION_MATMUL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace flywheel {

/// Positions of the loops of C[m, n] += A[m, k] * B[k, n].
struct MatmulLoops {
  unsigned m, n, k;
};

/// The loops of `op` if it is a product of two matrices of floats, with B
/// indexed by (k, n) or (n, k), that is computed tile by tile.
std::optional<MatmulLoops> matchMatmul(mlir::linalg::LinalgOp op);

/// The `arith.truncf` that alone uses `element`, an argument of the body of an
/// op; null without.
mlir::Operation *getNarrowingOf(mlir::BlockArgument element);

} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_FUSION_MATMUL_H
