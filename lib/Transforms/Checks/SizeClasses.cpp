//===- SizeClasses.cpp - Sizes that ops require to be equal ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeClasses.h"

#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace flywheel;

SizeClasses::SizeClasses(func::FuncOp function) : function(function) {
  function.getBody().walk([&](Operation *op) { addOp(op); });
  requireForwarded();
  while (matchParts()) {
  }
}

//===----------------------------------------------------------------------===//
// Which ops run
//===----------------------------------------------------------------------===//

static bool isBodyOfWhile(Operation *parent, Operation *op) {
  auto loop = dyn_cast<scf::WhileOp>(parent);
  return loop && op->getParentRegion() == &loop.getAfter();
}

/// Returns true if the checks of `op` always run: it is not in a branch, nor in
/// a loop that may have no iterations. An `scf.while` may have none.
static bool isAlwaysReached(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       op = parent, parent = parent->getParentOp()) {
    if (isa<scf::IfOp>(parent) || isBodyOfWhile(parent, op))
      return false;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      continue;
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                           upper = getConstantIntValue(loop.getUpperBound());
    if (!lower || !upper || *lower >= *upper)
      return false;
  }
  return true;
}

/// Returns true if `value` can be computed at the top level of the function, as
/// checks are that are taken out of branches and loops.
bool SizeClasses::isKnownOutside(Value value) {
  Region *body = &function.getBody();
  if (value.getParentRegion() == body)
    return true;
  Operation *place =
      body->findAncestorOpInRegion(*value.getParentBlock()->getParentOp());
  return sizes.isAvailable(sizes.getNumber(value), place);
}

/// Returns true if the conditions under which `op` runs are known at the top
/// level: then so are its checks, which pass if it does not run.
bool SizeClasses::isExcusable(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       op = parent, parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (branch && !isKnownOutside(branch.getCondition()))
      return false;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (loop && !(isKnownOutside(loop.getLowerBound()) &&
                  isKnownOutside(loop.getUpperBound())))
      return false;
    if (isBodyOfWhile(parent, op) && !isa<func::FuncOp>(parent->getParentOp()))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Returns the number by which the classes know `size`.
unsigned SizeClasses::getId(const SizeExpr &size) {
  auto [it, isNew] = ids.try_emplace(size, exprs.size());
  if (isNew)
    exprs.push_back(size);
  return it->second;
}

std::optional<int64_t> SizeClasses::getConstant(const SizeExpr &size) {
  if (std::optional<int64_t> constant = size.getConstant())
    return constant;
  unsigned id = getId(size);
  checked.insert(id);
  for (auto it = checked.findLeader(id); it != checked.member_end(); ++it)
    if (auto known = constants.find(*it); known != constants.end())
      return known->second;
  return std::nullopt;
}

/// Takes two sizes to be equal. A constant does not connect the classes of two
/// sizes that equal it: they are equal by chance.
void SizeClasses::unite(const SizeExpr &a, const SizeExpr &b, bool isRequired,
                        bool isChecked) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  if (a == b || (left && right))
    return;
  if (left || right) {
    if (isChecked)
      constants.try_emplace(getId(left ? b : a), left ? *left : *right);
    return;
  }
  if (isChecked)
    checked.unionSets(getId(a), getId(b));
  if (isRequired)
    required.unionSets(getId(a), getId(b));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns the sizes of each dimension of two tensors of one rank; nothing for
/// other values.
SmallVector<SizeClasses::Pair> SizeClasses::pairSizes(Value a, Value b) {
  SmallVector<Pair> pairs;
  if (isRanked(a) && isRanked(b))
    for (int64_t dim = 0, rank = cast<RankedTensorType>(a.getType()).getRank();
         dim < rank; ++dim)
      pairs.push_back({sizes.getSize(a, dim), sizes.getSize(b, dim)});
  return pairs;
}

/// Takes `result` of a branch or a loop to have the shape of a value that is
/// forwarded to it, also where that has no expression in front of the op.
void SizeClasses::define(Value result, Value forwarded) {
  for (const auto &[own, other] : pairSizes(result, forwarded))
    if (own.getConstant())
      require(own, other);
    else
      unite(own, other);
}

/// Requires `forwarded`, which a terminator yields, to have the shape of
/// `value`, which something else defines, if the terminator is reached.
void SizeClasses::forward(Value value, Value forwarded, Operation *terminator) {
  bool isWeak = !isAlwaysReached(terminator) && isExcusable(terminator);
  for (const auto &[own, other] : pairSizes(value, forwarded))
    if (isWeak)
      weak.push_back({own, other, terminator->getParentOp()});
    else
      require(own, other);
}

/// Requires the values that enter a region, its arguments, the values that it
/// yields and the results of its op to have one shape.
void SizeClasses::addControlFlow(Operation *op) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    for (Value result : op->getResults())
      if (auto forwarded = getForwardedValues(result); !forwarded.empty())
        define(result, forwarded.front());
    Operation *yield = op->getRegions().back().front().getTerminator();
    for (auto [yielded, init] :
         llvm::zip(loop.getYieldedValues(), loop.getInits()))
      forward(init, yielded, yield);
  } else if (auto branch = cast<scf::IfOp>(op); branch.getNumResults() != 0) {
    // It may be the other one: but then the checks say that they are equal.
    for (auto [result, then, otherwise] :
         llvm::zip(branch.getResults(), branch.thenYield().getResults(),
                   branch.elseYield().getResults())) {
      define(result, otherwise);
      forward(result, then, branch.thenYield());
    }
  }
}

