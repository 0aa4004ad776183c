//===- KernelBlocks.h - Blocks of a kernel that checks end ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_HOST_KERNELBLOCKS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_HOST_KERNELBLOCKS_H

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

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_HOST_KERNELBLOCKS_H
