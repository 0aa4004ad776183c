//===- CheckpointManager.h - A directory of checkpoints ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Saves one checkpoint after the other, keeps the newest, and records in a
// state file which they are. The rules are those of TensorFlow's Saver.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_CHECKPOINTMANAGER_H
#define FLYWHEEL_RUNTIME_CHECKPOINTMANAGER_H

#include "flywheel/Runtime/CheckpointState.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace flywheel::runtime {

/// The path of a checkpoint: \p prefix without a step, else `PREFIX-STEP`, in
/// which STEP has at least 8 digits where \p padStep says so.
std::string checkpointPath(const std::string &prefix,
                           std::optional<int64_t> step, bool padStep = false);

struct CheckpointManagerOptions {
  /// How many of the newest checkpoints to keep; older ones are deleted. 0
  /// keeps the files of all, and the state file lists the last alone.
  size_t maxToKeep = 5;
  /// Of the checkpoints that would be deleted, one is kept for good each time
  /// that at least so many hours have passed since the one kept before, or
  /// since `startTime`.
  double keepCheckpointEveryNHours = 10000;
  /// Write the step with at least 8 digits.
  bool padStepNumber = false;
  /// The name of the state file in the directory of the checkpoints. Managers
  /// that save to one directory must differ in it: what a state file lists, one
  /// manager deletes.
  std::string stateFile = defaultStateFile;
  /// When training began, in seconds since 1970, if no state file knows.
  /// Nothing stands for the time of construction.
  std::optional<double> startTime;
};

/// Saves checkpoints with retention. What is retained is read from the state
/// file before each save, so that a new process goes on where the last one was.
/// One manager at a time may save under a state file.
class CheckpointManager {
public:
  explicit CheckpointManager(CheckpointManagerOptions options = {});

  const CheckpointManagerOptions &getOptions() const { return options; }

  /// Writes the checkpoint at a path, as saveCheckpoint() does.
  using Writer = std::function<Status(const std::string &path)>;

  /// Saves a checkpoint at checkpointPath(), which it returns, and makes it the
  /// latest. A path that is retained already becomes the newest. After a crash
  /// at any moment the state file names a complete checkpoint as the latest:
  /// `write` comes first, then the state file, then the deletions. A file that
  /// cannot be deleted is tried again at the next save.
  ///
  /// Errors: kInvalidArgument for a bad name of the state file, or one that is
  /// the last component of the prefix or of the path; kFailedPrecondition
  /// `Parent directory of PREFIX doesn't exist, can't save`; those of \p write,
  /// after which nothing has changed, and of writing the state file, after
  /// which the checkpoint is there but not recorded.
  Result<std::string> save(const std::string &prefix,
                           std::optional<int64_t> step, const Writer &write);

private:
  Status checkNames(const std::string &prefix, const std::string &path) const;
  CheckpointState readState(const std::string &directory) const;
  void record(const std::string &directory, const std::string &name,
              CheckpointState &state);
  void deleteOutdated(const std::string &path);

  CheckpointManagerOptions options;
  /// Paths of files that are not retained and not deleted yet.
  std::vector<std::string> outdated;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CHECKPOINTMANAGER_H
