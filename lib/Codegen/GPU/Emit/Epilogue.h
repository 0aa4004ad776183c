//===- Epilogue.h - What is computed of a result in registers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_EPILOGUE_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_EPILOGUE_H

#include "ThreadEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace flywheel {

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

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_EPILOGUE_H