/// Notes two sizes of which a check that always runs says that they are equal.
void SizeClasses::addCheck(linalg_ext::CheckOp check) {
  auto compare = check.getOk().getDefiningOp<linalg_ext::CompareSizesOp>();
  if (isReached && compare &&
      compare.getPredicate() == linalg_ext::SizePredicate::eq)
    asserted.push_back(
        {sizes.getNumber(compare.getLhs()), sizes.getNumber(compare.getRhs())});
}

void SizeClasses::addOp(Operation *op) {
  isReached = isAlwaysReached(op);
  isExcused = isExcusable(op);
  if (auto check = dyn_cast<linalg_ext::CheckOp>(op))
    return addCheck(check);
  if (isa<LoopLikeOpInterface, scf::IfOp>(op))
    return addControlFlow(op);
  forEachSizeRelation(op, sizes, [&](const SizeRelation &relation) {
    if (!relation.isAtLeast && relation.factors.empty() &&
        relation.unlessZero.empty() && relation.unless.empty())
      require(relation.lhs, relation.rhs);
  });
}

//===----------------------------------------------------------------------===//
// Conclusions from all relations
//===----------------------------------------------------------------------===//

/// Returns true if a check says that the classes of these leaders have one
/// size.
bool SizeClasses::areAsserted(unsigned left, unsigned right) {
  return llvm::any_of(asserted, [&](const Pair &pair) {
    unsigned a = getLeader(pair.first), b = getLeader(pair.second);
    return (a == left && b == right) || (a == right && b == left);
  });
}

/// Returns true if no size of the class of `size` is known in front of `op`:
/// then only code in its regions, or behind it, depends on the class.
bool SizeClasses::isComputedIn(Operation *op, const SizeExpr &size) {
  if (getConstant(size))
    return false;
  for (auto it = checked.findLeader(getId(size)); it != checked.member_end();
       ++it)
    if (sizes.isAvailable(exprs[*it], op))
      return false;
  return true;
}

/// Takes sizes that are forwarded to have those of what receives them if a
/// check requires that in any case, or if they exist only where they are
/// forwarded. Other sizes may differ where the step does not forward them.
void SizeClasses::requireForwarded() {
  for (const auto &[value, forwarded, op] : weak)
    if (areAsserted(getLeader(value), getLeader(forwarded)) ||
        isComputedIn(op, forwarded))
      unite(value, forwarded);
}

/// Unites the classes of sums and products whose parts are equal, such as those
/// of a gradient and its operand. Returns true if that united any classes.
bool SizeClasses::matchParts() {
  llvm::DenseMap<unsigned, SizeExpr> ofClasses;
  auto getPart = [&](unsigned atom) {
    SizeExpr part = SizeExpr::atom(atom);
    if (std::optional<int64_t> constant = getConstant(part))
      return SizeExpr::constant(*constant);
    return ofClasses.try_emplace(getLeader(part), part).first->second;
  };
  std::map<SizeExpr, unsigned> known;
  bool isChanged = false;
  for (unsigned id = 0; id < exprs.size(); ++id) {
    SizeExpr size = exprs[id], parts;
    if (size.getAtom() || size.getConstant())
      continue;
    for (const auto &[monomial, coefficient] : size.getTerms()) {
      SizeExpr product = SizeExpr::constant(coefficient);
      for (unsigned atom : monomial)
        product = product * getPart(atom);
      parts = parts + product;
    }
    if (parts.getConstant())
      continue;
    for (unsigned other :
         {getId(parts), known.try_emplace(parts, id).first->second})
      if (!checked.isEquivalent(id, other)) {
        unite(size, exprs[other]);
        isChanged = true;
      }
  }
  return isChanged;
}
