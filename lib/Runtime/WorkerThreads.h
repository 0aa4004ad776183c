//===- WorkerThreads.h - The threads of all teams ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_WORKERTHREADS_H
#define FLYWHEEL_RUNTIME_WORKERTHREADS_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include <sched.h>

namespace flywheel::runtime {

/// Tells the processor that the thread waits in a loop.
inline void pauseThread() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Returns true if \p condition becomes true within about 50 microseconds:
/// longer than the pause between two steps, and shorter than a user notices.
template <typename Condition> bool spinUntil(Condition condition) {
  for (int count = 0; count < 64; ++count, pauseThread())
    if (condition())
      return true;
  auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (std::chrono::steady_clock::now() < end)
    for (int count = 0; count < 16; ++count, pauseThread())
      if (condition())
        return true;
  return false;
}

/// Waits until other workers make \p condition true. With more threads than
/// processors, they may need this one's processor, so it yields; after a
/// millisecond it sleeps in between, as other processes may need it, too.
template <typename Condition> void waitUntil(Condition condition) {
  if (spinUntil(condition))
    return;
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (!condition())
    if (std::chrono::steady_clock::now() < end)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/// A thread that waits for work; it spins for a while, then it sleeps.
class WorkerThread {
public:
  /// Work for one thread. `pending` is counted down when it is done.
  struct Task {
    void (*body)(void *context, int32_t worker) = nullptr;
    void *context = nullptr;
    int32_t worker = 0;
    std::atomic<int32_t> *pending = nullptr;
  };

  /// Returns a new thread, which lives as long as the process; null if the
  /// system cannot create one.
  static WorkerThread *create();

  /// Begins a task; the one before is done.
  void start(const Task &next);

  /// The next one in the list of who owns this one.
  WorkerThread *next = nullptr;

private:
  WorkerThread() = default;
  static void *runThread(void *self);
  void waitForTask(uint32_t seen);

  Task task;
  /// The number of tasks that were started.
  alignas(64) std::atomic<uint32_t> numStarted{0};
  std::atomic<bool> isAsleep{false};
  std::mutex mutex;
  std::condition_variable wakeUp;
};

/// All threads of this process, and the number of workers that are running.
class WorkerThreads {
public:
  /// Some threads, one after the other.
  struct List {
    WorkerThread *first = nullptr;
    int32_t size = 0;
  };

  static WorkerThreads &get();

  /// Counts the caller as a worker, and gives it at most \p wanted threads.
  List borrow(int32_t wanted);
  void giveBack(List threads);

  int32_t getLimit();
  void setLimit(int32_t workers);

private:
  WorkerThreads();
  static void lockBeforeFork();
  static void unlockInParent();
  static void startAnewInChild();

  std::mutex mutex;
  List idle;
  int32_t active = 0;
  int32_t limit = 1;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_WORKERTHREADS_H
