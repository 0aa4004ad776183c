//===- CheckpointManager.cpp - A directory of checkpoints -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/CheckpointManager.h"

#include "flywheel/Runtime/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace flywheel::runtime;

/// Returns the seconds since 1970.
static double getTime() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

static bool isRegularFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string flywheel::runtime::checkpointPath(const std::string &prefix,
                                              std::optional<int64_t> step,
                                              bool padStep) {
  if (!step)
    return prefix;
  std::string digits = std::to_string(*step);
  bool isNegative = *step < 0;
  if (padStep && digits.size() < 8)
    digits.insert(isNegative ? 1 : 0, 8 - digits.size(), '0');
  return prefix + "-" + digits;
}

CheckpointManager::CheckpointManager(CheckpointManagerOptions options)
    : options(std::move(options)) {
  if (!this->options.startTime)
    this->options.startTime = getTime();
}

Status CheckpointManager::checkOptions() const {
  if (!std::isfinite(*options.startTime))
    return Status::invalidArgument(
        "expected a finite number of seconds as the time when training began, "
        "found " +
        std::to_string(*options.startTime));
  // Not a number is not at least 0 either.
  if (!(options.keepCheckpointEveryNHours >= 0))
    return Status::invalidArgument(
        "expected a number of hours of at least 0 between checkpoints that are "
        "kept for good, found " +
        std::to_string(options.keepCheckpointEveryNHours));
  return checkStateFileName(options.stateFile);
}

Status CheckpointManager::checkName(const std::string &path) const {
  if (lastComponent(path) == options.stateFile)
    return Status::invalidArgument("can't save to '" + path +
                                   "': the state file has that name");
  return Status();
}

Status CheckpointManager::checkPrefix(const std::string &prefix) const {
  if (lastComponent(prefix).empty())
    return Status::invalidArgument("can't save to '" + prefix +
                                   "': the path names no file");
  if (Status status = checkParentDirectory(prefix); !status.isOk())
    return status;
  return checkName(prefix);
}

/// Returns the checkpoints that \p directory retains, as names in it. The
/// directory may have moved, and files may have been deleted: missing files are
/// not retained, and neither are files outside of the directory.
Result<CheckpointState>
CheckpointManager::readState(const std::string &directory) const {
  Result<CheckpointState> known =
      readCheckpointState(directory, options.stateFile);
  bool isMissing =
      !known.isOk() && known.status().code() == StatusCode::kNotFound;
  // Also if the state file is not read: a save would destroy it.
  if (!known.isOk() && !isMissing)
    return Status(known.status().code(), "can't save next to the state file: " +
                                             known.status().message());
  auto own = lists.find(canonicalPath(directory));
  if (own != lists.end())
    known = own->second;
  else if (isMissing || options.list == RetainedList::kOwn)
    return CheckpointState();
  CheckpointState state;
  state.lastPreserved = known->lastPreserved;
  for (size_t i = 0; i < known->retained.size(); ++i) {
    std::string name = lastComponent(known->retained[i]);
    if (name.empty() || name == options.stateFile ||
        !isRegularFile(joinPath(directory, name)))
      continue;
    state.retained.push_back(name);
    state.times.push_back(known->times.empty() ? getTime() : known->times[i]);
  }
  return state;
}

/// Checks everything that does not depend on the step, and reads the state.
Result<CheckpointState>
CheckpointManager::prepare(const std::string &prefix) const {
  if (Status status = checkOptions(); !status.isOk())
    return status;
  if (Status status = checkPrefix(prefix); !status.isOk())
    return status;
  return readState(parentDirectory(prefix));
}

Status CheckpointManager::check(const std::string &prefix) const {
  return prepare(prefix).status();
}

/// Makes \p name the newest checkpoint of \p state, and moves the names that
/// are no longer retained to `outdated`.
void CheckpointManager::record(const std::string &directory,
                               const std::string &name,
                               CheckpointState &state) {
  auto remove = [&](size_t index) {
    state.retained.erase(state.retained.begin() + ptrdiff_t(index));
    state.times.erase(state.times.begin() + ptrdiff_t(index));
  };
  for (size_t i = state.retained.size(); i-- > 0;)
    if (state.retained[i] == name)
      remove(i);
  state.latest = name;
  state.retained.push_back(name);
  state.times.push_back(getTime());
  if (!state.lastPreserved)
    state.lastPreserved = options.startTime;

  if (options.maxToKeep == 0) {
    state.retained = {name};
    state.times = {state.times.back()};
    return;
  }
  while (state.retained.size() > options.maxToKeep) {
    double age = state.times.front() - *state.lastPreserved;
    if (age >= options.keepCheckpointEveryNHours * 3600)
      state.lastPreserved = state.times.front();
    else
      outdated.push_back(joinPath(directory, state.retained.front()));
    remove(0);
  }
}

/// Deletes the outdated files but for those that \p state retains: they have
/// been written again.
void CheckpointManager::deleteOutdated(const std::string &directory,
                                       const CheckpointState &state) {
  std::set<std::string> retained;
  for (const std::string &name : state.retained)
    retained.insert(joinPath(directory, name));
  std::vector<std::string> left;
  for (const std::string &file : outdated)
    if (!retained.count(file) && unlink(file.c_str()) != 0 && errno != ENOENT)
      left.push_back(file);
  outdated = std::move(left);
}

Result<std::string> CheckpointManager::save(const std::string &prefix,
                                            std::optional<int64_t> step,
                                            const Writer &write) {
  Result<CheckpointState> state = prepare(prefix);
  if (!state.isOk())
    return state.status();
  std::string path = checkpointPath(prefix, step, options.padStepNumber);
  if (Status status = checkName(path); !status.isOk())
    return status;
  if (Status status = write(path); !status.isOk())
    return status;

  // Files are told apart by these paths, however a prefix is spelled.
  std::string directory = parentDirectory(canonicalPath(path));
  std::vector<std::string> outdatedBefore = outdated;
  record(directory, lastComponent(path), *state);
  std::string text = formatCheckpointState(*state);
  Status status =
      writeFileAtomically(joinPath(parentDirectory(path), options.stateFile),
                          {{text.data(), text.size()}});
  if (!status.isOk()) {
    // The state file still names them.
    outdated = std::move(outdatedBefore);
    return status;
  }
  if (options.list != RetainedList::kStateFile)
    lists[canonicalPath(parentDirectory(prefix))] = *state;
  deleteOutdated(directory, *state);
  return path;
}
