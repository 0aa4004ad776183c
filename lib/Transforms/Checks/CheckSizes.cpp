//===- CheckSizes.cpp - The flywheel-check-sizes pass ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: ops that require sizes to agree. After: each requirement follows from
// the ops that compute the sizes, or a `linalg_ext.check` checks it. Refuses
// dimensions that a tensor does not have; see ChecksPasses.td. No other pass
// makes checks of what ops require of sizes.
//
//===----------------------------------------------------------------------===//

#include "SizeFacts.h"

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/Checks/SizeRelations.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHECKSIZES
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using linalg_ext::CompareSizesOp;
using linalg_ext::LinalgExtDialect;
using linalg_ext::SizePredicate;

namespace {
struct CheckSizes : flywheel::impl::CheckSizesBase<CheckSizes> {
  using CheckSizesBase::CheckSizesBase;
  void runOnOperation() override;

private:
  void readChecks();
  void addCondition(Value condition, Excuses excuses);
  LogicalResult processRegion(Region &region);
  LogicalResult processOp(Operation *op);
  LogicalResult checkDimension(tensor::DimOp op);
  void nameShapeElements(tensor::ReshapeOp op);
  void expandReshape(tensor::ReshapeOp op);
  LogicalResult check(Operation *op, const SizeRelation &relation);
  /// Returns true if the same sizes have been checked, with no other excuses;
  /// with `byAll` also by checks that fail late.
  bool isCounted(const std::vector<SizeExpr> &factors, const Excuses &excuses,
                 bool byAll) {
    return llvm::any_of(counted, [&](const Count &count) {
      return count.factors == factors && (byAll || !count.isLate) &&
             isSubset(count.excuses, excuses);
    });
  }
  LogicalResult guard(Operation *op, Value ok);
  std::optional<SizeExpr> isLeftOut(Operation *parent, Region *region);

  SizeAnalysis sizes;
  /// The condition before the first iteration, in front of each loop; null if
  /// it is unknown there.
  llvm::DenseMap<Operation *, Value> firstConditions;
  /// Products of sizes that do not overflow if none of the excuses holds.
  struct Count {
    std::vector<SizeExpr> factors;
    Excuses excuses;
    bool isLate;
  };
  std::vector<Count> counted;
  SizeFacts facts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks that are there
//===----------------------------------------------------------------------===//

/// Adds the facts that hold after a check of `condition`; `excuses` are other
/// conditions under which the check passes.
void CheckSizes::addCondition(Value condition, Excuses excuses) {
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::OrIOp>(op)) {
    Excuses left = excuses, right = excuses;
    left.push_back(sizes.getNumber(both.getRhs()));
    right.push_back(sizes.getNumber(both.getLhs()));
    addCondition(both.getLhs(), std::move(left));
    return addCondition(both.getRhs(), std::move(right));
  }
  if (auto compare = dyn_cast_or_null<CompareSizesOp>(op))
    return facts.add(
        sizes.getNumber(compare.getLhs()), sizes.getNumber(compare.getRhs()),
        compare.getPredicate() == SizePredicate::ge, std::move(excuses));
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return;
  SizeExpr lhs = sizes.getNumber(compare.getLhs()),
           rhs = sizes.getNumber(compare.getRhs());
  if (compare.getPredicate() == arith::CmpIPredicate::eq)
    facts.add(lhs, rhs, /*isAtLeast=*/false, std::move(excuses));
  else if (compare.getPredicate() == arith::CmpIPredicate::sge)
    facts.add(lhs, rhs, /*isAtLeast=*/true, std::move(excuses));
}

/// Adds the facts of checks at the top level, which run in every call, before
/// its caller sees the writes of the function.
void CheckSizes::readChecks() {
  for (auto check :
       getOperation().getBody().front().getOps<linalg_ext::CheckOp>())
    addCondition(check.getOk(), {});
}

//===----------------------------------------------------------------------===//
// New checks
//===----------------------------------------------------------------------===//

/// Returns the condition under which `parent` does not enter `region`; nullopt
/// if it always enters it, or if that is unknown.
std::optional<SizeExpr> CheckSizes::isLeftOut(Operation *parent,
                                              Region *region) {
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    SizeExpr condition = sizes.getNumber(branch.getCondition());
    return region == &branch.getElseRegion() ? condition
                                             : sizes.getNot(condition);
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return sizes.getIsEmpty(loop);
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop || region != &loop.getAfter())
    return std::nullopt;
  auto [known, isNew] = firstConditions.try_emplace(loop);
  if (isNew) {
    OpBuilder b(loop);
    known->second = linalg_ext::emitFirstCondition(b, loop);
  }
  if (!known->second)
    return std::nullopt;
  return sizes.getNot(sizes.getNumber(known->second));
}

