//===- DeviceCode.h - Kernels as bytes --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_DEVICECODE_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_DEVICECODE_H

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Runtime/GPU.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>
#include <vector>

namespace flywheel {

/// Device code for one kind of chip.
struct DeviceImage {
  std::string bytes;
  int32_t chip;
  runtime::GPUImage::Kind kind;
};

/// The tools and options that device code is made with.
struct DeviceTools {
  /// Makes code for each chip, and PTX for later ones, instead of code that the
  /// driver of this machine translates.
  bool forObject = false;
  /// The paths of the programs: without an assembler there is PTX only.
  std::string ptxas, lld;
  /// Emits a remark with the resources of each kernel that is assembled.
  bool report = false;
};

/// Returns the device code of `kernels`, which are of the LLVM dialect; emits
/// an error at `kernels` and fails if it cannot be made.
mlir::FailureOr<std::vector<DeviceImage>>
makeDeviceImages(mlir::gpu::GPUModuleOp kernels, codegen::GPUAttr gpu,
                 const DeviceTools &tools);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_DEVICECODE_H
