//===- UnifyExtents.cpp - Which dynamic extents are the same number -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/DimNames.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_UNIFYEXTENTS
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using flywheel::train::TrainDialect;

namespace {
/// A tensor and one of its dimensions.
using Extent = std::pair<Value, int64_t>;

int64_t getStaticExtent(Extent extent) {
  return cast<RankedTensorType>(extent.first.getType())
      .getDimSize(extent.second);
}

/// The name that the program has for a dimension of a feed; empty for none.
StringRef getDimName(func::FuncOp function, Extent extent) {
  auto argument = dyn_cast<BlockArgument>(extent.first);
  if (!argument || argument.getOwner()->getParentOp() != function)
    return {};
  auto dims = function.getArgAttrOfType<ArrayAttr>(
      argument.getArgNumber(), flywheel::train::kDimsAttrName);
  if (!dims || extent.second >= static_cast<int64_t>(dims.size()))
    return {};
  auto name = dyn_cast<StringAttr>(dims[extent.second]);
  return name ? name.getValue() : StringRef();
}

/// The equivalence classes of one function, in two relations. Extents are known
/// to be equal where one is made from the other. They are required to be equal
/// where an op works on both: that holds once the checks in front of the op
/// have passed, so that it must not decide the checks themselves.
class ExtentClasses {
public:
  explicit ExtentClasses(func::FuncOp function) {
    function.walk([&](Operation *op) { addOp(op); });
    // What the program calls by one name is one number.
    llvm::StringMap<Extent> named;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
        Extent extent{argument, dim};
        StringRef name = getDimName(function, extent);
        if (name.empty() || !type.isDynamicDim(dim))
          continue;
        auto [known, isNew] = named.try_emplace(name, extent);
        if (!isNew)
          require(known->second, extent);
      }
    }
  }

  bool areEqual(Extent a, Extent b) const {
    return required.isEquivalent(a, b);
  }
  bool areKnownEqual(Extent a, Extent b) const {
    return known.isEquivalent(a, b);
  }

  /// The constant that the ops force this extent to be, if any.
  std::optional<int64_t> getConstant(Extent extent) const {
    return getConstant(required, extent);
  }
  std::optional<int64_t> getKnownConstant(Extent extent) const {
    return getConstant(known, extent);
  }

