//===- GuardedMemory.h - Memory between pages nobody may touch --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_GUARDEDMEMORY_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_GUARDEDMEMORY_H

#include <cstddef>
#include <cstring>
#include <utility>

namespace simulator {

/// Bytes of the host that begin after a page that nothing may touch and end at
/// another one. The end is exact up to the alignment, as overruns are most
/// often at the end.
class GuardedMemory {
public:
  GuardedMemory() = default;
  /// `alignment` is a power of two of at most a page. Without memory the object
  /// is false.
  GuardedMemory(size_t bytes, size_t alignment);
  GuardedMemory(GuardedMemory &&other) { *this = std::move(other); }
  GuardedMemory &operator=(GuardedMemory &&other);
  ~GuardedMemory();

  explicit operator bool() const { return address; }
  char *get() const { return address; }
  size_t size() const { return bytes; }
  bool contains(const void *where, size_t count) const {
    auto *byte = static_cast<const char *>(where);
    return byte >= address && count <= bytes &&
           static_cast<size_t>(byte - address) <= bytes - count;
  }
  /// Returns true if an address is in the memory or in one of the pages around
  /// it.
  bool isNear(const void *where) const;
  /// Writes bytes that no float of any width has but a NaN.
  void poison() const { std::memset(address, kPoison, bytes); }

  static constexpr int kPoison = 0xFF;

private:
  char *mapped = nullptr, *address = nullptr;
  size_t mappedBytes = 0, bytes = 0;
};

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_GUARDEDMEMORY_H
