//===- LaunchTraffic.h - What launches move and compute ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_LAUNCHTRAFFIC_H
#define FLYWHEEL_LIB_CODEGEN_GPU_LAUNCHTRAFFIC_H

#include "AssumedSizes.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// What `op`, a group of blocks or a structured op in none, takes.
codegen::TrafficAttr measureTraffic(mlir::Operation *op);

/// What a launch takes of a buffer at least.
struct BufferTraffic {
  mlir::Value buffer;
  int64_t read = 0, written = 0;
};

/// What `op`, as above, takes of each buffer.
llvm::SmallVector<BufferTraffic> measureBuffers(mlir::Operation *op);

/// What a launch moves and computes, and how often a step makes it.
struct LaunchWork {
  llvm::SmallVector<BufferTraffic> buffers;
  int64_t accessed = 0, flops = 0, times = 1;

  codegen::TrafficAttr getTraffic(mlir::MLIRContext *context) const;
};

/// What the launches take that `op` becomes, in the order in which they are
/// emitted; nothing of an op that is not of `linalg_ext` on buffers.
llvm::SmallVector<LaunchWork> measureLaunches(mlir::Operation *op);

/// The buffer that `value` is a part of, as its traffic is counted.
mlir::Value getTrafficBuffer(mlir::Value value);

/// Bytes of `buffer`, and its elements, where sizes that the call chooses are
/// assumed.
int64_t countBufferBytes(mlir::Value buffer);
int64_t countBufferElements(mlir::Value buffer);

/// Operations on floats in an execution of `block`.
int64_t countBlockFlops(mlir::Block &block);

/// A product, and a sum, that stay at the largest number there is.
int64_t multiplyUp(int64_t lhs, int64_t rhs);
int64_t addUp(int64_t lhs, int64_t rhs);

/// Says on `op` what it takes, where nothing does; returns it.
codegen::TrafficAttr attachTraffic(mlir::Operation *op);

/// The same of each of `measureLaunches`, where there are any, as a list.
void attachLaunchTraffic(mlir::Operation *op);

/// What is noted of them, or what they take.
llvm::SmallVector<codegen::TrafficAttr> getLaunchTraffic(mlir::Operation *op);

/// Both together.
codegen::TrafficAttr addTraffic(codegen::TrafficAttr lhs,
                                codegen::TrafficAttr rhs);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_LAUNCHTRAFFIC_H
