//===- SizeFacts.cpp - What checks say of sizes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeFacts.h"

#include "llvm/ADT/STLExtras.h"

using namespace flywheel;

bool flywheel::isSubset(const Excuses &some, const Excuses &all) {
  return llvm::all_of(
      some, [&](const SizeExpr &one) { return llvm::is_contained(all, one); });
}

SizeExpr SizeFacts::reduce(SizeExpr expr, const Excuses &excuses,
                           bool byAll) const {
  for (const Fact &fact : facts)
    if (fact.solution && (byAll || !fact.isLate) &&
        isSubset(fact.excuses, excuses))
      expr = expr.substitute(fact.solution->first, fact.solution->second);
  return expr;
}

void SizeFacts::add(const SizeExpr &lhs, const SizeExpr &rhs, bool isAtLeast,
                    Excuses excuses, bool isLate) {
  Fact fact{std::move(excuses), isAtLeast, isLate, lhs - rhs, std::nullopt};
  if (!isAtLeast)
    fact.solution = reduce(fact.difference, fact.excuses, isLate).solve();
  facts.push_back(std::move(fact));
}

bool SizeFacts::follows(SizeAnalysis &sizes, const SizeExpr &lhs,
                        const SizeExpr &rhs, bool isAtLeast,
                        const Excuses &excuses, bool byAll) const {
  SizeExpr difference = lhs - rhs, reduced = reduce(difference, excuses, byAll);
  if (isAtLeast
          ? sizes.isNonNegative(difference) || sizes.isNonNegative(reduced)
          : reduced.isZero())
    return true;
  return llvm::any_of(facts, [&](const Fact &fact) {
    return fact.isAtLeast == isAtLeast && (byAll || !fact.isLate) &&
           isSubset(fact.excuses, excuses) &&
           (fact.difference == difference ||
            (!isAtLeast && (fact.difference + difference).isZero()));
  });
}
