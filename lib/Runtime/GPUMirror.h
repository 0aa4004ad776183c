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

/// Results of up to this many bytes are copied to the host with the status, and
/// to the caller once the status is known to be 0; larger ones are only copied
/// then.
constexpr size_t kMaxStaged = size_t{1} << 16;

/// Memory of the device that grows to the requested size.
struct DeviceBuffer {
  GPUDriver::Address address;
  size_t bytes;
};

/// A result at `device` that is copied to `to`, which may be on the device too.
/// `staged` is its offset in the memory that is copied with the status.
struct StepResult {
  void *to;
  GPUDriver::Address device;
  size_t bytes, staged;
  bool staysOnDevice;

  bool isStaged() const { return !staysOnDevice && bytes <= kMaxStaged; }
};

/// The state of a model on the device, and the buffers of its steps. One call
/// at a time uses it, like the block of the host.
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

/// Returns the mirror of a block of the host; null before its first step.
Mirror *findMirror(const void *state);
/// Returns the mirror, and creates it if needed; null without memory.
Mirror *makeMirror(const void *state);

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPUMIRROR_H
