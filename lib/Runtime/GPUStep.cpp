//===- GPUStep.cpp - A step that a GPU executes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#include "GPUStep.h"

#include <stdio.h>

namespace flywheel::runtime {

Step &Step::get() {
  static thread_local Step step;
  return step;
}

void Step::begin() {
  driver = nullptr;
  mirror = nullptr;
  numArguments = 0;
  hasDecided = isOver = false;
  status = 0;
  profile = {};
  kernel = 0;
  *text = 0;
}

void Step::fail(int32_t code, const char *why) {
  if (isFailed())
    return;
  status = code;
  snprintf(text, kErrorBytes, "%s", why);
}

bool Step::check(const char *call, GPUDriver::Status found) {
  if (found == 0)
    return !isFailed();
  char why[kErrorBytes];
  driver->describe(call, found, why);
  fail(found == GPUDriver::kOutOfMemory ? kStatusNoDeviceMemory
                                        : kStatusNoDevice,
       why);
  return false;
}

bool Step::checkMemory(const void *memory) {
  if (!memory)
    fail(kStatusNoDeviceMemory, "no memory for the launches of a step");
  return !isFailed();
}

bool Step::reserve(DeviceBuffer &buffer, size_t bytes) {
  if (isFailed())
    return false;
  if (buffer.address && buffer.bytes >= bytes)
    return true;
  if (buffer.address)
    driver->free(buffer.address);
  buffer = {};
  size_t room = bytes ? bytes : 1;
  GPUDriver::Address address = 0;
  if (!check("cuMemAlloc", driver->allocate(&address, room)))
    return false;
  buffer = {address, room};
  return true;
}

GPUDriver::Address Step::takeArgument(size_t bytes) {
  if (isFailed())
    return 0;
  List<DeviceBuffer> &arguments = mirror->arguments;
  if (numArguments == arguments.size) {
    DeviceBuffer *added = arguments.grow(1);
    if (!checkMemory(added))
      return 0;
    *added = {};
  }
  DeviceBuffer &buffer = arguments.items[numArguments++];
  return reserve(buffer, bytes) ? buffer.address : 0;
}

bool Step::isOnDevice(const void *pointer, size_t bytes) const {
  unsigned type = 0;
  return !isFailed() && bytes != 0 &&
         driver->getPointerAttribute(
             &type, GPUDriver::kMemoryType,
             reinterpret_cast<GPUDriver::Address>(pointer)) == 0 &&
         type == GPUDriver::kDeviceMemory;
}

bool Step::copyToDevice(GPUDriver::Address to, const void *from, size_t bytes) {
  if (isFailed() || bytes == 0)
    return !isFailed();
  mirror->counters.bytesToDevice += static_cast<int64_t>(bytes);
  return check("cuMemcpyHtoD",
               driver->copyToDevice(to, from, bytes, mirror->stream));
}

bool Step::copyToHost(void *to, GPUDriver::Address from, size_t bytes) {
  if (isFailed() || bytes == 0)
    return !isFailed();
  mirror->counters.bytesToHost += static_cast<int64_t>(bytes);
  return check("cuMemcpyDtoH",
               driver->copyToHost(to, from, bytes, mirror->stream));
}

bool Step::copyOnDevice(GPUDriver::Address to, GPUDriver::Address from,
                        size_t bytes) {
  if (isFailed() || bytes == 0)
    return !isFailed();
  return check("cuMemcpyDtoD",
               driver->copyOnDevice(to, from, bytes, mirror->stream));
}

bool Step::synchronize() {
  if (isFailed())
    return false;
  ++mirror->counters.synchronizations;
  return check("cuStreamSynchronize", driver->synchronize(mirror->stream)) &&
         (!profile.block || check("cuEventElapsedTime",
                                  mirror->profile.collect(*driver, profile)));
}

void Step::launchRecorded(bool isWholeStep) {
  Mirror &mirror = *this->mirror;
  if (!isFailed() && mirror.launches.launches.size != 0) {
    const char *call = "cuLaunchKernel";
    GPUCounters &counters = mirror.counters;
    GPUDriver::Status found;
    if (profile.block) {
      counters.launches += static_cast<int64_t>(mirror.launches.launches.size);
      found = mirror.profile.launch(*driver, mirror.stream, mirror.launches);
    } else if (isWholeStep) {
      found = mirror.graphs.run(*driver, mirror.stream, mirror.launches, call,
                                counters.graphs, counters.launches);
    } else {
      counters.launches += static_cast<int64_t>(mirror.launches.launches.size);
      found = mirror.launches.launch(*driver, mirror.stream);
    }
    check(call, found);
  }
  mirror.launches.clear();
}

/// Copies the small results and the word of the checks to the staging memory;
/// the host can read them once it has waited. Returns the address of the word.
const int32_t *Step::stage() {
  Mirror &mirror = *this->mirror;
  size_t bytes = sizeof(uint64_t);
  for (StepResult &result : mirror.results) {
    if (!result.isStaged())
      continue;
    result.staged = bytes;
    bytes += (result.bytes + 15) / 16 * 16;
  }
  if (mirror.stagingBytes < bytes) {
    if (mirror.staging)
      driver->freeHost(mirror.staging);
    mirror.staging = nullptr;
    mirror.stagingBytes = 0;
    void *memory = nullptr;
    if (!check("cuMemAllocHost", driver->allocateHost(&memory, 2 * bytes)))
      return nullptr;
    mirror.staging = static_cast<char *>(memory);
    mirror.stagingBytes = 2 * bytes;
  }
  memset(mirror.staging, 0, sizeof(uint64_t));
  if (mirror.status.address)
    copyToHost(mirror.staging, mirror.status.address, sizeof(int32_t));
  return reinterpret_cast<const int32_t *>(mirror.staging);
}

int32_t Step::await(bool isLast) {
  if (isFailed())
    return status;
  Mirror &mirror = *this->mirror;
  launchRecorded(isLast && !hasDecided);
  const int32_t *word = stage();
  if (isLast)
    for (const StepResult &result : mirror.results)
      if (result.isStaged())
        copyToHost(mirror.staging + result.staged, result.device, result.bytes);
  hasDecided = true;
  isOver = isLast;
  // None of a check: the step ends with it.
  if (!synchronize())
    return status;
  if (*word == 0)
    return 0;
  static constexpr int32_t kNone = 0;
  int32_t found = *word;
  copyToDevice(mirror.status.address, &kNone, sizeof(kNone));
  return found;
}

void Step::giveResults() {
  bool isWaiting = false;
  for (const StepResult &result : mirror->results) {
    if (result.staysOnDevice)
      isWaiting |= copyOnDevice(reinterpret_cast<GPUDriver::Address>(result.to),
                                result.device, result.bytes);
    else if (!result.isStaged())
      isWaiting |= copyToHost(result.to, result.device, result.bytes);
    else if (result.bytes != 0)
      memcpy(result.to, mirror->staging + result.staged, result.bytes);
  }
  if (isWaiting)
    synchronize();
}

} // namespace flywheel::runtime
