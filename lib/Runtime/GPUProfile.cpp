//===- GPUProfile.cpp - Times of launches ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Needs the C library only: object files for a GPU have it in them.
//
//===----------------------------------------------------------------------===//

#include "GPUProfile.h"

namespace flywheel::runtime {

/// Records event `number`, which is created if needed.
GPUDriver::Status LaunchProfile::record(const GPUDriver &driver, void *stream,
                                        size_t number) {
  while (events.size <= number) {
    void *event = nullptr;
    if (GPUDriver::Status status = driver.createEvent(&event, 0))
      return status;
    void **place = events.grow(1);
    if (!place) {
      driver.destroyEvent(event);
      return GPUDriver::kOutOfMemory;
    }
    *place = event;
  }
  return driver.recordEvent(events.items[number], stream);
}

GPUDriver::Status LaunchProfile::begin(const GPUDriver &driver, void *stream) {
  clear();
  return record(driver, stream, 0);
}

GPUDriver::Status LaunchProfile::launch(const GPUDriver &driver, void *stream,
                                        LaunchList &step) {
  for (size_t i = 0; i < step.launches.size; ++i) {
    int64_t *kernel = kernels.grow(1);
    if (!kernel)
      return GPUDriver::kOutOfMemory;
    *kernel = step.launches.items[i].kernel;
    size_t first = 2 * kernels.size - 1;
    if (GPUDriver::Status status = record(driver, stream, first))
      return status;
    if (GPUDriver::Status status = step.launch(driver, stream, i, i + 1))
      return status;
    if (GPUDriver::Status status = record(driver, stream, first + 1))
      return status;
  }
  return 0;
}

static void addTo(char *place, uint64_t amount) {
  uint64_t number;
  memcpy(&number, place, sizeof(number));
  number += amount;
  memcpy(place, &number, sizeof(number));
}

GPUDriver::Status LaunchProfile::collect(const GPUDriver &driver,
                                         const ProfilePlace &place) {
  constexpr size_t kWord = sizeof(uint64_t);
  for (size_t i = 0; i < kernels.size; ++i) {
    float before = 0, behind = 0, own = 0;
    void *first = events.items[2 * i + 1], *last = events.items[2 * i + 2];
    if (GPUDriver::Status status =
            driver.getElapsed(&before, events.items[0], first))
      return status;
    if (GPUDriver::Status status =
            driver.getElapsed(&behind, events.items[0], last))
      return status;
    if (GPUDriver::Status status = driver.getElapsed(&own, first, last))
      return status;
    auto toNanoseconds = [](float milliseconds) {
      return static_cast<uint64_t>(static_cast<double>(milliseconds) * 1e6);
    };
    auto kernel = static_cast<uint64_t>(kernels.items[i]);
    char *counters = place.block + place.counters + 2 * kWord * kernel;
    addTo(counters, 1);
    addTo(counters + kWord, toNanoseconds(own));
    uint64_t count;
    memcpy(&count, place.block, kWord);
    if (count < place.maxEvents) {
      const uint64_t event[3] = {kernel, toNanoseconds(before),
                                 toNanoseconds(behind)};
      memcpy(place.block + place.events + count * sizeof(event), event,
             sizeof(event));
    }
    addTo(place.block, 1);
  }
  clear();
  return 0;
}

void LaunchProfile::release(const GPUDriver &driver) {
  for (void *event : events)
    driver.destroyEvent(event);
  events.release();
  kernels.release();
}

} // namespace flywheel::runtime
