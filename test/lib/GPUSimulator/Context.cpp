//===- Context.cpp - Functions that are left and entered again ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstdint>

#ifdef __x86_64__

// The system's functions would save the signal mask, which takes a call of the
// kernel: 300 ns instead of 3.
__asm__(R"(
  .text
  .globl flywheel_simulator_switch
  .hidden flywheel_simulator_switch
  .type flywheel_simulator_switch, @function
flywheel_simulator_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov (%rsi), %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size flywheel_simulator_switch, . - flywheel_simulator_switch
)");

// NOLINTNEXTLINE(readability-identifier-naming): assembler's.
extern "C" void flywheel_simulator_switch(void **from, void **to);

namespace simulator {

void Context::prepare(char *stack, size_t bytes, void (*entry)()) {
  /// Registers that the switch pops.
  constexpr int kNumRegisters = 6;
  auto top = reinterpret_cast<uintptr_t>(stack + bytes) / 16 * 16;
  auto **words = reinterpret_cast<void **>(top);
  // A function begins 8 bytes off a multiple of 16, where the address that it
  // returns to is: none here.
  *--words = nullptr;
  *--words = reinterpret_cast<void *>(entry);
  for (int i = 0; i < kNumRegisters; ++i)
    *--words = nullptr;
  stackPointer = words;
}

void switchContext(Context &from, Context &to) {
  flywheel_simulator_switch(&from.stackPointer, &to.stackPointer);
}

} // namespace simulator

#else

namespace simulator {

void Context::prepare(char *stack, size_t bytes, void (*entry)()) {
  getcontext(&registers);
  registers.uc_stack.ss_sp = stack;
  registers.uc_stack.ss_size = bytes;
  registers.uc_link = nullptr;
  makecontext(&registers, entry, 0);
}

void switchContext(Context &from, Context &to) {
  swapcontext(&from.registers, &to.registers);
}

} // namespace simulator

#endif
