//===- SessionMutex.cpp - Whose turn it is with variables -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionMutex.h"

#include <nanobind/nanobind.h>

namespace flywheel::python {

void SessionMutex::runSoon(llvm::unique_function<void()> action) {
  waiting.push_back(std::move(action));
  if (mutex.try_lock())
    SessionLock lock(*this, std::adopt_lock);
}

SessionLock::SessionLock(SessionMutex &mutex) : mutex(mutex) {
  if (mutex.mutex.try_lock())
    return;
  PyThreadState *thread = PyEval_SaveThread();
  mutex.mutex.lock();
  PyEval_RestoreThread(thread);
}

SessionLock::~SessionLock() {
  std::vector<llvm::unique_function<void()>> done;
  while (!mutex.waiting.empty()) {
    done.push_back(std::move(mutex.waiting.back()));
    mutex.waiting.pop_back();
    done.back()();
  }
  mutex.mutex.unlock();
}

} // namespace flywheel::python
