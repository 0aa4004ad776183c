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
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace flywheel::runtime {

/// Returns the path of a checkpoint: \p prefix without a step, else
/// `PREFIX-STEP`, in which STEP has at least 8 digits if \p padStep is true.
std::string checkpointPath(const std::string &prefix,
                           std::optional<int64_t> step, bool padStep = false);

/// The source of the list of checkpoints that a manager retains.
enum class RetainedList {
  /// The state file, before each save: a new process continues the list of the
  /// last one.
  kStateFile,
  /// The state file, before the first save to its directory; then its memory.
  kContinued,
  /// Its memory, which begins with its first save: what the state file lists
  /// then is not retained, and not deleted.
  kOwn,
};

struct CheckpointManagerOptions {
  /// The number of newest checkpoints to keep; older ones are deleted. 0 keeps
  /// the files of all, and the state file then lists only the last.
  size_t maxToKeep = 5;
  /// One of the checkpoints that would be deleted is kept permanently when at
  /// least this many hours have passed since the last one that was kept, or
  /// since `startTime`. At least 0.
  double keepCheckpointEveryNHours = 10000;
  /// Write the step with at least 8 digits.
  bool padStepNumber = false;
  /// The name of the state file in the directory of the checkpoints. Managers
  /// that save to one directory must use different names: a manager deletes the
  /// checkpoints that its state file lists.
  std::string stateFile = defaultStateFile;
  /// When training began, in seconds since 1970, if no state file knows.
  /// Nothing stands for the time of construction. Finite.
  std::optional<double> startTime;
  /// The list that decides which files are deleted, and which the state file
  /// gets. Managers that save to one directory under one state file delete each
  /// other's checkpoints unless their lists are their own.
  RetainedList list = RetainedList::kStateFile;
};

/// Saves checkpoints with retention. By default, the list of retained
/// checkpoints is read from the state file before each save, so that a new
/// process continues that of the last one. Only one manager at a time may save
/// under a state file.
class CheckpointManager {
public:
  explicit CheckpointManager(CheckpointManagerOptions options = {});

  const CheckpointManagerOptions &getOptions() const { return options; }

  /// Writes the checkpoint at a path, as saveCheckpoint() does.
  using Writer = std::function<Status(const std::string &path)>;

  /// Checks, before work that ends with it, that save() could write checkpoints
  /// under \p prefix. Errors: those of save() for the same reasons.
  Status check(const std::string &prefix) const;

  /// Saves a checkpoint at checkpointPath(), which it returns, and makes it the
  /// latest. A path that is retained already becomes the newest. After a crash
  /// at any moment the state file names a complete checkpoint as the latest:
  /// `write` comes first, then the state file, then the deletions. A file that
  /// cannot be deleted is tried again at the next save of this manager. If a
  /// crash happens between two of these, the state file lists neither a
  /// checkpoint that is not recorded yet, nor files that are no longer
  /// retained.
  ///
  /// Errors: kInvalidArgument for bad options, for a prefix without a last
  /// component, and if the state file's name is that component or that of the
  /// path; kFailedPrecondition `Parent directory of PREFIX doesn't exist, can't
  /// save`; those of readCheckpointState() for an existing file that cannot be
  /// read or is not a state file, which a save would destroy; those of
  /// \p write, after which nothing has changed, and of writing the state file,
  /// after which the checkpoint exists but is not recorded.
  Result<std::string> save(const std::string &prefix,
                           std::optional<int64_t> step, const Writer &write);

private:
  Status checkOptions() const;
  Status checkPrefix(const std::string &prefix) const;
  Status checkName(const std::string &path) const;
  Result<CheckpointState> readState(const std::string &directory) const;
  Result<CheckpointState> prepare(const std::string &prefix) const;
  void record(const std::string &directory, const std::string &name,
              CheckpointState &state);
  void deleteOutdated(const std::string &directory,
                      const CheckpointState &state);

  CheckpointManagerOptions options;
  /// The lists in memory, by directory, if the state file does not have them.
  std::map<std::string, CheckpointState> lists;
  /// Canonical paths of files that are not retained and not deleted yet.
  std::vector<std::string> outdated;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_CHECKPOINTMANAGER_H
