//===- UnifySymbolicDims.cpp - Equal dynamic dimension sizes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeClasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/ErrorDetail.h"
#include "flywheel/Support/UniqueName.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_UNIFYSYMBOLICDIMS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using flywheel::makeUniqueName;
using flywheel::SizeAnalysis;
using flywheel::SizeClasses;
using flywheel::SizeExpr;
using flywheel::linalg_ext::CheckKind;
using flywheel::linalg_ext::CheckOp;
using flywheel::linalg_ext::CompareSizesOp;
using flywheel::linalg_ext::getDimension;
using flywheel::linalg_ext::NamedNumbers;
using flywheel::linalg_ext::SizePredicate;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;

namespace {
/// A dimension of a feed.
struct FeedDim {
  BlockArgument feed;
  int64_t dim;
  /// The symbol that its size is.
  int64_t symbol = -1;
};

/// Two sizes that a check of an op requires to be equal.
struct RequiredPair {
  SizeExpr lhs, rhs;
  CheckOp check;
};
} // namespace

/// Returns the comparison of sizes that decides a check; null for another
/// check.
static CompareSizesOp findComparison(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (auto either = dyn_cast_or_null<arith::OrIOp>(op)) {
    CompareSizesOp lhs = findComparison(either.getLhs());
    return lhs ? lhs : findComparison(either.getRhs());
  }
  return dyn_cast_or_null<CompareSizesOp>(op);
}

static SmallVector<RequiredPair> collectRequiredPairs(func::FuncOp function,
                                                      SizeAnalysis &sizes) {
  SmallVector<RequiredPair> pairs;
  function.walk([&](CheckOp check) {
    CompareSizesOp comparison = findComparison(check.getOk());
    if (comparison && comparison.getPredicate() == SizePredicate::eq &&
        check.getSource())
      pairs.push_back({sizes.getNumber(comparison.getLhs()),
                       sizes.getNumber(comparison.getRhs()), check});
  });
  return pairs;
}

/// Returns the reads of dimension sizes that decide the function's checks.
static llvm::DenseSet<Operation *> findCheckedDimSizes(func::FuncOp function) {
  llvm::DenseSet<Operation *> seen, result;
  SmallVector<Operation *> worklist;
  function.walk([&](CheckOp op) { worklist.push_back(op); });
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      // Checks of values, not of shapes, end at a tensor.
      if (!producer || !operand.getType().isIntOrIndex() ||
          !seen.insert(producer).second)
        continue;
      if (isa<tensor::DimOp>(producer))
        result.insert(producer);
      else
        worklist.push_back(producer);
    }
  }
  return result;
}

namespace {
struct UnifySymbolicDims
    : flywheel::impl::UnifySymbolicDimsBase<UnifySymbolicDims> {
  void getDependentDialects(DialectRegistry &registry) const override {
    UnifySymbolicDimsBase::getDependentDialects(registry);
    registry.insert<flywheel::linalg_ext::LinalgExtDialect>();
  }
  void runOnOperation() override;

private:
  FunctionArgument describe(BlockArgument argument) {
    return FunctionArgument(getOperation(), argument.getArgNumber());
  }
  StringRef getDimName(const FeedDim &dim) {
    return describe(dim.feed).getDimName(dim.dim);
  }
  SizeExpr getSize(const FeedDim &dim) {
    return classes->getAnalysis().getSize(dim.feed, dim.dim);
  }
  void numberFeeds();
  int64_t findSymbol(const SizeExpr &size);
  LogicalResult attachSymbols();
  void reportUnknown(BlockArgument argument, int64_t dim, const SizeExpr &size);
  SmallVector<StringRef> nameSymbols();
  void nameDimSizePlaces();
  void replaceReads();
  Value replace(tensor::DimOp op, const SizeExpr &size, bool isChecked,
                ArrayRef<Value> symbolSizes);
  Value expand(tensor::DimOp op, const SizeExpr &size,
               ArrayRef<Value> symbolSizes);
  void checkConstant(const FeedDim &dim, int64_t expected);

  std::optional<SizeClasses> classes;
  /// The dynamic dimensions of feeds.
  SmallVector<FeedDim> feedDims;
  /// The first dimension of each class, which stands for it.
  SmallVector<FeedDim> symbols;
  /// Holds names that are made here.
  llvm::StringSet<> ownNames;
};
} // namespace

