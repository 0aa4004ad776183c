//===- AlignedBuffer.h - Memory for state and workspaces --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_ALIGNEDBUFFER_H
#define FLYWHEEL_SESSION_ALIGNEDBUFFER_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace flywheel {

/// Zeroed memory aligned to kStateAlignment; large blocks ask for huge pages,
/// which spare a step over many megabytes its TLB misses.
class AlignedBuffer {
public:
  AlignedBuffer() = default;

  /// Makes the buffer at least `bytes` long. Growing it throws its contents
  /// away. False, with the old contents in place, when memory is short.
  bool reserve(size_t bytes);

  std::byte *data() const { return memory.get(); }
  size_t size() const { return numBytes; }

private:
  struct Free {
    void operator()(std::byte *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<std::byte[], Free> memory;
  size_t numBytes = 0;
};

} // namespace flywheel

#endif // FLYWHEEL_SESSION_ALIGNEDBUFFER_H
