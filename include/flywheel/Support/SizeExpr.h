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

/// A polynomial over numbered atoms, in a normal form: two polynomials that
/// compare equal are the same function of the atoms. Coefficients are signed
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
  /// Returns true if a coefficient of this polynomial, or of one that it was
  /// computed from, has wrapped: it is then correct modulo 2^width, but not as
  /// an integer.
  bool hasWrapped() const { return wrapped; }

  /// The polynomial with `value` in place of atom `number`.
  Polynomial substitute(unsigned number, const Polynomial &value) const;
  /// Returns an atom `a` and a polynomial without it that `a` must equal for
  /// this polynomial to be 0; nullopt if no atom can be isolated.
  std::optional<std::pair<unsigned, Polynomial>> solve() const;

private:
  void add(const Monomial &monomial, Number coefficient);

  std::map<Monomial, Number> terms;
  bool wrapped = false;
};

extern template class Polynomial<int64_t>;
extern template class Polynomial<Int128>;

/// A value that a program computes from sizes: modulo 2^64, as its arithmetic
/// is.
using SizeExpr = Polynomial<int64_t>;
/// The cost of an op, which may exceed 2^64.
using CostExpr = Polynomial<Int128>;

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_SIZEEXPR_H
