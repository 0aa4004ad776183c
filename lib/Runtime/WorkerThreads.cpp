//===- WorkerThreads.cpp - The threads of all teams -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerThreads.h"
#include "flywheel/Runtime/Processors.h"
#include "flywheel/Runtime/WorkerTeam.h"

#include <algorithm>
#include <csignal>
#include <new>
#include <thread>

#include <pthread.h>

namespace flywheel::runtime {

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

WorkerThread *WorkerThread::create() {
  auto *self = new (std::nothrow) WorkerThread;
  if (!self)
    return nullptr;
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, nullptr, &runThread, self);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    delete self;
    return nullptr;
  }
  pthread_detach(thread);
  return self;
}

void *WorkerThread::runThread(void *self) {
  auto &thread = *static_cast<WorkerThread *>(self);
  for (uint32_t seen = 0;; ++seen) {
    thread.waitForTask(seen);
    Task task = thread.task;
    task.body(task.context, task.worker);
    // The last access to memory that the caller owns.
    task.pending->fetch_sub(1, std::memory_order_release);
  }
  return nullptr;
}

void WorkerThread::waitForTask(uint32_t seen) {
  if (spinUntil(
          [&] { return numStarted.load(std::memory_order_acquire) != seen; }))
    return;
  std::unique_lock<std::mutex> lock(mutex);
  // Sequentially consistent with start(): either it sees that this thread
  // sleeps, or this thread sees the task.
  isAsleep.store(true, std::memory_order_seq_cst);
  wakeUp.wait(
      lock, [&] { return numStarted.load(std::memory_order_seq_cst) != seen; });
  isAsleep.store(false, std::memory_order_relaxed);
}

void WorkerThread::start(const Task &next) {
  task = next;
  numStarted.fetch_add(1, std::memory_order_seq_cst);
  if (!isAsleep.load(std::memory_order_seq_cst))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  wakeUp.notify_one();
}

//===----------------------------------------------------------------------===//
// All threads
//===----------------------------------------------------------------------===//

static int32_t getDefaultLimit() {
  Result<int32_t> given = getDefaultThreads();
  return given.isOk() ? *given : countProcessors();
}

WorkerThreads::WorkerThreads() : limit(getDefaultLimit()) {
  pthread_atfork(&lockBeforeFork, &unlockInParent, &startAnewInChild);
}

WorkerThreads &WorkerThreads::get() {
  // Never destroyed: threads may wait in it until the process ends.
  static auto *threads = new WorkerThreads;
  return *threads;
}

void WorkerThreads::lockBeforeFork() { get().mutex.lock(); }

void WorkerThreads::unlockInParent() { get().mutex.unlock(); }

/// Resets the threads in a child process, which only has the thread that
/// forked.
void WorkerThreads::startAnewInChild() {
  get().idle = List();
  get().active = 0;
  get().mutex.unlock();
}

WorkerThreads::List WorkerThreads::borrow(int32_t wanted) {
  std::lock_guard<std::mutex> lock(mutex);
  ++active;
  wanted = std::min(wanted, limit - active);
  List threads;
  while (threads.size < wanted) {
    WorkerThread *thread = idle.first;
    if (thread) {
      idle.first = thread->next;
      --idle.size;
    } else {
      thread = WorkerThread::create();
    }
    if (!thread)
      break;
    thread->next = threads.first;
    threads.first = thread;
    ++threads.size;
  }
  active += threads.size;
  return threads;
}

void WorkerThreads::giveBack(List threads) {
  std::lock_guard<std::mutex> lock(mutex);
  active -= threads.size + 1;
  while (WorkerThread *thread = threads.first) {
    threads.first = thread->next;
    thread->next = idle.first;
    idle.first = thread;
    ++idle.size;
  }
}

int32_t WorkerThreads::getLimit() {
  std::lock_guard<std::mutex> lock(mutex);
  return limit;
}

void WorkerThreads::setLimit(int32_t workers) {
  if (workers < 1)
    workers = getDefaultLimit();
  std::lock_guard<std::mutex> lock(mutex);
  limit = workers;
}

} // namespace flywheel::runtime
