//===- CarryOut.cpp - Checks out of branches and loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves a check behind the branch or loop that it is in; the op yields its
// condition. The op also yields the numbers that the check names: those of the
// first check that failed.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel::linalg_ext;

namespace {
/// Moves one check out of the branch or loop that it is in.
class CheckCarrier {
public:
  CheckCarrier(IRRewriter &rewriter, CheckOp check)
      : b(rewriter), check(check), loc(check.getLoc()), values{check.getOk()} {
    llvm::append_range(values, check.getNumbers());
  }

  /// Moves the check out of the op around it. Returns the new check; null if
  /// that op is neither a branch nor a loop.
  CheckOp carry();

private:
  /// Sets `inner` to the values that `parent` has to yield: the condition, and
  /// the numbers that are defined inside.
  void selectInner(Operation *parent);
  /// Builds the values that are yielded if the check is not reached: true, and
  /// zeros.
  SmallVector<Value> buildDefaults();
  /// Builds the values that an iteration yields from `before`, those of the
  /// previous iteration. The numbers of the first check that fails are kept.
  SmallVector<Value> combine(ValueRange before);
  /// These return the values that replace `inner` behind the op.
  ValueRange carryOutOf(scf::IfOp branch);
  ValueRange carryOutOf(scf::ForOp loop);
  ValueRange carryOutOf(scf::WhileOp loop);

  IRRewriter &b;
  CheckOp check;
  Location loc;
  /// The condition of the check, and its numbers.
  SmallVector<Value> values;
  SmallVector<Value> inner;
};
} // namespace

void CheckCarrier::selectInner(Operation *parent) {
  inner = {values.front()};
  for (Value number : ArrayRef(values).drop_front())
    if (parent->isAncestor(number.getParentBlock()->getParentOp()))
      inner.push_back(number);
}

SmallVector<Value> CheckCarrier::buildDefaults() {
  SmallVector<Value> defaults = {
      arith::ConstantOp::create(b, loc, b.getBoolAttr(true))};
  defaults.append(inner.size() - 1, arith::ConstantIndexOp::create(b, loc, 0));
  return defaults;
}

SmallVector<Value> CheckCarrier::combine(ValueRange before) {
  SmallVector<Value> combined = {
      arith::AndIOp::create(b, loc, before.front(), inner.front())};
  for (auto [number, last] :
       llvm::zip(ArrayRef(inner).drop_front(), before.drop_front()))
    combined.push_back(
        arith::SelectOp::create(b, loc, before.front(), number, last));
  return combined;
}

ValueRange CheckCarrier::carryOutOf(scf::IfOp branch) {
  b.setInsertionPoint(branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, TypeRange(ValueRange(inner)));
  bool isInThen = branch.getThenRegion().isAncestor(check->getParentRegion());
  auto carrying =
      scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  carrying->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  carrying.getThenRegion().takeBody(branch.getThenRegion());
  carrying.getElseRegion().takeBody(branch.getElseRegion());
  if (carrying.getElseRegion().empty()) {
    b.createBlock(&carrying.getElseRegion());
    scf::YieldOp::create(b, loc);
  }
  for (bool isThen : {true, false}) {
    scf::YieldOp yield = isThen ? carrying.thenYield() : carrying.elseYield();
    b.setInsertionPoint(yield);
    SmallVector<Value> yielded = isThen == isInThen ? inner : buildDefaults();
    b.modifyOpInPlace(yield,
                      [&] { yield.getResultsMutable().append(yielded); });
  }
  b.replaceOp(branch, carrying.getResults().drop_back(inner.size()));
  return carrying.getResults().take_back(inner.size());
}

ValueRange CheckCarrier::carryOutOf(scf::ForOp loop) {
  b.setInsertionPoint(loop);
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, buildDefaults(), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> before) {
        return combine(
            llvm::to_vector_of<Value>(before.take_back(inner.size())));
      }));
  return carrying.getResults().take_back(inner.size());
}

/// Carries the check out of a loop that ends when the check fails: its
/// condition may then see any values.
ValueRange CheckCarrier::carryOutOf(scf::WhileOp loop) {
  b.setInsertionPoint(loop);
  bool isInBefore = loop.getBefore().isAncestor(check->getParentRegion());
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, buildDefaults());
  SmallVector<Type> types(loop.getResultTypes());
  auto added = llvm::to_vector_of<Type>(ValueRange(inner).getTypes());
  llvm::append_range(types, added);
  auto carrying = scf::WhileOp::create(b, loop.getLoc(), types, inits);
  carrying->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  carrying.getBefore().takeBody(loop.getBefore());
  carrying.getAfter().takeBody(loop.getAfter());
  auto addArguments = [&](Block *block) {
    auto arguments =
        block->addArguments(added, SmallVector<Location>(added.size(), loc));
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  SmallVector<Value> before = addArguments(carrying.getBeforeBody());
  SmallVector<Value> after = addArguments(carrying.getAfterBody());

  scf::ConditionOp condition = carrying.getConditionOp();
  b.setInsertionPoint(condition);
  if (isInBefore)
    before = combine(before);
  Value goesOn =
      arith::AndIOp::create(b, loc, condition.getCondition(), before.front());
  b.modifyOpInPlace(condition, [&] {
    condition.getConditionMutable().assign(goesOn);
    condition.getArgsMutable().append(before);
  });
  scf::YieldOp yield = carrying.getYieldOp();
  b.setInsertionPoint(yield);
  if (!isInBefore)
    after = combine(after);
  b.modifyOpInPlace(yield, [&] { yield.getResultsMutable().append(after); });
  b.replaceOp(loop, carrying.getResults().drop_back(inner.size()));
  return carrying.getResults().take_back(inner.size());
}

CheckOp CheckCarrier::carry() {
  Operation *parent = check->getParentOp();
  if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent))
    return {};
  selectInner(parent);
  ValueRange outer = TypeSwitch<Operation *, ValueRange>(parent)
                         .Case<scf::IfOp, scf::ForOp, scf::WhileOp>(
                             [&](auto op) { return carryOutOf(op); });
  for (auto [before, after] : llvm::zip_equal(inner, outer))
    llvm::replace(values, before, after);
  b.setInsertionPointAfterValue(values.front());
  auto outside = cast<CheckOp>(b.clone(*check));
  outside->setOperands(values);
  b.eraseOp(check);
  return outside;
}

bool flywheel::linalg_ext::isInControlFlow(Operation *op) {
  while (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op->getParentOp()))
    op = op->getParentOp();
  return isa<func::FuncOp>(op->getParentOp());
}

CheckOp flywheel::linalg_ext::carryOut(IRRewriter &rewriter, CheckOp check) {
  return CheckCarrier(rewriter, check).carry();
}
