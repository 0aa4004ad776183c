//===- GPURuntime.h - The runtime for GPUs in object files ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_GPURUNTIME_H
#define FLYWHEEL_LIB_TARGET_OBJECT_GPURUNTIME_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace flywheel {

/// Adds the runtime to `module`, which is for the host of a GPU, as private
/// functions: programs with several models have one each. Needs a 64-bit
/// little-endian host with ELF.
llvm::Error linkGPURuntime(llvm::Module &module);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_GPURUNTIME_H
