//===- MachinePeak.h - What this machine can do at most ------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_MACHINEPEAK_H
#define FLYWHEEL_RUNTIME_MACHINEPEAK_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace flywheel::runtime {

/// Returns the counter of the processor, which compiled steps read too.
inline uint64_t readTicks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

/// The fastest memory that can hold the bytes of a kernel: a data cache of its
/// core, or main memory.
enum class MemoryLevel { L1, L2, Memory };
constexpr size_t kNumMemoryLevels = 3;

/// "L1", "L2" or "memory".
const char *getMemoryLevelName(MemoryLevel level);

/// Bytes of the data caches of one core.
struct CacheSizes {
  int64_t l1, l2;
};

/// Returns the sizes for this machine; those of usual CPUs if they are unknown.
CacheSizes getCacheSizes();

/// The first level that holds \p bytes of one core.
MemoryLevel getMemoryLevel(double bytes);

/// Rates that kernels of f32 come near to at best, per second.
struct MachinePeak {
  /// Operations of f32 vectors in registers: a multiply-add is two.
  double flops = 0.0;
  /// Bytes read and written by an update in place, of arrays that each level
  /// holds: in a cache with a second array that is read, which uses it best. A
  /// cache that cores share counts as memory.
  std::array<double, kNumMemoryLevels> bytes = {};

  double getBytes(MemoryLevel level) const {
    return bytes[static_cast<size_t>(level)];
  }
};

/// Measures for \p threads threads at the same time, at least 1, in about
/// 110 ms. Measured once for each number of threads in a process: later calls
/// give the same.
MachinePeak measurePeak(int32_t threads);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_MACHINEPEAK_H