private:
  using Classes = llvm::EquivalenceClasses<Extent>;

  static std::optional<int64_t> getConstant(const Classes &classes,
                                            Extent extent) {
    for (auto it = classes.findLeader(extent); it != classes.member_end(); ++it)
      if (!ShapedType::isDynamic(getStaticExtent(*it)))
        return getStaticExtent(*it);
    return std::nullopt;
  }

  void unite(Extent a, Extent b) {
    known.unionSets(a, b);
    required.unionSets(a, b);
  }
  void require(Extent a, Extent b) { required.unionSets(a, b); }

  void requireShapes(Value a, Value b) {
    auto type = dyn_cast<RankedTensorType>(a.getType());
    if (!type || !isa<RankedTensorType>(b.getType()))
      return;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      require({a, dim}, {b, dim});
  }

  void uniteShapes(Value a, Value b) {
    auto type = dyn_cast<RankedTensorType>(a.getType());
    if (!type || !isa<RankedTensorType>(b.getType()))
      return;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      unite({a, dim}, {b, dim});
  }

  /// Unites an extent with what its size operand was read from.
  void uniteWithSize(Extent extent, Value size) {
    auto dimOp = size.getDefiningOp<tensor::DimOp>();
    if (!dimOp || !isa<RankedTensorType>(dimOp.getSource().getType()))
      return;
    if (std::optional<int64_t> dim = dimOp.getConstantIndex())
      unite(extent, {dimOp.getSource(), *dim});
  }

  /// Unites the extents of a slice with its sizes.
  void uniteSlice(Value slice, ArrayRef<OpFoldResult> sizes,
                  const llvm::SmallBitVector &dropped) {
    int64_t sliceDim = 0;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (dropped.test(dim))
        continue;
      if (auto value = dyn_cast<Value>(size))
        uniteWithSize({slice, sliceDim}, value);
      ++sliceDim;
    }
  }

  void addStructuredOp(linalg::LinalgOp op) {
    llvm::DenseMap<unsigned, Extent> loops;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop)
          continue;
        Extent extent{operand.get(), static_cast<int64_t>(dim)};
        auto [it, isNew] = loops.try_emplace(loop.getPosition(), extent);
        if (!isNew)
          require(it->second, extent);
      }
    }
    for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits()))
      uniteShapes(result, init);
  }

  void uniteAll(ValueRange as, ValueRange bs) {
    for (auto [a, b] : llvm::zip(as, bs))
      uniteShapes(a, b);
  }

  /// What goes into a region, around it and out of it has one shape.
  void addControlFlow(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      uniteAll(loop.getInitArgs(), loop.getRegionIterArgs());
      uniteAll(loop.getYieldedValues(), loop.getRegionIterArgs());
      uniteAll(loop.getResults(), loop.getRegionIterArgs());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      uniteAll(loop.getInits(), loop.getBeforeArguments());
      uniteAll(loop.getYieldedValues(), loop.getBeforeArguments());
      uniteAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      uniteAll(loop.getResults(), loop.getAfterArguments());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getNumResults() == 0)
        return;
      uniteAll(branch.getResults(), branch.thenYield().getResults());
      uniteAll(branch.getResults(), branch.elseYield().getResults());
    }
  }

  /// The dynamic extents of `result` are `sizes`.
  void uniteWithSizes(Value result, ValueRange sizes) {
    unsigned next = 0;
    auto type = cast<RankedTensorType>(result.getType());
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(extent))
        uniteWithSize({result, static_cast<int64_t>(dim)}, sizes[next++]);
  }

  void addOp(Operation *op) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return addStructuredOp(structured);
    if (isa_and_present<flywheel::linalg_ext::LinalgExtDialect>(
            op->getDialect())) {
      auto styled = cast<DestinationStyleOpInterface>(op);
      return uniteAll(op->getResults(), styled.getDpsInits());
    }
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
      return addControlFlow(op);
    if (isa<tensor::EmptyOp, tensor::GenerateOp>(op))
      return uniteWithSizes(op->getResult(0), op->getOperands());
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return uniteWithSizes(splat, splat.getDynamicSizes());
    if (auto insert = dyn_cast<tensor::InsertOp>(op))
      return uniteShapes(insert.getDest(), insert.getResult());
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
      if (auto shape =
              reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
        for (auto [dim, size] : llvm::enumerate(shape.getElements()))
          uniteWithSize({reshape, static_cast<int64_t>(dim)}, size);
      return;
    }
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      for (auto [dim, low, high] :
           llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad()))
        if (isZeroInteger(low) && isZeroInteger(high))
          unite({pad.getSource(), static_cast<int64_t>(dim)},
                {pad.getResult(), static_cast<int64_t>(dim)});
      return;
    }
    if (isa<tensor::CastOp>(op))
      return uniteShapes(op->getOperand(0), op->getResult(0));
    if (auto materialize =
            dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      requireShapes(materialize.getSource(), materialize.getDest());
      if (op->getNumResults())
        uniteShapes(materialize.getDest(), op->getResult(0));
      return;
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      uniteShapes(insert.getDest(), insert.getResult());
      return uniteSlice(insert.getSource(), insert.getMixedSizes(),
                        insert.getDroppedDims());
    }
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
      return uniteSlice(extract.getResult(), extract.getMixedSizes(),
                        extract.getDroppedDims());
    if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      int64_t rank = concat.getRank();
      for (Value input : concat.getInputs())
        for (int64_t dim = 0; dim < rank; ++dim)
          if (dim != static_cast<int64_t>(concat.getDim()))
            unite({input, dim}, {concat, dim});
      return;
    }
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
      if (auto shape =
              reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
        for (auto [dim, size] : llvm::enumerate(shape.getElements()))
          uniteWithSize({reshape, static_cast<int64_t>(dim)}, size);
      return;
    }
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return addReassociation(collapse.getSrc(), collapse.getResult(),
                              collapse.getReassociationIndices());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      uniteWithSizes(expand.getResult(), expand.getOutputShape());
      return addReassociation(expand.getResult(), expand.getSrc(),
                              expand.getReassociationIndices());
    }
    if (op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : op->getOperands())
        requireShapes(op->getResult(0), operand);
  }

  /// A group of one extent that is not 1 has the extent of its collapsed form.
  void addReassociation(Value expanded, Value collapsed,
                        ArrayRef<ReassociationIndices> groups) {
    auto type = cast<RankedTensorType>(expanded.getType());
    for (auto [dim, group] : llvm::enumerate(groups)) {
      SmallVector<int64_t> large;
      for (int64_t index : group)
        if (type.getDimSize(index) != 1)
          large.push_back(index);
      if (large.size() == 1)
        unite({expanded, large.front()},
              {collapsed, static_cast<int64_t>(dim)});
    }
  }

  Classes known, required;
};

