//===- UnifySymbolicDims.cpp - Equal dynamic dimension sizes --------------===//
//-------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimSizeClasses.h"

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

using flywheel::DimSize;
using flywheel::DimSizeClasses;
using flywheel::makeUniqueName;
using flywheel::linalg_ext::CheckKind;
using flywheel::linalg_ext::CheckOp;
using flywheel::linalg_ext::CompareSizesOp;
using flywheel::linalg_ext::getDimension;
using flywheel::linalg_ext::NamedNumbers;
using flywheel::linalg_ext::SizePredicate;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;

/// Returns the name that the program has for a dimension of a feed; empty for
/// none.
static StringRef getDimName(func::FuncOp function, DimSize dimSize) {
  std::optional<FunctionArgument> argument =
      FunctionArgument::get(dimSize.first);
  return argument ? argument->getDimName(dimSize.second) : StringRef();
}

/// Requires the dimensions to which the program gives one name to have one
/// size.
static void requireNamed(func::FuncOp function, DimSizeClasses &classes) {
  llvm::StringMap<DimSize> named;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      DimSize dimSize{argument, dim};
      StringRef name = getDimName(function, dimSize);
      if (name.empty() || !type.isDynamicDim(dim))
        continue;
      auto [known, isNew] = named.try_emplace(name, dimSize);
      if (!isNew)
        classes.requireFeeds(known->second, dimSize);
    }
  }
}

