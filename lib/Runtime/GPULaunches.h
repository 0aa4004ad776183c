//===- GPULaunches.h - Launches of a step -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launches of a step are recorded, and made when the host waits for them.
// If a whole step equals an earlier one, including every bit of each argument,
// it is captured as a graph; later steps that equal it launch that graph.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_GPULAUNCHES_H
#define FLYWHEEL_LIB_RUNTIME_GPULAUNCHES_H

#include "GPUDriver.h"

#include <stdlib.h>
#include <string.h>

namespace flywheel::runtime {

/// Items of a plain type, in memory of the C library.
template <typename T> struct List {
  T *items = nullptr;
  size_t size = 0, room = 0;

  /// Grows the list by `count` items and returns the first of these; null
  /// without memory.
  T *grow(size_t count) {
    if (size + count > room) {
      size_t wanted = 2 * (size + count);
      void *moved = realloc(static_cast<void *>(items), wanted * sizeof(T));
      if (!moved)
        return nullptr;
      items = static_cast<T *>(moved);
      room = wanted;
    }
    size += count;
    return items + size - count;
  }
  T *begin() const { return items; }
  T *end() const { return items + size; }
  void release() {
    free(static_cast<void *>(items));
    *this = {};
  }
  void swap(List &other) {
    List kept = other;
    other = *this;
    *this = kept;
  }
};

/// A kernel, its size, and the position of its arguments among those of the
/// step.
struct Launch {
  void *function;
  uint32_t blocks, threads, dynamicBytes, numArguments;
  size_t firstArgument;
  /// Its number in a profile.
  int64_t kernel;
};

/// Launches one behind the other.
struct LaunchList {
  List<Launch> launches;
  /// The arguments, each in words of 64 bits; `places` has the first word of
  /// each one.
  List<uint64_t> words;
  List<size_t> places;
  uint64_t hash = 0;

  void clear() {
    launches.size = words.size = places.size = 0;
    hash = 0;
  }
  void release() {
    launches.release();
    words.release();
    places.release();
  }
  bool equals(const LaunchList &other) const;
  /// Returns false without memory.
  bool add(void *function, const uint32_t (&size)[3], void *const *arguments,
           const int32_t *bytes, uint32_t numArguments, int64_t kernel);
  /// Launches those of [first, end) on a stream. Returns the first status that
  /// is not a success.
  GPUDriver::Status launch(const GPUDriver &driver, void *stream, size_t first,
                           size_t end);
  GPUDriver::Status launch(const GPUDriver &driver, void *stream) {
    return launch(driver, stream, 0, launches.size);
  }

private:
  void mix(uint64_t word);
};

/// The graphs of a model: of the last few kinds of steps.
class GraphCache {
public:
  /// Makes the launches of a whole step, as a graph if it has been captured.
  /// Sets `call` to the name of a call that fails. Counts graphs and launches.
  GPUDriver::Status run(const GPUDriver &driver, void *stream, LaunchList &step,
                        const char *&call, int64_t &numGraphs,
                        int64_t &numLaunches);
  void release(const GPUDriver &driver);

private:
  /// A kind of step: without a graph it has been seen once.
  struct Entry {
    LaunchList step;
    void *executable;
    uint64_t lastUse;
  };
  static constexpr int kMaxEntries = 8;
  /// Another thread may make a capture fail; after this many, none is tried.
  static constexpr int kMaxRefused = 4;

  static void capture(const GPUDriver &driver, Entry &entry);

  Entry entries[kMaxEntries] = {};
  uint64_t numUses = 0;
  int numRefused = 0;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_GPULAUNCHES_H
