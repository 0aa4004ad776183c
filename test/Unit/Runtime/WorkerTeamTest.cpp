//===- WorkerTeamTest.cpp - Threads that execute a step together ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/WorkerTeam.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace flywheel::runtime;

namespace {

/// Workers that read, after each barrier, what their neighbours wrote before
/// it. Plain memory, so that ThreadSanitizer sees whether barriers order it.
struct Ring {
  flywheel_team *team;
  std::vector<int64_t> numbers;
  int32_t rounds;
  int32_t workers = 0;

  static void run(void *context, int32_t worker) {
    Ring &ring = *static_cast<Ring *>(context);
    int32_t count = ring.team->workers;
    if (worker == 0)
      ring.workers = count;
    for (int32_t round = 0; round < ring.rounds; ++round) {
      int64_t next = ring.numbers[(worker + 1) % count] + 1;
      ring.team->barrier(ring.team, worker);
      ring.numbers[worker] = next;
      ring.team->barrier(ring.team, worker);
    }
  }
};

/// Returns the number of workers of a call; all numbers are right.
int32_t runRing(WorkerTeam &team, int32_t rounds) {
  Ring ring{team.get(), std::vector<int64_t>(team.getWorkers(), 0), rounds};
  team.get()->run(team.get(), &Ring::run, &ring);
  for (int32_t worker = 0; worker < ring.workers; ++worker)
    EXPECT_EQ(ring.numbers[worker], rounds);
  return ring.workers;
}

class WorkerTeamTest : public ::testing::Test {
protected:
  ~WorkerTeamTest() override { setMaxWorkers(0); }
};

TEST_F(WorkerTeamTest, AllWorkersRunAtTheSameTime) {
  setMaxWorkers(4);
  WorkerTeam team(4);
  for (int call = 0; call < 100; ++call)
    EXPECT_EQ(runRing(team, 20), 4);
  EXPECT_EQ(team.getWorkers(), 4);
}

TEST_F(WorkerTeamTest, CallsMayHaveOtherNumbersOfWorkers) {
  setMaxWorkers(4);
  WorkerTeam team(1);
  for (int32_t call = 0; call < 200; ++call) {
    team.setWorkers(1 + call % 4);
    EXPECT_EQ(runRing(team, 3), 1 + call % 4);
  }
}

TEST_F(WorkerTeamTest, SleepingThreadsWake) {
  setMaxWorkers(2);
  WorkerTeam team(2);
  for (int call = 0; call < 20; ++call) {
    EXPECT_EQ(runRing(team, 2), 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_F(WorkerTeamTest, TheLimitIsThatOfAllTeams) {
  setMaxWorkers(3);
  EXPECT_EQ(getMaxWorkers(), 3);
  WorkerTeam team(8);
  EXPECT_EQ(runRing(team, 5), 3);
  EXPECT_EQ(team.getWorkers(), 8);
  setMaxWorkers(1);
  EXPECT_EQ(runRing(team, 5), 1);

  // A call within a call finds what is left of the limit.
  setMaxWorkers(4);
  struct Inner {
    int32_t workers[2] = {0, 0};
  } inner;
  WorkerTeam outer(2);
  outer.get()->run(
      outer.get(),
      [](void *context, int32_t worker) {
        if (worker != 0)
          return;
        WorkerTeam team(4);
        static_cast<Inner *>(context)->workers[0] = runRing(team, 5);
      },
      &inner);
  EXPECT_EQ(inner.workers[0], 2);
}

TEST_F(WorkerTeamTest, CallsOfSeveralThreadsShare) {
  for (int32_t limit : {1, 2, 5}) {
    setMaxWorkers(limit);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([limit] {
        WorkerTeam team(3);
        for (int call = 0; call < 300; ++call)
          EXPECT_LE(runRing(team, 2), limit);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST_F(WorkerTeamTest, AChildOfForkHasThreadsOfItsOwn) {
  setMaxWorkers(2);
  WorkerTeam team(2);
  EXPECT_EQ(runRing(team, 2), 2);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    _exit(runRing(team, 2) == 2 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runRing(team, 2), 2);
}

TEST_F(WorkerTeamTest, TheEnvironmentSetsTheLimit) {
  ASSERT_EQ(setenv("FLYWHEEL_NUM_THREADS", "7", 1), 0);
  setMaxWorkers(0);
  EXPECT_EQ(getMaxWorkers(), 7);
  EXPECT_EQ(*getNumThreadsOfEnvironment(), 7);
  for (const char *wrong :
       {"0", "257", "-1", "two", "2x", " 2", "99999999999"}) {
    ASSERT_EQ(setenv("FLYWHEEL_NUM_THREADS", wrong, 1), 0);
    auto number = getNumThreadsOfEnvironment();
    ASSERT_FALSE(number.isOk()) << wrong;
    EXPECT_EQ(number.status().message(),
              "expected a number from 1 to 256 as FLYWHEEL_NUM_THREADS, found "
              "'" +
                  std::string(wrong) + "'");
  }
  ASSERT_EQ(unsetenv("FLYWHEEL_NUM_THREADS"), 0);
  EXPECT_EQ(*getNumThreadsOfEnvironment(), std::nullopt);
  setMaxWorkers(0);
  EXPECT_GE(getMaxWorkers(), 1);
}

} // namespace
