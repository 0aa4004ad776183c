//===- ManifestSizes.cpp - Sizes of workspaces and their bounds -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Model/Manifest.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {
//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// The numbers from `low` to `high`; nullopt means no limit, or one that
/// exceeds 64 bits.
struct SizeRange {
  std::optional<int64_t> low, high;

  SizeRange() = default;
  explicit SizeRange(int64_t number) : low(number), high(number) {}
  SizeRange(std::optional<int64_t> low, std::optional<int64_t> high)
      : low(low), high(high) {}

  bool isNumber(int64_t number) const {
    return low == number && high == number;
  }
};
} // namespace

/// Returns the product of two ranges. Nothing times any number is nothing.
static SizeRange multiply(const SizeRange &a, const SizeRange &b) {
  if (a.isNumber(0) || b.isNumber(0))
    return SizeRange(0);
  auto multiplyEnds = [](std::optional<int64_t> x, std::optional<int64_t> y) {
    return x && y ? llvm::checkedMul(*x, *y) : std::nullopt;
  };
  if (a.low >= 0 && b.low >= 0)
    return {multiplyEnds(a.low, b.low), multiplyEnds(a.high, b.high)};
  std::optional<int64_t> ends[] = {
      multiplyEnds(a.low, b.low), multiplyEnds(a.low, b.high),
      multiplyEnds(a.high, b.low), multiplyEnds(a.high, b.high)};
  if (llvm::is_contained(ends, std::nullopt))
    return {};
  return {*llvm::min_element(ends), *llvm::max_element(ends)};
}

/// Returns the quotients of a number in `a` and one in `b`, which is positive:
/// the nearer the divisor is to 0, the farther the quotient is from 0.
template <typename DivideFn>
static SizeRange divide(const SizeRange &a, const SizeRange &b,
                        DivideFn divide) {
  auto divideEnd = [&](std::optional<int64_t> end, bool byLeast) {
    std::optional<int64_t> divisor = byLeast ? b.low : b.high;
    if (!end)
      return end;
    return std::optional<int64_t>(divisor ? divide(*end, *divisor) : 0);
  };
  return {divideEnd(a.low, a.low < 0), divideEnd(a.high, a.high >= 0)};
}

/// Returns the range of `expr` for symbols in the ranges `symbols`.
static SizeRange evaluate(AffineExpr expr, ArrayRef<SizeRange> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeRange(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeRange lhs = evaluate(binary.getLHS(), symbols),
            rhs = evaluate(binary.getRHS(), symbols);
  auto addEnds = [](std::optional<int64_t> x, std::optional<int64_t> y) {
    return x && y ? llvm::checkedAdd(*x, *y) : std::nullopt;
  };
  if (expr.getKind() == AffineExprKind::Add)
    return {addEnds(lhs.low, rhs.low), addEnds(lhs.high, rhs.high)};
  if (expr.getKind() == AffineExprKind::Mul)
    return multiply(lhs, rhs);
  // Upstream gives a divisor that is not positive no meaning.
  if (!rhs.low || *rhs.low <= 0)
    return {};
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    if (lhs.low && lhs.low == lhs.high && rhs.low == rhs.high)
      return SizeRange(llvm::mod(*lhs.low, *rhs.low));
    return {0, addEnds(rhs.high, -1)};
  case AffineExprKind::FloorDiv:
    return divide(lhs, rhs, llvm::divideFloorSigned<int64_t, int64_t>);
  case AffineExprKind::CeilDiv:
    return divide(lhs, rhs, llvm::divideCeilSigned<int64_t, int64_t>);
  default:
    llvm_unreachable("a workspace size has no dimensions");
  }
}

/// Returns the largest of the sizes in `range`.
static CheckedSize getLargest(const SizeRange &range) {
  return range.high ? CheckedSize(std::max<int64_t>(*range.high, 0))
                    : kMaxSize + 1;
}

