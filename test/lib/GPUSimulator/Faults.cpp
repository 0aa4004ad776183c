//===- Faults.cpp - Accesses that the host traps --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include "Execution.h"
#include "Memory.h"

#include <pthread.h>

namespace simulator {

static bool isExecuting;
static pthread_t executing;

static void handle(int signal, siginfo_t *info, void *) {
  if (!isExecuting || !pthread_equal(executing, pthread_self())) {
    // Not the device's: the instruction is tried again, without us.
    std::signal(signal, SIG_DFL);
    return;
  }
  if (signal == SIGFPE)
    fail("an integer divided by zero");
  fail("an access of memory that is not there: " +
       describeAddress(info->si_addr));
}

FaultHandler::FaultHandler() {
  // A thread whose stack is full has no room for the handler there.
  static const GuardedMemory &stack = *new GuardedMemory(64 << 10, 16);
  isExecuting = true;
  executing = pthread_self();
  stack_t given = {};
  given.ss_sp = stack.get();
  given.ss_size = stack.size();
  sigaltstack(&given, &stackBefore);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // The handler does not return, so nothing would take the signal's mask away.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < 3; ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

FaultHandler::~FaultHandler() {
  for (int i = 0; i < 3; ++i)
    sigaction(kSignals[i], &before[i], nullptr);
  sigaltstack(&stackBefore, nullptr);
  isExecuting = false;
}

} // namespace simulator
