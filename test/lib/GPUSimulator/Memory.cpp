//===- Memory.cpp - What an address of a kernel is of ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "Execution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace simulator {

static const Kernel *kernel;
static const GuardedMemory *dynamicMemory;
/// Most accesses are near the one before.
static const GuardedMemory *last;

void setMemory(const Kernel *executed, const GuardedMemory *dynamic) {
  kernel = executed;
  dynamicMemory = dynamic;
  last = nullptr;
}

Buffers &getBuffers() {
  static Buffers &buffers = *new Buffers();
  return buffers;
}

/// The memory that an address is in or near, and what it is.
static std::pair<const GuardedMemory *, std::string>
findNear(const void *address) {
  if (kernel)
    for (const WorkgroupVariable *variable : kernel->variables)
      if (variable->memory.isNear(address))
        return {&variable->memory,
                "workgroup variable '" + variable->name + "'"};
  if (dynamicMemory && dynamicMemory->isNear(address))
    return {dynamicMemory, "dynamic workgroup memory"};
  for (const auto &[begin, memory] : getBuffers())
    if (memory.isNear(address))
      return {&memory, "a buffer"};
  return {nullptr, ""};
}

const GuardedMemory *findBuffer(const void *address) {
  Buffers &buffers = getBuffers();
  auto next = buffers.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (next == buffers.begin())
    return nullptr;
  const GuardedMemory &memory = std::prev(next)->second;
  return memory.contains(address, 1) ? &memory : nullptr;
}

std::string describeAddress(const void *address) {
  auto [memory, name] = findNear(address);
  if (!memory)
    return "address 0x" + llvm::utohexstr(reinterpret_cast<uintptr_t>(address));
  return "byte " +
         std::to_string(static_cast<const char *>(address) - memory->get()) +
         " of " + name + " of " + std::to_string(memory->size()) + " bytes";
}

void checkAlignment(const void *address, size_t alignment) {
  if (reinterpret_cast<uintptr_t>(address) % alignment != 0)
    fail("an access that is aligned to " + std::to_string(alignment) +
         " bytes, in fact at " + describeAddress(address));
}

void checkWorkgroupAccess(const void *address, size_t bytes, size_t alignment) {
  checkAlignment(address, alignment);
  checkBounds(address, bytes);
  auto isIn = [&](const GuardedMemory &memory) {
    return memory.contains(address, bytes);
  };
  if ((dynamicMemory && isIn(*dynamicMemory)) ||
      llvm::any_of(kernel->variables, [&](const WorkgroupVariable *variable) {
        return isIn(variable->memory);
      }))
    return;
  fail("expected an address in workgroup memory, found " +
       describeAddress(address));
}

void checkBounds(const void *address, size_t bytes) {
  if (last && last->contains(address, bytes))
    return;
  last = nullptr;
  if (const GuardedMemory *buffer = findBuffer(address);
      buffer && buffer->contains(address, bytes)) {
    last = buffer;
    return;
  }
  auto [memory, name] = findNear(address);
  if (memory && !memory->contains(address, bytes))
    fail("an access of memory that is not there: " + std::to_string(bytes) +
         " bytes from " + describeAddress(address));
  last = memory;
}

} // namespace simulator
