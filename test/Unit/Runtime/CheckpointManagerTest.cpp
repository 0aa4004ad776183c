//===- CheckpointManagerTest.cpp - A directory of checkpoints -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/CheckpointManager.h"
#include "flywheel/Runtime/Checkpoint.h"

#include "TestSupport.h"

#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <unistd.h>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

class CheckpointManagerTest : public TemporaryDirectoryTest {
protected:
  /// Saves \p step, as value and as number.
  Result<std::string> save(CheckpointManager &manager, int64_t step,
                           const std::string &prefix = "model") {
    return manager.save(path(prefix), step, writer(step));
  }

  static CheckpointManager::Writer writer(int64_t value) {
    return [value](const std::string &file) {
      return saveCheckpoint(file, {{"step", DType::I64, {}, &value}});
    };
  }

  int64_t load(const std::string &file) const {
    int64_t value = -1;
    EXPECT_OK(restoreCheckpoint(file, {{"step", DType::I64, {}, &value}}));
    return value;
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(directory))
      names.insert(entry.path().filename().string());
    return names;
  }

  CheckpointState state(const std::string &stateFile = "checkpoint") const {
    Result<CheckpointState> read = readCheckpointState(directory, stateFile);
    EXPECT_OK(read.status());
    return read.isOk() ? *read : CheckpointState();
  }

  std::vector<std::string> paths(const std::vector<std::string> &names) const {
    std::vector<std::string> all;
    for (const std::string &name : names)
      all.push_back(path(name));
    return all;
  }
};

// P6.
TEST_F(CheckpointManagerTest, NamesByStep) {
  EXPECT_EQ(checkpointPath("model", 1000), "model-1000");
  EXPECT_EQ(checkpointPath("a/model", std::nullopt), "a/model");
  EXPECT_EQ(checkpointPath("model", 1000, true), "model-00001000");
  EXPECT_EQ(checkpointPath("model", 123456789, true), "model-123456789");
  EXPECT_EQ(checkpointPath("model", -7, true), "model--0000007");
  EXPECT_EQ(checkpointPath("model", 0), "model-0");

  CheckpointManager manager;
  Result<std::string> written =
      manager.save(path("m"), std::nullopt, writer(3));
  ASSERT_OK(written.status());
  EXPECT_EQ(*written, path("m"));
  EXPECT_EQ(load(path("m")), 3);
  CheckpointManagerOptions options;
  options.padStepNumber = true;
  CheckpointManager padded(options);
  EXPECT_EQ(*save(padded, 12), path("model-00000012"));
  EXPECT_EQ(load(path("model-00000012")), 12);
}

// P7: TensorFlow's text, with paths relative to the directory.
TEST_F(CheckpointManagerTest, StateFile) {
  EXPECT_FALSE(getCheckpointState(directory));
  EXPECT_FALSE(latestCheckpoint(directory));
  CheckpointManagerOptions options;
  options.startTime = 1000.5;
  CheckpointManager manager(options);
  ASSERT_OK(save(manager, 1).status());
  ASSERT_OK(save(manager, 2).status());
  CheckpointState known = state();
  ASSERT_EQ(known.times.size(), 2u);
  EXPECT_LE(known.times[0], known.times[1]);
  std::string text = read("checkpoint");
  EXPECT_EQ(text.substr(0, text.find("all_model_checkpoint_timestamps")),
            "model_checkpoint_path: \"model-2\"\n"
            "all_model_checkpoint_paths: \"model-1\"\n"
            "all_model_checkpoint_paths: \"model-2\"\n");
  EXPECT_NE(text.find("last_preserved_timestamp: 1000.5\n"), std::string::npos);

  EXPECT_EQ(known.latest, path("model-2"));
  EXPECT_EQ(known.retained, paths({"model-1", "model-2"}));
  EXPECT_EQ(latestCheckpoint(directory), path("model-2"));
  std::filesystem::remove(path("model-2"));
  EXPECT_TRUE(getCheckpointState(directory));
  EXPECT_FALSE(latestCheckpoint(directory));
}

