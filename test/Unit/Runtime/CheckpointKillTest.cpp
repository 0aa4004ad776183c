//===- CheckpointKillTest.cpp - Writers that die at any moment ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/Checkpoint.h"
#include "flywheel/Runtime/CheckpointManager.h"
#include "flywheel/Runtime/Shuffle.h"

#include "TestSupport.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace flywheel::runtime;
using namespace flywheel::runtime::test;

namespace {

constexpr int64_t numElements = 50000;

/// Returns the number of writers to kill, which the environment variable
/// FLYWHEEL_KILLS may set.
int getNumKills() {
  const char *text = std::getenv("FLYWHEEL_KILLS");
  return text ? std::atoi(text) : 300;
}

/// A checkpoint in which every element is the step, and how it was written.
class CheckpointKillTest : public TemporaryDirectoryTest {
protected:
  void SetUp() override {
    TemporaryDirectoryTest::SetUp();
    // Outlives the writer that counts in it.
    void *memory = mmap(nullptr, sizeof(*recorded), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    recorded = new (memory) std::atomic<int64_t>(0);
  }
  void TearDown() override {
    munmap(recorded, sizeof(*recorded));
    TemporaryDirectoryTest::TearDown();
  }

  static CheckpointManager makeManager() {
    CheckpointManagerOptions options;
    options.maxToKeep = 2;
    return CheckpointManager(options);
  }

  Status save(CheckpointManager &manager, int64_t step) const {
    std::vector<int64_t> values(numElements, step);
    std::vector<float> floats(numElements, float(step));
    auto write = [&](const std::string &file) {
      return saveCheckpoint(
          file,
          {{"values", DType::I64, {numElements}, values.data()},
           {"floats", DType::F32, {numElements}, floats.data()},
           {"step", DType::I64, {}, &step}},
          {{"sum", std::to_string(step * numElements)}});
    };
    return manager.save(path("model"), step, write).status();
  }

  /// Saves one step after the other for ever.
  [[noreturn]] void runWriter() const {
    CheckpointManager manager = makeManager();
    for (int64_t step = recorded->load() + 1;; ++step) {
      if (!save(manager, step).isOk())
        _exit(1);
      recorded->store(step);
    }
  }

  /// Microseconds from the start of a writer to its second save: several times
  /// more on a busy machine and with sanitizers.
  int64_t measureTwoSaves() const {
    using Clock = std::chrono::steady_clock;
    Clock::time_point start = Clock::now();
    pid_t writer = fork();
    if (writer == 0)
      runWriter();
    int status = 0;
    while (recorded->load() < 2) {
      if (writer < 0 || waitpid(writer, &status, WNOHANG) != 0) {
        ADD_FAILURE() << "there is no writer, or it failed by itself";
        return 0;
      }
      // Waits for another process: far less than a save takes.
      usleep(100);
    }
    auto duration = Clock::now() - start;
    EXPECT_EQ(::kill(writer, SIGKILL), 0);
    EXPECT_EQ(waitpid(writer, &status, 0), writer);
    return std::chrono::duration_cast<std::chrono::microseconds>(duration)
        .count();
  }

  /// Loads a checkpoint, every byte of which must be of one step. \returns it.
  int64_t load(const std::string &file) const {
    std::vector<int64_t> values(numElements, -1);
    std::vector<float> floats(numElements, -1);
    int64_t step = -1, sum = 0;
    Result<CheckpointReader> reader = CheckpointReader::open(file);
    EXPECT_OK(reader.status());
    if (!reader.isOk())
      return -1;
    std::vector<RestoreTarget> targets = {
        {"values", DType::I64, {numElements}, values.data()},
        {"floats", DType::F32, {numElements}, floats.data()},
        {"step", DType::I64, {}, &step}};
    EXPECT_OK(reader->check(targets));
    EXPECT_OK(reader->read(targets));
    for (int64_t i = 0; i < numElements; ++i) {
      sum += values[size_t(i)];
      if (floats[size_t(i)] != float(step))
        return -1;
    }
    EXPECT_EQ(reader->metadata().at("sum"), std::to_string(sum));
    EXPECT_EQ(sum, step * numElements);
    return step;
  }

  size_t numTemporaries() const {
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(directory))
      count += entry.path().extension() == ".tmp";
    return count;
  }

  /// Returns the number of checkpoints that the state file does not list.
  size_t numUnlisted() const {
    std::optional<CheckpointState> state = getCheckpointState(directory);
    size_t numListed = state ? state->retained.size() : 0, count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(directory))
      count += entry.path().filename().string().rfind("model-", 0) == 0;
    return count - numListed;
  }

  /// Checks that the files which the state file names exist, whole, and are not
  /// older than the writer's last known save.
  void checkDirectory() const {
    int64_t known = recorded->load();
    std::optional<CheckpointState> state = getCheckpointState(directory);
    if (!state) {
      EXPECT_EQ(known, 0) << "the state file is gone";
      return;
    }
    int64_t latest = load(state->latest);
    EXPECT_GE(latest, known);
    EXPECT_LE(latest, known + 1);
    EXPECT_LE(state->retained.size(), 2u);
    EXPECT_EQ(state->retained.back(), state->latest);
    EXPECT_GT(load(state->retained.front()), 0);
    recorded->store(latest);
  }

  /// The last step that was saved and recorded.
  std::atomic<int64_t> *recorded = nullptr;
};

/// P11: kill -9 at random moments never costs more than the save it hits.
TEST_F(CheckpointKillTest, LatestIsAlwaysComplete) {
  int numKills = getNumKills();
  int numHitWhileWriting = 0;
  size_t numUnlistedBefore = 0;
  uint64_t random = 1;
  uint64_t maxMicroseconds = std::max<int64_t>(15000, measureTwoSaves());
  for (int kill = 0; kill < numKills && !HasFailure(); ++kill) {
    pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0)
      runWriter();
    // The random instant of the kill: up to a few saves, with the first one hit
    // as well. Nothing that is checked depends on how far the writer came.
    usleep(useconds_t(flywheel_splitmix64(&random) % maxMicroseconds));
    ASSERT_EQ(::kill(writer, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
    numHitWhileWriting += numTemporaries() > 0;
    checkDirectory();
    // A kill leaves at most the file that was to be recorded, which is written
    // again, or the one that was to be deleted.
    EXPECT_LE(numUnlisted(), numUnlistedBefore + 1);
    numUnlistedBefore = numUnlisted();
  }
  // The kills were worth something, and what they left goes.
  EXPECT_GT(numHitWhileWriting, numKills / 20);
  EXPECT_GT(recorded->load(), numKills / 20);
  CheckpointManager manager = makeManager();
  ASSERT_OK(save(manager, recorded->load() + 1));
  EXPECT_EQ(numTemporaries(), 0u);
  std::printf("%d kills, %d while a file was written; %lld saves\n", numKills,
              numHitWhileWriting, (long long)recorded->load());
}

} // namespace
