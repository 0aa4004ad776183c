//===- RunOptions.h - What the command line asked for -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_RUNOPTIONS_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_RUNOPTIONS_H

#include "flywheel/Driver/CompilerOptions.h"
#include "flywheel/Session/Session.h"

#include <optional>
#include <string>
#include <vector>

namespace flywheel::run {

/// The variables that get initial values.
enum class InitialValues {
  /// Variables that have no value after --restore and --set.
  Missing,
  None,
  /// Variables of the collections GLOBAL and LOCAL.
  All,
  /// The named variables.
  Named,
};

struct RunOptions {
  std::string input;
  /// The program is compiled with these.
  CompilerOptions compiler;
  std::optional<ProgramCache> cache;
  bool timeStages = false;
  // The file of the trace of a profile; empty for none.
  std::string trace;
  bool perfMap = false, debugInfo = false;
  // Training mode.
  std::string data, evalData, trainEntry, evalEntry, resume;
  uint64_t epochs = 10, saveEvery = 0;
  bool evalOnly = false, printLosses = false;
  // None if not given on the command line.
  std::optional<uint64_t> batchSize, seed, initSeed;
  std::optional<double> holdout;
  std::optional<bool> shuffle;
  // Entry mode.
  std::vector<std::string> entries;
  uint64_t steps = 1, printEvery = 0;
  std::string saveResults;
  bool list = false;
  bool softPlacement = false;
  // Both.
  std::vector<std::string> feeds, prints;
  bool time = false;
  // Values of variables. Selections are `NAME` or `NAME=KEY`.
  std::string restore, restoreLatest, save;
  std::vector<std::string> restoreVariables, saveVariables, sets, initNames;
  InitialValues initialValues = InitialValues::Missing;
  bool reshape = false, anyModel = false, reportUninitialized = false;
  // Checkpoints with a step.
  std::string checkpoint, globalStep;
  uint64_t checkpointEvery = 0;
  runtime::CheckpointManagerOptions retention;
  /// The step in the name of the checkpoint that --restore-latest found.
  uint64_t firstStep = 0;

  /// Returns true if --list is all there is to do: then no variable is made.
  bool onlyLists() const;
  uint64_t getSeed() const { return seed.value_or(1); }
  uint64_t getInitSeed() const { return initSeed.value_or(getSeed()); }
  uint64_t getBatchSize() const { return batchSize.value_or(32); }
};

/// Reads the command line and checks what can be checked before anything is
/// compiled. Exits after --help and after an unknown option. Errors:
/// kInvalidArgument for options that contradict each other or that have no
/// effect together.
runtime::Result<RunOptions> parseCommandLine(int argc, char **argv);

/// Trains or evaluates on the columns of --data.
runtime::Status runTraining(Session &session, RunOptions options);

/// Calls the entries of --entry in turn, prints and saves.
runtime::Status runEntries(Session &session, RunOptions options);

/// Prints the entries with their feeds and results, and the variables.
void listProgram(const Program &program);

/// Prints the name, dtype, shape and elements of an array.
void printArray(const std::string &name, const ArrayView &array);

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_RUNOPTIONS_H