TEST_F(CheckpointManagerTest, StateFileName) {
  CheckpointManagerOptions options;
  options.stateFile = "newest";
  CheckpointManager manager(options);
  ASSERT_OK(save(manager, 1).status());
  EXPECT_EQ(files(), (std::set<std::string>{"model-1", "newest"}));
  EXPECT_EQ(latestCheckpoint(directory, "newest"), path("model-1"));
  EXPECT_FALSE(latestCheckpoint(directory));
  for (const char *name : {"a/b", "", ".", "..", "/a"}) {
    options.stateFile = name;
    CheckpointManager bad(options);
    EXPECT_ERROR(save(bad, 1).status(), kInvalidArgument,
                 "must not contain path components");
    EXPECT_ERROR(readCheckpointState(directory, name).status(),
                 kInvalidArgument, "must not contain path components");
  }
  // Neither the prefix nor what is written may be the state file.
  EXPECT_ERROR(save(manager, 1, "newest").status(), kInvalidArgument,
               "the state file has that name");
  options.stateFile = "model-7";
  CheckpointManager collides(options);
  EXPECT_ERROR(save(collides, 7).status(), kInvalidArgument,
               "the state file has that name");
  EXPECT_EQ(files(), (std::set<std::string>{"model-1", "newest"}));
}

// P8.
TEST_F(CheckpointManagerTest, KeepsTheNewest) {
  CheckpointManager manager;
  for (int64_t step = 0; step < 10000; step += 1000)
    ASSERT_OK(save(manager, step).status());
  EXPECT_EQ(files(),
            (std::set<std::string>{"checkpoint", "model-5000", "model-6000",
                                   "model-7000", "model-8000", "model-9000"}));
  EXPECT_EQ(state().retained, paths({"model-5000", "model-6000", "model-7000",
                                     "model-8000", "model-9000"}));
  EXPECT_EQ(latestCheckpoint(directory), path("model-9000"));
  EXPECT_EQ(load(path("model-9000")), 9000);
}

TEST_F(CheckpointManagerTest, KeepsAll) {
  CheckpointManagerOptions options;
  options.maxToKeep = 0;
  CheckpointManager manager(options);
  for (int64_t step = 0; step < 7; ++step)
    ASSERT_OK(save(manager, step).status());
  EXPECT_EQ(numFiles(), 8u);
  EXPECT_EQ(state().retained, paths({"model-6"}));
  EXPECT_EQ(state().latest, path("model-6"));
}

TEST_F(CheckpointManagerTest, SavingAgainMakesNewest) {
  CheckpointManagerOptions options;
  options.maxToKeep = 2;
  CheckpointManager manager(options);
  for (int64_t step : {1, 2, 1, 3})
    ASSERT_OK(save(manager, step).status());
  EXPECT_EQ(state().retained, paths({"model-1", "model-3"}));
  EXPECT_EQ(files(),
            (std::set<std::string>{"checkpoint", "model-1", "model-3"}));
}

/// A new process retains what the last one did.
TEST_F(CheckpointManagerTest, GoesOnFromTheStateFile) {
  for (int64_t step = 0; step < 8; ++step) {
    CheckpointManager manager;
    ASSERT_OK(save(manager, step).status());
  }
  EXPECT_EQ(state().retained,
            paths({"model-3", "model-4", "model-5", "model-6", "model-7"}));
  EXPECT_EQ(numFiles(), 6u);
  // A checkpoint that somebody else deleted is not retained.
  std::filesystem::remove(path("model-4"));
  CheckpointManager manager;
  ASSERT_OK(save(manager, 8).status());
  EXPECT_EQ(state().retained,
            paths({"model-3", "model-5", "model-6", "model-7", "model-8"}));
}

