//===- Progress.cpp - How training goes, on standard error ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace flywheel::run {

std::string formatNumber(double value) {
  // Not every C library prints the sign of a NaN, which means nothing here.
  if (std::isnan(value))
    return "nan";
  char text[64];
  bool isSmall = value != 0.0 && std::fabs(value) < 1e-3;
  bool isLarge = std::fabs(value) >= 1e6;
  std::snprintf(text, sizeof(text), isSmall || isLarge ? "%.3e" : "%.4f",
                value);
  return text;
}

std::string formatMetrics(llvm::ArrayRef<Metric> metrics) {
  std::string text;
  for (const Metric &metric : metrics) {
    text += text.empty() ? "" : "  ";
    if (!metric.isCount) {
      text += metric.name + " " + formatNumber(metric.getMean());
      text += metric.rows == 0 ? " (no rows)" : "";
      continue;
    }
    if (metric.rows == 0) {
      text += metric.name + " 0/0 (no rows)";
      continue;
    }
    char share[128];
    std::snprintf(share, sizeof(share), " %.0f/%llu (%.2f %%)", metric.sum,
                  static_cast<unsigned long long>(metric.rows),
                  100.0 * metric.getMean());
    text += metric.name + share;
  }
  return text;
}

static double getSecondsSince(std::chrono::steady_clock::time_point start) {
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

Progress::Progress(uint64_t epochs, uint64_t stepsPerEpoch)
    : epochs(epochs), stepsPerEpoch(stepsPerEpoch),
      isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::beginEpoch(uint64_t) {
  epochStart = lastStep = lastDraw = Clock::now();
  epochSteps = 0;
}

static std::string formatEpoch(uint64_t epoch, uint64_t epochs) {
  std::string total = std::to_string(epochs);
  std::string number = std::to_string(epoch + 1);
  number.insert(0, total.size() - std::min(total.size(), number.size()), ' ');
  return "epoch " + number + "/" + total;
}

static std::string formatRate(uint64_t steps, double seconds) {
  return llvm::formatv("{0:f0} steps/s",
                       seconds > 0.0 ? double(steps) / seconds : 0.0);
}

void Progress::update(const Trainer::Step &step) {
  ++epochSteps;
  lastStep = Clock::now();
  if (!isTerminal || lastStep - lastDraw < std::chrono::milliseconds(80))
    return;
  lastDraw = lastStep;
  hasBar = true;
  constexpr uint64_t width = 24;
  uint64_t filled = width * (step.index + 1) / stepsPerEpoch;
  llvm::errs() << "\r" << formatEpoch(step.epoch, epochs) << " ["
               << std::string(filled, '=') << std::string(width - filled, ' ')
               << "]  ";
  if (step.loss)
    llvm::errs() << "loss " << formatNumber(*step.loss) << "  ";
  llvm::errs() << formatRate(epochSteps, getSecondsSince(epochStart))
               << "\x1b[K";
  llvm::errs().flush();
}

void Progress::clear() {
  if (hasBar)
    llvm::errs() << "\r\x1b[K";
  hasBar = false;
}

void Progress::endEpoch(uint64_t epoch, std::optional<double> loss,
                        const std::string &evaluation) {
  double seconds = std::chrono::duration<double>(lastStep - epochStart).count();
  totalSeconds += seconds;
  totalSteps += epochSteps;
  clear();
  llvm::errs() << formatEpoch(epoch, epochs);
  if (loss)
    llvm::errs() << "  loss " << formatNumber(*loss);
  if (!evaluation.empty())
    llvm::errs() << "  " << evaluation;
  llvm::errs() << "  " << formatRate(epochSteps, seconds) << "\n";
}

} // namespace flywheel::run
