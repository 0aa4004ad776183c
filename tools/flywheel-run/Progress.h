//===- Progress.h - How training goes, on standard error --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_PROGRESS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_PROGRESS_H

#include "flywheel/Session/Trainer.h"

#include <chrono>

namespace flywheel::run {

/// Formats a number: `0.0712`, `3.1e-05` if it is small, `nan` if it is not a
/// number.
std::string formatNumber(double value);

/// Formats metrics: `loss 0.0712  correct 352/359 (98.05 %)`.
std::string formatMetrics(llvm::ArrayRef<Metric> metrics);

/// Prints one line per epoch; on a terminal also a bar while the epoch runs.
class Progress {
public:
  Progress(uint64_t epochs, uint64_t stepsPerEpoch);

  void beginEpoch(uint64_t epoch);
  void update(const Trainer::Step &step);
  /// Writes the epoch's line: its mean loss and `evaluation`, which may be
  /// empty.
  void endEpoch(uint64_t epoch, std::optional<double> loss,
                const std::string &evaluation);
  /// Removes the bar, so that a message can be written.
  void clear();

  /// Return the time in training steps so far, without evaluation, and their
  /// number.
  double getSeconds() const { return totalSeconds; }
  uint64_t getSteps() const { return totalSteps; }

private:
  using Clock = std::chrono::steady_clock;

  uint64_t epochs, stepsPerEpoch;
  bool isTerminal;
  Clock::time_point epochStart, lastStep, lastDraw;
  uint64_t epochSteps = 0, totalSteps = 0;
  double totalSeconds = 0.0;
  bool hasBar = false;
};

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_PROGRESS_H