/// The state file never leads to the deletion of other files.
TEST_F(CheckpointManagerTest, DeletesInItsDirectoryOnly) {
  std::filesystem::create_directory(path("here"));
  write("victim", "x");
  write("here/checkpoint", "model_checkpoint_path: \"../victim\"\n"
                           "all_model_checkpoint_paths: \"../victim\"\n"
                           "all_model_checkpoint_paths: \"checkpoint\"\n"
                           "all_model_checkpoint_paths: \"" +
                               path("victim") + "\"\n");
  CheckpointManagerOptions options;
  options.maxToKeep = 1;
  CheckpointManager manager(options);
  for (int64_t step : {1, 2})
    ASSERT_OK(save(manager, step, "here/model").status());
  EXPECT_EQ(read("victim"), "x");
  EXPECT_EQ(latestCheckpoint(path("here")), path("here/model-2"));
  EXPECT_FALSE(std::filesystem::exists(path("here/model-1")));
}

// P8: two lists under one state file.
TEST_F(CheckpointManagerTest, OwnList) {
  CheckpointManagerOptions options;
  options.maxToKeep = 2;
  options.list = RetainedList::kOwn;
  CheckpointManager all(options);
  options.maxToKeep = 1;
  CheckpointManager best(options);
  for (int64_t step : {1, 2, 3})
    EXPECT_OK(save(all, step).status());
  EXPECT_OK(save(best, 1, "best").status());
  EXPECT_EQ(files(), (std::set<std::string>{"best-1", "checkpoint", "model-2",
                                            "model-3"}));
  EXPECT_OK(save(all, 4).status());
  EXPECT_OK(save(best, 2, "best").status());
  EXPECT_EQ(files(), (std::set<std::string>{"best-2", "checkpoint", "model-3",
                                            "model-4"}));
  // A list that continues is that of the state file, and then its own.
  options.list = RetainedList::kContinued;
  CheckpointManager next(options);
  EXPECT_OK(save(next, 3, "best").status());
  EXPECT_OK(save(all, 5).status());
  EXPECT_OK(save(next, 4, "best").status());
  EXPECT_EQ(files(), (std::set<std::string>{"best-4", "checkpoint", "model-4",
                                            "model-5"}));
}

/// P8: of the files that go, one stays each time that so much time passed.
TEST_F(CheckpointManagerTest, KeepsOneEveryNHours) {
  CheckpointManagerOptions options;
  options.maxToKeep = 1;
  options.keepCheckpointEveryNHours = 1;
  options.startTime = 1000;
  // Saved after 0, 0.5, 1, 1.5, 2.5 and 3.2 hours, each by a new process.
  double hours[] = {0, 0.5, 1, 1.5, 2.5, 3.2};
  for (int64_t step = 0; step < 6; ++step) {
    CheckpointManager manager(options);
    ASSERT_OK(save(manager, step).status());
    CheckpointState known = state();
    known.latest = "model-" + std::to_string(step);
    known.retained = {known.latest};
    known.times = {1000 + hours[step] * 3600};
    write("checkpoint", formatCheckpointState(known));
  }
  CheckpointManager manager(options);
  ASSERT_OK(save(manager, 6).status());
  EXPECT_EQ(files(), (std::set<std::string>{"checkpoint", "model-2", "model-4",
                                            "model-6"}));
  EXPECT_EQ(state().lastPreserved, 1000 + 2.5 * 3600);
}

