//===- RunOptions.h - What the command line asked for -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_RUNOPTIONS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_RUNOPTIONS_H

#include "flywheel/Driver/Session.h"

#include <optional>
#include <string>
#include <vector>

namespace flywheel::run {

struct RunOptions {
  // Training mode.
  std::string data, evalData, trainEntry, evalEntry, resume;
  uint64_t epochs = 10, saveEvery = 0;
  bool evalOnly = false, printLosses = false;
  // Nothing: not said on the command line.
  std::optional<uint64_t> batchSize, seed, initSeed;
  std::optional<double> holdout;
  // Entry mode.
  std::string entry;
  uint64_t steps = 1;
  bool list = false;
  // Both.
  std::vector<std::string> feeds, prints;
  std::string save, restore;
  bool time = false;

  uint64_t getSeed() const { return seed.value_or(1); }
  uint64_t getInitSeed() const { return initSeed.value_or(getSeed()); }
  uint64_t getBatchSize() const { return batchSize.value_or(32); }
};

/// Gives the variables their values: those of --restore, or else initial ones.
runtime::Status initializeVariables(Session &session,
                                    const RunOptions &options);

/// Trains or evaluates on the columns of --data.
runtime::Status runTraining(Session &session, RunOptions options);

/// Calls --entry, prints and saves.
runtime::Status runEntry(Session &session, const RunOptions &options);

/// Prints the entries with their feeds and results, and the variables.
void listProgram(const Program &program);

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_RUNOPTIONS_H
