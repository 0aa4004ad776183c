//===- GPUStep.h - A step that a GPU executes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_GPUSTEP_H
#define FLYWHEEL_LIB_RUNTIME_GPUSTEP_H

#include "GPUMirror.h"

namespace flywheel::runtime {

/// The current step of a thread. After a failure, all later calls do nothing.
struct Step {
  const GPUDriver *driver;
  Mirror *mirror;
  size_t numArguments;
  /// True if the host has used values of the device within the step; true if it
  /// has waited for the end of the step.
  bool hasDecided, isOver;
  int32_t status;
  /// The place for the times of launches, and the number of the next launch.
  /// Launches are not measured without a block.
  ProfilePlace profile;
  int64_t kernel;
  char text[kErrorBytes];

  /// Returns the one of this thread.
  static Step &get();
  /// Forgets the one before.
  void begin();

  bool isFailed() const { return status != 0; }
  void fail(int32_t code, const char *why);
  /// Returns true if the call of the driver succeeded; records a failure
  /// otherwise.
  bool check(const char *call, GPUDriver::Status found);
  bool checkMemory(const void *memory);

  /// Makes `buffer` hold at least `bytes`.
  bool reserve(DeviceBuffer &buffer, size_t bytes);
  /// Returns the next buffer of the step for a feed or a result.
  GPUDriver::Address takeArgument(size_t bytes);
  /// Returns true if `pointer` is in device memory.
  bool isOnDevice(const void *pointer, size_t bytes) const;

  bool copyToDevice(GPUDriver::Address to, const void *from, size_t bytes);
  /// Copies memory to the host; it is available once the host has waited.
  bool copyToHost(void *to, GPUDriver::Address from, size_t bytes);
  bool copyOnDevice(GPUDriver::Address to, GPUDriver::Address from,
                    size_t bytes);

  /// Launches the recorded kernels.
  void launchRecorded(bool isWholeStep);
  bool synchronize();
  /// Launches the recorded kernels, waits for them, and returns the status of
  /// the checks, which it resets to 0.
  int32_t await(bool isLast);
  /// Copies the results to their destinations.
  void giveResults();

private:
  const int32_t *stage();
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPUSTEP_H
