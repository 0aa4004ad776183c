//===- LargeStack.h - Threads for deep recursion ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser, the verifier and many passes recurse over nested or chained ops
// of a module. `checkSource()` bounds the nesting; these threads have enough
// stack for all modules that it accepts, whatever stack the caller's thread
// has.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_LARGESTACK_H
#define FLYWHEEL_SUPPORT_LARGESTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include <pthread.h>

namespace flywheel {

/// Runs `action` on a thread with a large stack and waits for it; on this
/// thread if it has one, or if the system cannot create another. The threads of
/// pools that `action` used end before this returns.
/// \returns false if memory ran out; the memory that `action` held is then
/// leaked.
[[nodiscard]] bool runOnLargeStack(llvm::function_ref<void()> action);

/// A pool whose threads have large stacks, for a context that compiles several
/// functions at a time. Threads start when there is work, and end with the call
/// of `runOnLargeStack()` that it came from.
class LargeStackThreadPool : public llvm::ThreadPoolInterface {
public:
  /// A pool of at most `maxThreads` threads.
  explicit LargeStackThreadPool(unsigned maxThreads);
  ~LargeStackThreadPool() override;

  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return maxThreads; }

  /// Ends the threads, unless some task is unfinished.
  void endThreads();

private:
  struct Task {
    llvm::unique_function<void()> run;
    llvm::ThreadPoolTaskGroup *group;
  };

  void asyncEnqueue(llvm::unique_function<void()> task,
                    llvm::ThreadPoolTaskGroup *group) override;
  void work();
  /// Waits for the threads, which end when no work is left.
  void joinThreads(std::unique_lock<std::mutex> lock);
  void runNext(std::unique_lock<std::mutex> &lock);
  void endWait();
  static void *runWorker(void *pool);

  const unsigned maxThreads;
  std::mutex mutex;
  std::condition_variable hasChanged;
  std::deque<Task> waiting;
  /// Tasks that have not ended, of each group and of none.
  std::map<llvm::ThreadPoolTaskGroup *, unsigned> unfinished;
  /// A thread that is not among them ends.
  std::vector<pthread_t> threads;
  unsigned numIdle = 0;
  bool isOutOfMemory = false;
};

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_LARGESTACK_H
