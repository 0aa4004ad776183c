//===- GPUMirror.h - The state of a model on a GPU -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_GPUMIRROR_H
#define FLYWHEEL_LIB_RUNTIME_GPUMIRROR_H

#include "flywheel/Runtime/GPU.h"

#include "GPUProfile.h"

namespace flywheel::runtime {

/// Results up to so many bytes come with the status, and are copied again once
/// that is known to be 0; others are copied then.
constexpr size_t kMaxStaged = size_t{1} << 16;

/// Memory of the device that grows to what is asked for.
struct DeviceBuffer {
  GPUDriver::Address address;
  size_t bytes;
};

/// A result that is at `device` and goes to `to`, which may be on the device
/// too. `staged` is where it is among what came with the status.
struct StepResult {
  void *to;
  GPUDriver::Address device;
  size_t bytes, staged;
  bool staysOnDevice;

  bool isStaged() const { return !staysOnDevice && bytes <= kMaxStaged; }
};

/// The state of a model on the device, and what its steps use. One call at a
/// time uses it, as is so for the block of the host.
struct Mirror {
  const void *host;
  Mirror *next;
  DeviceBuffer state, workspace, status;
  /// Those of the feeds and results of a step, in their order.
  List<DeviceBuffer> arguments;
  List<StepResult> results;
  LaunchList launches;
  GraphCache graphs;
  LaunchProfile profile;
  void *stream;
  /// Memory of the host that the device writes to.
  char *staging;
  size_t stagingBytes;
  size_t begin;
  bool isDeviceNewer, isHostNewer;
  GPUCounters counters;
};

/// The mirror of a block of the host; null where no step has made one.
Mirror *findMirror(const void *state);
/// Makes it where there is none; null without memory.
Mirror *makeMirror(const void *state);

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPUMIRROR_H
