//===- EntrySizes.cpp - The sizes of an entry by their names --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntrySizes.h"

#include "flywheel/Cost/CostReport.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Transforms/Checks/SizeRelations.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace flywheel;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;

unsigned EntrySymbols::intern(const std::string &name,
                              const std::string &origin) {
  for (auto [number, known] : llvm::enumerate(names))
    if (known == name)
      return number;
  names.push_back(name);
  origins.push_back(origin);
  return names.size() - 1;
}

/// Returns the operand, and its dimension, that has the size of dimension `dim`
/// of `value`, for ops that passes replace before they look at sizes: those
/// that broadcast, as NumPy aligns dimensions, and dropout. For a random op,
/// returns the operand that is the size, and dimension -1. Returns null for
/// other ops.
static std::pair<Value, int64_t> findSource(Value value, int64_t dim) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (auto random = dyn_cast_or_null<train::RandomOp>(op)) {
    auto type = cast<RankedTensorType>(value.getType());
    return {random.getDynamicSizes()[type.getDynamicDimIndex(dim)], -1};
  }
  if (!op || dim < 0 ||
      !(isa<train::DropoutOp>(op) ||
        (isa<CompositeOpInterface>(op) && isa<CostOpInterface>(op))))
    return {};
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    int64_t aligned = type ? dim - (rank - type.getRank()) : -1;
    if (aligned >= 0 && type.getDimSize(aligned) != 1)
      return {operand, aligned};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The sizes of feeds
//===----------------------------------------------------------------------===//

using FeedDim = std::pair<unsigned, int64_t>;

static std::string describe(func::FuncOp function, FeedDim feed) {
  return "dimension " + std::to_string(feed.second) + " of '" +
         FunctionArgument(function, feed.first).getName() + "'";
}

/// Returns the name that the program has for a dimension of a feed; empty if it
/// has none.
static std::string getGivenName(func::FuncOp function, FeedDim feed) {
  return FunctionArgument(function, feed.first).getDimName(feed.second).str();
}

static std::vector<FeedDim> findDynamicFeeds(func::FuncOp function) {
  std::vector<FeedDim> feeds;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        feeds.push_back({argument.getArgNumber(), dim});
  }
  return feeds;
}

/// Reads the symbols that `flywheel-unify-symbolic-dims` has numbered and
/// named.
static EntrySymbols readSymbols(func::FuncOp function, ArrayAttr names) {
  EntrySymbols symbols;
  for (auto name : names.getAsRange<StringAttr>())
    symbols.names.push_back(name.str());
  symbols.origins.resize(symbols.names.size());
  for (FeedDim feed : findDynamicFeeds(function)) {
    int64_t number =
        FunctionArgument(function, feed.first).getDimSymbol(feed.second);
    if (number < 0 || number >= static_cast<int64_t>(symbols.names.size()))
      continue;
    symbols.feeds[feed] = CostExpr::atom(number);
    if (symbols.origins[number].empty())
      symbols.origins[number] = describe(function, feed);
  }
  return symbols;
}

namespace {
/// Finds the requirements of the ops of a function on the sizes of its feeds.
class FeedClasses {
public:
  explicit FeedClasses(func::FuncOp function) : function(function) {
    function.walk([&](Operation *op) {
      forEachSizeRelation(op, sizes, [&](const SizeRelation &relation) {
        if (!relation.isAtLeast && relation.factors.empty())
          relate(relation.lhs, relation.rhs);
      });
    });
    llvm::StringMap<FeedDim> named;
    for (FeedDim feed : findDynamicFeeds(function)) {
      std::string name = getGivenName(function, feed);
      if (name.empty())
        continue;
      auto [known, isNew] = named.try_emplace(name, feed);
      if (!isNew)
        classes.unionSets(known->second, feed);
    }
  }

  FeedDim getLeader(FeedDim feed) {
    return classes.getOrInsertLeaderValue(feed);
  }
  std::optional<int64_t> getConstant(FeedDim feed) {
    for (auto it = classes.findLeader(feed); it != classes.member_end(); ++it)
      if (auto constant = constants.find(*it); constant != constants.end())
        return constant->second;
    return std::nullopt;
  }

private:
  std::optional<FeedDim> findFeed(const SizeExpr &expr) {
    std::optional<unsigned> atom = expr.getAtom();
    if (!atom)
      return std::nullopt;
    auto [value, dim] = sizes.getOrigin(*atom);
    if (auto [source, at] = findSource(value, dim); source)
      return findFeed(at < 0 ? sizes.getNumber(source)
                             : sizes.getSize(source, at));
    auto argument = dyn_cast_or_null<BlockArgument>(value);
    if (!argument || dim < 0 ||
        argument.getOwner()->getParentOp() != function.getOperation())
      return std::nullopt;
    return FeedDim(argument.getArgNumber(), dim);
  }
  void relate(const SizeExpr &lhs, const SizeExpr &rhs) {
    std::optional<FeedDim> left = findFeed(lhs), right = findFeed(rhs);
    if (left && right)
      classes.unionSets(*left, *right);
    else if (left && rhs.getConstant())
      constants[*left] = *rhs.getConstant();
    else if (right && lhs.getConstant())
      constants[*right] = *lhs.getConstant();
  }

  func::FuncOp function;
  SizeAnalysis sizes;
  llvm::EquivalenceClasses<FeedDim> classes;
  std::map<FeedDim, int64_t> constants;
};
} // namespace