/// Numbers the sizes of feeds: those that callers have to ensure to be equal,
/// or to which the program gives one name, are one symbol.
void UnifySymbolicDims::numberFeeds() {
  llvm::StringMap<SizeExpr> named;
  for (BlockArgument argument : getOperation().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      FeedDim feed{argument, dim};
      StringRef name = getDimName(feed);
      if (!type.isDynamicDim(dim) || name.empty())
        continue;
      auto [known, isNew] = named.try_emplace(name, getSize(feed));
      if (!isNew)
        classes->addRequired(known->second, getSize(feed));
    }
  }
  for (BlockArgument argument : getOperation().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !describe(argument).isFeed())
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      FeedDim feed{argument, dim};
      const FeedDim *first = llvm::find_if(symbols, [&](const FeedDim &symbol) {
        return classes->areRequired(getSize(symbol), getSize(feed));
      });
      feed.symbol = first - symbols.begin();
      if (first == symbols.end())
        symbols.push_back(feed);
      // Callers check that feeds agree on a symbol: all of them are known.
      classes->addChecked(getSize(feed), getSize(symbols[feed.symbol]));
      feedDims.push_back(feed);
    }
  }
}

/// Returns the number of the symbol that `size` is; -1 if it is none.
int64_t UnifySymbolicDims::findSymbol(const SizeExpr &size) {
  for (const FeedDim &symbol : symbols)
    if (classes->areChecked(getSize(symbol), size))
      return symbol.symbol;
  // Sizes that must be one number.
  if (std::optional<int64_t> constant = classes->getConstant(size))
    for (const FeedDim &symbol : symbols)
      if (classes->getConstant(getSize(symbol)) == constant)
        return symbol.symbol;
  return -1;
}

/// Names each dimension size as the program names it. Without a name, symbol 0
/// is `batch` if it is dimension 0 of its feed; others are named after their
/// feed.
SmallVector<StringRef> UnifySymbolicDims::nameSymbols() {
  SmallVector<StringRef> names(symbols.size());
  llvm::StringSet<> taken;
  for (const FeedDim &dim : feedDims) {
    StringRef given = getDimName(dim);
    if (!given.empty() && names[dim.symbol].empty() &&
        taken.insert(given).second)
      names[dim.symbol] = given;
  }
  for (auto [name, symbol] : llvm::zip_equal(names, symbols)) {
    if (!name.empty())
      continue;
    std::string base =
        symbol.symbol == 0 && symbol.dim == 0 && !taken.contains("batch")
            ? std::string("batch")
            : describe(symbol.feed).getName() + "_dim" +
                  std::to_string(symbol.dim);
    std::string own = makeUniqueName(base, [&](StringRef candidate) {
      return !taken.insert(candidate).second;
    });
    name = ownNames.insert(own).first->getKey();
  }
  return names;
}

/// Names the op that requires a feed's dimension size to equal that of another
/// feed.
void UnifySymbolicDims::nameDimSizePlaces() {
  SmallVector<RequiredPair> pairs =
      collectRequiredPairs(getOperation(), classes->getAnalysis());
  llvm::MapVector<BlockArgument, SmallVector<std::string>> places;
  for (const FeedDim &dim : feedDims) {
    const FeedDim &symbol = symbols[dim.symbol];
    if (symbol.feed == dim.feed && symbol.dim == dim.dim)
      continue;
    SizeExpr size = getSize(dim);
    const RequiredPair *found =
        llvm::find_if(pairs, [&](const RequiredPair &pair) {
          return (size == pair.lhs) != (size == pair.rhs);
        });
    auto type = cast<RankedTensorType>(dim.feed.getType());
    if (found != pairs.end())
      places.try_emplace(dim.feed, type.getRank()).first->second[dim.dim] =
          CheckOp(found->check).describeSource();
  }
  Builder b(&getContext());
  for (auto &[feed, ofDims] : places)
    getOperation().setArgAttr(
        feed.getArgNumber(), TrainDialect::getDimSizePlacesAttrName(),
        b.getStrArrayAttr(llvm::to_vector_of<StringRef>(ofDims)));
}

