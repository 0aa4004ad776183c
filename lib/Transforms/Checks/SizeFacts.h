//===- SizeFacts.h - What checks say of sizes -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZEFACTS_H
#define FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZEFACTS_H

#include "flywheel/Transforms/Checks/SizeAnalysis.h"

namespace flywheel {

/// Conditions (`i1`) of which each makes up for a check that fails.
using Excuses = std::vector<SizeExpr>;

/// The facts that emitted checks imply for later ones.
class SizeFacts {
public:
  /// Adds a fact: if none of `excuses` holds, `lhs` equals or is at least
  /// `rhs`. With `isLate` that is so once the function has returned without an
  /// error.
  void add(const SizeExpr &lhs, const SizeExpr &rhs, bool isAtLeast,
           Excuses excuses, bool isLate = false);
  /// With `byAll` from facts that are late, too.
  bool follows(SizeAnalysis &sizes, const SizeExpr &lhs, const SizeExpr &rhs,
               bool isAtLeast, const Excuses &excuses, bool byAll) const;
  /// The number that `expr` is wherever the checks so far have passed.
  std::optional<int64_t> getConstant(const SizeExpr &expr) const {
    return reduce(expr, {}, /*byAll=*/true).getConstant();
  }

private:
  struct Fact {
    Excuses excuses;
    bool isAtLeast, isLate;
    SizeExpr difference;
    std::optional<std::pair<unsigned, SizeExpr>> solution;
  };
  SizeExpr reduce(SizeExpr expr, const Excuses &excuses, bool byAll) const;
  /// Returns a number that `expr` is at least; nullopt if none is known.
  std::optional<int64_t> getLowerBound(SizeAnalysis &sizes,
                                       const SizeExpr &expr,
                                       const Excuses &excuses,
                                       bool byAll) const;

  std::vector<Fact> facts;
};

/// Returns true if each of `some` is one of `all`.
bool isSubset(const Excuses &some, const Excuses &all);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_CHECKS_SIZEFACTS_H
