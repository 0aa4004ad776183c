//===- Context.h - Functions that are left and entered again ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_CONTEXT_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_CONTEXT_H

#include <cstddef>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace simulator {

/// The state of a suspended function: a stack, and the callee-saved registers.
struct Context {
  /// The next switch to it calls `entry` on the stack, which ends there.
  /// `entry` switches away and does not return.
  void prepare(char *stack, size_t bytes, void (*entry)());

#ifdef __x86_64__
  void *stackPointer = nullptr;
#else
  ucontext_t registers;
#endif
};

/// Leaves the function that runs for the one that was left in `to`.
void switchContext(Context &from, Context &to);

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_CONTEXT_H
