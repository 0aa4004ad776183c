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

bool Machine::isCapturing() const {
  for (const Stream *stream : streams)
    if (stream->capture)
      return true;
  return false;
}

/// Ends all captures: nothing can be recorded any more.
static void invalidate(const std::set<Stream *> &streams) {
  for (Stream *stream : streams)
    if (stream->capture)
      stream->capture->isInvalid = true;
}

Status Machine::refuseWhileCapturing() {
  if (failure)
    return failure;
  if (!isCapturing())
    return kSuccess;
  invalidate(streams);
  return kCaptureUnsupported;
}

Status Machine::synchronize(Status whileCapturing) {
  if (failure)
    return failure;
  if (isCapturing()) {
    invalidate(streams);
    return whileCapturing;
  }
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
  if (stream == &nullStream)
    for (Stream *other : streams)
      if (other->capture && other->isBlocking) {
        other->capture->isInvalid = true;
        return kCaptureImplicit;
      }
  return operation();
}

char *findBytes(uintptr_t address, size_t bytes) {
  auto *begin = reinterpret_cast<char *>(address);
  const GuardedMemory *buffer = findBuffer(begin);
  return buffer && buffer->contains(begin, bytes) ? begin : nullptr;
}

} // namespace simulator
