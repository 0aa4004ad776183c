//===- Machine.h - What functions of the driver share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_MACHINE_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace simulator {

/// As the driver numbers them.
enum Status {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidImage = 200,
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureImplicit = 906
};

/// Something that the device does.
using Operation = std::function<Status()>;

/// The operations that streams record while they are captured.
struct Capture {
  std::vector<Operation> operations;
  bool isInvalid = false;
};

/// Operations in order. A stream that blocks waits for the null stream.
struct Stream {
  bool isBlocking = true;
  std::shared_ptr<Capture> capture;
  /// True if the capture began here, and not at a stream that is waited for.
  bool isOrigin = false;
};

/// The work done since the library was loaded.
struct Counters {
  /// Kernels, outside graphs and in all.
  uint64_t launches = 0, kernels = 0;
  uint64_t graphLaunches = 0, synchronizations = 0, allocations = 0;
  uint64_t bytesToDevice = 0, bytesToHost = 0, bytesOnDevice = 0;
};

/// The device. Its functions are called with the mutex locked.
struct Machine {
  static Machine &get();

  /// Has a stream do something: now, or each time that a graph is launched
  /// which is being captured.
  Status enqueue(void *stream, Operation operation);
  /// Waits for the device. If a stream is captured, returns `whileCapturing`
  /// and invalidates the captures, which cannot hold the wait.
  Status synchronize(Status whileCapturing);
  /// Returns the error of a call that is not allowed during any capture.
  Status refuseWhileCapturing();
  /// Returns true if a stream records.
  bool isCapturing() const;
  /// The stream of a handle; the one of null has no handle. Null for others.
  Stream *findStream(void *handle);

  std::mutex mutex;
  size_t used = 0;
  /// The error that each call returns after a kernel failed, as on the device.
  Status failure = kSuccess;
  std::set<Stream *> streams;
  Stream nullStream;
  Counters counters;
  bool isInGraph = false;
};

/// The bytes of the device from an address on, if they are of one buffer; null
/// otherwise. The mutex is locked.
char *findBytes(uintptr_t address, size_t bytes);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_MACHINE_H
