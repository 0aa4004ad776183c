//===- SizeExpr.cpp - Polynomials over the sizes of tensors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/SizeExpr.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace flywheel;

template <typename Number>
void Polynomial<Number>::add(const Monomial &monomial, Number coefficient) {
  auto [it, isNew] = terms.try_emplace(monomial, 0);
  wrapped |= __builtin_add_overflow(it->second, coefficient, &it->second);
  if (it->second == 0)
    terms.erase(it);
}

template <typename Number>
Polynomial<Number> Polynomial<Number>::constant(Number value) {
  Polynomial result;
  result.add({}, value);
  return result;
}

template <typename Number>
Polynomial<Number> Polynomial<Number>::atom(unsigned number) {
  Polynomial result;
  result.add({number}, 1);
  return result;
}

template <typename Number>
Polynomial<Number>
Polynomial<Number>::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  result.wrapped |= other.wrapped;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

template <typename Number>
Polynomial<Number>
Polynomial<Number>::operator-(const Polynomial &other) const {
  return *this + other * constant(-1);
}

template <typename Number>
Polynomial<Number>
Polynomial<Number>::operator*(const Polynomial &other) const {
  Polynomial result;
  result.wrapped = wrapped || other.wrapped;
  for (const auto &[left, leftCoefficient] : terms)
    for (const auto &[right, rightCoefficient] : other.terms) {
      Monomial product(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 product.begin());
      Number coefficient = 0;
      result.wrapped |= __builtin_mul_overflow(leftCoefficient,
                                               rightCoefficient, &coefficient);
      result.add(product, coefficient);
    }
  return result;
}

template <typename Number>
std::optional<Number> Polynomial<Number>::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() > 1 || !terms.begin()->first.empty())
    return std::nullopt;
  return terms.begin()->second;
}

template <typename Number>
std::optional<unsigned> Polynomial<Number>::getAtom() const {
  if (terms.size() != 1 || terms.begin()->second != 1 ||
      terms.begin()->first.size() != 1)
    return std::nullopt;
  return terms.begin()->first.front();
}

template <typename Number>
Polynomial<Number>
Polynomial<Number>::substitute(unsigned number, const Polynomial &value) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : terms) {
    Monomial rest;
    llvm::copy_if(monomial, std::back_inserter(rest),
                  [&](unsigned atom) { return atom != number; });
    Polynomial product;
    product.wrapped = wrapped;
    product.add(rest, coefficient);
    for (size_t power = rest.size(); power < monomial.size(); ++power)
      product = product * value;
    result = result + product;
  }
  return result;
}

template <typename Number>
std::optional<std::pair<unsigned, Polynomial<Number>>>
Polynomial<Number>::solve() const {
  // The last atom: those of feeds, which later ones are made of, stay.
  for (const auto &[monomial, coefficient] : llvm::reverse(terms)) {
    bool isPlus = coefficient == 1, isMinus = coefficient == -1;
    if (monomial.size() != 1 || (!isPlus && !isMinus))
      continue;
    unsigned number = monomial.front();
    bool isElsewhere =
        llvm::any_of(terms, [&, &own = monomial](const auto &term) {
          return term.first != own && llvm::is_contained(term.first, number);
        });
    if (isElsewhere)
      continue;
    Polynomial self = atom(number);
    return std::make_pair(number, isPlus ? self - *this : self + *this);
  }
  return std::nullopt;
}

namespace flywheel {
// The instantiations that the header declares as extern.
template class Polynomial<int64_t>;
template class Polynomial<Int128>;
} // namespace flywheel
