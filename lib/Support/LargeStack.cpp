//===- LargeStack.cpp - Threads for deep recursion ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `llvm::thread` takes the size of a stack, but ends the process if the system
// refuses a thread (`ulimit -u`, `ulimit -v`): here the caller's thread does
// the work. `llvm::StdThreadPool` does the same, takes no size of a stack, and
// keeps its threads as long as the context, of which a program in Python has
// one for each model; and memory that runs out in one of its threads ends the
// process, where here whoever waits is told.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/LargeStack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <new>
#include <utility>

using namespace flywheel;

/// Bytes of address space; memory is taken as it is used. A module nested as
/// deep as `checkSource()` allows needs a quarter of it.
constexpr size_t kStackBytes = size_t{256} << 20;

static thread_local bool hasLargeStack = false;

namespace {
/// An outermost call of `runOnLargeStack()`. When it ends, it ends the threads
/// of the pools that it used: a context lives as long as the code that was
/// compiled in it, and each stack takes address space.
class PoolScope {
public:
  PoolScope() {
    if (!current)
      current = this;
  }
  ~PoolScope() {
    if (current != this)
      return;
    current = nullptr;
    for (LargeStackThreadPool *pool : used)
      pool->endThreads();
  }
  PoolScope(const PoolScope &) = delete;
  PoolScope &operator=(const PoolScope &) = delete;

  static void noteUse(LargeStackThreadPool *pool) {
    if (current)
      current->used.insert(pool);
  }
  static void forget(LargeStackThreadPool *pool) {
    if (current)
      current->used.erase(pool);
  }

private:
  static thread_local PoolScope *current;
  llvm::SmallPtrSet<LargeStackThreadPool *, 2> used;
};
} // namespace

thread_local PoolScope *PoolScope::current = nullptr;

/// Starts a thread. Returns false if that fails.
static bool startThread(pthread_t &thread, void *(*run)(void *),
                        void *argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  bool isStarted = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                   pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  return isStarted;
}

/// Runs `action`. Returns false if memory ran out: LLVM, which is built without
/// exceptions, lets this one propagate.
static bool runWithMemory(llvm::function_ref<void()> action) {
  try {
    action();
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

bool flywheel::runOnLargeStack(llvm::function_ref<void()> action) {
  struct Call {
    llvm::function_ref<void()> action;
    bool hasMemory = false;
  } call{action};
  auto run = [](void *argument) -> void * {
    hasLargeStack = true;
    PoolScope scope;
    auto &call = *static_cast<Call *>(argument);
    call.hasMemory = runWithMemory(call.action);
    return nullptr;
  };
  pthread_t thread;
  if (hasLargeStack || !startThread(thread, run, &call)) {
    PoolScope scope;
    return runWithMemory(action);
  }
  pthread_join(thread, nullptr);
  return call.hasMemory;
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

LargeStackThreadPool::LargeStackThreadPool(unsigned maxThreads)
    : maxThreads(maxThreads) {}

LargeStackThreadPool::~LargeStackThreadPool() {
  PoolScope::forget(this);
  joinThreads(std::unique_lock<std::mutex>(mutex));
}

void LargeStackThreadPool::endThreads() {
  std::unique_lock<std::mutex> lock(mutex);
  // Another call has work here, and ends the threads after it.
  if (unfinished.empty())
    joinThreads(std::move(lock));
}

void LargeStackThreadPool::joinThreads(std::unique_lock<std::mutex> lock) {
  std::vector<pthread_t> ending = std::exchange(threads, {});
  lock.unlock();
  hasChanged.notify_all();
  for (pthread_t thread : ending)
    pthread_join(thread, nullptr);
}

void *LargeStackThreadPool::runWorker(void *pool) {
  hasLargeStack = true;
  static_cast<LargeStackThreadPool *>(pool)->work();
  return nullptr;
}

void LargeStackThreadPool::asyncEnqueue(llvm::unique_function<void()> task,
                                        llvm::ThreadPoolTaskGroup *group) {
  PoolScope::noteUse(this);
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back({std::move(task), group});
    ++unfinished[group];
    pthread_t thread;
    // Without a new thread, who waits does the work.
    if (waiting.size() > numIdle && threads.size() < maxThreads &&
        startThread(thread, runWorker, this))
      threads.push_back(thread);
  }
  hasChanged.notify_all();
}

void LargeStackThreadPool::runNext(std::unique_lock<std::mutex> &lock) {
  Task task = std::move(waiting.front());
  waiting.pop_front();
  lock.unlock();
  bool hasMemory = runWithMemory([&] { task.run(); });
  lock.lock();
  isOutOfMemory |= !hasMemory;
  auto count = unfinished.find(task.group);
  if (--count->second == 0)
    unfinished.erase(count);
  hasChanged.notify_all();
}

void LargeStackThreadPool::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (!waiting.empty()) {
      runNext(lock);
      continue;
    }
    if (!llvm::is_contained(threads, pthread_self()))
      return;
    ++numIdle;
    hasChanged.wait(lock);
    --numIdle;
  }
}

/// Ends a wait. If memory ran out on another thread, it ran out for the waiting
/// thread too.
void LargeStackThreadPool::endWait() {
  if (!isOutOfMemory)
    return;
  isOutOfMemory = false;
  throw std::bad_alloc();
}

void LargeStackThreadPool::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!unfinished.empty()) {
    if (waiting.empty())
      hasChanged.wait(lock);
    else
      runNext(lock);
  }
  endWait();
}

void LargeStackThreadPool::wait(llvm::ThreadPoolTaskGroup &group) {
  std::unique_lock<std::mutex> lock(mutex);
  while (unfinished.count(&group)) {
    // Work of another group may have to end first.
    if (waiting.empty())
      hasChanged.wait(lock);
    else
      runNext(lock);
  }
  endWait();
}
