//===- Profile.h - How long the kernels of a step take -------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_PROFILE_H
#define FLYWHEEL_SESSION_PROFILE_H

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

/// What the calls of a kernel take at least.
struct KernelBound {
  /// At the peak of operations, or of bytes, whichever takes longer.
  double seconds = 0.0;
  /// Which of them, "flops", or the level of memory where most of the time for
  /// bytes goes.
  const char *by = "flops";
};

/// What all calls of a kernel took.
struct ProfiledKernel {
  std::string name, phase;
  std::vector<std::string> sources;
  /// How often it ran, and the time of the worker that was busy longest.
  uint64_t calls = 0;
  double seconds = 0.0;
  /// Of all calls; none where a size that no feed has decides.
  std::optional<double> iterations, flops, bytes;
  /// The workers that executed it, and its bytes by the level of memory that
  /// holds the share that one of them has in one call.
  int32_t workers = 1;
  std::array<double, runtime::kNumMemoryLevels> levelBytes = {};
  std::optional<KernelBound> bound;
};

/// What all calls of an entry took.
struct ProfiledEntry {
  std::string name;
  uint64_t calls = 0;
  double seconds = 0.0;
  int32_t workers = 1;
  /// Whether a GPU executed the kernels; its peak is not known.
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

/// What was measured. Entries that were not called are not in it.
struct Profile {
  std::vector<ProfiledEntry> entries;
  std::vector<ProfileEvent> events;
  /// Calls of kernels that are counted, but are no events, for want of room.
  uint64_t dropped = 0;

  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJSON() const;
  /// The Trace Event Format, which Perfetto and chrome://tracing read.
  llvm::json::Value toTrace() const;
  /// Writes toTrace() to a file. Errors: those of writeFileAtomically().
  runtime::Status saveTrace(const std::string &path) const;
};

/// Adds up what the calls of a session take.
class Profiler {
public:
  /// `manifest` has a profile, and outlives this.
  explicit Profiler(const Manifest &manifest);

  /// In front of a call on this block of state, and behind it. A call that
  /// fails counts for what it did.
  void begin(std::byte *state);
  void end(const std::byte *state, const ManifestEntry &entry,
           llvm::ArrayRef<int64_t> dimSizes, int32_t workers);

  /// What there is until now.
  Profile finish() const;

private:
  /// Numbers of one entry, in ticks; those of kernels of a GPU, which says how
  /// long they took itself, in nanoseconds.
  struct EntryTicks {
    uint64_t calls = 0, ticks = 0;
    int32_t workers = 1;
    std::vector<uint64_t> kernelTicks;
    std::vector<ProfiledKernel> kernels;
    /// Of one call, for the dimension sizes of the last one.
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

#endif // FLYWHEEL_SESSION_PROFILE_H
