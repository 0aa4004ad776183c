//===- Streams.cpp - Streams, events and graphs of the driver -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver does the work of a stream at once, or records it while the stream
// is captured. That is one of the orders that a device may choose.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstring>

using namespace simulator;

namespace {
struct Graph {
  std::vector<Operation> operations;
};

struct Marker {
  bool isRecorded = false;
  /// The capture of the stream that recorded it.
  std::shared_ptr<Capture> capture;
};
} // namespace

using Lock = std::lock_guard<std::mutex>;

/// Copies or fills `bytes` bytes of the device: both places are looked at when
/// it is done.
static Operation makeCopy(uintptr_t to, uintptr_t from, size_t bytes) {
  return [=] {
    char *target = findBytes(to, bytes), *source = findBytes(from, bytes);
    if (!target || !source)
      return kInvalidValue;
    Machine::get().counters.bytesOnDevice += bytes;
    std::memmove(target, source, bytes);
    return kSuccess;
  };
}

template <typename Element>
static Operation makeFill(uintptr_t to, Element value, size_t count) {
  return [=] {
    char *target = findBytes(to, count * sizeof(Element));
    if (!target)
      return kInvalidValue;
    Machine::get().counters.bytesOnDevice += count * sizeof(Element);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(target + i * sizeof(Element), &value, sizeof(Element));
    return kSuccess;
  };
}

static Operation makeCopyToDevice(uintptr_t to, const void *from,
                                  size_t bytes) {
  return [=] {
    char *target = findBytes(to, bytes);
    if (!target)
      return kInvalidValue;
    Machine::get().counters.bytesToDevice += bytes;
    std::memcpy(target, from, bytes);
    return kSuccess;
  };
}

static Operation makeCopyToHost(void *to, uintptr_t from, size_t bytes) {
  return [=] {
    const char *source = findBytes(from, bytes);
    if (!source)
      return kInvalidValue;
    Machine::get().counters.bytesToHost += bytes;
    std::memcpy(to, source, bytes);
    return kSuccess;
  };
}

static int enqueue(void *stream, Operation operation) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  return machine.enqueue(stream, std::move(operation));
}

/// Enqueues an operation for which the host waits.
static int enqueueAndWait(Operation operation) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  if (Status status = machine.synchronizeNullStream())
    return status;
  return machine.enqueue(nullptr, std::move(operation));
}

static Operation makeGraphLaunch(std::vector<Operation> operations) {
  return [operations = std::move(operations)] {
    Machine &machine = Machine::get();
    // A graph within another one is a part of it.
    bool isOuter = !machine.isInGraph;
    machine.counters.graphLaunches += isOuter;
    machine.isInGraph = true;
    Status status = kSuccess;
    for (const Operation &operation : operations)
      if ((status = operation()))
        break;
    machine.isInGraph = !isOuter;
    return status;
  };
}

extern "C" {
int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t bytes) {
  return enqueueAndWait(makeCopyToDevice(to, from, bytes));
}

int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t bytes) {
  return enqueueAndWait(makeCopyToHost(to, from, bytes));
}

int cuMemcpyDtoD_v2(uintptr_t to, uintptr_t from, size_t bytes) {
  return enqueue(nullptr, makeCopy(to, from, bytes));
}

int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t bytes,
                         void *stream) {
  return enqueue(stream, makeCopyToDevice(to, from, bytes));
}

int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t bytes, void *stream) {
  return enqueue(stream, makeCopyToHost(to, from, bytes));
}

int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes,
                         void *stream) {
  return enqueue(stream, makeCopy(to, from, bytes));
}

/// Either place is the device's or the host's.
int cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t bytes, void *stream) {
  bool isToDevice, isFromDevice;
  {
    Lock lock(Machine::get().mutex);
    isToDevice = findBytes(to, bytes);
    isFromDevice = findBytes(from, bytes);
  }
  if (isToDevice && isFromDevice)
    return enqueue(stream, makeCopy(to, from, bytes));
  if (isToDevice)
    return enqueue(stream,
                   makeCopyToDevice(to, reinterpret_cast<void *>(from), bytes));
  if (isFromDevice)
    return enqueue(stream,
                   makeCopyToHost(reinterpret_cast<void *>(to), from, bytes));
  return kInvalidValue;
}

int cuMemsetD8_v2(uintptr_t to, unsigned char value, size_t count) {
  return enqueue(nullptr, makeFill(to, value, count));
}

int cuMemsetD32_v2(uintptr_t to, unsigned value, size_t count) {
  return enqueue(nullptr, makeFill(to, value, count));
}

int cuMemsetD8Async(uintptr_t to, unsigned char value, size_t count,
                    void *stream) {
  return enqueue(stream, makeFill(to, value, count));
}

int cuMemsetD32Async(uintptr_t to, unsigned value, size_t count, void *stream) {
  return enqueue(stream, makeFill(to, value, count));
}

int cuCtxSynchronize() {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  return machine.synchronize();
}