/// Returns the bytes of `slots` for symbols in their ranges.
static CheckedSize addSlots(ArrayRef<std::vector<AffineMap>> slots,
                            ArrayRef<SizeRange> symbols) {
  CheckedSize total = 0;
  for (const std::vector<AffineMap> &slot : slots) {
    CheckedSize largest = 0;
    for (AffineMap map : slot)
      largest = max(largest, getLargest(evaluate(map.getResult(0), symbols)));
    total += largest.alignTo(kStateAlignment);
  }
  return total;
}

static SmallVector<SizeRange> getExactRanges(ArrayRef<int64_t> symbols) {
  return llvm::map_to_vector(symbols,
                             [](int64_t symbol) { return SizeRange(symbol); });
}

static SmallVector<SizeRange> getRangesUpTo(ArrayRef<int64_t> bounds) {
  return llvm::map_to_vector(bounds,
                             [](int64_t bound) { return SizeRange(0, bound); });
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

CheckedSize evaluateSize(AffineExpr size, ArrayRef<int64_t> symbols) {
  return getLargest(evaluate(size, getExactRanges(symbols)));
}

CheckedSize evaluateLargestSize(AffineExpr size, ArrayRef<int64_t> bounds) {
  return getLargest(evaluate(size, getRangesUpTo(bounds)));
}

bool isNeverNegative(AffineExpr size, unsigned numSymbols) {
  SmallVector<SizeRange> sizes(numSymbols, SizeRange(0, std::nullopt));
  return evaluate(size, sizes).low >= 0;
}

CheckedSize ManifestEntry::getWorkspaceBytes(ArrayRef<int64_t> dimSizes) const {
  assert(dimSizes.size() == symbols.size() && "one dimension size a symbol");
  return addSlots(workspaceSlots, getExactRanges(dimSizes));
}

CheckedSize
ManifestEntry::getMaxWorkspaceBytes(ArrayRef<int64_t> bounds) const {
  assert(bounds.size() == symbols.size() && "one bound a symbol");
  return addSlots(workspaceSlots, getRangesUpTo(bounds));
}

//===----------------------------------------------------------------------===//
// Bounds of dimension sizes
//===----------------------------------------------------------------------===//

DimSizeBounds Manifest::getBounds(int64_t others) const {
  DimSizeBounds bounds = others;
  for (const ManifestEntry &entry : entries)
    for (auto [name, bound] : llvm::zip(entry.symbols, entry.symbolBounds))
      if (bound > 0)
        bounds.named[name] = bound;
  return bounds;
}

std::vector<int64_t>
DimSizeBounds::lookupAll(ArrayRef<std::string> names) const {
  std::vector<int64_t> bounds;
  for (const std::string &name : names)
    bounds.push_back(lookup(name));
  return bounds;
}

llvm::Error DimSizeBounds::add(StringRef text) {
  // A name may hold any character, a number no `=`.
  auto [name, number] = text.rsplit('=');
  int64_t bound;
  if (name.empty() || number.getAsInteger(10, bound))
    return llvm::createStringError(
        "expected NAME=N, such as time=256, found '" + text + "'");
  if (bound < 1 || bound > kMaxDimSizeBound)
    return llvm::createStringError("expected a bound of '" + name +
                                   "' within [1, " + Twine(kMaxDimSizeBound) +
                                   "], found " + Twine(bound));
  auto [known, isNew] = named.try_emplace(name.str(), bound);
  if (!isNew && known->second != bound)
    return llvm::createStringError("expected one bound of '" + name +
                                   "', found " + Twine(known->second) +
                                   " and " + Twine(bound));
  return llvm::Error::success();
}

std::string describeDimSizes(ArrayRef<std::string> names,
                             ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return "";
  if (llvm::all_equal(sizes))
    return " where every dimension size is " + std::to_string(sizes.front());
  SmallVector<std::string> each;
  for (auto [name, size] : llvm::zip_equal(names, sizes))
    each.push_back("'" + name + "' is " + std::to_string(size));
  return " where " + llvm::join(each, " and ");
}

std::vector<std::string> DimSizeBounds::format() const {
  std::vector<std::string> texts;
  for (const auto &[name, bound] : named)
    texts.push_back(name + "=" + std::to_string(bound));
  return texts;
}

} // namespace flywheel
