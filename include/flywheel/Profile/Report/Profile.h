//===- Profile.h - How long the kernels of a step take ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PROFILE_REPORT_PROFILE_H
#define FLYWHEEL_PROFILE_REPORT_PROFILE_H

#include "flywheel/Model/Manifest.h"
#include "flywheel/Runtime/MachinePeak.h"
#include "flywheel/Runtime/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace flywheel {

/// A lower bound of the time of the calls of a kernel.
struct KernelBound {
  /// At the peak of operations, or of bytes, whichever takes longer.
  double seconds = 0.0;
  /// The limit that takes longer: "flops", or the level of memory at which most
  /// of the time for bytes is spent.
  const char *by = "flops";
};

/// The measurements of all calls of a kernel.
struct ProfiledKernel {
  std::string name, phase;
  std::vector<std::string> sources;
  /// The number of calls, and the time of the worker that was busy longest.
  uint64_t calls = 0;
  double seconds = 0.0;
  /// Counts of all calls; nullopt if they depend on a size that is not that of
  /// a feed.
  std::optional<double> iterations, flops, bytes;
  /// The workers that executed it, and its bytes by the level of memory that
  /// holds the share that one of them has in one call.
  int32_t workers = 1;
  std::array<double, runtime::kNumMemoryLevels> levelBytes = {};
  std::optional<KernelBound> bound;
};

/// The measurements of all calls of an entry.
struct ProfiledEntry {
  std::string name;
  uint64_t calls = 0;
  double seconds = 0.0;
  int32_t workers = 1;
  /// True if a GPU executed the kernels; its peak is not known.
  bool isOnGPU = false;
  runtime::MachinePeak peak;
  std::vector<ProfiledKernel> kernels;

  double getKernelSeconds() const;
  double getPhaseSeconds(llvm::StringRef phase) const;
};

/// A step, or a call of a kernel, on one worker. Times are seconds since the
/// profile began.
struct ProfileEvent {
  size_t entry = 0;
  /// Nothing for the step.
  std::optional<size_t> kernel;
  int32_t worker = 0;
  double begin = 0.0, end = 0.0;
};

/// The measurements of a session. Entries that were not called are not in it.
struct Profile {
  std::vector<ProfiledEntry> entries;
  std::vector<ProfileEvent> events;
  /// Calls of kernels that are counted, but for whose events there was no
  /// space.
  uint64_t dropped = 0;

  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJSON() const;
  /// The Trace Event Format, which Perfetto and chrome://tracing read.
  llvm::json::Value toTrace() const;
  /// Writes toTrace() to a file. Errors: those of writeFileAtomically().
  runtime::Status saveTrace(const std::string &path) const;
};

/// Adds up the measurements of the calls of a session.
class Profiler {
public:
  /// `manifest` has a profile, and outlives this.
  explicit Profiler(const Manifest &manifest);

  /// Call these before and after a call on this block of state. A call that
  /// fails counts as far as it ran.
  void begin(std::byte *state);
  void end(const std::byte *state, const ManifestEntry &entry,
           llvm::ArrayRef<int64_t> dimSizes, int32_t workers);

  /// Returns the measurements so far.
  Profile finish() const;

private:
  /// Numbers of one entry, in ticks; those of kernels of a GPU, which says how
  /// long they took itself, in nanoseconds.
  struct EntryTicks {
    uint64_t calls = 0, ticks = 0;
    int32_t workers = 1;
    std::vector<uint64_t> kernelTicks;
    std::vector<ProfiledKernel> kernels;
    /// The counts of one call, for the dimension sizes of the last call.
    std::vector<int64_t> dimSizes;
    std::vector<std::array<std::optional<double>, 3>> numbers;
  };
  struct TickEvent {
    size_t entry;
    std::optional<size_t> kernel;
    int32_t worker;
    /// Ticks; of kernels of a GPU nanoseconds since the tick `call`.
    uint64_t begin, end;
    uint64_t call = 0;
  };

  void evaluate(EntryTicks &ticks, const ManifestEntry &entry,
                llvm::ArrayRef<int64_t> dimSizes);
  void addEvents(const std::byte *state, size_t entry, size_t firstKernel,
                 int32_t workers);
  double getTicksPerSecond() const;

  const Manifest &manifest;
  std::vector<EntryTicks> entries;
  std::vector<TickEvent> events;
  uint64_t dropped = 0, startTicks, callTicks = 0;
  std::chrono::steady_clock::time_point startTime;
};

} // namespace flywheel

#endif // FLYWHEEL_PROFILE_REPORT_PROFILE_H