int cuStreamCreate(void **stream, unsigned flags) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  constexpr unsigned kNonBlocking = 1;
  if (flags > kNonBlocking)
    return kInvalidValue;
  auto *made = new Stream();
  made->isBlocking = flags != kNonBlocking;
  machine.streams.insert(made);
  *stream = made;
  return kSuccess;
}

int cuStreamDestroy_v2(void *handle) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  Stream *stream = machine.findStream(handle);
  if (!stream || stream == &machine.nullStream)
    return kInvalidHandle;
  machine.streams.erase(stream);
  delete stream;
  return kSuccess;
}

int cuStreamSynchronize(void *handle) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  Stream *stream = machine.findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (machine.failure)
    return machine.failure;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return kCaptureUnsupported;
  }
  ++machine.counters.synchronizations;
  return kSuccess;
}

int cuStreamBeginCapture_v2(void *handle, int mode) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  Stream *stream = machine.findStream(handle);
  if (!stream)
    return kInvalidHandle;
  // The null stream cannot be captured, nor one twice.
  if (stream == &machine.nullStream)
    return kCaptureUnsupported;
  if (stream->capture || mode < 0 || mode > 2)
    return kInvalidValue;
  stream->capture = std::make_shared<Capture>();
  stream->capture->mode = static_cast<CaptureMode>(mode);
  stream->isOrigin = true;
  return kSuccess;
}

int cuStreamIsCapturing(void *handle, int *status) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  Stream *stream = machine.findStream(handle);
  if (!stream)
    return kInvalidHandle;
  *status = !stream->capture ? 0 : stream->capture->isInvalid ? 2 : 1;
  return kSuccess;
}

int cuStreamEndCapture(void *handle, void **graph) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  *graph = nullptr;
  Stream *stream = machine.findStream(handle);
  if (!stream)
    return kInvalidHandle;
  if (!stream->capture)
    return kInvalidValue;
  if (!stream->isOrigin)
    return kCaptureUnmatched;
  std::shared_ptr<Capture> capture = stream->capture;
  for (Stream *other : machine.streams)
    if (other->capture == capture) {
      other->capture = nullptr;
      other->isOrigin = false;
    }
  if (capture->isInvalid)
    return kCaptureInvalidated;
  *graph = new Graph{std::move(capture->operations)};
  return kSuccess;
}

int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long /*flags*/) {
  if (!graph)
    return kInvalidValue;
  *executable = new Graph(*static_cast<Graph *>(graph));
  return kSuccess;
}

int cuGraphInstantiate_v2(void **executable, void *graph, void ** /*node*/,
                          char *log, size_t logBytes) {
  if (log && logBytes)
    *log = '\0';
  return cuGraphInstantiateWithFlags(executable, graph, 0);
}

int cuGraphLaunch(void *executable, void *stream) {
  if (!executable)
    return kInvalidValue;
  return enqueue(stream,
                 makeGraphLaunch(static_cast<Graph *>(executable)->operations));
}

int cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return kSuccess;
}

int cuGraphExecDestroy(void *executable) {
  delete static_cast<Graph *>(executable);
  return kSuccess;
}

int cuEventCreate(void **event, unsigned /*flags*/) {
  *event = new Marker();
  return kSuccess;
}

int cuEventDestroy_v2(void *event) {
  delete static_cast<Marker *>(event);
  return kSuccess;
}

int cuEventRecord(void *event, void *handle) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  Stream *stream = machine.findStream(handle);
  if (!stream || !event)
    return kInvalidHandle;
  if (machine.failure)
    return machine.failure;
  *static_cast<Marker *>(event) = {true, stream->capture};
  return kSuccess;
}

int cuEventSynchronize(void *event) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  if (auto &marker = *static_cast<Marker *>(event); marker.capture) {
    marker.capture->isInvalid = true;
    return kCaptureUnsupported;
  }
  ++machine.counters.synchronizations;
  return machine.failure;
}

/// Nothing else waits for recorded work; a stream that waits for a capture
/// becomes a part of it.
int cuStreamWaitEvent(void *handle, void *event, unsigned /*flags*/) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  Stream *stream = machine.findStream(handle);
  if (!stream || !event)
    return kInvalidHandle;
  const Marker &marker = *static_cast<Marker *>(event);
  if (!marker.capture || stream->capture == marker.capture)
    return machine.failure;
  if (stream->capture || stream == &machine.nullStream) {
    marker.capture->isInvalid = true;
    return kCaptureImplicit;
  }
  stream->capture = marker.capture;
  return kSuccess;
}

/// Time does not pass on a simulator.
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = 0;
  return static_cast<Marker *>(begin)->isRecorded &&
                 static_cast<Marker *>(end)->isRecorded
             ? kSuccess
             : kInvalidHandle;
}

// A function of the simulator. NOLINTNEXTLINE(readability-identifier-*)
void flywheelSimulatorCounters(Counters *counters) {
  Machine &machine = Machine::get();
  Lock lock(machine.mutex);
  *counters = machine.counters;
}
}
