//===- GPUProfile.h - Times of launches -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_GPUPROFILE_H
#define FLYWHEEL_LIB_RUNTIME_GPUPROFILE_H

#include "GPULaunches.h"

namespace flywheel::runtime {

/// The place at which a step writes the times of its launches;
/// flywheel/Model/Manifest.h describes the format. Offsets are in bytes from
/// `block`.
struct ProfilePlace {
  char *block;
  size_t counters, events, maxEvents;
};

/// Measures launches by events of the device before and after each one.
class LaunchProfile {
public:
  /// Has the stream record when the step begins.
  GPUDriver::Status begin(const GPUDriver &driver, void *stream);
  /// Gives launches to a stream, each between two events.
  GPUDriver::Status launch(const GPUDriver &driver, void *stream,
                           LaunchList &step);
  /// Adds the measurements since the last call to the counters at `place`, once
  /// the host has waited.
  GPUDriver::Status collect(const GPUDriver &driver, const ProfilePlace &place);
  /// Discards measurements that were not collected.
  void clear() { kernels.size = 0; }
  void release(const GPUDriver &driver);

private:
  GPUDriver::Status record(const GPUDriver &driver, void *stream,
                           size_t number);

  /// The begin of the step, then two for each launch.
  List<void *> events;
  List<int64_t> kernels;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPUPROFILE_H
