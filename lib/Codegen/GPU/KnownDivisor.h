//===- KnownDivisor.h - What sizes and offsets are multiples of -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_KNOWNDIVISOR_H
#define FLYWHEEL_LIB_CODEGEN_GPU_KNOWNDIVISOR_H

#include "mlir/IR/Value.h"

namespace flywheel {

/// Powers of two beyond this one are not told from it.
inline constexpr int64_t kMaxKnownDivisor = 64;

/// A power of two that `number`, an index, is a multiple of.
int64_t getKnownDivisor(mlir::Value number);

/// Whether every `width` neighbours of `buffer` along its last dimension, from
/// a multiple of `width` on, are side by side in memory and as aligned as they
/// are large: the buffer's memory begins at a multiple of 64 bytes.
bool hasAlignedVectors(mlir::Value buffer, int64_t width);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_KNOWNDIVISOR_H
