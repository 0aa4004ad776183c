//===- GPUSymbols.cpp - The runtime for GPUs by name ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/GPUSymbols.h"

#include "flywheel/Runtime/GPU.h"

namespace flywheel::runtime {

std::vector<std::pair<const char *, void *>> getGPUSymbols() {
#define FLYWHEEL_SYMBOL(name)                                                  \
  std::make_pair(#name, reinterpret_cast<void *>(&name))
  return {FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_state),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_profile),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_measure),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_workspace),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_feed),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_result),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_constant),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_status),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_await),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_has_failed),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_read),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_write),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_finish),
          FLYWHEEL_SYMBOL(_mlir_ciface_flywheel_gpu_state_to_host),
          FLYWHEEL_SYMBOL(flywheel_gpu_launch)};
#undef FLYWHEEL_SYMBOL
}

} // namespace flywheel::runtime
