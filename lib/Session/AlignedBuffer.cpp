//===- AlignedBuffer.cpp - Memory for state and workspaces ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/AlignedBuffer.h"
#include "flywheel/Model/Manifest.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace flywheel {

/// The size of a huge page on x86-64 and AArch64, in bytes.
static constexpr size_t kHugePageBytes = size_t(2) << 20;

bool AlignedBuffer::reserve(size_t bytes) {
  if (bytes <= numBytes)
    return true;
  bool isLarge = bytes >= 2 * kHugePageBytes;
  size_t alignment = isLarge ? kHugePageBytes : kStateAlignment;
  size_t rounded = llvm::alignTo(bytes, alignment);
  if (rounded < bytes)
    return false;
  auto *fresh =
      static_cast<std::byte *>(std::aligned_alloc(alignment, rounded));
  if (!fresh)
    return false;
#ifdef __linux__
  // Only advice: without huge pages everything works.
  if (isLarge)
    (void)madvise(fresh, rounded, MADV_HUGEPAGE);
#endif
  std::memset(fresh, 0, rounded);
  memory.reset(fresh);
  numBytes = rounded;
  return true;
}

} // namespace flywheel