/// Without a state file the time counts from the manager's construction.
TEST_F(CheckpointManagerTest, CountsHoursFromConstruction) {
  auto now = [] {
    return std::chrono::duration<double>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  double before = now();
  CheckpointManager manager;
  double after = now();
  ASSERT_OK(save(manager, 1).status());
  // State files have microseconds.
  ASSERT_TRUE(state().lastPreserved.has_value());
  EXPECT_GE(*state().lastPreserved, before - 1e-5);
  EXPECT_LE(*state().lastPreserved, after + 1e-5);
}

// P1, P5.
TEST_F(CheckpointManagerTest, FailedSaveRecordsNothing) {
  CheckpointManager manager;
  ASSERT_OK(save(manager, 1).status());
  std::string before = read("checkpoint");
  Result<std::string> failed =
      manager.save(path("model"), 2, [](const std::string &file) {
        return saveCheckpoint(file, {});
      });
  EXPECT_ERROR(failed.status(), kInvalidArgument, "No variables to save");
  EXPECT_EQ(read("checkpoint"), before);
  EXPECT_EQ(numFiles(), 2u);
  EXPECT_ERROR(save(manager, 1, "no/model").status(), kFailedPrecondition,
               "Parent directory of " + path("no/model") +
                   " doesn't exist, can't save");
}

/// Without a record of the new checkpoint the old ones stay.
TEST_F(CheckpointManagerTest, UnrecordedSaveDeletesNothing) {
  CheckpointManagerOptions options;
  options.maxToKeep = 1;
  CheckpointManager manager(options);
  ASSERT_OK(save(manager, 1).status());
  std::string before = read("checkpoint");
  Result<std::string> failed =
      manager.save(path("model"), 2, [&](const std::string &file) {
        Status status = writer(2)(file);
        std::filesystem::remove(path("checkpoint"));
        std::filesystem::create_directory(path("checkpoint"));
        return status;
      });
  EXPECT_ERROR(failed.status(), kInvalidArgument, "it is a directory");
  EXPECT_EQ(load(path("model-1")), 1);
  std::filesystem::remove(path("checkpoint"));
  write("checkpoint", before);
  ASSERT_OK(save(manager, 3).status());
  EXPECT_EQ(files(),
            (std::set<std::string>{"checkpoint", "model-2", "model-3"}));
}

TEST_F(CheckpointManagerTest, MovedDirectory) {
  std::filesystem::create_directory(path("old"));
  CheckpointManagerOptions options;
  options.maxToKeep = 1;
  CheckpointManager manager(options);
  ASSERT_OK(save(manager, 1, "old/model").status());
  std::filesystem::rename(path("old"), path("new"));
  EXPECT_EQ(latestCheckpoint(path("new")), path("new/model-1"));
  ASSERT_OK(save(manager, 2, "new/model").status());
  EXPECT_FALSE(std::filesystem::exists(path("new/model-1")));
}

/// Files of crashed writers are removed at the next save; those of live ones
/// stay.
TEST_F(CheckpointManagerTest, RemovesStaleTemporaries) {
  write(".flywheel-1-0.tmp", "stale");
  write(".flywheel-1-1.tmp", "in use");
  write(".other-1-1.tmp", "not ours");
  // Nobody but a user gives names such as these.
  std::set<std::string> users = {".flywheel-notes.tmp", ".flywheel-1-.tmp",
                                 ".flywheel--1.tmp",    ".flywheel-1-1x.tmp",
                                 ".flywheel-1-1",       ".flywheel-1-1-1.tmp"};
  for (const std::string &name : users)
    write(name, "not ours");
  int held = open(path(".flywheel-1-1.tmp").c_str(), O_WRONLY);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  CheckpointManager manager;
  ASSERT_OK(save(manager, 1).status());
  std::set<std::string> left = {".flywheel-1-1.tmp", ".other-1-1.tmp",
                                "checkpoint", "model-1"};
  left.insert(users.begin(), users.end());
  EXPECT_EQ(files(), left);
  close(held);
  ASSERT_OK(save(manager, 2).status());
  EXPECT_EQ(files().count(".flywheel-1-1.tmp"), 0u);
}

/// Nothing else is saved under the name of a temporary file.
TEST_F(CheckpointManagerTest, RefusesNamesOfTemporaries) {
  EXPECT_ERROR(writer(1)(path(".flywheel-1-0.tmp")), kInvalidArgument,
               "temporary files have such names");
  CheckpointManagerOptions options;
  options.stateFile = ".flywheel-12-3.tmp";
  EXPECT_ERROR(CheckpointManager(options).check(path("model")),
               kInvalidArgument, "temporary files have such names");
  EXPECT_OK(writer(1)(path(".flywheel-1.tmp")));
  EXPECT_EQ(numFiles(), 1u);
}

TEST(CheckpointStateTest, ReadsTensorFlowsText) {
  Result<CheckpointState> parsed = parseCheckpointState(
      "# a comment\nmodel_checkpoint_path : 'a\\tb\\303\\xa9'\n"
      "all_model_checkpoint_paths:\"x\" \"y\"; "
      "all_model_checkpoint_paths: \"\\\"\\\\\",\n"
      "all_model_checkpoint_timestamps: 1528000000.25\r\n"
      "all_model_checkpoint_timestamps: 1.5e9\n"
      "last_preserved_timestamp: 7 # end");
  ASSERT_OK(parsed.status());
  EXPECT_EQ(parsed->latest, "a\tb\303\251");
  EXPECT_EQ(parsed->retained, (std::vector<std::string>{"xy", "\"\\"}));
  EXPECT_EQ(parsed->times, (std::vector<double>{1528000000.25, 1.5e9}));
  EXPECT_EQ(parsed->lastPreserved, 7.0);
  Result<CheckpointState> empty = parseCheckpointState("");
  ASSERT_OK(empty.status());
  EXPECT_EQ(empty->latest, "");
}

TEST(CheckpointStateTest, RoundTrip) {
  CheckpointState state;
  for (int c = 1; c < 256; ++c)
    state.latest += char(c);
  state.latest += "7"; // Must not join the octal escape before it.
  state.retained = {"a b", state.latest};
  state.times = {0.1, 1.7e9 + 0.123456};
  state.lastPreserved = 1e-300;
  Result<CheckpointState> parsed =
      parseCheckpointState(formatCheckpointState(state));
  ASSERT_OK(parsed.status());
  EXPECT_EQ(parsed->latest, state.latest);
  EXPECT_EQ(parsed->retained, state.retained);
  EXPECT_EQ(parsed->times, state.times);
  EXPECT_EQ(parsed->lastPreserved, state.lastPreserved);
}

TEST(CheckpointStateTest, Malformed) {
  struct {
    const char *text, *reason;
  } cases[] = {
      {"\n\n1", "line 3: expected the name of a field"},
      {"model_checkpoint_path \"a\"", "expected ':' after"},
      {"model_checkpoint_path: a", "expected a string"},
      {"model_checkpoint_path: \"a", "a string has no end"},
      {"model_checkpoint_path: \"a\nb\"", "a string has no end"},
      {"model_checkpoint_path: \"\\", "unknown escape sequence"},
      {"model_checkpoint_path: \"\\q\"", "unknown escape sequence"},
      {"model_checkpoint_path: \"\\777\"", "unknown escape sequence"},
      {"nonsense: 1", "unknown field 'nonsense'"},
      {"last_preserved_timestamp: x", "expected a finite number"},
      {"last_preserved_timestamp: 1e999", "expected a finite number"},
      {"all_model_checkpoint_timestamps: 1", "1 times for 0 checkpoints"},
  };
  for (const auto &c : cases)
    EXPECT_ERROR(parseCheckpointState(c.text).status(), kDataLoss, c.reason);
}

TEST_F(CheckpointManagerTest, UnreadableStateIsNone) {
  write("checkpoint", "garbage!");
  EXPECT_FALSE(getCheckpointState(directory));
  EXPECT_FALSE(latestCheckpoint(directory));
  EXPECT_ERROR(readCheckpointState(directory).status(), kDataLoss,
               "is not a valid state file: line 1: expected ':'");
  EXPECT_ERROR(readCheckpointState(path("no")).status(), kNotFound,
               "No such file");
  EXPECT_FALSE(getCheckpointState("/"));
}

/// A file that is not a state file, a checkpoint of that name for instance, is
/// not overwritten.
TEST_F(CheckpointManagerTest, KeepsWhatIsNoStateFile) {
  CheckpointManagerOptions options;
  options.stateFile = "other";
  ASSERT_OK(writer(5)(path("other")));
  CheckpointManager manager(options);
  EXPECT_ERROR(manager.check(path("model")), kDataLoss,
               "is not a valid state file");
  EXPECT_ERROR(save(manager, 1).status(), kDataLoss,
               "is not a valid state file");
  EXPECT_EQ(files(), (std::set<std::string>{"other"}));
  EXPECT_EQ(load(path("other")), 5);
  std::filesystem::remove(path("other"));
  std::filesystem::create_directory(path("other"));
  EXPECT_ERROR(save(manager, 1).status(), kIOError, "not a regular file");
  EXPECT_EQ(files(), (std::set<std::string>{"other"}));
}

/// Nothing that could not be read again gets into a state file.
TEST_F(CheckpointManagerTest, BadOptions) {
  for (double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    CheckpointManagerOptions options;
    options.startTime = value;
    EXPECT_ERROR(CheckpointManager(options).check(path("model")),
                 kInvalidArgument, "expected a finite number of seconds");
    CheckpointManager manager(options);
    EXPECT_ERROR(save(manager, 1).status(), kInvalidArgument,
                 "expected a finite number of seconds");
  }
  for (double value : {std::nan(""), -1.0}) {
    CheckpointManagerOptions options;
    options.keepCheckpointEveryNHours = value;
    CheckpointManager manager(options);
    EXPECT_ERROR(save(manager, 1).status(), kInvalidArgument,
                 "expected a number of hours of at least 0");
  }
  EXPECT_EQ(numFiles(), 0u);
}

TEST_F(CheckpointManagerTest, ChecksThePrefix) {
  CheckpointManager manager;
  EXPECT_OK(manager.check(path("model")));
  EXPECT_ERROR(manager.check(path("")), kInvalidArgument,
               "the path names no file");
  EXPECT_ERROR(manager.check(""), kInvalidArgument, "the path names no file");
  EXPECT_ERROR(manager.check(path("checkpoint")), kInvalidArgument,
               "the state file has that name");
  EXPECT_ERROR(manager.check(path("no/model")), kFailedPrecondition,
               "doesn't exist, can't save");
  EXPECT_ERROR(save(manager, 1, "").status(), kInvalidArgument,
               "the path names no file");
  EXPECT_EQ(numFiles(), 0u);
}

/// A manager that could not delete a file. A directory stands for the file at
/// that moment: it also withstands root.
class UndeletableTest : public CheckpointManagerTest {
protected:
  /// Saves 1, 2 and 3 of which the manager keeps two, and cannot delete the
  /// first: it is a directory by then.
  void SetUp() override {
    CheckpointManagerTest::SetUp();
    CheckpointManagerOptions options;
    options.maxToKeep = 2;
    manager = CheckpointManager(options);
    ASSERT_OK(save(manager, 1).status());
    ASSERT_OK(save(manager, 2).status());
    Result<std::string> third =
        manager.save(path("model"), 3, [&](const std::string &file) {
          Status status = writer(3)(file);
          std::filesystem::remove(path("model-1"));
          std::filesystem::create_directory(path("model-1"));
          return status;
        });
    ASSERT_OK(third.status());
    ASSERT_TRUE(std::filesystem::is_directory(path("model-1")));
    std::filesystem::remove(path("model-1"));
  }

  CheckpointManager manager;
};

TEST_F(UndeletableTest, IsTriedAgain) {
  write("model-1", "left");
  ASSERT_OK(save(manager, 4).status());
  EXPECT_EQ(files(),
            (std::set<std::string>{"checkpoint", "model-3", "model-4"}));
}

/// A path that was saved again is not deleted, however it is spelled.
TEST_F(UndeletableTest, IsKeptOnceSavedAgain) {
  ASSERT_OK(save(manager, 1, "./model").status());
  EXPECT_EQ(load(path("model-1")), 1);
  EXPECT_EQ(files(),
            (std::set<std::string>{"checkpoint", "model-1", "model-3"}));
}

TEST_F(UndeletableTest, IsKeptOnceAnotherManagerSavedIt) {
  CheckpointManagerOptions options;
  options.maxToKeep = 2;
  CheckpointManager other(options);
  ASSERT_OK(save(other, 1).status());
  ASSERT_OK(save(manager, 4).status());
  EXPECT_EQ(state().retained, paths({"model-1", "model-4"}));
  EXPECT_EQ(load(path("model-1")), 1);
}

} // namespace
