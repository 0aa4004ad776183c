//===- Profiler.cpp - Times of the kernels of a step ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Profile/Report/Profile.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <thread>

using flywheel::runtime::readTicks;

namespace flywheel {

/// Events that a profile keeps at most: some 100 MB of a trace.
constexpr size_t kMaxEvents = 1'000'000;
/// The shortest time that says how fast the counter is.
constexpr auto kCalibration = std::chrono::milliseconds(20);

static uint64_t loadNumber(const std::byte *place) {
  uint64_t number;
  std::memcpy(&number, place, sizeof(number));
  return number;
}

Profiler::Profiler(const Manifest &manifest)
    : manifest(manifest), entries(manifest.entries.size()),
      startTicks(readTicks()), startTime(std::chrono::steady_clock::now()) {
  for (auto [ticks, entry] : llvm::zip_equal(entries, manifest.entries)) {
    ticks.kernelTicks.resize(entry.kernels.size());
    ticks.numbers.resize(entry.kernels.size());
    for (const ManifestKernel &kernel : entry.kernels) {
      ProfiledKernel &profiled = ticks.kernels.emplace_back();
      profiled.name = kernel.name;
      profiled.phase = kernel.phase;
      profiled.sources = kernel.sources;
      if (kernel.iterations)
        profiled.iterations = 0.0;
      if (kernel.flops)
        profiled.flops = 0.0;
      if (kernel.bytes)
        profiled.bytes = 0.0;
    }
  }
}

void Profiler::begin(std::byte *state) {
  const ManifestProfile &profile = *manifest.profile;
  for (int64_t worker = 0; worker < profile.workers; ++worker)
    std::memset(state + profile.offset + worker * profile.getStride(), 0,
                profile.getEventsOffset());
  callTicks = readTicks();
}

void Profiler::evaluate(EntryTicks &ticks, const ManifestEntry &entry,
                        llvm::ArrayRef<int64_t> dimSizes) {
  if (ticks.calls > 0 && llvm::ArrayRef(ticks.dimSizes) == dimSizes)
    return;
  ticks.dimSizes = dimSizes.vec();
  auto get = [&](mlir::AffineMap map) -> std::optional<double> {
    if (!map)
      return std::nullopt;
    return static_cast<double>(
        evaluateSize(map.getResult(0), dimSizes).getSaturated());
  };
  for (auto [numbers, kernel] : llvm::zip_equal(ticks.numbers, entry.kernels))
    numbers = {get(kernel.iterations), get(kernel.flops), get(kernel.bytes)};
}

void Profiler::addEvents(const std::byte *state, size_t entry,
                         size_t firstKernel, int32_t workers) {
  const ManifestProfile &profile = *manifest.profile;
  for (int32_t worker = 0; worker < workers; ++worker) {
    const std::byte *base =
        state + profile.offset + worker * profile.getStride();
    uint64_t count = loadNumber(base);
    uint64_t kept = std::min<uint64_t>(count, profile.events);
    kept = std::min<uint64_t>(kept,
                              kMaxEvents - std::min(kMaxEvents, events.size()));
    dropped += count - kept;
    for (uint64_t number = 0; number < kept; ++number) {
      const std::byte *event = base + profile.getEventsOffset() +
                               number * ManifestProfile::kEventBytes;
      events.push_back({entry, loadNumber(event) - firstKernel, worker,
                        loadNumber(event + 8), loadNumber(event + 16),
                        callTicks});
    }
  }
}

void Profiler::end(const std::byte *state, const ManifestEntry &entry,
                   llvm::ArrayRef<int64_t> dimSizes, int32_t workers) {
  uint64_t now = readTicks();
  const ManifestProfile &profile = *manifest.profile;
  size_t number = &entry - manifest.entries.data(), first = 0;
  for (size_t other = 0; other < number; ++other)
    first += manifest.entries[other].kernels.size();
  workers = static_cast<int32_t>(
      std::min<int64_t>({workers, profile.workers, entry.workers}));
  EntryTicks &ticks = entries[number];
  evaluate(ticks, entry, dimSizes);
  ++ticks.calls;
  ticks.ticks += now - callTicks;
  ticks.workers = std::max(ticks.workers, workers);
  for (auto [index, kernel] : llvm::enumerate(ticks.kernels)) {
    uint64_t calls = 0, longest = 0;
    int32_t numBusy = 0;
    for (int32_t worker = 0; worker < workers; ++worker) {
      const std::byte *counters =
          state + profile.offset + worker * profile.getStride() +
          ManifestProfile::kCountersOffset +
          (first + index) * ManifestProfile::kCounterBytes;
      calls = std::max(calls, loadNumber(counters));
      numBusy += loadNumber(counters) > 0;
      longest = std::max(longest, loadNumber(counters + 8));
    }
    kernel.calls += calls;
    ticks.kernelTicks[index] += longest;
    std::optional<double> *sums[] = {&kernel.iterations, &kernel.flops,
                                     &kernel.bytes};
    for (auto [sum, one] : llvm::zip_equal(sums, ticks.numbers[index]))
      if (*sum && one)
        **sum += *one * static_cast<double>(calls);
    if (std::optional<double> bytes = ticks.numbers[index][2]; bytes && calls) {
      auto level = runtime::getMemoryLevel(*bytes / numBusy);
      kernel.levelBytes[static_cast<size_t>(level)] +=
          *bytes * static_cast<double>(calls);
    }
    kernel.workers = std::max(kernel.workers, numBusy);
  }
  if (events.size() < kMaxEvents)
    events.push_back({number, std::nullopt, 0, callTicks, now});
  addEvents(state, number, first, workers);
}

double Profiler::getTicksPerSecond() const {
  auto elapsed = std::chrono::steady_clock::now() - startTime;
  if (elapsed < kCalibration)
    std::this_thread::sleep_for(kCalibration - elapsed);
  uint64_t ticks = readTicks() - startTicks;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - startTime;
  return static_cast<double>(ticks) / seconds.count();
}

/// Returns the bound of a kernel; nullopt if its numbers or the peaks are
/// unknown.
static std::optional<KernelBound> getBound(const ProfiledKernel &kernel) {
  runtime::MachinePeak peak = runtime::measurePeak(kernel.workers);
  if (!kernel.flops || !kernel.bytes || peak.flops <= 0.0)
    return std::nullopt;
  double longest = 0.0, bytesSeconds = 0.0;
  const char *by = "";
  for (size_t i = 0; i < runtime::kNumMemoryLevels; ++i) {
    auto level = static_cast<runtime::MemoryLevel>(i);
    if (kernel.levelBytes[i] <= 0.0)
      continue;
    if (peak.getBytes(level) <= 0.0)
      return std::nullopt;
    double seconds = kernel.levelBytes[i] / peak.getBytes(level);
    bytesSeconds += seconds;
    if (seconds > longest) {
      longest = seconds;
      by = runtime::getMemoryLevelName(level);
    }
  }
  double flopsSeconds = *kernel.flops / peak.flops;
  if (flopsSeconds >= bytesSeconds)
    return KernelBound{flopsSeconds, "flops"};
  return KernelBound{bytesSeconds, by};
}

Profile Profiler::finish() const {
  double rate = getTicksPerSecond();
  Profile profile;
  std::vector<size_t> places(entries.size());
  for (auto [number, ticks] : llvm::enumerate(entries)) {
    places[number] = profile.entries.size();
    if (ticks.calls == 0)
      continue;
    ProfiledEntry &entry = profile.entries.emplace_back();
    entry.name = manifest.entries[number].name;
    entry.calls = ticks.calls;
    entry.seconds = static_cast<double>(ticks.ticks) / rate;
    entry.workers = ticks.workers;
    entry.isOnGPU = manifest.isOnGPU;
    if (!entry.isOnGPU)
      entry.peak = runtime::measurePeak(ticks.workers);
    entry.kernels = ticks.kernels;
    for (auto [kernel, sum] :
         llvm::zip_equal(entry.kernels, ticks.kernelTicks)) {
      kernel.seconds = static_cast<double>(sum) / (entry.isOnGPU ? 1e9 : rate);
      // The rates of a GPU are not known.
      if (!entry.isOnGPU)
        kernel.bound = getBound(kernel);
    }
  }
  auto toSeconds = [&](uint64_t ticks) {
    return static_cast<double>(static_cast<int64_t>(ticks - startTicks)) / rate;
  };
  for (const TickEvent &event : events) {
    double begin, end;
    if (event.kernel && manifest.isOnGPU) {
      double call = toSeconds(event.call);
      begin = call + static_cast<double>(event.begin) * 1e-9;
      end = call + static_cast<double>(event.end) * 1e-9;
    } else {
      begin = toSeconds(event.begin);
      end = toSeconds(event.end);
    }
    profile.events.push_back(
        {places[event.entry], event.kernel, event.worker, begin, end});
  }
  profile.dropped = dropped;
  return profile;
}

} // namespace flywheel
