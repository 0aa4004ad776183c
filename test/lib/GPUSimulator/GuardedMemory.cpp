//===- GuardedMemory.cpp - Memory between pages nobody may touch ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace simulator {

static size_t roundUp(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

GuardedMemory::GuardedMemory(size_t bytes, size_t alignment) : bytes(bytes) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t inner = roundUp(bytes, page);
  mappedBytes = inner + 2 * page;
  void *pages =
      mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return;
  mapped = static_cast<char *>(pages);
  char *begin = mapped + page;
  mprotect(begin, inner, PROT_READ | PROT_WRITE);
  std::memset(begin, kPoison, inner);
  address = begin + inner - roundUp(bytes, alignment);
}

GuardedMemory &GuardedMemory::operator=(GuardedMemory &&other) {
  std::swap(mapped, other.mapped);
  std::swap(address, other.address);
  std::swap(mappedBytes, other.mappedBytes);
  std::swap(bytes, other.bytes);
  return *this;
}

GuardedMemory::~GuardedMemory() {
  if (mapped)
    munmap(mapped, mappedBytes);
}

bool GuardedMemory::isNear(const void *where) const {
  auto *byte = static_cast<const char *>(where);
  return mapped && byte >= mapped && byte < mapped + mappedBytes;
}

} // namespace simulator
