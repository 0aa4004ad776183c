//===- StackSlots.h - Buffers on the stack ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_MEMORY_STACKSLOTS_H
#define FLYWHEEL_TRANSFORMS_MEMORY_STACKSLOTS_H

#include <cstdint>

namespace flywheel {

/// A buffer of a known size inside of a loop is on the stack if it has at most
/// this many bytes; others are in the workspace. Tiles are made to fit.
constexpr int64_t kMaxStackBytes = 4096;

} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_MEMORY_STACKSLOTS_H
