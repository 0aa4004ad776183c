//===- ObjectMutex.h - Whose turn it is with an object ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads take turns with the variables of a session or a store, and with a
// module, which they share a context with. Wherever Python makes an object (an
// exception too) it may collect garbage first, and so run the destructors and
// finalizers of any others on this thread. Those may want their turn as well:
// who has the lock must make no objects, and a destructor must not wait for the
// lock.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_OBJECTMUTEX_H
#define FLYWHEEL_PYTHON_OBJECTMUTEX_H

#include "llvm/ADT/FunctionExtras.h"

#include <mutex>
#include <thread>
#include <vector>

namespace flywheel::python {

/// The lock of objects that share variables or a context. It is taken and given
/// up with the GIL.
class ObjectMutex {
public:
  /// Runs `action` alone: now or, if another thread has the lock, before that
  /// thread releases it. The objects that it holds are destroyed after the lock
  /// is released.
  void runSoon(llvm::unique_function<void()> action);

  /// Says that the thread which has the lock runs a function of the user, or,
  /// with another id, that it does not: it would wait for itself. With the GIL.
  void setRunsUserCode(std::thread::id thread) { userCode = thread; }

private:
  friend class ObjectLock;
  std::mutex mutex;
  /// The fork count of the process that locked it last.
  unsigned numForks = 0;
  /// The thread that has it and runs a function of the user.
  std::thread::id userCode;
  /// Changed with the GIL only.
  std::vector<llvm::unique_function<void()>> waiting;
};

/// Holds a lock. Waits for it without the GIL, so that the thread that has it
/// can go on.
class ObjectLock {
public:
  /// Throws a std::runtime_error for a lock of a thread that this process, a
  /// fork, does not have, or that the end of the interpreter has stopped, and
  /// for one that this thread has while it runs a function of the user.
  explicit ObjectLock(ObjectMutex &mutex) : mutex(mutex) {
    if (!mutex.mutex.try_lock())
      wait();
    mutex.numForks = numForks;
  }
  ~ObjectLock() {
    if (!mutex.waiting.empty())
      unlockBehindOthers();
    else
      mutex.mutex.unlock();
  }
  ObjectLock(const ObjectLock &) = delete;
  ObjectLock &operator=(const ObjectLock &) = delete;

private:
  friend class ObjectMutex;
  friend void watchForks();
  ObjectLock(ObjectMutex &mutex, std::adopt_lock_t) : mutex(mutex) {
    mutex.numForks = numForks;
  }
  void wait();
  void unlockBehindOthers();

  /// The number of forks between the first process and this one.
  static unsigned numForks;
  ObjectMutex &mutex;
};

/// Counts the forks from now on.
void watchForks();

/// The result of `action`, which makes no Python object, run alone.
template <typename Action> auto runAlone(ObjectMutex &mutex, Action action) {
  ObjectLock lock(mutex);
  return action();
}

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_OBJECTMUTEX_H
