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
  /// The op requires nothing where one of these is 0: it does nothing then.
  std::vector<SizeExpr> unlessZero = {};
  /// The same where one of these `i1` holds.
  std::vector<SizeExpr> unless = {};
  /// Continues ", found ", the bytes 1 and 2 for the sizes; empty where that is
  /// the sizes alone.
  std::string found = {};
  /// Of an index that the op must not run with, whatever it then does: the
  /// operand that `lhs` is, which is made `rhs` where it is smaller.
  mlir::OpOperand *operand = nullptr;
  /// Instead of `lhs` and `rhs`: the sizes of a tensor that has at most
  /// `kMaxSize` elements, also where one of them is 0.
  std::vector<SizeExpr> factors = {};
};

using SizeRelationFn = llvm::function_ref<void(const SizeRelation &)>;

/// Reports all that `op` requires of the sizes of its operands, results and
/// regions: what its verifier takes for granted of dynamic ones. Where it reads
/// a tensor is no such requirement: see `flywheel-check-slices`.
void forEachSizeRelation(mlir::Operation *op, SizeAnalysis &sizes,
                         SizeRelationFn report);

} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_CHECKS_SIZERELATIONS_H
