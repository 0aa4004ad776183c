//===- ObjectMutex.cpp - Whose turn it is with an object ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectMutex.h"
#include "GIL.h"

#include <nanobind/nanobind.h>

#include <stdexcept>

#include <pthread.h>

namespace flywheel::python {

/// How often a process between the first one and this one has forked.
static unsigned numForks = 0;

static void watchForks() {
  static const int isWatching =
      pthread_atfork(nullptr, nullptr, [] { ++numForks; });
  (void)isWatching;
}

void ObjectMutex::runSoon(llvm::unique_function<void()> action) {
  waiting.push_back(std::move(action));
  if (mutex.try_lock())
    ObjectLock lock(*this, std::adopt_lock);
}

ObjectLock::ObjectLock(ObjectMutex &mutex, std::adopt_lock_t) : mutex(mutex) {
  watchForks();
  mutex.numForks = numForks;
}

ObjectLock::ObjectLock(ObjectMutex &mutex) : mutex(mutex) {
  watchForks();
  if (!mutex.mutex.try_lock()) {
    if (mutex.numForks != numForks)
      throw std::runtime_error(
          "another thread was at work with this store, session or module when "
          "this process was forked: expected another one, such as that of "
          "`with flywheel.Store():`");
    // Who has it then does not come back; see takeGIL().
    if (isInterpreterEnding())
      throw std::runtime_error(
          "another thread was at work with this store, session or module when "
          "the interpreter ended");
    PyThreadState *thread = PyEval_SaveThread();
    mutex.mutex.lock();
    takeGIL(thread);
  }
  mutex.numForks = numForks;
}

ObjectLock::~ObjectLock() {
  std::vector<llvm::unique_function<void()>> done;
  while (!mutex.waiting.empty()) {
    done.push_back(std::move(mutex.waiting.back()));
    mutex.waiting.pop_back();
    done.back()();
  }
  mutex.mutex.unlock();
}

} // namespace flywheel::python
