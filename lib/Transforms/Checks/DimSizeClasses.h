//===- DimSizeClasses.h - Dynamic dimension sizes that are equal ---------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_CHECKS_DIMSIZECLASSES_H
#define FLYWHEEL_LIB_TRANSFORMS_CHECKS_DIMSIZECLASSES_H

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/ForwardedValues.h"
#include "flywheel/Transforms/Checks/SizeAnalysis.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace flywheel {

/// A tensor and one of its dimensions.
using DimSize = std::pair<mlir::Value, int64_t>;

inline int64_t getStaticDimSize(DimSize dimSize) {
  return llvm::cast<mlir::RankedTensorType>(dimSize.first.getType())
      .getDimSize(dimSize.second);
}

/// The equivalence classes of one function, in three relations. Known: an op
/// gives its result the dimension size of one operand, whatever it requires of
/// the others, as in `SizeAnalysis`. Checked: an op requires both sizes to be
/// equal. This holds only after the checks before the op have passed, so the
/// checks themselves must not depend on it. Required: also the sizes of ops
/// that may not run, if it is unknown in front of the branches and loops around
/// them whether they do; callers of the function ensure these for its feeds.
class DimSizeClasses {
public:
  explicit DimSizeClasses(mlir::func::FuncOp function) : function(function) {
    function.getBody().walk([&](mlir::Operation *op) {
      isChecked = isReached(op);
      isExcused = isExcusable(op);
      addOp(op);
    });
    requireForwarded();
    while (matchReassociations()) {
    }
  }

  bool areRequiredEqual(DimSize a, DimSize b) const {
    return required.isEquivalent(a, b);
  }
  bool areEqual(DimSize a, DimSize b) const {
    return checked.isEquivalent(a, b);
  }
  /// Requires two feeds to agree, as the program states; callers check that.
  void requireFeeds(DimSize a, DimSize b) { required.unionSets(a, b); }
  /// Unites two feeds, because callers check that they agree.
  void uniteFeeds(DimSize a, DimSize b) { checked.unionSets(a, b); }
  bool areKnownEqual(DimSize a, DimSize b) const {
    return known.isEquivalent(a, b);
  }

  /// Returns the constant that the ops force this dimension size to be, if any.
  std::optional<int64_t> getConstant(DimSize dimSize) const {
    return getConstant(checked, dimSize);
  }
  std::optional<int64_t> getKnownConstant(DimSize dimSize) const {
    return getConstant(known, dimSize);
  }

private:
  using Classes = llvm::EquivalenceClasses<DimSize>;

  static std::optional<int64_t> getConstant(const Classes &classes,
                                            DimSize dimSize) {
    for (auto it = classes.findLeader(dimSize); it != classes.member_end();
         ++it)
      if (!mlir::ShapedType::isDynamic(getStaticDimSize(*it)))
        return getStaticDimSize(*it);
    return std::nullopt;
  }

  /// Returns true if the checks of `op` always run: it is not in a branch, nor
  /// in a loop that may have no iterations. An `scf.while` may have none.
  static bool isReached(mlir::Operation *op) {
    for (mlir::Operation *parent = op->getParentOp();
         !llvm::isa<mlir::func::FuncOp>(parent);
         op = parent, parent = parent->getParentOp()) {
      if (llvm::isa<mlir::scf::IfOp>(parent) || isBodyOfWhile(parent, op))
        return false;
      auto loop = llvm::dyn_cast<mlir::scf::ForOp>(parent);
      if (!loop)
        continue;
      std::optional<int64_t> lower = mlir::getConstantIntValue(
                                 loop.getLowerBound()),
                             upper = mlir::getConstantIntValue(
                                 loop.getUpperBound());
      if (!lower || !upper || *lower >= *upper)
        return false;
    }
    return true;
  }

  static bool isBodyOfWhile(mlir::Operation *parent, mlir::Operation *op) {
    auto loop = llvm::dyn_cast<mlir::scf::WhileOp>(parent);
    return loop && op->getParentRegion() == &loop.getAfter();
  }