namespace {
/// Two dimension sizes that a check of an op requires to be equal.
struct RequiredPair {
  DimSize lhs, rhs;
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

/// Returns the dimension size that `size` was read from; none for other
/// numbers.
static std::optional<DimSize> getReadDimSize(Value size) {
  auto read = size.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> dim = read ? getDimension(read) : std::nullopt;
  return dim ? std::optional<DimSize>({read.getSource(), *dim}) : std::nullopt;
}

static SmallVector<RequiredPair> collectRequiredPairs(func::FuncOp function) {
  SmallVector<RequiredPair> pairs;
  function.walk([&](CheckOp check) {
    CompareSizesOp comparison = findComparison(check.getOk());
    if (!comparison || comparison.getPredicate() != SizePredicate::eq ||
        !check.getSource())
      return;
    std::optional<DimSize> lhs = getReadDimSize(comparison.getLhs()),
                           rhs = getReadDimSize(comparison.getRhs());
    if (lhs && rhs)
      pairs.push_back({*lhs, *rhs, check});
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

/// Expands the dimension size that `op` reads of a collapsed dimension to the
/// product of the original sizes. Returns the product and the reads of these
/// sizes; null if the dimension was not collapsed.
static std::pair<Value, SmallVector<tensor::DimOp>>
expandProduct(tensor::DimOp op) {
  SmallVector<tensor::DimOp> reads;
  auto collapse = op.getSource().getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return {Value(), reads};
  OpBuilder b(op);
  Location loc = op.getLoc();
  AffineExpr product = b.getAffineConstantExpr(1);
  SmallVector<OpFoldResult> dimSizes;
  ReassociationIndices group =
      collapse.getReassociationIndices()[*getDimension(op)];
  for (int64_t index : group) {
    product = product * b.getAffineSymbolExpr(dimSizes.size());
    dimSizes.push_back(tensor::getMixedSize(b, loc, collapse.getSrc(), index));
    if (auto dimSize = dyn_cast<Value>(dimSizes.back()))
      if (auto read = dimSize.getDefiningOp<tensor::DimOp>())
        reads.push_back(read);
  }
  OpFoldResult size =
      affine::makeComposedFoldedAffineApply(b, loc, product, dimSizes);
  return {getValueOrCreateConstantIndexOp(b, loc, size), reads};
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
  void checkConstant(BlockArgument feed, int64_t dim, int64_t expected);
  void nameDimSizePlaces(const DimSizeClasses &classes,
                         ArrayRef<DimSize> symbols,
                         ArrayRef<std::pair<DimSize, int64_t>> feedDimSizes);
  SmallVector<StringRef>
  nameSymbols(ArrayRef<DimSize> symbols,
              ArrayRef<std::pair<DimSize, int64_t>> feedDimSizes);

  /// Holds names that are made here.
  llvm::StringSet<> ownNames;
};
} // namespace

/// Names each dimension size as the program names it. Without a name, symbol 0
/// is `batch` if it is dimension 0 of its feed; others are named after their
/// feed.
SmallVector<StringRef> UnifySymbolicDims::nameSymbols(
    ArrayRef<DimSize> symbols,
    ArrayRef<std::pair<DimSize, int64_t>> feedDimSizes) {
  SmallVector<StringRef> names(symbols.size());
  llvm::StringSet<> taken;
  for (auto [dimSize, number] : feedDimSizes) {
    StringRef given = getDimName(getOperation(), dimSize);
    if (!given.empty() && names[number].empty() && taken.insert(given).second)
      names[number] = given;
  }
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    if (!names[number].empty())
      continue;
    auto [value, dim] = symbol;
    std::string base = number == 0 && dim == 0 && !taken.contains("batch")
                           ? std::string("batch")
                           : describe(cast<BlockArgument>(value)).getName() +
                                 "_dim" + std::to_string(dim);
    std::string name = makeUniqueName(base, [&](StringRef candidate) {
      return !taken.insert(candidate).second;
    });
    names[number] = ownNames.insert(name).first->getKey();
  }
  return names;
}

/// Names the op that requires a feed's dimension size to equal that of another
/// feed.
void UnifySymbolicDims::nameDimSizePlaces(
    const DimSizeClasses &classes, ArrayRef<DimSize> symbols,
    ArrayRef<std::pair<DimSize, int64_t>> feedDimSizes) {
  SmallVector<RequiredPair> pairs = collectRequiredPairs(getOperation());
  auto getPlace = [&](DimSize dimSize) -> std::string {
    for (RequiredPair pair : pairs)
      if (classes.areKnownEqual(dimSize, pair.lhs) !=
          classes.areKnownEqual(dimSize, pair.rhs))
        return pair.check.describeSource();
    return "";
  };
  llvm::MapVector<Value, SmallVector<std::string>> places;
  for (auto [dimSize, number] : feedDimSizes) {
    std::string place = symbols[number] == dimSize ? "" : getPlace(dimSize);
    auto type = cast<RankedTensorType>(dimSize.first.getType());
    if (!place.empty())
      places.try_emplace(dimSize.first, type.getRank())
          .first->second[dimSize.second] = place;
  }
  Builder b(&getContext());
  for (auto &[feed, ofDims] : places)
    getOperation().setArgAttr(
        cast<BlockArgument>(feed).getArgNumber(),
        TrainDialect::getDimSizePlacesAttrName(),
        b.getStrArrayAttr(llvm::to_vector_of<StringRef>(ofDims)));
}

/// Emits a check that a dynamic dimension size of a feed has the one value that
/// the body works for.
void UnifySymbolicDims::checkConstant(BlockArgument feed, int64_t dim,
                                      int64_t expected) {
  // Behind the checks of the ops, which say more.
  OpBuilder b(feed.getOwner()->getTerminator());
  Location loc = getOperation().getLoc();
  Value found = tensor::DimOp::create(b, loc, feed, dim);
  Value wanted = arith::ConstantIndexOp::create(b, loc, expected);
  Value ok = CompareSizesOp::create(b, loc, SizePredicate::eq, found, wanted);
  NamedNumbers numbers;
  std::string message =
      "Cannot feed value of shape: expected dimension size " +
      std::to_string(expected) + " in dimension " + std::to_string(dim) +
      " of '" + describe(feed).getName() + "', found " + numbers.add(found);
  CheckOp::create(b, loc, CheckKind::sizes, ok, b.getStringAttr(message),
                  numbers.getValues());
}

void UnifySymbolicDims::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  DimSizeClasses classes(function);
  requireNamed(function, classes);
  OpBuilder b(function.getContext());

  // Number the dimension sizes of the feeds: the first of each class stands for
  // it.
  SmallVector<DimSize> symbols;
  auto numberRequired = [&](DimSize dimSize) -> int64_t {
    for (auto [i, symbol] : llvm::enumerate(symbols))
      if (classes.areRequiredEqual(symbol, dimSize))
        return i;
    return -1;
  };
  // Callers check that feeds agree on a symbol: all of them are known.
  SmallVector<std::pair<DimSize, int64_t>> feedDimSizes;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !describe(argument).isFeed())
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      DimSize dimSize{argument, dim};
      int64_t number = numberRequired(dimSize);
      if (number < 0) {
        number = symbols.size();
        symbols.push_back(dimSize);
      }
      classes.uniteFeeds(dimSize, symbols[number]);
      feedDimSizes.push_back({dimSize, number});
    }
  }
  auto numberDimSize = [&](DimSize dimSize) -> int64_t {
    for (auto [i, symbol] : llvm::enumerate(symbols))
      if (classes.areEqual(symbol, dimSize))
        return i;
    return -1;
  };
  bool hasUnknownSize = false;
  // All at once: a function with thousands of variables keeps one list of them.
  SmallVector<NamedAttrList> attrs;
  for (BlockArgument argument : function.getArguments()) {
    attrs.push_back(
        NamedAttrList(function.getArgAttrDict(argument.getArgNumber())));
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SmallVector<int64_t> dimSizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      DimSize dimSize{argument, dim};
      if (!type.isDynamicDim(dim)) {
        dimSizes.push_back(-1);
        continue;
      }
      int64_t number = numberDimSize(dimSize);
      if (number < 0) {
        FunctionArgument described = describe(argument);
        std::optional<unsigned> result = described.getResultNumber();
        InFlightDiagnostic error =
            function.emitError() << "expected the size of dimension " << dim
                                 << (result ? " of result " : " of argument ");
        if (described.getGivenName())
          error << "'" << described.getName() << "'";
        else
          error << result.value_or(argument.getArgNumber());
        error << " to be ";
        if (std::optional<int64_t> constant = classes.getConstant(dimSize))
          error << "static, as it is always " << *constant;
        else
          error << "a dimension size of a feed, by which the caller allocates "
                   "it: the step computes another one. Return as many elements "
                   "as a feed has, the others 0 for example; only a program "
                   "for static sizes of the feeds returns any number (in "
                   "Python, a function without a signature and with "
                   "dynamic='auto' or False)";
        if (result)
          flywheel::attach(
              error, &getContext(),
              {flywheel::ErrorCode::UnknownResultSize, {*result, dim}});
        hasUnknownSize = true;
      }
      dimSizes.push_back(number);
    }
    attrs.back().set(TrainDialect::getDimSizesAttrName(),
                     b.getDenseI64ArrayAttr(dimSizes));
  }
  if (hasUnknownSize)
    return signalPassFailure();
  function.setAllArgAttrs(llvm::map_to_vector(
      attrs, [&](const NamedAttrList &list) -> DictionaryAttr {
        return list.getDictionary(b.getContext());
      }));
  function->setAttr(TrainDialect::getSymbolsAttrName(),
                    b.getStrArrayAttr(nameSymbols(symbols, feedDimSizes)));
  nameDimSizePlaces(classes, symbols, feedDimSizes);

  // Read each dimension size from the feed that stands for its class.
  Block &entry = function.getBody().front();
  b.setInsertionPointToStart(&entry);
  SmallVector<Value> sizes;
  for (DimSize symbol : symbols)
    sizes.push_back(tensor::DimOp::create(b, function.getLoc(), symbol.first,
                                          symbol.second));
  auto numberKnown = [&](DimSize dimSize) -> int64_t {
    for (auto &[feed, number] : feedDimSizes)
      if (feed == dimSize || classes.areKnownEqual(feed, dimSize))
        return number;
    return -1;
  };
  llvm::DenseSet<Operation *> checked = findCheckedDimSizes(function);
  // A set, because an expanded product may read sizes that are visited anyway.
  llvm::SetVector<tensor::DimOp> dims;
  auto addRead = [&](tensor::DimOp op) {
    if (!llvm::is_contained(sizes, op.getResult()))
      dims.insert(op);
  };
  function.walk(addRead);
  while (!dims.empty()) {
    tensor::DimOp op = dims.pop_back_val();
    std::optional<int64_t> dim = getDimension(op);
    if (!dim)
      continue;
    DimSize dimSize{op.getSource(), *dim};
    bool isChecked = checked.contains(op);
    std::optional<int64_t> constant = isChecked
                                          ? classes.getKnownConstant(dimSize)
                                          : classes.getConstant(dimSize);
    int64_t number = isChecked ? numberKnown(dimSize) : numberDimSize(dimSize);
    if (constant) {
      b.setInsertionPoint(op);
      op.replaceAllUsesWith(
          arith::ConstantIndexOp::create(b, op.getLoc(), *constant)
              .getResult());
    } else if (number >= 0) {
      op.replaceAllUsesWith(sizes[number]);
    } else {
      // Two products that a check compares may be the same.
      auto [product, reads] =
          isChecked ? expandProduct(op)
                    : std::pair<Value, SmallVector<tensor::DimOp>>();
      if (!product)
        continue;
      checked.insert(reads.begin(), reads.end());
      llvm::for_each(reads, addRead);
      op.replaceAllUsesWith(product);
    }
    op.erase();
  }
  for (auto [symbol, size] : llvm::zip(symbols, sizes)) {
    if (std::optional<int64_t> constant = classes.getConstant(symbol))
      checkConstant(cast<BlockArgument>(symbol.first), symbol.second,
                    *constant);
    if (size.use_empty())
      size.getDefiningOp()->erase();
  }
}
