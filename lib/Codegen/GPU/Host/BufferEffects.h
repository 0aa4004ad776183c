//===- BufferEffects.h - What ops do to parts of buffers ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_HOST_BUFFEREFFECTS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_HOST_BUFFEREFFECTS_H

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace flywheel {

/// Returns the body of a call that is arithmetic: of one block, without a call.
/// Null for any other op.
mlir::Block *getArithmeticBody(mlir::Operation *op);

/// Returns the next block of a kernel if no check fails; null at the end.
mlir::Block *getNext(mlir::Block *block);

/// Returns the status that a block of a kernel returns if a check has failed; 0
/// for other blocks.
int32_t getFailureStatus(mlir::Block *block);

/// Return true if `op`, or an op in it, may write, or read, the part of its
/// root that `buffer` is. Different arguments and allocations are different
/// roots.
bool mayWrite(mlir::Operation *op, mlir::Value buffer);
bool mayRead(mlir::Operation *op, mlir::Value buffer);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_HOST_BUFFEREFFECTS_H
