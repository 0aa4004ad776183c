//===- ElementLaunch.h - Launches of independent threads --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_ELEMENTLAUNCH_H
#define FLYWHEEL_LIB_CODEGEN_GPU_ELEMENTLAUNCH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace flywheel {

/// A launch, and in it the number of what a thread is to compute.
struct ElementLaunch {
  mlir::gpu::LaunchOp launch;
  mlir::Value number;
};

/// Emits a launch whose threads share nothing, and compute `count` elements,
/// numbered from 0. Leaves `b` where one element is computed.
ElementLaunch emitElementLaunch(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value count);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_ELEMENTLAUNCH_H
