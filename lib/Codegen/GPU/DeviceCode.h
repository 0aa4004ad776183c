//===- DeviceCode.h - Kernels as bytes --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_DEVICECODE_H
#define FLYWHEEL_LIB_CODEGEN_GPU_DEVICECODE_H

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

/// What device code is made with.
struct DeviceTools {
  /// Code for each chip, and PTX for later ones, rather than what the driver of
  /// this machine translates.
  bool forObject = false;
  /// The programs, by path: without an assembler there is PTX only.
  std::string ptxas, lld;
  /// A remark at each kernel that is assembled says what it uses.
  bool report = false;
};

/// The device code of `kernels`, which are of the LLVM dialect; where there is
/// none an error at `kernels`.
mlir::FailureOr<std::vector<DeviceImage>>
makeDeviceImages(mlir::gpu::GPUModuleOp kernels, codegen::GPUAttr gpu,
                 const DeviceTools &tools);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_DEVICECODE_H