/// Returns true if it is unknown in front of `parent` that it enters `region`.
static bool isEnteredByChance(Operation *parent, Region *region) {
  auto loop = dyn_cast<scf::WhileOp>(parent);
  return loop && region == &loop.getAfter();
}

static bool isNested(Operation *op) {
  return !isa<func::FuncOp>(op->getParentOp());
}

/// Returns the error message for a relation that does not hold, with the texts
/// of the sizes that it names: of the left one, or else the right one.
static std::string
describeRelation(const SizeRelation &relation,
                 function_ref<std::string(bool isLeft)> describeSize) {
  std::string text = "expected " + relation.what + ", found ";
  StringRef found = relation.found;
  for (char c : found.empty() ? "\1 and \2" : found)
    if (c == '\1' || c == '\2')
      text += describeSize(c == '\1');
    else
      text += c;
  return text;
}

/// Reports an error if `op`, which always runs, requires two constant sizes to
/// be equal that differ, or an operand to be at least a constant that it is
/// below. Upstream's folds trust either of two sizes, and their results may not
/// verify; ops of our dialects fail when they run.
static LogicalResult refuseConstants(Operation *op,
                                     const SizeRelation &relation,
                                     std::optional<int64_t> lhs,
                                     std::optional<int64_t> rhs) {
  if (!lhs || !rhs || *lhs == *rhs ||
      (relation.isAtLeast && (!relation.operand || *lhs > *rhs)) ||
      isa_and_present<nn::NNDialect>(op->getDialect()))
    return success();
  return op->emitOpError() << describeRelation(relation, [&](bool isLeft) {
           return std::to_string(isLeft ? *lhs : *rhs);
         });
}

/// Makes the operand that `relation` is about one that it holds for: a check
/// may come behind `op`, or fail only then.
static void clampOperand(Operation *op, const SizeRelation &relation) {
  if (!relation.operand)
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value least =
      arith::ConstantIndexOp::create(b, loc, *relation.rhs.getConstant());
  Value number = arith::MaxSIOp::create(b, loc, relation.operand->get(), least);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // A step of `upper - lower` ends the loop; a larger one may overflow to an
    // index before the end. If the loop has no iterations, any step is valid.
    Value way = arith::SubIOp::create(b, loc, loop.getUpperBound(),
                                      loop.getLowerBound());
    number = arith::MaxSIOp::create(
        b, loc, arith::MinUIOp::create(b, loc, number, way), least);
  }
  relation.operand->set(number);
}

static LogicalResult refuse(Operation *op) {
  return op->emitOpError() << "expected sizes that are known in front of '"
                           << op->getParentOp()->getName()
                           << "', found some that are computed inside of it";
}

/// Emits an i1 that is true if the product of `factors` is at most `kMaxSize`.
/// No factor is negative, and 0 counts as 1. No intermediate result that is
/// used overflows.
static Value isCountable(OpBuilder &b, Location loc, ValueRange factors) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value limit = arith::ConstantIndexOp::create(b, loc, kMaxSize);
  Value count = one;
  Value ok = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (Value factor : factors) {
    factor = arith::MaxSIOp::create(b, loc, factor, one);
    Value most = arith::DivUIOp::create(b, loc, limit, factor);
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, count, most);
    ok = arith::AndIOp::create(b, loc, ok, fits);
    // A product that overflows is of no use, and does no harm.
    count = arith::MulIOp::create(b, loc, count, factor);
  }
  return ok;
}

/// Returns true if zeros can stand for the results of `op`, which then does not
/// run.
static bool canGuard(Operation *op) {
  return (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op)) &&
         op->getNumResults() != 0 && isPure(op);
}

