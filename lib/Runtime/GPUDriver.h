//===- GPUDriver.h - The functions of the CUDA driver -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_GPUDRIVER_H
#define FLYWHEEL_LIB_RUNTIME_GPUDRIVER_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

namespace flywheel::runtime {

/// Bytes of the text of an error, with the terminator: as many as a state block
/// has for it.
constexpr size_t kErrorBytes = 512;

/// The functions of the driver that are used here, with the names and types of
/// its binary interface. Handles are pointers.
struct GPUDriver {
  using Status = int;
  using Address = uintptr_t;
  static constexpr Status kOutOfMemory = 2;
  /// Attributes of a device: the numbers of its compute capability.
  static constexpr int kMajor = 75, kMinor = 76;
  /// An attribute of a pointer, and its value for one of the device.
  static constexpr int kMemoryType = 2;
  static constexpr unsigned kDeviceMemory = 2;
  /// Attributes of a kernel: bytes of dynamic workgroup memory that it may
  /// have.
  static constexpr int kMaxDynamicBytes = 8;
  /// Captures only the work of this thread.
  static constexpr int kThreadLocal = 1;
  /// A stream that does not wait for the default stream.
  static constexpr unsigned kNonBlocking = 1;

  Status (*init)(unsigned flags);
  Status (*getDevice)(int *device, int number);
  Status (*getAttribute)(int *value, int attribute, int device);
  Status (*retainContext)(void **context, int device);
  Status (*setContext)(void *context);
  Status (*allocate)(Address *address, size_t bytes);
  Status (*free)(Address address);
  Status (*allocateHost)(void **memory, size_t bytes);
  Status (*freeHost)(void *memory);
  Status (*copyToDevice)(Address to, const void *from, size_t bytes,
                         void *stream);
  Status (*copyToHost)(void *to, Address from, size_t bytes, void *stream);
  Status (*copyOnDevice)(Address to, Address from, size_t bytes, void *stream);
  Status (*getPointerAttribute)(void *value, int attribute, Address address);
  Status (*loadModule)(void **module, const void *image);
  Status (*getFunction)(void **function, void *module, const char *name);
  Status (*setFunctionAttribute)(void *function, int attribute, int value);
  Status (*launch)(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned dynamicBytes, void *stream,
                   void **arguments, void **extra);
  Status (*createStream)(void **stream, unsigned flags);
  Status (*destroyStream)(void *stream);
  Status (*synchronize)(void *stream);
  Status (*createEvent)(void **event, unsigned flags);
  Status (*destroyEvent)(void *event);
  Status (*recordEvent)(void *event, void *stream);
  /// In milliseconds.
  Status (*getElapsed)(float *time, void *begin, void *end);
  Status (*beginCapture)(void *stream, int mode);
  Status (*endCapture)(void *stream, void **graph);
  Status (*instantiate)(void **executable, void *graph,
                        unsigned long long flags);
  Status (*launchGraph)(void *executable, void *stream);
  Status (*destroyGraph)(void *graph);
  Status (*destroyExecutable)(void *executable);
  Status (*getErrorName)(Status status, const char **name);

  /// The compute capability of the first device: 90 for sm_90.
  int chip;

  /// Returns the driver with the context of the first device made current. Null
  /// if there is no device; `error`, of `kErrorBytes` bytes, then has the
  /// reason.
  static const GPUDriver *get(char *error);

  /// Returns `cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)`.
  void describe(const char *call, Status status, char *error) const;
};

/// A lock for data that all threads share; held for a short time.
class SpinLock {
public:
  explicit SpinLock(bool &flag) : flag(flag) {
    while (__atomic_test_and_set(&flag, __ATOMIC_ACQUIRE))
      sched_yield();
  }
  ~SpinLock() { __atomic_clear(&flag, __ATOMIC_RELEASE); }
  SpinLock(const SpinLock &) = delete;
  SpinLock &operator=(const SpinLock &) = delete;

private:
  bool &flag;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPUDRIVER_H
