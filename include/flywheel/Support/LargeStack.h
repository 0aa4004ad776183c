//===- LargeStack.h - Threads for deep recursion ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser, the verifier and many passes call themselves for what is nested
// or chained in a module. `checkSource()` bounds the nesting; these threads
// have stack for all that it lets through, whatever stack the caller's thread
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
/// thread where it has one, or where the system gives none. Threads of pools
/// that `action` gave work to have ended afterwards.
/// \returns false where memory ran out on the way; what `action` held is lost
/// then.
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
  /// Waits for the threads, which end when there is no more work.
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
