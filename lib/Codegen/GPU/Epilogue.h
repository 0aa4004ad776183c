//===- Epilogue.h - What is computed of a result in registers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EPILOGUE_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EPILOGUE_H

#include "ThreadEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace flywheel {

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

/// Emits the epilogue of a contraction, element by element.
class Epilogue {
public:
  /// `ops` are on the buffers that they use in the kernel. A buffer that is in
  /// registers is an allocation without a memory space.
  Epilogue(mlir::OpBuilder &b, llvm::ArrayRef<mlir::linalg::LinalgOp> ops);

  /// Applies the epilogue to `value`, the element of `result` at `indices`,
  /// which is stored unless `result` is in registers.
  void emit(mlir::Location loc, mlir::Value value, mlir::Value result,
            llvm::ArrayRef<mlir::Value> indices);

private:
  mlir::OpBuilder &b;
  std::vector<ThreadEmitter> members;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EPILOGUE_H
