//===- MachinePeak.h - What this machine can do at most ------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_MACHINEPEAK_H
#define FLYWHEEL_RUNTIME_MACHINEPEAK_H

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace flywheel::runtime {

/// What the counter of the processor says, which compiled steps read too.
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

/// Rates that no kernel exceeds, per second.
struct MachinePeak {
  /// Operations of f32 vectors in registers: a multiply-add is two.
  double flops = 0.0;
  /// Bytes read and written by an update in place of an array that no cache
  /// holds.
  double bytes = 0.0;
};

/// Measures for \p threads threads at the same time, at least 1, in about
/// 60 ms. Measured once for each number of threads in a process: later calls
/// give the same.
MachinePeak measurePeak(int32_t threads);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_MACHINEPEAK_H
