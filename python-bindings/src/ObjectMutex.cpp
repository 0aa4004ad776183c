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

unsigned ObjectLock::numForks = 0;

void watchForks() {
  pthread_atfork(nullptr, nullptr, [] { ++ObjectLock::numForks; });
}

void ObjectMutex::runSoon(llvm::unique_function<void()> action) {
  waiting.push_back(std::move(action));
  if (mutex.try_lock())
    ObjectLock lock(*this, std::adopt_lock);
}

void ObjectLock::wait() {
  if (mutex.userCode == std::this_thread::get_id())
    throw std::runtime_error(
        "a function that a step calls uses the store of that step while it "
        "runs: pass values of variables to flywheel.callback, or call other "
        "functions in a store of their own, `with flywheel.Store():`");
  if (mutex.numForks != numForks)
    throw std::runtime_error(
        "another thread was at work with this store, session or module when "
        "this process was forked: expected another one, such as that of `with "
        "flywheel.Store():`");
  // A thread that has it then does not come back; see takeGIL().
  if (isInterpreterEnding())
    throw std::runtime_error(
        "another thread was at work with this store, session or module when "
        "the interpreter ended");
  PyThreadState *thread = PyEval_SaveThread();
  mutex.mutex.lock();
  takeGIL(thread);
}

void ObjectLock::unlockBehindOthers() {
  std::vector<llvm::unique_function<void()>> done;
  while (!mutex.waiting.empty()) {
    done.push_back(std::move(mutex.waiting.back()));
    mutex.waiting.pop_back();
    done.back()();
  }
  mutex.mutex.unlock();
}

} // namespace flywheel::python
