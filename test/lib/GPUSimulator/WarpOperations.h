//===- WarpOperations.h - What threads of a warp do together ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TEST_LIB_GPUSIMULATOR_WARPOPERATIONS_H
#define FLYWHEEL_TEST_LIB_GPUSIMULATOR_WARPOPERATIONS_H

#include "Kernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace simulator {

/// Threads of a warp that have all come to one operation.
struct WarpGroup {
  /// The lanes; those that are not among them have null operands and results.
  uint32_t mask = 0;
  /// The number of lane 0 among the threads of the block.
  uint32_t firstThread = 0;
  /// Operands and results in words of 32 bits: narrower integers are extended
  /// with zeros, wider values take several.
  const uint32_t *operands[kWarpSize] = {};
  uint32_t *results[kWarpSize] = {};

  bool has(uint32_t lane) const {
    return lane < kWarpSize && (mask >> lane & 1);
  }
};

/// An instruction that threads of a warp execute together.
struct WarpOperation {
  /// The intrinsic.
  llvm::StringLiteral name;
  /// The operand that says which lanes take part, or one of those below.
  int maskOperand;
  void (*execute)(const WarpGroup &group);
  /// True if accesses before it are visible to all lanes after it.
  bool isBarrier = false;

  /// All lanes take part, at one instruction; or the lanes that arrived.
  static constexpr int kAllLanes = -1, kLanesThatCame = -2;
};

/// The most words that operands take, or results.
constexpr unsigned kMaxWords = 32;

llvm::ArrayRef<WarpOperation> getWarpOperations();
/// Returns the operations on matrices.
llvm::ArrayRef<WarpOperation> getMatrixOperations();

} // namespace simulator

#endif // FLYWHEEL_TEST_LIB_GPUSIMULATOR_WARPOPERATIONS_H
