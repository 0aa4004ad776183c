//===- GPUMirror.cpp - The state of a model on a GPU ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#include "GPUMirror.h"

namespace flywheel::runtime {

/// The mirrors of all threads.
static Mirror *mirrors;
static bool mirrorLock;

Mirror *findMirror(const void *state) {
  SpinLock guard(mirrorLock);
  Mirror *mirror = mirrors;
  while (mirror && mirror->host != state)
    mirror = mirror->next;
  return mirror;
}

Mirror *makeMirror(const void *state) {
  if (Mirror *known = findMirror(state))
    return known;
  auto *mirror = static_cast<Mirror *>(calloc(1, sizeof(Mirror)));
  if (!mirror)
    return nullptr;
  mirror->host = state;
  mirror->isHostNewer = true;
  SpinLock guard(mirrorLock);
  mirror->next = mirrors;
  mirrors = mirror;
  return mirror;
}

/// Copies the variables to the host if those of the device are newer.
static bool pull(const void *state, Mirror &mirror) {
  if (!mirror.isDeviceNewer)
    return true;
  char error[kErrorBytes] = {};
  const GPUDriver *driver = GPUDriver::get(error);
  if (!driver)
    return false;
  auto *block = static_cast<char *>(const_cast<void *>(state));
  size_t bytes = mirror.state.bytes - mirror.begin;
  bool isCopied =
      (bytes == 0 || driver->copyToHost(block + mirror.begin,
                                        mirror.state.address + mirror.begin,
                                        bytes, mirror.stream) == 0) &&
      driver->synchronize(mirror.stream) == 0;
  mirror.counters.bytesToHost += static_cast<int64_t>(bytes);
  ++mirror.counters.synchronizations;
  mirror.isDeviceNewer = !isCopied;
  return isCopied;
}

bool readGPUStateOnHost(const void *state) {
  Mirror *mirror = findMirror(state);
  return !mirror || pull(state, *mirror);
}

bool writeGPUStateOnHost(const void *state) {
  Mirror *mirror = findMirror(state);
  if (!mirror)
    return true;
  bool isCurrent = pull(state, *mirror);
  mirror->isHostNewer = true;
  return isCurrent;
}

void releaseGPUState(const void *state) {
  Mirror *mirror = nullptr;
  {
    SpinLock guard(mirrorLock);
    for (Mirror **place = &mirrors; *place; place = &(*place)->next)
      if ((*place)->host == state) {
        mirror = *place;
        *place = mirror->next;
        break;
      }
  }
  if (!mirror)
    return;
  char error[kErrorBytes] = {};
  if (const GPUDriver *driver = GPUDriver::get(error)) {
    const DeviceBuffer own[] = {mirror->state, mirror->workspace,
                                mirror->status};
    for (const DeviceBuffer &buffer : own)
      if (buffer.address)
        driver->free(buffer.address);
    for (const DeviceBuffer &buffer : mirror->arguments)
      if (buffer.address)
        driver->free(buffer.address);
    mirror->graphs.release(*driver);
    mirror->profile.release(*driver);
    if (mirror->staging)
      driver->freeHost(mirror->staging);
    if (mirror->stream)
      driver->destroyStream(mirror->stream);
  }
  mirror->arguments.release();
  mirror->results.release();
  mirror->launches.release();
  free(mirror);
}

GPUCounters getGPUCounters(const void *state) {
  Mirror *mirror = findMirror(state);
  return mirror ? mirror->counters : GPUCounters();
}

} // namespace flywheel::runtime
