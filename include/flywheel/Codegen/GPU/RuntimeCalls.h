//===- RuntimeCalls.h - Calls of the runtime for GPUs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that are called here are declared in flywheel/Runtime/GPU.h.
// Those that return a buffer do so through the C interface of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_GPU_RUNTIMECALLS_H
#define FLYWHEEL_CODEGEN_GPU_RUNTIMECALLS_H

#include "flywheel/Model/Manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace flywheel {

/// Returns the offset of the first variable in the state block.
int64_t getFirstOffset(const Manifest &manifest);

/// Returns true if `op` is a view of the header of the state block, which the
/// host keeps.
bool isOfHeader(mlir::Operation *op, const Manifest &manifest);

/// Emits calls of the runtime.
class RuntimeCalls {
public:
  RuntimeCalls(mlir::ModuleOp module, mlir::OpBuilder &b, mlir::Location loc)
      : module(module), b(b), loc(loc) {}

  mlir::Value index(int64_t number);

  /// Calls `flywheel_gpu_NAME`, whose arguments are numbers.
  mlir::func::CallOp call(llvm::StringRef name, mlir::TypeRange results,
                          mlir::ValueRange arguments);

  /// Calls a function that returns bytes of the device.
  mlir::Value callForBytes(llvm::StringRef name, mlir::ValueRange arguments);

  mlir::Value pointerTo(mlir::Value buffer);

  /// Returns the bytes of a buffer without gaps.
  mlir::Value sizeOf(mlir::Value buffer);

  /// Returns a buffer of the type of `like` at the start of `bytes`.
  mlir::Value view(mlir::Value bytes, mlir::Value like);

private:
  mlir::ModuleOp module;
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_GPU_RUNTIMECALLS_H