LogicalResult CheckSizes::check(Operation *op, const SizeRelation &relation) {
  bool isCount = !relation.factors.empty();
  if (!isCount && !relation.isAtLeast && relation.lhs == relation.rhs)
    return success();
  Excuses excuses(relation.unless);
  for (const SizeExpr &size : relation.unlessZero)
    if (!size.getConstant())
      excuses.push_back(
          sizes.getCompare(arith::CmpIPredicate::eq, size, SizeExpr()));
    else if (size.isZero())
      return success();
  // Returns true if a check at `place` applies whenever the function runs:
  // `place` is not nested, and no excuse depends on runtime values.
  auto isAlwaysRun = [&](Operation *place) {
    return !isNested(place) && llvm::all_of(excuses, [](const auto &excuse) {
      return excuse.getConstant().has_value();
    });
  };
  auto checkConstants = [&]() {
    return refuseConstants(op, relation, facts.getConstant(relation.lhs),
                           facts.getConstant(relation.rhs));
  };
  if (isAlwaysRun(op) && failed(checkConstants()))
    return failure();
  // All regions around the op excuse it, if they are not entered.
  Excuses all = excuses;
  for (Operation *inner = op; isNested(inner); inner = inner->getParentOp())
    if (std::optional<SizeExpr> leftOut =
            isLeftOut(inner->getParentOp(), inner->getParentRegion()))
      all.push_back(*leftOut);
  // Code that is never reached.
  if (llvm::any_of(all, [](const SizeExpr &excuse) {
        return excuse.getConstant().value_or(0) != 0;
      }))
    return success();
  // The result of a branch has the sizes of what the other branch yields.
  Excuses proved = all;
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && sizes.isAvailable(relation.rhs, branch))
    proved.push_back(sizes.getNot(sizes.getNumber(branch.getCondition())));
  auto isProved = [&](bool byAll) {
    return isCount ? isCounted(relation.factors, proved, byAll)
                   : facts.follows(sizes, relation.lhs, relation.rhs,
                                   relation.isAtLeast, proved, byAll);
  };
  if (isProved(/*byAll=*/false)) {
    ++numProved;
    if (!sizes.isNonNegative(relation.lhs - relation.rhs))
      clampOperand(op, relation);
    return success();
  }
  // A check in a region fails behind it: until then the step runs on, and this
  // op is to do no harm either.
  bool isChecked = isProved(/*byAll=*/true);

  auto isAvailable = [&](const SizeExpr &expr, Operation *parent) {
    return sizes.isAvailable(expr, parent);
  };
  auto areAvailable = [&](Operation *parent) {
    return isAvailable(relation.lhs, parent) &&
           isAvailable(relation.rhs, parent) &&
           llvm::all_of(relation.factors, [&](const SizeExpr &factor) {
             return isAvailable(factor, parent);
           });
  };
  // The results of a region may become known once its ops are replaced.
  if (!areAvailable(op))
    return isLast && isa<scf::IfOp, LoopLikeOpInterface>(op)
               ? LogicalResult(op->emitOpError()
                               << "expected " << relation.what
                               << ", found sizes that are not known in front "
                                  "of it")
               : success();
  // In front of as many regions as possible.
  Operation *place = op;
  while (isNested(place)) {
    Operation *parent = place->getParentOp();
    std::optional<SizeExpr> leftOut =
        isLeftOut(parent, place->getParentRegion());
    if (!areAvailable(parent) ||
        (!leftOut && isEnteredByChance(parent, place->getParentRegion())) ||
        llvm::any_of(excuses, [&](const SizeExpr &excuse) {
          return !isAvailable(excuse, parent);
        }))
      break;
    if (leftOut)
      excuses.push_back(*leftOut);
    place = parent;
  }
  if (isAlwaysRun(place) && failed(checkConstants()))
    return failure();
  if (isNested(place) && !linalg_ext::isInControlFlow(place)) {
    // The derivative that is built from this region is checked later.
    if (isChecked || place->getParentOfType<train::CustomVjpOp>())
      return success();
    // Checks of operands are lifted out of the bodies of ops.
    if (!relation.operand)
      return refuse(op);
  }
  OpBuilder b(place);
  Location loc = op->getLoc();
  auto materialize = [&](const SizeExpr &expr) {
    return sizes.materialize(b, loc, expr, place);
  };
  auto toIndex = [&](const SizeExpr &expr) -> Value {
    Value number = materialize(expr);
    return number.getType().isIndex()
               ? number
               : arith::IndexCastOp::create(b, loc, b.getIndexType(), number)
                     .getResult();
  };
  Value ok, lhs, rhs;
  linalg_ext::NamedNumbers numbers;
  std::string found;
  if (isCount) {
    SmallVector<Value> factors =
        llvm::to_vector(llvm::map_range(relation.factors, toIndex));
    ok = isCountable(b, loc, factors);
    for (Value factor : factors)
      found += (found.empty() ? ": " : " x ") + numbers.add(factor);
  } else {
    lhs = toIndex(relation.lhs);
    rhs = toIndex(relation.rhs);
    ok = CompareSizesOp::create(
        b, loc, relation.isAtLeast ? SizePredicate::ge : SizePredicate::eq, lhs,
        rhs);
  }
  // The body of another op yields no numbers.
  std::string expected =
      linalg_ext::isInControlFlow(place)
          ? describeRelation(
                relation,
                [&](bool isLeft) { return numbers.add(isLeft ? lhs : rhs); })
          : "expected " + relation.what;
  for (const SizeExpr &excuse : excuses)
    if (!excuse.getConstant())
      ok = arith::OrIOp::create(b, loc, materialize(excuse), ok);
  bool isLate = isNested(place);
  if (!isChecked || !isLate) {
    linalg_ext::createCheck(b, op, linalg_ext::CheckKind::sizes, ok, expected,
                            found, numbers)
        .setSafe(isLate);
    ++numChecked;
    if (isCount)
      counted.push_back({relation.factors, all, isLate});
    else
      facts.add(relation.lhs, relation.rhs, relation.isAtLeast, all, isLate);
  }
  clampOperand(op, relation);
  if (!isLate || relation.operand || (isChecked && !canGuard(op)))
    return success();
  return guard(op, ok);
}

