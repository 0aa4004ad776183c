//===- State.h - Where the values of variables come from and go -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_RUN_STATE_H
#define FLYWHEEL_TOOLS_FLYWHEEL_RUN_STATE_H

#include "RunOptions.h"

namespace flywheel::run {

/// Looks for the checkpoint of --restore-latest. If there is one, uses it as
/// that of --resume if --train is given, and otherwise as that of --restore;
/// its step becomes `firstStep`. Prints its path to standard error.
runtime::Status findLatest(RunOptions &options);

/// Gives the variables their values, in this order: from the checkpoint, from
/// --set, initial ones. Then prints what --report-uninitialized asks for.
runtime::Status prepareVariables(Session &session, const RunOptions &options);

/// Writes the files that --checkpoint and --save ask for.
class StateWriter {
public:
  /// Checks paths and names, before hours of training. Both arguments must
  /// outlive the writer.
  static runtime::Result<StateWriter> create(const Session &session,
                                             const RunOptions &options);

  /// Writes a checkpoint if one is due. The caller calls it after each step
  /// (when training: epoch), with its number from 1.
  runtime::Status afterStep(uint64_t step, const runtime::Metadata &metadata);
  /// Writes the last checkpoint, unless afterStep() has, and --save. The caller
  /// calls it after the last step.
  runtime::Status finish(uint64_t step, const runtime::Metadata &metadata);
  /// Writes --save.
  runtime::Status save(const runtime::Metadata &metadata);

private:
  StateWriter(const Session &session, const RunOptions &options);
  runtime::Status writeCheckpoint(uint64_t step,
                                  const runtime::Metadata &metadata);
  runtime::Result<int64_t> getGlobalStep() const;

  const Session &session;
  const RunOptions &options;
  runtime::CheckpointManager manager;
  runtime::CheckpointOptions selection;
  std::optional<uint64_t> lastStep;
};

} // namespace flywheel::run

#endif // FLYWHEEL_TOOLS_FLYWHEEL_RUN_STATE_H
