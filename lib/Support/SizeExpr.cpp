//===- SizeExpr.cpp - Polynomials over the sizes of tensors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/SizeExpr.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace flywheel;

void SizeExpr::add(const Monomial &monomial, uint64_t coefficient) {
  auto [it, isNew] = terms.try_emplace(monomial, 0);
  it->second += coefficient;
  if (it->second == 0)
    terms.erase(it);
}

SizeExpr SizeExpr::constant(int64_t value) {
  SizeExpr result;
  result.add({}, static_cast<uint64_t>(value));
  return result;
}

SizeExpr SizeExpr::atom(unsigned number) {
  SizeExpr result;
  result.add({number}, 1);
  return result;
}

SizeExpr SizeExpr::operator+(const SizeExpr &other) const {
  SizeExpr result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

SizeExpr SizeExpr::operator-(const SizeExpr &other) const {
  SizeExpr result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, 0 - coefficient);
  return result;
}

SizeExpr SizeExpr::operator*(const SizeExpr &other) const {
  SizeExpr result;
  for (const auto &[left, leftCoefficient] : terms)
    for (const auto &[right, rightCoefficient] : other.terms) {
      Monomial product(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 product.begin());
      result.add(product, leftCoefficient * rightCoefficient);
    }
  return result;
}

std::optional<int64_t> SizeExpr::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() > 1 || !terms.begin()->first.empty())
    return std::nullopt;
  return static_cast<int64_t>(terms.begin()->second);
}

std::optional<unsigned> SizeExpr::getAtom() const {
  if (terms.size() != 1 || terms.begin()->second != 1 ||
      terms.begin()->first.size() != 1)
    return std::nullopt;
  return terms.begin()->first.front();
}

SizeExpr SizeExpr::substitute(unsigned number, const SizeExpr &value) const {
  SizeExpr result;
  for (const auto &[monomial, coefficient] : terms) {
    Monomial rest;
    llvm::copy_if(monomial, std::back_inserter(rest),
                  [&](unsigned atom) { return atom != number; });
    SizeExpr product;
    product.add(rest, coefficient);
    for (size_t power = rest.size(); power < monomial.size(); ++power)
      product = product * value;
    result = result + product;
  }
  return result;
}

std::optional<std::pair<unsigned, SizeExpr>> SizeExpr::solve() const {
  // The last atom: those of feeds, which later ones are made of, stay.
  for (const auto &[monomial, coefficient] : llvm::reverse(terms)) {
    bool isPlus = coefficient == 1, isMinus = coefficient == ~uint64_t(0);
    if (monomial.size() != 1 || (!isPlus && !isMinus))
      continue;
    unsigned number = monomial.front();
    bool isElsewhere =
        llvm::any_of(terms, [&, &own = monomial](const auto &term) {
          return term.first != own && llvm::is_contained(term.first, number);
        });
    if (isElsewhere)
      continue;
    SizeExpr self = atom(number);
    return std::make_pair(number, isPlus ? self - *this : self + *this);
  }
  return std::nullopt;
}
