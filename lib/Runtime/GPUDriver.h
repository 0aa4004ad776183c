//===- GPUDriver.h - The functions of the CUDA driver -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_GPUDRIVER_H
#define FLYWHEEL_LIB_RUNTIME_GPUDRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace flywheel::runtime {

/// The functions of the driver that are used here, with the names and types of
/// its binary interface. Handles are pointers.
struct GPUDriver {
  using Status = int;
  using Address = uintptr_t;
  static constexpr Status kOutOfMemory = 2;

  Status (*init)(unsigned flags) = nullptr;
  Status (*getDevice)(int *device, int number) = nullptr;
  Status (*retainContext)(void **context, int device) = nullptr;
  Status (*setContext)(void *context) = nullptr;
  Status (*allocate)(Address *address, size_t bytes) = nullptr;
  Status (*free)(Address address) = nullptr;
  Status (*copyToDevice)(Address to, const void *from, size_t bytes) = nullptr;
  Status (*copyToHost)(void *to, Address from, size_t bytes) = nullptr;
  Status (*loadModule)(void **module, const void *image) = nullptr;
  Status (*getFunction)(void **function, void *module,
                        const char *name) = nullptr;
  Status (*launch)(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned dynamicBytes, void *stream,
                   void **arguments, void **extra) = nullptr;
  Status (*synchronize)() = nullptr;
  Status (*getErrorName)(Status status, const char **name) = nullptr;

  /// The driver with the context of the first device made current. Null where
  /// there is none, and `error` says why.
  static const GPUDriver *get(std::string &error);

  /// `cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY`.
  std::string describe(const char *call, Status status) const;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPUDRIVER_H
