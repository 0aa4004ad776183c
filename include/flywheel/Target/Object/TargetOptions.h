//===- TargetOptions.h - The machine that is compiled for -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_TARGETOPTIONS_H
#define FLYWHEEL_TARGET_OBJECT_TARGETOPTIONS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace flywheel {

/// The machine to compile for. Empty strings mean the machine that the compiler
/// runs on.
struct TargetOptions {
  std::string triple;
  std::string cpu;
  /// LLVM feature string, for example `+avx2,+fma`.
  std::string features;
  /// Bytes of the data caches of one core, and the number of cores. 0 means
  /// those of the machine, if it is this one, or the minimum of usual CPUs.
  int64_t l1Bytes = 0;
  int64_t l2Bytes = 0;
  int64_t cores = 0;
  /// The device that executes steps: empty or `cpu` for the machine above, or a
  /// GPU whose host that is: `cuda`, `cuda:sm_90a`, `cuda:sm_80,sm_90a` for one
  /// object with code for both, and `cuda:sm_90a:bitcode` for a simulator,
  /// which takes LLVM's bitcode in place of PTX; `rocm:gfx942`.
  std::string device;
  /// The assembler of NVIDIA that object files are made with: without, they
  /// have PTX only.
  std::string ptxas;

  /// Returns the device by its name, which is never empty.
  llvm::StringRef getDevice() const {
    return device.empty() ? llvm::StringRef("cpu") : llvm::StringRef(device);
  }
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_TARGETOPTIONS_H
