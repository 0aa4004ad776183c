//===- FusionCosts.h - Where an elementwise op is computed ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes that decide this ask of ops on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_FUSION_FUSIONCOSTS_H
#define FLYWHEEL_LIB_TRANSFORMS_FUSION_FUSIONCOSTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Ops in the body of what is fused. Each fusion copies both bodies, so without
/// a bound a chain takes time quadratic in its length; and a loop over memory
/// has nothing to gain from more.
constexpr int64_t kMaxBodyOps = 256;

/// Arithmetic that a loop over memory has time for.
constexpr int64_t kMaxRepeatedOps = 4;

/// Arithmetic that takes less time than writing an element to memory, and
/// reading it back when it is in no cache any more.
constexpr int64_t kMaxFarOps = 8;

/// The bytes from which on a tensor is not expected in a cache when a loop that
/// is far away reads it.
constexpr int64_t kMinFarBytes = 1 << 20;

/// Ops in the body of a structured op, 0 of other ops.
int64_t countBodyOps(mlir::Operation *op);

/// Whether `op`, of a body, is one of the up to `kMaxRepeatedOps` that may be
/// repeated anywhere.
bool isCheap(mlir::Operation &op);

/// Whether `op`, of a body, is one of the up to `kMaxFarOps` that may be
/// repeated far away.
bool isCheapFarAway(mlir::Operation &op);

/// Whether `op` writes a variable or a result: its destination is an argument,
/// or another shape of one.
bool writesArgument(mlir::Operation *op);

/// Whether `op` computes from what its destination holds before it.
bool readsDestination(mlir::Operation *op);

/// Whether a product, a reduction or a loop is computed between `producer` and
/// the place of `consumer`.
bool isFarFrom(mlir::Operation *producer, mlir::Operation *consumer);

/// Whether `op` computes each element of its results, which are tensors of its
/// own, from elements of its inputs.
bool isElementwise(mlir::linalg::GenericOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_FUSION_FUSIONCOSTS_H
