//===- GPULaunches.cpp - Launches of a step -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPULaunches.h"

namespace flywheel::runtime {

/// Returns true if steps may be launched as graphs: unless FLYWHEEL_GPU_GRAPHS
/// is 0.
static bool areGraphsWanted() {
  const char *text = getenv("FLYWHEEL_GPU_GRAPHS");
  return !text || strcmp(text, "0") != 0;
}

void LaunchList::mix(uint64_t word) {
  // The hash only affects speed: lists with equal hashes are compared.
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
}

bool LaunchList::add(void *function, const uint32_t (&size)[3],
                     void *const *arguments, const int32_t *bytes,
                     uint32_t numArguments, int64_t kernel) {
  Launch *launch = launches.grow(1);
  if (!launch)
    return false;
  *launch = {function,     size[0],     size[1], size[2],
             numArguments, places.size, kernel};
  mix(reinterpret_cast<uintptr_t>(function));
  mix((uint64_t{size[0]} << 32) ^ size[1]);
  for (uint32_t i = 0; i < numArguments; ++i) {
    size_t count = (static_cast<size_t>(bytes[i]) + 7) / 8;
    size_t *place = places.grow(1);
    uint64_t *to = words.grow(count);
    if (!place || !to)
      return false;
    *place = words.size - count;
    // Zero the padding of short arguments, because words are compared.
    memset(to, 0, count * sizeof(*to));
    memcpy(to, arguments[i], static_cast<size_t>(bytes[i]));
    for (size_t word = 0; word < count; ++word)
      mix(to[word]);
  }
  return true;
}

template <typename T> static bool areEqual(const List<T> &a, const List<T> &b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.items, b.items, a.size * sizeof(T)) == 0);
}

bool LaunchList::equals(const LaunchList &other) const {
  return hash == other.hash && areEqual(launches, other.launches) &&
         areEqual(words, other.words) && areEqual(places, other.places);
}

GPUDriver::Status LaunchList::launch(const GPUDriver &driver, void *stream,
                                     size_t first, size_t end) {
  List<void *> arguments;
  GPUDriver::Status status = 0;
  for (size_t number = first; number < end; ++number) {
    const Launch &one = launches.items[number];
    arguments.size = 0;
    void **list = arguments.grow(one.numArguments + 1);
    if (!list) {
      status = GPUDriver::kOutOfMemory;
      break;
    }
    for (uint32_t i = 0; i < one.numArguments; ++i)
      list[i] = words.items + places.items[one.firstArgument + i];
    status = driver.launch(one.function, one.blocks, 1, 1, one.threads, 1, 1,
                           one.dynamicBytes, stream, list, nullptr);
    if (status != 0)
      break;
  }
  arguments.release();
  return status;
}

/// Captures the launches of `entry` as a graph, on a stream of its own: while
/// one that waits for the default stream is captured, no thread of the program
/// may use the default stream. Leaves the entry without a graph if the driver
/// fails; nothing was done then, and the step is launched kernel by kernel.
void GraphCache::capture(const GPUDriver &driver, Entry &entry) {
  void *stream = nullptr;
  if (driver.createStream(&stream, GPUDriver::kNonBlocking) != 0)
    return;
  if (driver.beginCapture(stream, GPUDriver::kThreadLocal) == 0) {
    GPUDriver::Status status = entry.step.launch(driver, stream);
    void *graph = nullptr;
    GPUDriver::Status ended = driver.endCapture(stream, &graph);
    if (status == 0 && ended == 0 &&
        driver.instantiate(&entry.executable, graph, 0) != 0)
      entry.executable = nullptr;
    if (graph)
      driver.destroyGraph(graph);
  }
  driver.destroyStream(stream);
}

GPUDriver::Status GraphCache::run(const GPUDriver &driver, void *stream,
                                  LaunchList &step, const char *&call,
                                  int64_t &numGraphs, int64_t &numLaunches) {
  call = "cuLaunchKernel";
  numLaunches += static_cast<int64_t>(step.launches.size);
  // One launch is one either way.
  if (numRefused == kMaxRefused || step.launches.size < 2 || !areGraphsWanted())
    return step.launch(driver, stream);
  Entry *found = nullptr, *oldest = entries;
  for (Entry &entry : entries) {
    if (entry.lastUse && entry.step.equals(step))
      found = &entry;
    if (entry.lastUse < oldest->lastUse)
      oldest = &entry;
  }
  ++numUses;
  if (!found) {
    if (oldest->executable)
      driver.destroyExecutable(oldest->executable);
    oldest->executable = nullptr;
    oldest->lastUse = numUses;
    GPUDriver::Status status = step.launch(driver, stream);
    LaunchList kept = oldest->step;
    oldest->step = step;
    step = kept;
    return status;
  }
  found->lastUse = numUses;
  if (!found->executable) {
    capture(driver, *found);
    if (!found->executable) {
      ++numRefused;
      return step.launch(driver, stream);
    }
  }
  call = "cuGraphLaunch";
  ++numGraphs;
  return driver.launchGraph(found->executable, stream);
}

void GraphCache::release(const GPUDriver &driver) {
  for (Entry &entry : entries) {
    if (entry.executable)
      driver.destroyExecutable(entry.executable);
    entry.step.release();
  }
}

} // namespace flywheel::runtime