  /// Returns true if `value` can be computed at the top level of the function,
  /// as checks are that are taken out of branches and loops.
  bool isKnownOutside(mlir::Value value) {
    mlir::Region *body = &function.getBody();
    if (value.getParentRegion() == body)
      return true;
    mlir::Operation *place =
        body->findAncestorOpInRegion(*value.getParentBlock()->getParentOp());
    return sizes.isAvailable(sizes.getNumber(value), place);
  }

  /// Returns true if the conditions under which `op` runs are known at the top
  /// level: then so are its checks, which pass if it does not run.
  bool isExcusable(mlir::Operation *op) {
    for (mlir::Operation *parent = op->getParentOp();
         !llvm::isa<mlir::func::FuncOp>(parent);
         op = parent, parent = parent->getParentOp()) {
      auto branch = llvm::dyn_cast<mlir::scf::IfOp>(parent);
      if (branch && !isKnownOutside(branch.getCondition()))
        return false;
      auto loop = llvm::dyn_cast<mlir::scf::ForOp>(parent);
      if (loop && !(isKnownOutside(loop.getLowerBound()) &&
                    isKnownOutside(loop.getUpperBound())))
        return false;
      if (isBodyOfWhile(parent, op) &&
          !llvm::isa<mlir::func::FuncOp>(parent->getParentOp()))
        return false;
    }
    return true;
  }

  void unite(DimSize a, DimSize b) {
    known.unionSets(a, b);
    checked.unionSets(a, b);
    required.unionSets(a, b);
  }
  void require(DimSize a, DimSize b) {
    if (isChecked)
      checked.unionSets(a, b);
    if (isChecked || !isExcused)
      required.unionSets(a, b);
  }

