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

__extension__ using Int128 = __int128;

/// A polynomial over numbered atoms, in a normal form: two of them are the same
/// function of the atoms where they compare equal. Coefficients are signed
/// numbers of the width of `Number`, and wrap.
template <typename Number> class Polynomial {
public:
  /// The atoms of a product, sorted, each as often as it occurs.
  using Monomial = std::vector<unsigned>;

  Polynomial() = default;
  static Polynomial constant(Number value);
  static Polynomial atom(unsigned number);

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const {
    return terms == other.terms;
  }
  bool operator<(const Polynomial &other) const { return terms < other.terms; }

  bool isZero() const { return terms.empty(); }
  std::optional<Number> getConstant() const;
  /// The number of an atom that is all of the polynomial.
  std::optional<unsigned> getAtom() const;
  /// Products with their coefficients, none of which is 0.
  const std::map<Monomial, Number> &getTerms() const { return terms; }
  /// Whether a coefficient of this one, or of one that it is made of, has
  /// wrapped: it is right modulo 2^width, but no longer in the integers.
  bool hasWrapped() const { return wrapped; }

  /// The polynomial with `value` in place of atom `number`.
  Polynomial substitute(unsigned number, const Polynomial &value) const;
  /// An atom `a` and a polynomial without it that it must be equal to for this
  /// polynomial to be 0; none where no atom can be told from the others.
  std::optional<std::pair<unsigned, Polynomial>> solve() const;

private:
  void add(const Monomial &monomial, Number coefficient);

  std::map<Monomial, Number> terms;
  bool wrapped = false;
};

extern template class Polynomial<int64_t>;
extern template class Polynomial<Int128>;

/// What a program computes of sizes: modulo 2^64, as its arithmetic is.
using SizeExpr = Polynomial<int64_t>;
/// What an op costs, which may exceed 2^64.
using CostExpr = Polynomial<Int128>;

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_SIZEEXPR_H
