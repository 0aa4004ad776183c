//===- SizeFacts.cpp - What checks say of sizes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

std::optional<int64_t> SizeFacts::getLowerBound(SizeAnalysis &sizes,
                                                const SizeExpr &expr,
                                                const Excuses &excuses,
                                                bool byAll) const {
  if (sizes.isNonNegative(expr))
    return expr.getConstant().value_or(0);
  // A fact, and a number that is added to it.
  bool wraps = sizes.mayWrap(expr);
  for (const Fact &fact : facts)
    if (fact.isAtLeast && (byAll || !fact.isLate) &&
        isSubset(fact.excuses, excuses))
      if (std::optional<int64_t> rest = (expr - fact.difference).getConstant();
          rest && (!wraps || *rest == 0))
        return *rest;
  if (wraps)
    return std::nullopt;
  // The sum of the bounds of quotients, and of numbers that are not negative.
  int64_t bound = 0;
  for (const auto &[monomial, coefficient] : expr.getTerms()) {
    if (monomial.empty()) {
      bound += coefficient;
      continue;
    }
    if (coefficient != 1 || monomial.size() != 1)
      return std::nullopt;
    SizeExpr atom = SizeExpr::atom(monomial.front());
    if (sizes.isNonNegative(atom))
      continue;
    auto quotient = sizes.getQuotient(monomial.front());
    std::optional<int64_t> least =
        quotient ? getLowerBound(sizes, quotient->first, excuses, byAll)
                 : std::nullopt;
    if (!least)
      return std::nullopt;
    bound += llvm::divideFloorSigned(*least, quotient->second);
  }
  return bound;
}

bool SizeFacts::follows(SizeAnalysis &sizes, const SizeExpr &lhs,
                        const SizeExpr &rhs, bool isAtLeast,
                        const Excuses &excuses, bool byAll) const {
  SizeExpr difference = lhs - rhs, reduced = reduce(difference, excuses, byAll);
  if (isAtLeast)
    return getLowerBound(sizes, difference, excuses, byAll).value_or(-1) >= 0 ||
           getLowerBound(sizes, reduced, excuses, byAll).value_or(-1) >= 0;
  return reduced.isZero() || llvm::any_of(facts, [&](const Fact &fact) {
           return !fact.isAtLeast && (byAll || !fact.isLate) &&
                  isSubset(fact.excuses, excuses) &&
                  (fact.difference == difference ||
                   (fact.difference + difference).isZero());
         });
}