  void requireShapes(mlir::Value a, mlir::Value b) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(a.getType());
    if (!type || !llvm::isa<mlir::RankedTensorType>(b.getType()))
      return;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      require({a, dim}, {b, dim});
  }

  /// Defines that `result` has the dimension size of `source`. If the result
  /// type has a static size, requires it as well.
  void define(DimSize result, DimSize source) {
    if (!mlir::ShapedType::isDynamic(getStaticDimSize(result)) &&
        mlir::ShapedType::isDynamic(getStaticDimSize(source)))
      require(result, source);
    else
      unite(result, source);
  }

  /// Defines that `result` has the shape of `source`.
  void defineShape(mlir::Value result, mlir::Value source) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
    if (!type || !llvm::isa<mlir::RankedTensorType>(source.getType()))
      return;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      define({result, dim}, {source, dim});
  }

  /// Requires `forwarded`, which a terminator yields, to have the shape of
  /// `value`, which something else defines, if the terminator is reached.
  void forward(mlir::Value value, mlir::Value forwarded,
               mlir::Operation *terminator) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    if (!type || !llvm::isa<mlir::RankedTensorType>(forwarded.getType()))
      return;
    bool isWeak = !isReached(terminator) && isExcusable(terminator);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (isWeak)
        weak.push_back({{value, dim}, {forwarded, dim}});
      else
        require({value, dim}, {forwarded, dim});
    }
  }

  /// Takes sizes that are forwarded to have those of what receives them, unless
  /// both are sizes of feeds: then the step forwards them only if they agree,
  /// or a check requires that in any case.
  void requireForwarded() {
    llvm::DenseSet<DimSize> ofFeeds;
    for (mlir::BlockArgument argument : function.getArguments()) {
      auto type = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType());
      if (!type || train::FunctionArgument(function, argument.getArgNumber())
                       .getResultNumber())
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        ofFeeds.insert(checked.getOrInsertLeaderValue({argument, dim}));
    }
    for (auto [value, forwarded] : weak) {
      DimSize left = checked.getOrInsertLeaderValue(value),
              right = checked.getOrInsertLeaderValue(forwarded);
      bool isFeed = ofFeeds.contains(left);
      if (left == right ||
          (isFeed && ofFeeds.contains(right) && !areAsserted(left, right)))
        continue;
      isFeed |= ofFeeds.contains(right);
      required.unionSets(value, forwarded);
      checked.unionSets(value, forwarded);
      if (isFeed)
        ofFeeds.insert(checked.getOrInsertLeaderValue(value));
    }
  }

  /// Returns the dimension that `size` was read from; nullopt if `size` is not
  /// a dimension size.
  static std::optional<DimSize> getReadDimSize(mlir::Value size) {
    auto dimOp = size.getDefiningOp<mlir::tensor::DimOp>();
    std::optional<int64_t> dim =
        dimOp ? linalg_ext::getDimension(dimOp) : std::nullopt;
    return dim ? std::optional<DimSize>({dimOp.getSource(), *dim})
               : std::nullopt;
  }

  /// Defines `dimSize`, which an op sets to `size`, to be the dimension that
  /// `size` was read from.
  void defineBySize(DimSize dimSize, mlir::Value size) {
    if (std::optional<DimSize> read = getReadDimSize(size))
      define(dimSize, *read);
  }

  /// Takes `slice` to have `sizes`: because it is made so, or because it must.
  void addSlice(mlir::Value slice, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                const llvm::SmallBitVector &dropped, bool isMade) {
    int64_t sliceDim = 0;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (dropped.test(dim))
        continue;
      DimSize dimSize{slice, sliceDim++};
      auto value = llvm::dyn_cast<mlir::Value>(size);
      std::optional<DimSize> read =
          value ? getReadDimSize(value) : std::nullopt;
      if (read && isMade)
        define(dimSize, *read);
      else if (read)
        require(dimSize, *read);
    }
  }

  void addStructuredOp(mlir::linalg::LinalgOp op) {
    llvm::DenseMap<unsigned, DimSize> loops;
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      if (!llvm::isa<mlir::RankedTensorType>(operand.get().getType()))
        continue;
      mlir::AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = llvm::dyn_cast<mlir::AffineDimExpr>(expr);
        if (!loop)
          continue;
        DimSize dimSize{operand.get(), static_cast<int64_t>(dim)};
        auto [it, isNew] = loops.try_emplace(loop.getPosition(), dimSize);
        if (!isNew)
          require(it->second, dimSize);
      }
    }
    for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits()))
      defineShape(result, init);
  }

  /// Defines that each of `values` has the shape of the first value that is
  /// forwarded to it.
  void defineShapes(mlir::ValueRange values) {
    for (mlir::Value value : values) {
      llvm::SmallVector<mlir::Value> forwarded = getForwardedValues(value);
      if (!forwarded.empty())
        defineShape(value, forwarded.front());
    }
  }

  /// Requires the values that enter a region, its arguments, the values that it
  /// yields and the results of its op to have one shape.
  void addControlFlow(mlir::Operation *op) {
    if (auto loop = llvm::dyn_cast<mlir::LoopLikeOpInterface>(op)) {
      for (mlir::Region &region : op->getRegions())
        defineShapes(region.getArguments());
      defineShapes(op->getResults());
      mlir::Operation *yield = op->getRegions().back().front().getTerminator();
      for (auto [yielded, init] :
           llvm::zip(loop.getYieldedValues(), loop.getInits()))
        forward(init, yielded, yield);
    } else if (auto branch = llvm::dyn_cast<mlir::scf::IfOp>(op)) {
      if (branch.getNumResults() == 0)
        return;
      // As in `SizeAnalysis`. It may be the other one: but then the checks say
      // that they are equal.
      for (auto [result, then, otherwise] :
           llvm::zip(branch.getResults(), branch.thenYield().getResults(),
                     branch.elseYield().getResults())) {
        defineShape(result, otherwise);
        forward(result, then, branch.thenYield());
      }
    }
  }

  /// Defines the dynamic dimension sizes of `result` to be `sizes`.
  void defineBySizes(mlir::Value result, mlir::ValueRange sizes) {
    unsigned next = 0;
    auto type = llvm::cast<mlir::RankedTensorType>(result.getType());
    for (auto [dim, dimSize] : llvm::enumerate(type.getShape()))
      if (mlir::ShapedType::isDynamic(dimSize))
        defineBySize({result, static_cast<int64_t>(dim)}, sizes[next++]);
  }

  /// Notes two sizes of which a check that always runs says that they are
  /// equal.
  void addCheck(linalg_ext::CheckOp check) {
    auto compare = check.getOk().getDefiningOp<linalg_ext::CompareSizesOp>();
    if (!isChecked || !compare ||
        compare.getPredicate() != linalg_ext::SizePredicate::eq)
      return;
    std::optional<DimSize> left = getReadDimSize(compare.getLhs()),
                           right = getReadDimSize(compare.getRhs());
    if (left && right)
      asserted.push_back({*left, *right});
  }

  /// Returns true if a check says that the classes of these leaders have one
  /// size.
  bool areAsserted(DimSize left, DimSize right) {
    return llvm::any_of(asserted, [&](std::pair<DimSize, DimSize> sizes) {
      DimSize a = checked.getOrInsertLeaderValue(sizes.first),
              b = checked.getOrInsertLeaderValue(sizes.second);
      return (a == left && b == right) || (a == right && b == left);
    });
  }

  void addOp(mlir::Operation *op) {
    if (auto check = llvm::dyn_cast<linalg_ext::CheckOp>(op))
      return addCheck(check);
    if (auto structured = llvm::dyn_cast<mlir::linalg::LinalgOp>(op))
      return addStructuredOp(structured);
    if (llvm::isa<mlir::LoopLikeOpInterface, mlir::scf::IfOp>(op))
      return addControlFlow(op);
    if (llvm::isa<mlir::tensor::EmptyOp, mlir::tensor::GenerateOp>(op))
      return defineBySizes(op->getResult(0), op->getOperands());
    if (auto splat = llvm::dyn_cast<mlir::tensor::SplatOp>(op))
      return defineBySizes(splat, splat.getDynamicSizes());
    if (auto pad = llvm::dyn_cast<mlir::tensor::PadOp>(op)) {
      for (auto [dim, low, high] :
           llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad()))
        if (mlir::isZeroInteger(low) && mlir::isZeroInteger(high))
          define({pad.getResult(), static_cast<int64_t>(dim)},
                 {pad.getSource(), static_cast<int64_t>(dim)});
      return;
    }
    if (llvm::isa<mlir::tensor::CastOp>(op))
      return defineShape(op->getResult(0), op->getOperand(0));
    if (auto store = llvm::dyn_cast<linalg_ext::StoreOp>(op)) {
      requireShapes(store.getSource(), store.getDestination());
      return defineShape(store.getResult(), store.getDestination());
    }
    if (auto insert = llvm::dyn_cast<mlir::tensor::InsertSliceOp>(op)) {
      defineShape(insert.getResult(), insert.getDest());
      return addSlice(insert.getSource(), insert.getMixedSizes(),
                      insert.getDroppedDims(), /*isMade=*/false);
    }
    // `linalg_ext`, `linalg.pack` and others.
    if (auto styled = llvm::dyn_cast<mlir::DestinationStyleOpInterface>(op)) {
      for (mlir::OpResult result : op->getResults())
        defineShape(result, styled.getTiedOpOperand(result)->get());
      return;
    }
    if (auto extract = llvm::dyn_cast<mlir::tensor::ExtractSliceOp>(op))
      return addSlice(extract.getResult(), extract.getMixedSizes(),
                      extract.getDroppedDims(), /*isMade=*/true);
    if (auto concat = llvm::dyn_cast<mlir::tensor::ConcatOp>(op)) {
      mlir::Value first = concat.getInputs().front();
      for (int64_t dim = 0, rank = concat.getRank(); dim < rank; ++dim)
        if (dim != static_cast<int64_t>(concat.getDim())) {
          define({concat, dim}, {first, dim});
          for (mlir::Value input : concat.getInputs().drop_front())
            require({first, dim}, {input, dim});
        }
      return;
    }
    if (auto reshape = llvm::dyn_cast<mlir::tensor::ReshapeOp>(op)) {
      if (auto shape =
              reshape.getShape().getDefiningOp<mlir::tensor::FromElementsOp>())
        for (auto [dim, size] : llvm::enumerate(shape.getElements()))
          defineBySize({reshape, static_cast<int64_t>(dim)}, size);
      return;
    }
    if (auto collapse = llvm::dyn_cast<mlir::tensor::CollapseShapeOp>(op))
      return addReassociation(collapse.getSrc(), collapse.getResult(),
                              collapse.getReassociationIndices(),
                              /*isCollapse=*/true);
    if (auto expand = llvm::dyn_cast<mlir::tensor::ExpandShapeOp>(op)) {
      defineBySizes(expand.getResult(), expand.getOutputShape());
      return addReassociation(expand.getResult(), expand.getSrc(),
                              expand.getReassociationIndices(),
                              /*isCollapse=*/false);
    }
    if (op->hasTrait<mlir::OpTrait::Elementwise>())
      for (mlir::Value operand : op->getOperands())
        requireShapes(op->getResult(0), operand);
  }

  /// A group of dimensions and the one that is their product.
  struct Group {
    DimSize collapsed;
    llvm::SmallVector<DimSize> expanded;
  };

  bool areAlike(const Group &a, const Group &b) const {
    return a.expanded.size() == b.expanded.size() &&
           llvm::all_of(llvm::zip(a.expanded, b.expanded), [&](auto pair) {
             auto [left, right] = pair;
             int64_t size = getStaticDimSize(left);
             return mlir::ShapedType::isDynamic(size)
                        ? checked.isEquivalent(left, right)
                        : size == getStaticDimSize(right);
           });
  }

  /// Unifies the dimension that a group was collapsed to with the one that an
  /// equal group was expanded from, as for a gradient and its operand. Returns
  /// true if that unified any classes.
  bool matchReassociations() {
    // Groups whose first dynamic dimensions are of one class.
    llvm::MapVector<DimSize, llvm::SmallVector<const Group *>> alike;
    auto getKey = [&](const Group &group) {
      for (DimSize dimSize : group.expanded)
        if (mlir::ShapedType::isDynamic(getStaticDimSize(dimSize)))
          return checked.getOrInsertLeaderValue(dimSize);
      return DimSize();
    };
    for (const Group &group : expansions)
      alike[getKey(group)].push_back(&group);
    bool isChanged = false;
    for (const Group &group : collapses)
      for (const Group *expansion : alike.lookup(getKey(group)))
        if (!checked.isEquivalent(group.collapsed, expansion->collapsed) &&
            areAlike(group, *expansion)) {
          required.unionSets(group.collapsed, expansion->collapsed);
          checked.unionSets(group.collapsed, expansion->collapsed);
          isChanged = true;
        }
    return isChanged;
  }

  /// Relates a group in which one dimension does not have size 1 to its
  /// collapsed dimension: they have one size.
  void addReassociation(mlir::Value expanded, mlir::Value collapsed,
                        llvm::ArrayRef<mlir::ReassociationIndices> groups,
                        bool isCollapse) {
    auto type = llvm::cast<mlir::RankedTensorType>(expanded.getType());
    for (auto [dim, group] : llvm::enumerate(groups)) {
      llvm::SmallVector<int64_t> large;
      for (int64_t index : group)
        if (type.getDimSize(index) != 1)
          large.push_back(index);
      DimSize outer{collapsed, static_cast<int64_t>(dim)};
      if (large.size() > 1 && isChecked &&
          mlir::ShapedType::isDynamic(getStaticDimSize(outer))) {
        Group all{outer, {}};
        for (int64_t index : large)
          all.expanded.push_back({expanded, index});
        (isCollapse ? collapses : expansions).push_back(std::move(all));
      }
      if (large.size() != 1)
        continue;
      DimSize inner{expanded, large.front()};
      if (isCollapse)
        define(outer, inner);
      else
        require(inner, outer);
    }
  }

  mlir::func::FuncOp function;
  SizeAnalysis sizes;
  Classes known, checked, required;
  /// Dimensions of values that branches and loops pass on where these run.
  std::vector<std::pair<DimSize, DimSize>> weak;
  /// Dimensions that checks compare which always run.
  std::vector<std::pair<DimSize, DimSize>> asserted;
  /// Groups of several dimensions, whose checks are made in any case.
  std::vector<Group> collapses, expansions;
  /// True if the checks of the current op always run.
  bool isChecked = true;
  /// True if the checks of the current op are made, if need be, in front of all
  /// branches and loops.
  bool isExcused = true;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_CHECKS_DIMSIZECLASSES_H