EntrySymbols flywheel::nameSizes(func::FuncOp function) {
  if (auto names = function->getAttrOfType<ArrayAttr>(
          TrainDialect::getSymbolsAttrName()))
    return readSymbols(function, names);
  FeedClasses classes(function);
  // The first dimension of each class stands for it.
  std::map<FeedDim, unsigned> numbers;
  std::vector<FeedDim> firsts;
  EntrySymbols symbols;
  std::vector<std::string> &names = symbols.names;
  llvm::StringSet<> taken;
  for (FeedDim feed : findDynamicFeeds(function)) {
    FeedDim leader = classes.getLeader(feed);
    if (std::optional<int64_t> constant = classes.getConstant(feed)) {
      symbols.feeds[feed] = CostExpr::constant(*constant);
      continue;
    }
    auto [it, isNew] = numbers.try_emplace(leader, firsts.size());
    if (isNew) {
      firsts.push_back(feed);
      names.emplace_back();
    }
    symbols.feeds[feed] = CostExpr::atom(it->second);
    std::string given = getGivenName(function, feed);
    if (names[it->second].empty() && !given.empty() &&
        taken.insert(given).second)
      names[it->second] = given;
  }
  for (auto [number, feed] : llvm::enumerate(firsts)) {
    symbols.origins.push_back(describe(function, feed));
    if (!names[number].empty())
      continue;
    std::string base =
        number == 0 && feed.second == 0 && !taken.contains("batch")
            ? std::string("batch")
            : FunctionArgument(function, feed.first).getName() + "_dim" +
                  std::to_string(feed.second);
    names[number] = base;
    for (unsigned n = 1; !taken.insert(names[number]).second; ++n)
      names[number] = base + "_" + std::to_string(n);
  }
  return symbols;
}

//===----------------------------------------------------------------------===//
// EntrySizes
//===----------------------------------------------------------------------===//

CostExpr EntrySizes::bind(unsigned symbol) {
  auto bound = bindings.find(symbols.names[symbol]);
  return bound == bindings.end() ? CostExpr::atom(symbol)
                                 : CostExpr::constant(bound->second);
}

/// Returns a description of a size that is not a feed's, for symbols such as
/// `size_3`.
static std::string describe(Value value, int64_t dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!value)
    return "a number that the step computes";
  if (dim >= 0)
    os << "dimension " << dim << " of ";
  if (Operation *op = value.getDefiningOp())
    os << "the result of '" << getSourceOpName(op) << "'";
  else
    os << "what a loop carries";
  if (std::string place = formatPlace(value.getLoc(), /*op=*/nullptr);
      !place.empty())
    os << " at " << place;
  return text;
}

CostExpr EntrySizes::getSymbol(unsigned atom) {
  auto known = atoms.find(atom);
  if (known != atoms.end())
    return known->second;
  return atoms[atom] = findSymbol(atom);
}

CostExpr EntrySizes::findSymbol(unsigned atom) {
  auto [value, dim] = analysis.getOrigin(atom);
  if (auto [source, at] = findSource(value, dim); source)
    return at < 0 ? translate(analysis.getNumber(source)) : getSize(source, at);
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp())) {
    auto feed = symbols.feeds.find({argument.getArgNumber(), dim});
    if (feed != symbols.feeds.end()) {
      std::optional<unsigned> symbol = feed->second.getAtom();
      return symbol ? bind(*symbol) : feed->second;
    }
  }
  std::string name = "size_" + std::to_string(symbols.names.size());
  return bind(symbols.intern(name, describe(value, dim)));
}

CostExpr EntrySizes::translate(const SizeExpr &expr) {
  CostExpr sum;
  for (const auto &[monomial, coefficient] : expr.getTerms()) {
    CostExpr product = CostExpr::constant(static_cast<int64_t>(coefficient));
    for (unsigned atom : monomial)
      product = product * getSymbol(atom);
    sum = sum + product;
  }
  return sum;
}

CostExpr EntrySizes::getQuotient(const CostExpr &dividend, int64_t divisor) {
  if (auto constant = dividend.getConstant())
    return CostExpr::constant(*constant / divisor);
  std::string text = formatCost(dividend, symbols.names);
  return bind(
      symbols.intern("floor((" + text + ")/" + std::to_string(divisor) + ")",
                     "a quotient, rounded down"));
}

/// Returns the number, if it depends only on constants and sizes of feeds.
std::optional<CostExpr> EntrySizes::getKnown(OpFoldResult number) {
  SizeExpr expr = analysis.getNumber(number);
  for (const auto &[monomial, coefficient] : expr.getTerms())
    for (unsigned atom : monomial) {
      auto [value, dim] = analysis.getOrigin(atom);
      if (dim < 0 || !isa_and_present<BlockArgument>(value))
        return std::nullopt;
    }
  return translate(expr);
}

std::optional<CostExpr> EntrySizes::getTrips(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return std::nullopt;
  std::optional<CostExpr> lower = getKnown(loop.getLowerBound()),
                          upper = getKnown(loop.getUpperBound()),
                          step = getKnown(loop.getStep());
  if (!lower || !upper || !step || !step->getConstant())
    return std::nullopt;
  auto by = *step->getConstant();
  CostExpr range = *upper - *lower;
  if (auto constant = range.getConstant())
    return CostExpr::constant(
        by <= 0 || *constant <= 0 ? 0 : (*constant - 1) / by + 1);
  return by == 1 ? std::optional(range) : std::nullopt;
}
