//===- Machine.cpp - What functions of the driver share -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simulator {

static void printCounters() {
  const Counters &counters = Machine::get().counters;
  auto number = [](uint64_t value) {
    return static_cast<unsigned long long>(value);
  };
  std::fprintf(stderr,
               "simulator: %llu launches, %llu launches of graphs, %llu "
               "kernels, %llu synchronizations, %llu allocations; bytes: %llu "
               "to the device, %llu to the host, %llu on the device\n",
               number(counters.launches), number(counters.graphLaunches),
               number(counters.kernels), number(counters.synchronizations),
               number(counters.allocations), number(counters.bytesToDevice),
               number(counters.bytesToHost), number(counters.bytesOnDevice));
}

Machine &Machine::get() {
  static Machine &machine = *[] {
    const char *text = std::getenv("FLYWHEEL_SIM_COUNTERS");
    if (text && std::strcmp(text, "1") == 0)
      std::atexit(printCounters);
    return new Machine();
  }();
  return machine;
}

Stream *Machine::findStream(void *handle) {
  // The second and third are names of the null stream and of a thread's own.
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return &nullStream;
  auto found = streams.find(static_cast<Stream *>(handle));
  return found == streams.end() ? nullptr : *found;
}

bool Machine::invalidate(const std::function<bool(const Stream &)> &matches) {
  bool isAny = false;
  for (Stream *stream : streams)
    if (stream->capture && matches(*stream))
      isAny = stream->capture->isInvalid = true;
  return isAny;
}

/// Returns true if a capture does not allow unsafe calls of this thread.
static bool forbidsUnsafeCalls(const Stream &stream) {
  const Capture &capture = *stream.capture;
  return capture.mode == CaptureMode::Global ||
         (capture.mode == CaptureMode::ThreadLocal &&
          capture.thread == std::this_thread::get_id());
}

Status Machine::refuseWhileCapturing() {
  if (failure)
    return failure;
  return invalidate(forbidsUnsafeCalls) ? kCaptureUnsupported : kSuccess;
}

Status Machine::synchronize() {
  if (failure)
    return failure;
  if (invalidate([](const Stream &) { return true; }))
    return kCaptureUnsupported;
  ++counters.synchronizations;
  return kSuccess;
}

Status Machine::synchronizeNullStream() {
  if (failure)
    return failure;
  if (invalidate([](const Stream &stream) {
        return stream.isBlocking || forbidsUnsafeCalls(stream);
      }))
    return kCaptureImplicit;
  ++counters.synchronizations;
  return kSuccess;
}

Status Machine::enqueue(void *handle, Operation operation) {
  Stream *stream = findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (failure)
    return failure;
  if (stream->capture) {
    if (stream->capture->isInvalid)
      return kCaptureInvalidated;
    stream->capture->operations.push_back(std::move(operation));
    return kSuccess;
  }
  // The null stream would wait for what a blocking stream records.
  if (stream == &nullStream &&
      invalidate([](const Stream &other) { return other.isBlocking; }))
    return kCaptureImplicit;
  return operation();
}

char *findBytes(uintptr_t address, size_t bytes) {
  auto *begin = reinterpret_cast<char *>(address);
  const GuardedMemory *buffer = findBuffer(begin);
  return buffer && buffer->contains(begin, bytes) ? begin : nullptr;
}

} // namespace simulator
