//===- LaunchTraffic.h - What launches move and compute ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_REPORT_LAUNCHTRAFFIC_H
#define FLYWHEEL_LIB_CODEGEN_GPU_REPORT_LAUNCHTRAFFIC_H

#include "AssumedSizes.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// Returns the traffic of `op`, a group of blocks or a structured op outside of
/// groups.
codegen::TrafficAttr measureTraffic(mlir::Operation *op);

/// The least bytes that a launch reads and writes of a buffer.
struct BufferTraffic {
  mlir::Value buffer;
  int64_t read = 0, written = 0;
};

/// Returns the bytes of each buffer that `op`, as above, reads and writes.
llvm::SmallVector<BufferTraffic> measureBuffers(mlir::Operation *op);

/// The bytes that a launch moves, the operations that it computes, and how
/// often a step runs it.
struct LaunchWork {
  llvm::SmallVector<BufferTraffic> buffers;
  int64_t accessed = 0, flops = 0, times = 1;

  codegen::TrafficAttr getTraffic(mlir::MLIRContext *context) const;
};

/// A block sorts 2^this indices: keys of 8 bytes, twice, are 32 KB, the least
/// that a GPU has.
inline constexpr unsigned kNumSortTileBits = 11;

/// Returns the work of the launches that `op` becomes, in the order in which
/// they are emitted; empty if `op` is not an op of `linalg_ext` on buffers.
llvm::SmallVector<LaunchWork> measureLaunches(mlir::Operation *op);

/// Returns the buffer that `value` is a part of, as its traffic is counted.
mlir::Value getTrafficBuffer(mlir::Value value);

/// Return the bytes of `buffer`, and its elements. Sizes that the call chooses
/// are assumed.
int64_t countBufferBytes(mlir::Value buffer);
int64_t countBufferElements(mlir::Value buffer);

/// Returns the operations on floats in an execution of `block`.
int64_t countBlockFlops(mlir::Block &block);

/// Return a product, and a sum, that saturate at the largest number.
int64_t multiplyUp(int64_t lhs, int64_t rhs);
int64_t addUp(int64_t lhs, int64_t rhs);

/// Attaches its traffic to `op`, unless it has an attribute of traffic; returns
/// it.
codegen::TrafficAttr attachTraffic(mlir::Operation *op);

/// Attaches the traffic of each of `measureLaunches`, if there are any, as a
/// list.
void attachLaunchTraffic(mlir::Operation *op);

/// Returns the attached traffic of the launches of `op`, or measures it.
llvm::SmallVector<codegen::TrafficAttr> getLaunchTraffic(mlir::Operation *op);

/// Returns the sum of both.
codegen::TrafficAttr addTraffic(codegen::TrafficAttr lhs,
                                codegen::TrafficAttr rhs);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_REPORT_LAUNCHTRAFFIC_H
