//===- FusionCosts.h - Costs of fusing elementwise ops ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost functions by which these passes decide what to fuse.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_FUSION_FUSIONCOSTS_H
#define FLYWHEEL_LIB_TRANSFORMS_FUSION_FUSIONCOSTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// The maximum number of ops in the body of a fused op. Each fusion copies both
/// bodies, so that a chain would take time quadratic in its length without a
/// bound; a loop over memory gains nothing from a longer body.
constexpr int64_t kMaxBodyOps = 256;

/// Arithmetic that a loop over memory has time for.
constexpr int64_t kMaxRepeatedOps = 4;

/// Arithmetic that takes less time than writing an element to memory, and
/// reading it back when it is in no cache any more.
constexpr int64_t kMaxFarOps = 8;

/// The bytes from which on a tensor is not expected in a cache when a loop that
/// is far away reads it.
constexpr int64_t kMinFarBytes = 1 << 20;

/// Returns the number of ops in the body of a structured op, 0 for other ops.
int64_t countBodyOps(mlir::Operation *op);

/// Returns true if `op`, of a body, may be repeated anywhere, as one of up to
/// `kMaxRepeatedOps`.
bool isCheap(mlir::Operation &op);

/// Returns true if `op`, of a body, may be repeated far away, as one of up to
/// `kMaxFarOps`.
bool isCheapFarAway(mlir::Operation &op);

/// Returns true if `op` writes a variable or a result: its destination is an
/// argument or a reshape of one.
bool writesArgument(mlir::Operation *op);

/// Returns true if `op` reads the previous elements of its destination.
bool readsDestination(mlir::Operation *op);

/// Returns true if a product, a reduction or a loop runs between `producer` and
/// `consumer`.
bool isFarFrom(mlir::Operation *producer, mlir::Operation *consumer);

/// Returns true if `op` computes each element of its results, which are tensors
/// of its own, from elements of its inputs.
bool isElementwise(mlir::linalg::GenericOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_FUSION_FUSIONCOSTS_H
