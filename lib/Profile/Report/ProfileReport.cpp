//===- ProfileReport.cpp - A profile as text, JSON and a trace ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Profile/Report/Profile.h"
#include "flywheel/Runtime/AtomicFile.h"
#include "flywheel/Runtime/JsonString.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <tuple>

using namespace llvm;
using flywheel::runtime::MemoryLevel;

namespace flywheel {

double ProfiledEntry::getKernelSeconds() const {
  double sum = 0.0;
  for (const ProfiledKernel &kernel : kernels)
    sum += kernel.seconds;
  return sum;
}

double ProfiledEntry::getPhaseSeconds(StringRef phase) const {
  double sum = 0.0;
  for (const ProfiledKernel &kernel : kernels)
    if (kernel.phase == phase)
      sum += kernel.seconds;
  return sum;
}

/// A kernel is listed as slow if it takes more than this factor times its
/// bound.
constexpr double kSlowFactor = 3.0;
/// The part of a step from which on a slow kernel has a line of its own.
constexpr double kListedPart = 0.01;

constexpr StringLiteral kPhases[] = {"forward", "backward", "update"};

/// Returns a / b, or 0 if b is not positive.
static double divide(double a, double b) { return b > 0.0 ? a / b : 0.0; }

static std::optional<double> getRate(std::optional<double> amount,
                                     double seconds) {
  if (!amount || seconds <= 0.0)
    return std::nullopt;
  return *amount / seconds;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Returns `text`, quoted if it could harm a terminal.
static std::string display(const std::string &text) {
  bool isPlain = llvm::all_of(text, [](char c) { return c >= ' ' && c < 127; });
  return isPlain ? text : runtime::quoteBytes(text);
}

static std::string formatNumber(std::optional<double> number,
                                const char *format) {
  return number ? formatv(format, *number).str() : "?";
}

static std::string formatPercent(std::optional<double> rate, double peak) {
  return rate && peak > 0.0 ? formatv("{0:f0}", *rate / peak * 100.0).str()
                            : "?";
}

/// Prints the kernels that take several times their bound, of `sorted`, the
/// longest first.
static void printSlowKernels(raw_ostream &os, const ProfiledEntry &entry,
                             ArrayRef<const ProfiledKernel *> sorted) {
  size_t count = 0, numShort = 0;
  double seconds = 0.0, shortSeconds = 0.0;
  std::string lines;
  raw_string_ostream list(lines);
  for (const ProfiledKernel *kernel : sorted) {
    if (!kernel->bound || kernel->bound->seconds <= 0.0 ||
        kernel->seconds <= kSlowFactor * kernel->bound->seconds)
      continue;
    ++count;
    seconds += kernel->seconds;
    if (kernel->seconds < kListedPart * entry.seconds) {
      ++numShort;
      shortSeconds += kernel->seconds;
      continue;
    }
    list << formatv("  {0}: {1:f1} times that of {2}, {3:f1} % of the step\n",
                    kernel->name, kernel->seconds / kernel->bound->seconds,
                    kernel->bound->by,
                    divide(kernel->seconds, entry.seconds) * 100.0);
  }
  if (count == 0) {
    os << formatv("no kernel takes more than {0:f0} times its bound\n",
                  kSlowFactor);
    return;
  }
  os << formatv("{0} {1} more than {2:f0} times {3} bound, {4:f1} % of the "
                "step:\n",
                count, count == 1 ? "kernel takes" : "kernels take",
                kSlowFactor, count == 1 ? "its" : "their",
                divide(seconds, entry.seconds) * 100.0)
     << lines;
  if (numShort)
    os << formatv("  {0} of less than {1:f0} % of the step each, {2:f1} % "
                  "together\n",
                  numShort, kListedPart * 100.0,
                  divide(shortSeconds, entry.seconds) * 100.0);
}

static void printEntry(raw_ostream &os, const ProfiledEntry &entry) {
  double calls = static_cast<double>(entry.calls);
  double step = entry.seconds / calls * 1e6;
  double memory = entry.peak.getBytes(MemoryLevel::Memory);
  size_t width = 6;
  for (const ProfiledKernel &kernel : entry.kernels)
    width = std::max(width, kernel.name.size());
  os << formatv("{0}: {1} calls, {2:f2} us a call, ", entry.name, entry.calls,
                step);
  if (entry.isOnGPU)
    os << "on a GPU\n";
  else
    os << formatv("{0} {1}; peak of this machine: {2:f1} GFLOP/s, {3:f1} "
                  "GB/s, from L1 {4:f1} and from L2 {5:f1}\n",
                  entry.workers, entry.workers == 1 ? "thread" : "threads",
                  entry.peak.flops / 1e9, memory / 1e9,
                  entry.peak.getBytes(MemoryLevel::L1) / 1e9,
                  entry.peak.getBytes(MemoryLevel::L2) / 1e9);
  auto printLine = [&](StringRef name, StringRef phase, StringRef count,
                       StringRef iterations, double seconds, StringRef flops,
                       StringRef flopsPercent, StringRef bytes,
                       StringRef bytesPercent, StringRef sources) {
    os << formatv("{0} {1} {2,7} {3,11} {4,9:f2} {5,6:f1} {6,8} {7,4} {8,7} "
                  "{9,4}",
                  left_justify(name, width), left_justify(phase, 8), count,
                  iterations, seconds / calls * 1e6,
                  divide(seconds, entry.seconds) * 100.0, flops, flopsPercent,
                  bytes, bytesPercent);
    if (!sources.empty())
      os << "  " << sources;
    os << "\n";
  };
  os << left_justify("kernel", width)
     << " phase      calls  iterations   us/call      %  GFLOP/s    %     "
        "GB/s    %  source\n";
  std::vector<const ProfiledKernel *> sorted;
  for (const ProfiledKernel &kernel : entry.kernels)
    sorted.push_back(&kernel);
  llvm::sort(sorted, [](const auto *a, const auto *b) {
    return std::tie(b->seconds, a->name) < std::tie(a->seconds, b->name);
  });
  for (const ProfiledKernel *kernel : sorted) {
    std::optional<double> flops = getRate(kernel->flops, kernel->seconds),
                          bytes = getRate(kernel->bytes, kernel->seconds);
    auto giga = [](std::optional<double> rate) {
      return rate ? std::optional<double>(*rate / 1e9) : rate;
    };
    std::string sources;
    for (const std::string &source : kernel->sources)
      sources += (sources.empty() ? "" : ", ") + display(source);
    printLine(kernel->name, kernel->phase, std::to_string(kernel->calls),
              formatNumber(kernel->iterations, "{0:f0}"), kernel->seconds,
              formatNumber(giga(flops), "{0:f1}"),
              formatPercent(flops, entry.peak.flops),
              formatNumber(giga(bytes), "{0:f1}"), formatPercent(bytes, memory),
              sources);
  }
  double measured = entry.getKernelSeconds();
  printLine("other", "", "", "", entry.seconds - measured, "", "", "", "", "");
  for (StringRef phase : kPhases)
    printLine("total", phase, "", "", entry.getPhaseSeconds(phase), "", "", "",
              "", "");
  os << formatv("kernels are {0:f1} % of the step\n",
                divide(measured, entry.seconds) * 100.0);
  printSlowKernels(os, entry, sorted);
}

void Profile::print(raw_ostream &os) const {
  if (entries.empty())
    os << "nothing was called while the profile was taken\n";
  for (const ProfiledEntry &entry : entries)
    printEntry(os, entry);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Value toNumber(std::optional<double> number) {
  return number ? json::Value(*number) : json::Value(nullptr);
}

/// Names of files may have any bytes.
static std::string toUTF8(const std::string &text) {
  return json::isUTF8(text) ? text : json::fixUTF8(text);
}

static json::Object toJSON(const ProfiledKernel &kernel) {
  json::Array sources;
  for (const std::string &source : kernel.sources)
    sources.push_back(toUTF8(source));
  return json::Object{{"name", toUTF8(kernel.name)},
                      {"phase", kernel.phase},
                      {"sources", std::move(sources)},
                      {"calls", static_cast<int64_t>(kernel.calls)},
                      {"seconds", kernel.seconds},
                      {"iterations", toNumber(kernel.iterations)},
                      {"flops", toNumber(kernel.flops)},
                      {"bytes", toNumber(kernel.bytes)},
                      {"threads", kernel.workers},
                      {"bound_seconds", kernel.bound
                                            ? json::Value(kernel.bound->seconds)
                                            : json::Value(nullptr)},
                      {"bound_by", kernel.bound ? json::Value(kernel.bound->by)
                                                : json::Value(nullptr)}};
}

static json::Object toJSON(const ProfiledEntry &entry) {
  json::Array kernels;
  for (const ProfiledKernel &kernel : entry.kernels)
    kernels.push_back(toJSON(kernel));
  json::Object phases;
  for (StringRef phase : kPhases)
    phases[phase] = entry.getPhaseSeconds(phase);
  phases["other"] = entry.seconds - entry.getKernelSeconds();
  return json::Object{
      {"name", toUTF8(entry.name)},
      {"calls", static_cast<int64_t>(entry.calls)},
      {"seconds", entry.seconds},
      {"coverage", divide(entry.getKernelSeconds(), entry.seconds)},
      {"threads", entry.workers},
      {"peak_flops_per_second", entry.peak.flops},
      {"peak_bytes_per_second", entry.peak.getBytes(MemoryLevel::Memory)},
      {"peak_l1_bytes_per_second", entry.peak.getBytes(MemoryLevel::L1)},
      {"peak_l2_bytes_per_second", entry.peak.getBytes(MemoryLevel::L2)},
      {"phases", std::move(phases)},
      {"kernels", std::move(kernels)}};
}

json::Value Profile::toJSON() const {
  json::Array list;
  for (const ProfiledEntry &entry : entries)
    list.push_back(flywheel::toJSON(entry));
  return json::Object{{"entries", std::move(list)},
                      {"dropped_events", static_cast<int64_t>(dropped)}};
}

json::Value Profile::toTrace() const {
  json::Array list;
  int32_t workers = 0;
  for (const ProfileEvent &event : events) {
    const ProfiledEntry &entry = entries[event.entry];
    workers = std::max(workers, event.worker + 1);
    json::Object object{{"ph", "X"},
                        {"pid", 1},
                        {"tid", event.worker + 1},
                        {"ts", event.begin * 1e6},
                        {"dur", (event.end - event.begin) * 1e6}};
    if (event.kernel) {
      const ProfiledKernel &kernel = entry.kernels[*event.kernel];
      object["name"] = toUTF8(kernel.name);
      object["cat"] = kernel.phase;
      json::Array sources;
      for (const std::string &source : kernel.sources)
        sources.push_back(toUTF8(source));
      object["args"] = json::Object{{"sources", std::move(sources)}};
    } else {
      object["name"] = toUTF8(entry.name);
      object["cat"] = "step";
    }
    list.push_back(std::move(object));
  }
  for (int32_t worker = 0; worker < workers; ++worker)
    list.push_back(json::Object{
        {"ph", "M"},
        {"pid", 1},
        {"tid", worker + 1},
        {"name", "thread_name"},
        {"args", json::Object{{"name", "worker " + std::to_string(worker)}}}});
  return json::Object{
      {"displayTimeUnit", "ns"},
      {"otherData",
       json::Object{{"dropped_events", static_cast<int64_t>(dropped)}}},
      {"traceEvents", std::move(list)}};
}

runtime::Status Profile::saveTrace(const std::string &path) const {
  std::string text;
  raw_string_ostream(text) << toTrace() << "\n";
  return runtime::writeFileAtomically(path, {{text.data(), text.size()}});
}

} // namespace flywheel