void UnifySymbolicDims::reportUnknown(BlockArgument argument, int64_t dim,
                                      const SizeExpr &size) {
  FunctionArgument described = describe(argument);
  std::optional<unsigned> result = described.getResultNumber();
  InFlightDiagnostic error = getOperation().emitError()
                             << "expected the size of dimension " << dim
                             << (result ? " of result " : " of argument ");
  if (described.getGivenName())
    error << "'" << described.getName() << "'";
  else
    error << result.value_or(argument.getArgNumber());
  error << " to be ";
  if (std::optional<int64_t> constant = classes->getConstant(size))
    error << "static, as it is always " << *constant;
  else
    error << "a dimension size of a feed, by which the caller allocates it: "
             "the step computes another one. Return as many elements as a feed "
             "has, the others 0 for example; only a program for static sizes "
             "of the feeds returns any number (in Python, a function without a "
             "signature and with dynamic='auto' or False)";
  if (result)
    flywheel::attach(error, &getContext(),
                     {flywheel::ErrorCode::UnknownResultSize, {*result, dim}});
}

/// Attaches the symbols of dynamic dimensions to the arguments. Reports those
/// of results that no feed has.
LogicalResult UnifySymbolicDims::attachSymbols() {
  func::FuncOp function = getOperation();
  Builder b(&getContext());
  bool hasUnknownSize = false;
  // All at once: a function with thousands of variables keeps one list of them.
  SmallVector<DictionaryAttr> attrs;
  for (BlockArgument argument : function.getArguments()) {
    NamedAttrList list(function.getArgAttrDict(argument.getArgNumber()));
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      SmallVector<int64_t> ofDims(type.getRank(), -1);
      for (auto [dim, symbol] : llvm::enumerate(ofDims)) {
        if (!type.isDynamicDim(dim))
          continue;
        SizeExpr size = classes->getAnalysis().getSize(argument, dim);
        symbol = findSymbol(size);
        if (symbol >= 0)
          continue;
        reportUnknown(argument, dim, size);
        hasUnknownSize = true;
      }
      list.set(TrainDialect::getDimSizesAttrName(),
               b.getDenseI64ArrayAttr(ofDims));
    }
    attrs.push_back(list.getDictionary(&getContext()));
  }
  if (hasUnknownSize)
    return failure();
  function.setAllArgAttrs(attrs);
  function->setAttr(TrainDialect::getSymbolsAttrName(),
                    b.getStrArrayAttr(nameSymbols()));
  return success();
}

/// Emits `size`, a sum of products of dimension sizes, in front of `op`, which
/// reads it for a check: two of them that the check compares may be the same.
/// Returns null for another number.
Value UnifySymbolicDims::expand(tensor::DimOp op, const SizeExpr &size,
                                ArrayRef<Value> symbolSizes) {
  SizeAnalysis &sizes = classes->getAnalysis();
  if (size.getAtom() || !sizes.isAvailable(size, op))
    return {};
  OpBuilder b(op);
  Location loc = op.getLoc();
  AffineExpr sum = b.getAffineConstantExpr(0);
  llvm::MapVector<unsigned, AffineExpr> known;
  for (const auto &[monomial, coefficient] : size.getTerms()) {
    AffineExpr product = b.getAffineConstantExpr(coefficient);
    for (unsigned atom : monomial) {
      if (sizes.getOrigin(atom).second < 0)
        return {};
      AffineExpr symbol = b.getAffineSymbolExpr(known.size());
      product = product * known.try_emplace(atom, symbol).first->second;
    }
    sum = sum + product;
  }
  SmallVector<OpFoldResult> operands;
  for (unsigned atom : llvm::make_first_range(known)) {
    auto [tensor, dim] = sizes.getOrigin(atom);
    auto read = tensor::DimOp::create(b, loc, tensor, dim);
    Value other =
        replace(read, SizeExpr::atom(atom), /*isChecked=*/true, symbolSizes);
    operands.push_back(other ? other : read.getResult());
    if (other)
      read.erase();
  }
  return getValueOrCreateConstantIndexOp(
      b, loc, affine::makeComposedFoldedAffineApply(b, loc, sum, operands));
}

