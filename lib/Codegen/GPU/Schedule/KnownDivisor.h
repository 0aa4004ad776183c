//===- KnownDivisor.h - What sizes and offsets are multiples of -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_KNOWNDIVISOR_H
#define FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_KNOWNDIVISOR_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace flywheel {

/// The largest power of two that is distinguished.
inline constexpr int64_t kMaxKnownDivisor = 64;

/// Returns a power of two that `number`, an index, is a multiple of.
int64_t getKnownDivisor(mlir::Value number);

/// Returns true if every `width` neighbours of `buffer` along its last
/// dimension, starting at a multiple of `width`, are contiguous and aligned to
/// their size, provided that the buffer's memory begins at a multiple of 64
/// bytes.
bool hasAlignedVectors(mlir::Value buffer, int64_t width);

/// Returns an upper bound of `number`, if it is known or the minimum of numbers
/// one of which is known.
std::optional<int64_t> getKnownBound(mlir::OpFoldResult number);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_SCHEDULE_KNOWNDIVISOR_H