/// The reads of extents that decide the function's checks.
llvm::DenseSet<Operation *> findCheckedExtents(func::FuncOp function) {
  llvm::DenseSet<Operation *> seen, result;
  SmallVector<Operation *> worklist;
  function.walk([&](cf::AssertOp op) { worklist.push_back(op); });
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

/// The extent that `op` reads as the product of what was collapsed to it, and
/// the reads of those extents; null where it is no such product.
std::pair<Value, SmallVector<tensor::DimOp>> expandProduct(tensor::DimOp op) {
  SmallVector<tensor::DimOp> reads;
  auto collapse = op.getSource().getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return {Value(), reads};
  OpBuilder b(op);
  Location loc = op.getLoc();
  AffineExpr product = b.getAffineConstantExpr(1);
  SmallVector<OpFoldResult> extents;
  ReassociationIndices group =
      collapse.getReassociationIndices()[*op.getConstantIndex()];
  for (int64_t index : group) {
    product = product * b.getAffineSymbolExpr(extents.size());
    extents.push_back(tensor::getMixedSize(b, loc, collapse.getSrc(), index));
    if (auto extent = dyn_cast<Value>(extents.back()))
      if (auto read = extent.getDefiningOp<tensor::DimOp>())
        reads.push_back(read);
  }
  OpFoldResult size =
      affine::makeComposedFoldedAffineApply(b, loc, product, extents);
  return {getValueOrCreateConstantIndexOp(b, loc, size), reads};
}

struct UnifyExtents : flywheel::impl::UnifyExtentsBase<UnifyExtents> {
  void runOnOperation() override;

private:
  bool isFeed(BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    return !getOperation().getArgAttr(number,
                                      TrainDialect::getResultAttrName()) &&
           !getOperation().getArgAttr(number,
                                      TrainDialect::getVariableAttrName());
  }
  std::string getFeedName(BlockArgument argument) {
    auto name = getOperation().getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), TrainDialect::getNameAttrName());
    return name ? name.str() : "arg" + std::to_string(argument.getArgNumber());
  }
  void checkConstant(BlockArgument feed, int64_t dim, int64_t expected);
  SmallVector<StringRef>
  nameSymbols(ArrayRef<Extent> symbols,
              ArrayRef<std::pair<Extent, int64_t>> feedExtents);

  /// Holds names that are made here.
  llvm::StringSet<> ownNames;
};
} // namespace

/// Each extent has the name that the program gives it. Of the others the first,
/// where it is the first of its feed, is the batch.
SmallVector<StringRef>
UnifyExtents::nameSymbols(ArrayRef<Extent> symbols,
                          ArrayRef<std::pair<Extent, int64_t>> feedExtents) {
  SmallVector<StringRef> names(symbols.size());
  llvm::StringSet<> taken;
  for (auto [extent, number] : feedExtents) {
    StringRef given = getDimName(getOperation(), extent);
    if (!given.empty() && names[number].empty() && taken.insert(given).second)
      names[number] = given;
  }
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    if (!names[number].empty())
      continue;
    auto [value, dim] = symbol;
    std::string base = number == 0 && dim == 0 && !taken.contains("batch")
                           ? std::string("batch")
                           : getFeedName(cast<BlockArgument>(value)) + "_dim" +
                                 std::to_string(dim);
    std::string name = base;
    for (unsigned n = 1; !taken.insert(name).second; ++n)
      name = base + "_" + std::to_string(n);
    names[number] = ownNames.insert(name).first->getKey();
  }
  return names;
}