/// Runs `op` only if `ok` holds; zeros replace its results otherwise.
LogicalResult CheckSizes::guard(Operation *op, Value ok) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (!canGuard(op))
    return refuse(op);
  SmallVector<Value> others;
  auto branch = scf::IfOp::create(b, loc, op->getResultTypes(), ok,
                                  /*withElseRegion=*/true);
  OpBuilder otherwise = OpBuilder::atBlockEnd(branch.elseBlock());
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    TypedAttr zero = type ? b.getZeroAttr(type.getElementType()) : TypedAttr();
    if (!zero)
      return refuse(op);
    SmallVector<OpFoldResult> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim)) {
        dims.push_back(b.getIndexAttr(type.getDimSize(dim)));
        continue;
      }
      SizeExpr size = sizes.getSize(result, dim);
      if (!sizes.isAvailable(size, op))
        return refuse(op);
      Value number = sizes.materialize(otherwise, loc, size, op);
      // An image that is too small has no windows.
      if (findDimSizeFormula(result, dim).expr)
        number = arith::MaxSIOp::create(
            otherwise, loc, number,
            arith::ConstantIndexOp::create(otherwise, loc, 0));
      dims.push_back(number);
    }
    Value number = arith::ConstantOp::create(otherwise, loc, zero);
    auto empty =
        tensor::EmptyOp::create(otherwise, loc, dims, type.getElementType());
    empty->setAttr(LinalgExtDialect::getSafeAttrName(), b.getUnitAttr());
    others.push_back(
        linalg::FillOp::create(otherwise, loc, number, empty.getResult())
            .getResult(0));
  }
  scf::YieldOp::create(otherwise, loc, others);
  op->replaceAllUsesWith(branch.getResults());
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
  scf::YieldOp::create(inside, loc, op->getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Checks that the tensor has the dimension: others are an error, and read
/// nothing.
LogicalResult CheckSizes::checkDimension(tensor::DimOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type)
    return success();
  int64_t rank = type.getRank();
  SizeExpr index = sizes.getNumber(op.getIndex());
  if (std::optional<int64_t> number = index.getConstant()) {
    if (*number >= 0 && *number < rank)
      return success();
    return op.emitOpError() << "expected a dimension from 0 to " << rank - 1
                            << " of " << type << ", found " << *number;
  }
  if (isNested(op) && !linalg_ext::isInControlFlow(op))
    return refuse(op);
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto inRange =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, op.getIndex(),
                            arith::ConstantIndexOp::create(b, loc, rank));
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  linalg_ext::NamedNumbers numbers;
  std::string found = numbers.add(op.getIndex());
  linalg_ext::createCheck(b, op, linalg_ext::CheckKind::data, inRange,
                          "expected a dimension from 0 to " + Twine(rank - 1) +
                              ", found one out of range",
                          ": " + found, numbers)
      .setSafe(true);
  op.getIndexMutable().assign(
      arith::SelectOp::create(b, loc, inRange, op.getIndex(), first));
  return success();
}

