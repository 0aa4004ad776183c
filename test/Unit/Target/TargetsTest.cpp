//===- TargetsTest.cpp - Threads that look for a target at once -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/TargetMachine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace flywheel;

namespace {

/// Returns true if each of some threads finds its target; hangs if one of them
/// does. The first and every other one is for this machine.
bool findTargets() {
  constexpr int kThreads = 4;
  std::atomic<int> numAbsent{kThreads}, numFound{0};
  auto find = [&](int thread) {
    CodegenOptions options;
    if (thread % 2)
      options.target.triple = "aarch64-unknown-linux-gnu";
    for (--numAbsent; numAbsent > 0;)
      std::this_thread::yield();
    if (auto machine = createTargetMachine(options))
      ++numFound;
    else
      llvm::consumeError(machine.takeError());
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back(find, thread);
  for (std::thread &thread : threads)
    thread.join();
  return numFound == kThreads;
}

// T9: programs are compiled on several threads from the first one on.
TEST(Targets, FirstThreads) {
  // Each process has one first time: this one must not have looked yet.
  for (int i = 0; i < 100; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      _exit(!findTargets());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "process " << i << " ended with status " << status;
  }
}

} // namespace
