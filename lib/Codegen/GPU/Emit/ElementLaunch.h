//===- ElementLaunch.h - Launches of independent threads --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_ELEMENTLAUNCH_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_ELEMENTLAUNCH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace flywheel {

/// A launch, and in it the number of the element that a thread computes.
struct ElementLaunch {
  mlir::gpu::LaunchOp launch;
  mlir::Value number;
};

/// Emits a launch whose threads share nothing, and compute `count` elements,
/// numbered from 0. Moves `b` to the code for one element.
ElementLaunch emitElementLaunch(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value count);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_ELEMENTLAUNCH_H
