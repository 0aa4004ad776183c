//===- BufferLife.h - What touches a buffer of a step -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_BUFFERLIFE_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_BUFFERLIFE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace flywheel {

/// A buffer of a step, an allocation or an argument, and the first and the last
/// op of the step's block that touches it or contains an op that does.
struct BufferLife {
  mlir::Value buffer;
  mlir::Operation *first = nullptr, *last = nullptr;
  /// The uses of the buffer and of its reshapes, by ops other than reshapes.
  llvm::SmallVector<mlir::OpOperand *> uses;
};

/// Returns the life of `buffer` in `block`, the block of a step. Returns
/// nothing if no op touches the buffer, or if an op forwards it to a value that
/// this analysis does not follow.
std::optional<BufferLife> findLife(mlir::Value buffer, mlir::Block &block);

/// Returns the last op of `block`, the block of a step, that is or contains a
/// check; null without checks. `flywheel-verify-checks-first` proves that no op
/// before it writes a variable.
mlir::Operation *findLastCheck(mlir::Block &block);

/// Appends the ops that read or write `view`, or reshapes and slices of it.
void appendTouching(mlir::Value view,
                    llvm::SmallVectorImpl<mlir::Operation *> &touching);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_BUFFERLIFE_H
