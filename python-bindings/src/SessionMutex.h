//===- SessionMutex.h - Whose turn it is with variables ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads take turns with the variables of a session or a store. Wherever
// Python makes an object (an exception too) it may collect garbage first, and
// so run the destructors and finalizers of any others on this thread. Those may
// want the variables as well: who has the lock must make no objects, and a
// destructor must not wait for the lock.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_SESSIONMUTEX_H
#define FLYWHEEL_PYTHON_SESSIONMUTEX_H

#include "llvm/ADT/FunctionExtras.h"

#include <mutex>
#include <vector>

namespace flywheel::python {

/// The lock of sessions that share variables. It is taken and given up with the
/// GIL.
class SessionMutex {
public:
  /// Runs `action` alone: now or, where somebody has the lock, before that one
  /// gives it up. What it holds is destroyed behind the lock.
  void runSoon(llvm::unique_function<void()> action);

private:
  friend class SessionLock;
  std::mutex mutex;
  /// Changed with the GIL only.
  std::vector<llvm::unique_function<void()>> waiting;
};

/// Holds a lock. Waits for it without the GIL, so that the thread that has it
/// can go on.
class SessionLock {
public:
  explicit SessionLock(SessionMutex &mutex);
  ~SessionLock();
  SessionLock(const SessionLock &) = delete;
  SessionLock &operator=(const SessionLock &) = delete;

private:
  friend class SessionMutex;
  SessionLock(SessionMutex &mutex, std::adopt_lock_t) : mutex(mutex) {}

  SessionMutex &mutex;
};

/// The result of `action`, which makes no Python object, run alone.
template <typename Action> auto runAlone(SessionMutex &mutex, Action action) {
  SessionLock lock(mutex);
  return action();
}

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_SESSIONMUTEX_H
