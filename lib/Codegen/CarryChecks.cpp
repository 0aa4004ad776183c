//===- CarryChecks.cpp - The flywheel-carry-checks pass -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `cf.assert` anywhere. After: those marked `linalg_ext.safe` are at
// the top level of the function, behind the branches and loops that they were
// in, which pass on whether they were true. Refuses nothing: what can carry no
// result keeps its checks.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "CarryChecks.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CARRYCHECKS
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using flywheel::linalg_ext::LinalgExtDialect;

static Value buildTrue(OpBuilder &b, Location loc) {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
}

/// Passes what `check` found out of the branch that it is in: true where the
/// other one is taken.
static Value carryOutOfBranch(IRRewriter &rewriter, cf::AssertOp check,
                              scf::IfOp branch) {
  rewriter.setInsertionPoint(branch);
  Location loc = check.getLoc();
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(rewriter.getI1Type());
  bool isInThen = branch.getThenRegion().isAncestor(check->getParentRegion());
  auto carrying =
      scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  carrying.getThenRegion().takeBody(branch.getThenRegion());
  carrying.getElseRegion().takeBody(branch.getElseRegion());
  if (carrying.getElseRegion().empty()) {
    rewriter.createBlock(&carrying.getElseRegion());
    scf::YieldOp::create(rewriter, loc);
  }
  for (bool isThen : {true, false}) {
    scf::YieldOp yield = isThen ? carrying.thenYield() : carrying.elseYield();
    rewriter.setInsertionPoint(yield);
    Value ok = isThen == isInThen ? check.getArg() : buildTrue(rewriter, loc);
    rewriter.modifyOpInPlace(yield,
                             [&] { yield.getResultsMutable().append(ok); });
  }
  rewriter.replaceOp(branch, carrying.getResults().drop_back());
  return carrying.getResults().back();
}

/// Carries from iteration to iteration whether `check` has been true so far.
static Value carryOutOfLoop(IRRewriter &rewriter, cf::AssertOp check,
                            scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  Value yes = buildTrue(rewriter, check.getLoc());
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, yes, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>{arith::AndIOp::create(
            b, check.getLoc(), arguments.front(), check.getArg())};
      }));
  return carrying.getResults().back();
}

/// As for a counted loop. The loop ends where the check is false: what the
/// condition then sees may be anything.
static Value carryOutOfWhile(IRRewriter &rewriter, cf::AssertOp check,
                             scf::WhileOp loop) {
  rewriter.setInsertionPoint(loop);
  Location loc = check.getLoc();
  Type flag = rewriter.getI1Type();
  bool isInBefore = loop.getBefore().isAncestor(check->getParentRegion());
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(buildTrue(rewriter, loc));
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(flag);
  auto carrying = scf::WhileOp::create(rewriter, loop.getLoc(), types, inits);
  carrying.getBefore().takeBody(loop.getBefore());
  carrying.getAfter().takeBody(loop.getAfter());
  Value before = carrying.getBeforeBody()->addArgument(flag, loc);
  Value after = carrying.getAfterBody()->addArgument(flag, loc);

  scf::ConditionOp condition = carrying.getConditionOp();
  rewriter.setInsertionPoint(condition);
  if (isInBefore)
    before = arith::AndIOp::create(rewriter, loc, before, check.getArg());
  Value goesOn =
      arith::AndIOp::create(rewriter, loc, condition.getCondition(), before);
  rewriter.modifyOpInPlace(condition, [&] {
    condition.getConditionMutable().assign(goesOn);
    condition.getArgsMutable().append(before);
  });
  scf::YieldOp yield = carrying.getYieldOp();
  rewriter.setInsertionPoint(yield);
  if (!isInBefore)
    after = arith::AndIOp::create(rewriter, loc, after, check.getArg());
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getResultsMutable().append(after); });
  rewriter.replaceOp(loop, carrying.getResults().drop_back());
  return carrying.getResults().back();
}

cf::AssertOp flywheel::carryOut(IRRewriter &rewriter, cf::AssertOp check) {
  Operation *parent = check->getParentOp();
  Value ok;
  if (auto branch = dyn_cast<scf::IfOp>(parent))
    ok = carryOutOfBranch(rewriter, check, branch);
  else if (auto loop = dyn_cast<scf::ForOp>(parent))
    ok = carryOutOfLoop(rewriter, check, loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(parent))
    ok = carryOutOfWhile(rewriter, check, loop);
  else
    return {};
  rewriter.setInsertionPointAfterValue(ok);
  auto outside =
      cf::AssertOp::create(rewriter, check.getLoc(), ok, check.getMsgAttr());
  outside->setDiscardableAttrs(check->getDiscardableAttrDictionary());
  rewriter.eraseOp(check);
  return outside;
}

namespace {
struct CarryChecks : flywheel::impl::CarryChecksBase<CarryChecks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<cf::AssertOp> checks;
    getOperation().walk([&](cf::AssertOp check) {
      if (check->hasAttr(LinalgExtDialect::getSafeAttrName()))
        checks.push_back(check);
    });
    // Each comes right behind the op it was in: the last ones first, so that
    // they keep their order.
    for (cf::AssertOp check : llvm::reverse(checks))
      while (check && check->getParentOp() != getOperation())
        if ((check = flywheel::carryOut(rewriter, check)))
          ++numCarried;
  }
};
} // namespace
