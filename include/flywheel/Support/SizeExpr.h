//===- SizeExpr.h - Polynomials over the sizes of tensors -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_SIZEEXPR_H
#define FLYWHEEL_SUPPORT_SIZEEXPR_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace flywheel {

/// A polynomial over numbered atoms, in a normal form: two of them are the same
/// function of the atoms where they compare equal. Coefficients are modulo
/// 2^64, as the arithmetic of the program is, so that nothing overflows here.
class SizeExpr {
public:
  /// The atoms of a product, sorted, each as often as it occurs.
  using Monomial = std::vector<unsigned>;

  SizeExpr() = default;
  static SizeExpr constant(int64_t value);
  static SizeExpr atom(unsigned number);

  SizeExpr operator+(const SizeExpr &other) const;
  SizeExpr operator-(const SizeExpr &other) const;
  SizeExpr operator*(const SizeExpr &other) const;
  bool operator==(const SizeExpr &other) const { return terms == other.terms; }
  bool operator<(const SizeExpr &other) const { return terms < other.terms; }

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> getConstant() const;
  /// The number of an atom that is all of the polynomial.
  std::optional<unsigned> getAtom() const;
  /// Products with their coefficients, none of which is 0.
  const std::map<Monomial, uint64_t> &getTerms() const { return terms; }

  /// The polynomial with `value` in place of atom `number`.
  SizeExpr substitute(unsigned number, const SizeExpr &value) const;
  /// An atom `a` and a polynomial without it that it must be equal to for this
  /// polynomial to be 0; none where no atom can be told from the others.
  std::optional<std::pair<unsigned, SizeExpr>> solve() const;

private:
  void add(const Monomial &monomial, uint64_t coefficient);

  std::map<Monomial, uint64_t> terms;
};

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_SIZEEXPR_H