/// Returns what stands for `size`, which `op` reads: a constant, the size of a
/// feed, or for a check what it is computed from. Returns null to keep the
/// read.
Value UnifySymbolicDims::replace(tensor::DimOp op, const SizeExpr &size,
                                 bool isChecked, ArrayRef<Value> symbolSizes) {
  OpBuilder b(op);
  if (std::optional<int64_t> constant =
          isChecked ? size.getConstant() : classes->getConstant(size))
    return arith::ConstantIndexOp::create(b, op.getLoc(), *constant);
  if (!isChecked) {
    int64_t symbol = findSymbol(size);
    return symbol < 0 ? Value() : symbolSizes[symbol];
  }
  for (const FeedDim &dim : feedDims)
    if (getSize(dim) == size)
      return symbolSizes[dim.symbol];
  return expand(op, size, symbolSizes);
}

/// Reads each dimension size from the feed that stands for its class.
void UnifySymbolicDims::replaceReads() {
  func::FuncOp function = getOperation();
  llvm::DenseSet<Operation *> checked = findCheckedDimSizes(function);
  // Before any of them is replaced.
  SmallVector<std::pair<tensor::DimOp, SizeExpr>> reads;
  function.walk([&](tensor::DimOp op) {
    if (std::optional<int64_t> dim = getDimension(op))
      reads.push_back(
          {op, classes->getAnalysis().getSize(op.getSource(), *dim)});
  });
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  SmallVector<Value> symbolSizes;
  for (const FeedDim &symbol : symbols)
    symbolSizes.push_back(
        tensor::DimOp::create(b, function.getLoc(), symbol.feed, symbol.dim));
  for (const auto &[read, size] : reads) {
    tensor::DimOp op = read;
    Value other = replace(op, size, checked.contains(op), symbolSizes);
    if (!other)
      continue;
    op.replaceAllUsesWith(other);
    op.erase();
  }
  for (auto [symbol, size] : llvm::zip_equal(symbols, symbolSizes)) {
    if (std::optional<int64_t> constant = classes->getConstant(getSize(symbol)))
      checkConstant(symbol, *constant);
    if (size.use_empty())
      size.getDefiningOp()->erase();
  }
}

/// Emits a check that a dynamic dimension size of a feed has the one value that
/// the body works for.
void UnifySymbolicDims::checkConstant(const FeedDim &dim, int64_t expected) {
  // Behind the checks of the ops, which say more.
  OpBuilder b(dim.feed.getOwner()->getTerminator());
  Location loc = getOperation().getLoc();
  Value found = tensor::DimOp::create(b, loc, dim.feed, dim.dim);
  Value wanted = arith::ConstantIndexOp::create(b, loc, expected);
  Value ok = CompareSizesOp::create(b, loc, SizePredicate::eq, found, wanted);
  NamedNumbers numbers;
  std::string message =
      "Cannot feed value of shape: expected dimension size " +
      std::to_string(expected) + " in dimension " + std::to_string(dim.dim) +
      " of '" + describe(dim.feed).getName() + "', found " + numbers.add(found);
  CheckOp::create(b, loc, CheckKind::sizes, ok, b.getStringAttr(message),
                  numbers.getValues());
}

void UnifySymbolicDims::runOnOperation() {
  if (getOperation().isExternal())
    return;
  classes.emplace(getOperation());
  feedDims.clear();
  symbols.clear();
  numberFeeds();
  if (failed(attachSymbols()))
    return signalPassFailure();
  nameDimSizePlaces();
  replaceReads();
  classes.reset();
}
