//===- MachinePeak.cpp - Peak rates of this machine -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/MachinePeak.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <unistd.h>

namespace flywheel::runtime {

using Clock = std::chrono::steady_clock;

/// Chains of multiply-adds: as many as hide the latency of one.
constexpr int kChains = 12;
constexpr int kRounds = 4096;
constexpr auto kTime = std::chrono::milliseconds(25);
/// Floats of a thread: beyond the caches of a core's share.
constexpr size_t kFloats = size_t(8) << 20;
/// Floats that are updated between two reads of the clock.
constexpr size_t kFloatsAtATime = size_t(1) << 20;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

const char *getMemoryLevelName(MemoryLevel level) {
  switch (level) {
  case MemoryLevel::L1:
    return "L1";
  case MemoryLevel::L2:
    return "L2";
  case MemoryLevel::Memory:
    return "memory";
  }
  return "";
}

CacheSizes getCacheSizes() {
  CacheSizes sizes = {32 * 1024, 1024 * 1024};
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  // A system may say 0 or -1, as in some virtual machines.
  int64_t l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  constexpr int64_t kSmallest = 4096;
  if (l1 >= kSmallest && l2 >= l1)
    sizes = {l1, l2};
#endif
  return sizes;
}

MemoryLevel getMemoryLevel(double bytes) {
  static const CacheSizes sizes = getCacheSizes();
  if (bytes <= static_cast<double>(sizes.l1))
    return MemoryLevel::L1;
  return bytes <= static_cast<double>(sizes.l2) ? MemoryLevel::L2
                                                : MemoryLevel::Memory;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Runs one batch of multiply-adds on vectors of type V; returns the number of
/// operations.
template <typename V>
static inline __attribute__((always_inline)) double runChains(float *sink) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float);
  V chains[kChains], factor, summand;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    factor[lane] = 0.999F;
    summand[lane] = *sink;
    for (int chain = 0; chain < kChains; ++chain)
      chains[chain][lane] = static_cast<float>(chain);
  }
  for (int round = 0; round < kRounds; ++round)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < kChains; ++chain)
      chains[chain] = chains[chain] * factor + summand;
  V sum = chains[0];
  for (int chain = 1; chain < kChains; ++chain)
    sum += chains[chain];
  *sink = sum[0] * 1e-30F;
  return 2.0 * kChains * kRounds * kLanes;
}

/// Reads and writes `count` floats of `data`, and reads as many of `summands`.
template <typename V>
static inline __attribute__((always_inline)) void
updateFloats(float *data, const float *summands, size_t count) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float);
  auto *vectors = reinterpret_cast<V *>(data);
  const auto *others = reinterpret_cast<const V *>(summands);
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < count / kLanes; ++i)
    vectors[i] = vectors[i] * 0.999F + others[i];
}

using Float4 = float __attribute__((vector_size(16), may_alias));
static void updateFloats4(float *data, const float *summands, size_t count) {
  updateFloats<Float4>(data, summands, count);
}
static double runChains4(float *sink) { return runChains<Float4>(sink); }
#if defined(__x86_64__)
using Float8 = float __attribute__((vector_size(32), may_alias));
using Float16 = float __attribute__((vector_size(64), may_alias));
__attribute__((target("avx2,fma"))) static void
updateFloats8(float *data, const float *summands, size_t count) {
  updateFloats<Float8>(data, summands, count);
}
__attribute__((target("avx512f,fma"))) static void
updateFloats16(float *data, const float *summands, size_t count) {
  updateFloats<Float16>(data, summands, count);
}
__attribute__((target("avx2,fma"))) static double runChains8(float *sink) {
  return runChains<Float8>(sink);
}
__attribute__((target("avx512f,fma"))) static double runChains16(float *sink) {
  return runChains<Float16>(sink);
}
#endif

/// The loops that are measured, with the widest vectors of this machine.
struct Loops {
  double (*chains)(float *);
  void (*update)(float *, const float *, size_t);
};

static Loops getLoops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {runChains16, updateFloats16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {runChains8, updateFloats8};
#endif
  return {runChains4, updateFloats4};
}

/// Returns the best rate of \p run, which returns an amount, within some time.
template <typename Run> static double measureBest(Run run) {
  double best = 0.0;
  for (auto end = Clock::now() + kTime; Clock::now() < end;) {
    auto start = Clock::now();
    double amount = run();
    std::chrono::duration<double> seconds = Clock::now() - start;
    best = std::max(best, amount / std::max(seconds.count(), 1e-9));
  }
  return best;
}

static double measureFlops() {
  float sink = 0.0F;
  auto *chains = getLoops().chains;
  return measureBest([&] { return chains(&sink); });
}

/// Measures the rate of a cache of \p cacheBytes, by two arrays that take half
/// of it.
static double measureCache(int64_t cacheBytes) {
  size_t count = cacheBytes / 4 / sizeof(float) / 64 * 64;
  std::unique_ptr<float[]> values(new (std::nothrow) float[2 * count + 16]);
  if (!values)
    return 0.0;
  // No vector crosses a cache line.
  void *place = values.get();
  size_t space = (2 * count + 16) * sizeof(float);
  auto *data = static_cast<float *>(
      std::align(64, 2 * count * sizeof(float), place, space));
  std::fill_n(data, count, 1.0F);
  std::fill_n(data + count, count, 0.001F);
  auto *update = getLoops().update;
  size_t repetitions = std::max<size_t>(kFloatsAtATime / count, 1);
  return measureBest([&] {
    for (size_t i = 0; i < repetitions; ++i)
      update(data, data + count, count);
    return 3.0 * sizeof(float) * static_cast<double>(count * repetitions);
  });
}

static double measureL1() { return measureCache(getCacheSizes().l1); }
static double measureL2() { return measureCache(getCacheSizes().l2); }

static double measureBytes() {
  std::unique_ptr<float[]> values(new (std::nothrow) float[kFloats]);
  if (!values)
    return 0.0;
  std::fill_n(values.get(), kFloats, 1.0F);
  float *data = values.get();
  return measureBest([&] {
    for (size_t i = 0; i < kFloats; ++i)
      data[i] = data[i] * 0.999F + 0.001F;
    return 2.0 * sizeof(float) * kFloats;
  });
}

/// Returns the sum of the results of \p measure on \p threads threads at the
/// same time.
static double measureTogether(int32_t threads, double (*measure)()) {
  std::vector<double> rates(threads);
  std::atomic<int32_t> waiting{threads};
  auto work = [&](int32_t thread) {
    for (--waiting; waiting.load() > 0;)
      std::this_thread::yield();
    rates[thread] = measure();
  };
  std::vector<std::thread> others;
  for (int32_t thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  for (std::thread &other : others)
    other.join();
  double sum = 0.0;
  for (double rate : rates)
    sum += rate;
  return sum;
}

MachinePeak measurePeak(int32_t threads) {
  static std::mutex mutex;
  static std::map<int32_t, MachinePeak> known;
  threads = std::max(threads, 1);
  std::lock_guard<std::mutex> lock(mutex);
  auto found = known.find(threads);
  if (found != known.end())
    return found->second;
  MachinePeak peak;
  peak.flops = measureTogether(threads, measureFlops);
  peak.bytes = {measureTogether(threads, measureL1),
                measureTogether(threads, measureL2),
                measureTogether(threads, measureBytes)};
  return known[threads] = peak;
}

} // namespace flywheel::runtime
