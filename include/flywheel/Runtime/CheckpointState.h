//===- CheckpointState.h - Which checkpoint is the latest -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state file of a directory of checkpoints: the latest one and those that
// are retained, in the text form of TensorFlow's CheckpointState message.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_CHECKPOINTSTATE_H
#define FLYWHEEL_RUNTIME_CHECKPOINTSTATE_H

#include "flywheel/Runtime/Status.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flywheel::runtime {

/// The name of a state file unless another is chosen.
inline constexpr const char *defaultStateFile = "checkpoint";

/// The contents of a state file. Times are seconds since 1970, UTC.
struct CheckpointState {
  /// Path of the newest checkpoint; empty when there is none.
  std::string latest;
  /// Paths of the retained checkpoints, oldest to newest, and when each was
  /// saved. `times` is as long as `retained` or empty.
  std::vector<std::string> retained;
  std::vector<double> times;
  /// When the newest checkpoint that is kept for good was saved, or when
  /// training began.
  std::optional<double> lastPreserved;
};

/// Formats and parses the text of a state file. Errors of the second: kDataLoss
/// with the line of the first error.
std::string formatCheckpointState(const CheckpointState &state);
Result<CheckpointState> parseCheckpointState(std::string_view text);

/// Checks that \p stateFile can name a state file in a directory: it is a name
/// without path components, and not that of a temporary file. Error:
/// kInvalidArgument.
Status checkStateFileName(const std::string &stateFile);

/// Reads the state file of \p directory ("" is "."); relative paths in it are
/// made paths from here. Errors: those of checkStateFileName(); kNotFound when
/// there is none; kIOError when it cannot be read; kDataLoss when it is
/// malformed.
Result<CheckpointState>
readCheckpointState(const std::string &directory,
                    const std::string &stateFile = defaultStateFile);

/// Returns the same, or nullopt if there is no readable state.
std::optional<CheckpointState>
getCheckpointState(const std::string &directory,
                   const std::string &stateFile = defaultStateFile);

/// Returns the path of the newest checkpoint by the state file of \p directory;
/// nullopt if there is no readable state or the checkpoint does not exist.
std::optional<std::string>
latestCheckpoint(const std::string &directory,
                 const std::string &stateFile = defaultStateFile);

/// Returns the newest checkpoint in \p directory, which may have been moved
/// since, by its name; nullopt if there is no readable state. Does not check
/// that the checkpoint exists.
std::optional<std::string>
locateLatestCheckpoint(const std::string &directory,
                       const std::string &stateFile = defaultStateFile);

/// `DIRECTORY/NAME`.
std::string joinPath(const std::string &directory, const std::string &name);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CHECKPOINTSTATE_H
