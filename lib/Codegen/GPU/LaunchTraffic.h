//===- LaunchTraffic.h - What launches move and compute ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_LAUNCHTRAFFIC_H
#define FLYWHEEL_LIB_CODEGEN_GPU_LAUNCHTRAFFIC_H

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

/// The buffer that `value` is a part of, as its traffic is counted.
mlir::Value getTrafficBuffer(mlir::Value value);

/// Bytes of `buffer`, where sizes that the call chooses are assumed.
int64_t countBufferBytes(mlir::Value buffer);

/// Says on `op` what it takes, where nothing does; returns it.
codegen::TrafficAttr attachTraffic(mlir::Operation *op);

/// Both together.
codegen::TrafficAttr addTraffic(codegen::TrafficAttr lhs,
                                codegen::TrafficAttr rhs);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_LAUNCHTRAFFIC_H
