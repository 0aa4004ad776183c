//===- EpilogueOps.h - Ops that follow a contraction ---------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_EPILOGUEOPS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_EPILOGUEOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns the `codegen.along` of `op`: its iterations for an element of the
/// result of the contraction that it follows. Null without.
mlir::AffineMap getAlong(mlir::Operation *op);

/// Returns the buffer that `buffer` is a part of, in any shape.
mlir::Value getEpilogueRoot(mlir::Value buffer);

/// Returns the ops right after `contraction`, in its block, that have
/// `codegen.along`: a thread computes their iterations for the elements of the
/// result that it has in registers. Each element of a buffer that they write
/// belongs to one element of the result, and nothing else in the block uses it.
llvm::SmallVector<mlir::linalg::LinalgOp>
getEpilogue(mlir::linalg::LinalgOp contraction);

/// Returns true if `buffer`, which one block uses, is the result of a
/// contraction or of an op of its epilogue, and only the epilogue reads it:
/// then it needs no memory.
bool isInRegisters(mlir::Value buffer);

/// Returns true if the body of `op` is small enough to be repeated for each
/// element that a thread has in registers.
bool isSmallEpilogue(mlir::linalg::LinalgOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_GROUPS_EPILOGUEOPS_H