/// Makes the sizes of the result numbers of their own.
void CheckSizes::nameShapeElements(tensor::ReshapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getShape().getType());
  if (!type || !type.hasStaticShape() ||
      op.getShape().getDefiningOp<tensor::FromElementsOp>())
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    elements.push_back(b.createOrFold<tensor::ExtractOp>(
        loc, op.getShape(),
        ValueRange{arith::ConstantIndexOp::create(b, loc, i)}));
  op.getShapeMutable().assign(
      tensor::FromElementsOp::create(b, loc, type, elements));
}

/// Makes the op, which has passed its checks, one dimension and then those of
/// the result.
void CheckSizes::expandReshape(tensor::ReshapeOp op) {
  auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  Value value = op.getSource();
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!shape || !type || !isa<RankedTensorType>(value.getType()) ||
      type.getRank() == 0 ||
      cast<RankedTensorType>(value.getType()).getRank() == 0)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto all = [](Type tensor) {
    int64_t rank = cast<RankedTensorType>(tensor).getRank();
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  };
  auto castTo = [&](Type to) {
    if (value.getType() != to)
      value = tensor::CastOp::create(b, loc, to, value);
  };
  if (all(value.getType()).front().size() > 1)
    value =
        tensor::CollapseShapeOp::create(b, loc, value, all(value.getType()));
  int64_t number =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  castTo(RankedTensorType::get({number}, type.getElementType()));
  if (type.getRank() > 1) {
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, element] : llvm::enumerate(shape.getElements()))
      if (!type.isDynamicDim(dim))
        sizes.push_back(b.getIndexAttr(type.getDimSize(dim)));
      else if (element.getType().isIndex())
        sizes.push_back(element);
      else
        sizes.push_back(
            arith::IndexCastOp::create(b, loc, b.getIndexType(), element)
                .getResult());
    value =
        tensor::ExpandShapeOp::create(b, loc, type, value, all(type), sizes);
  }
  castTo(type);
  // The op stays until it is folded: the analysis looks sizes up by their
  // values.
  op.getResult().replaceAllUsesWith(value);
}

LogicalResult CheckSizes::processOp(Operation *op) {
  // The condition of a branch holds in its then region.
  if (auto branch = dyn_cast<scf::IfOp>(op))
    addCondition(branch.getCondition(),
                 {sizes.getNot(sizes.getNumber(branch.getCondition()))});
  for (Region &region : op->getRegions())
    if (failed(processRegion(region)))
      return failure();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return checkDimension(dim);
  // A dead op cannot fail, nor can one that replaces a result after a failed
  // check.
  if (isOpTriviallyDead(op) || op->hasAttr(LinalgExtDialect::getSafeAttrName()))
    return success();
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    nameShapeElements(reshape);
  LogicalResult result = success();
  forEachSizeRelation(op, sizes, [&](const SizeRelation &relation) {
    if (succeeded(result))
      result = check(op, relation);
  });
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op);
      reshape && succeeded(result))
    expandReshape(reshape);
  return result;
}

LogicalResult CheckSizes::processRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(processOp(&op)))
        return failure();
  return success();
}

void CheckSizes::runOnOperation() {
  if (getOperation().isExternal())
    return;
  sizes = SizeAnalysis();
  firstConditions.clear();
  counted.clear();
  facts = SizeFacts();
  readChecks();
  if (failed(processRegion(getOperation().getBody())))
    signalPassFailure();
}
