//===- ReuseOperandBuffers.h - Elementwise results in operands --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_REUSEOPERANDBUFFERS_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_REUSEOPERANDBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace flywheel {

/// A buffer that is none any more: another one stands for it.
struct ReusedBuffer {
  /// In no block.
  mlir::memref::AllocOp alloc;
  /// The op that followed it.
  mlir::Operation *next = nullptr;
  /// Its uses, which are of the other one.
  llvm::SmallVector<mlir::OpOperand *> uses;
};

/// Gives results of elementwise ops, in a function of one block, the buffers of
/// operands that no later op reads, or operands the buffers of results that the
/// step writes to arguments, if they have at least `minBytes`. Call
/// `undoReuse` or `keepReuse` for the replaced buffers before anything else
/// changes.
llvm::SmallVector<ReusedBuffer> reuseOperandBuffers(mlir::func::FuncOp function,
                                                    int64_t minBytes);

/// Gives each operand and result its own buffer again.
void undoReuse(llvm::ArrayRef<ReusedBuffer> reused);

/// Deletes the buffers that are left over.
void keepReuse(llvm::ArrayRef<ReusedBuffer> reused);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_REUSEOPERANDBUFFERS_H
