//===- SizeRelations.h - What ops require of sizes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_CHECKS_SIZERELATIONS_H
#define FLYWHEEL_TRANSFORMS_CHECKS_SIZERELATIONS_H

#include "flywheel/Transforms/Checks/SizeAnalysis.h"

#include <string>

namespace flywheel {

/// Two sizes of which an op requires that they are equal, or that the first is
/// at least the second; or sizes whose product must not overflow.
struct SizeRelation {
  SizeExpr lhs, rhs;
  /// Continues "expected ".
  std::string what;
  bool isAtLeast = false;
  /// The op requires nothing if one of these is 0, because it then does
  /// nothing.
  std::vector<SizeExpr> unlessZero = {};
  /// The op requires nothing if one of these `i1` holds.
  std::vector<SizeExpr> unless = {};
  /// Continues ", found ", with the bytes 1 and 2 for the sizes; empty for the
  /// sizes alone.
  std::string found = {};
  /// The operand that `lhs` is, if the op must not run with a smaller index
  /// even when the check is delayed: it is then clamped to `rhs`.
  mlir::OpOperand *operand = nullptr;
  /// Instead of `lhs` and `rhs`: the sizes of a tensor that has at most
  /// `kMaxSize` elements, also where one of them is 0.
  std::vector<SizeExpr> factors = {};
};

using SizeRelationFn = llvm::function_ref<void(const SizeRelation &)>;

/// Reports all that `op` requires of the sizes of its operands, results and
/// regions: its verifier requires the same of static sizes. Positions at which
/// it reads a tensor are not included: see `flywheel-check-slices`.
void forEachSizeRelation(mlir::Operation *op, SizeAnalysis &sizes,
                         SizeRelationFn report);

} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_CHECKS_SIZERELATIONS_H