/// Emits a check that a dynamic extent of a feed has the one value that the
/// body works for.
void UnifyExtents::checkConstant(BlockArgument feed, int64_t dim,
                                 int64_t expected) {
  OpBuilder b = OpBuilder::atBlockBegin(feed.getOwner());
  Location loc = getOperation().getLoc();
  Value found = tensor::DimOp::create(b, loc, feed, dim);
  Value wanted = arith::ConstantIndexOp::create(b, loc, expected);
  Value ok =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found, wanted);
  std::string message;
  llvm::raw_string_ostream(message)
      << "Cannot feed value of shape: expected extent " << expected
      << " in dimension " << dim << " of '" << getFeedName(feed) << "'";
  cf::AssertOp::create(b, loc, ok, message);
}

void UnifyExtents::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  ExtentClasses classes(function);
  OpBuilder b(function.getContext());

  // Number the extents of the feeds: the first of each class stands for it.
  SmallVector<Extent> symbols;
  auto numberExtent = [&](Extent extent) -> int64_t {
    for (auto [i, symbol] : llvm::enumerate(symbols))
      if (classes.areEqual(symbol, extent))
        return i;
    return -1;
  };
  // Callers check that feeds agree on a symbol: all of them are known.
  SmallVector<std::pair<Extent, int64_t>> feedExtents;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    bool feed = isFeed(argument);
    SmallVector<int64_t> extents;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Extent extent{argument, dim};
      if (!type.isDynamicDim(dim)) {
        extents.push_back(-1);
        continue;
      }
      int64_t number = numberExtent(extent);
      if (number < 0 && !feed) {
        InFlightDiagnostic error = function.emitError()
                                   << "expected the extent of dimension " << dim
                                   << " of result "
                                   << function
                                          .getArgAttrOfType<IntegerAttr>(
                                              argument.getArgNumber(),
                                              TrainDialect::getResultAttrName())
                                          .getInt()
                                   << " to be ";
        if (std::optional<int64_t> constant = classes.getConstant(extent))
          error << "static, as it is always " << *constant;
        else
          error << "an extent of a feed: its size is not known before the step "
                   "runs";
        return signalPassFailure();
      }
      if (number < 0) {
        number = symbols.size();
        symbols.push_back(extent);
      }
      extents.push_back(number);
      if (feed)
        feedExtents.push_back({extent, number});
    }
    function.setArgAttr(argument.getArgNumber(),
                        TrainDialect::getExtentsAttrName(),
                        b.getDenseI64ArrayAttr(extents));
  }
  function->setAttr(TrainDialect::getSymbolsAttrName(),
                    b.getStrArrayAttr(nameSymbols(symbols, feedExtents)));

  // Read each extent from the feed that stands for its class.
  Block &entry = function.getBody().front();
  b.setInsertionPointToStart(&entry);
  SmallVector<Value> sizes;
  for (Extent symbol : symbols)
    sizes.push_back(tensor::DimOp::create(b, function.getLoc(), symbol.first,
                                          symbol.second));
  auto numberKnown = [&](Extent extent) -> int64_t {
    for (auto &[feed, number] : feedExtents)
      if (feed == extent || classes.areKnownEqual(feed, extent))
        return number;
    return -1;
  };
  llvm::DenseSet<Operation *> checked = findCheckedExtents(function);
  SmallVector<tensor::DimOp> dims;
  function.walk([&](tensor::DimOp op) {
    if (!llvm::is_contained(sizes, op.getResult()))
      dims.push_back(op);
  });
  while (!dims.empty()) {
    tensor::DimOp op = dims.pop_back_val();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim || !isa<RankedTensorType>(op.getSource().getType()))
      continue;
    Extent extent{op.getSource(), *dim};
    bool isChecked = checked.contains(op);
    std::optional<int64_t> constant = isChecked
                                          ? classes.getKnownConstant(extent)
                                          : classes.getConstant(extent);
    int64_t number = isChecked ? numberKnown(extent) : numberExtent(extent);
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
      dims.append(reads);
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
