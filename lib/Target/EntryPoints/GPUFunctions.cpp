//===- GPUFunctions.cpp - Variables of a GPU for a caller in C ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"

using namespace mlir;

namespace flywheel {

/// Declares a function of the runtime (flywheel/Runtime/GPU.h).
static func::FuncOp declare(ModuleOp module, StringRef name,
                            ArrayRef<Type> arguments, ArrayRef<Type> results) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), name,
                                       b.getFunctionType(arguments, results));
  function.setPrivate();
  return function;
}

void EntryPointBuilder::emitGPUFunctions() {
  func::FuncOp toHost =
      declare(module, "flywheel_gpu_to_host", {ptr, i32}, {i32});
  func::FuncOp release = declare(module, "flywheel_gpu_release", {ptr}, {});
  // These functions do not check the caller's block: before the first step, the
  // GPU has nothing for it.
  func::FuncOp func = beginFunction(prefix + "_to_host", i32, {ptr, i32});
  emitReturn(emitCall(toHost, {func.getArgument(0), func.getArgument(1)}));
  func = beginFunction(prefix + "_release", Type(), {ptr});
  func::CallOp::create(b, loc, release, func.getArgument(0));
  emitReturn();
}

} // namespace flywheel
