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
#include <thread>
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

/// The calls that a capture does not allow, such as allocations: of any thread,
/// of the one that began it, or none.
enum class CaptureMode { Global, ThreadLocal, Relaxed };

/// The operations that streams record while they are captured.
struct Capture {
  std::vector<Operation> operations;
  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread = std::this_thread::get_id();
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
  /// Waits for all streams. If one is captured, fails and invalidates the
  /// captures, which cannot hold the wait.
  Status synchronize();
  /// Waits for the null stream, as a copy does that the host waits for. Fails,
  /// and invalidates the captures, if one does not allow it or is of a stream
  /// that waits for the null stream.
  Status synchronizeNullStream();
  /// Returns the error of a call that a capture may not allow, and invalidates
  /// the captures that do not.
  Status refuseWhileCapturing();
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

private:
  /// Invalidates the captures of the streams that match. Returns true if there
  /// are any.
  bool invalidate(const std::function<bool(const Stream &)> &matches);
};

/// The bytes of the device from an address on, if they are of one buffer; null
/// otherwise. The mutex is locked.
char *findBytes(uintptr_t address, size_t bytes);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_MACHINE_H
