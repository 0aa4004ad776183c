//===- LiftChecks.cpp - The flywheel-lift-checks pass ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: checks anywhere, also in the bodies of `linalg` ops on tensors
// and of `tensor.generate`. After: no such body has one. Before each such op, a
// reduction over its elements computes whether all of them pass, and a
// check with the same message and location checks the result. Checks
// inside of branches and loops are then marked as safe to delay. Refuses
// conditions that depend on elements that the op itself has computed.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LIFTCHECKS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using flywheel::linalg_ext::CheckOp;

/// Returns true if every loop of `maps` is a dimension of an operand.
static bool haveBounds(ArrayRef<AffineMap> maps) {
  return inversePermutation(concatAffineMaps(maps, maps[0].getContext())) !=
         AffineMap();
}

namespace {
/// Makes the condition of a check in the body of a linalg op one number.
class CheckLifter {
public:
  CheckLifter(IRRewriter &rewriter, linalg::LinalgOp op, CheckOp check)
      : b(rewriter), op(op), check(check) {}

  LogicalResult lift();

private:
  /// Returns true if the condition reads an element of `operand`, a
  /// destination.
  bool readsDestination();
  linalg::GenericOp buildReduction();

  IRRewriter &b;
  linalg::LinalgOp op;
  CheckOp check;
  /// The ops of the body that compute the condition, in order.
  llvm::SetVector<Operation *> slice;
};

struct LiftChecks : flywheel::impl::LiftChecksBase<LiftChecks> {
  void runOnOperation() override;

private:
  LogicalResult lift(IRRewriter &rewriter, CheckOp check);
};
} // namespace

bool CheckLifter::readsDestination() {
  auto isDestination = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == op.getBlock() &&
           op.isDpsInit(op.getMatchingOpOperand(argument));
  };
  if (isDestination(check.getOk()))
    return true;
  for (Operation *inner : slice) {
    WalkResult found = inner->walk([&](Operation *nested) {
      return llvm::any_of(nested->getOperands(), isDestination)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

linalg::GenericOp CheckLifter::buildReduction() {
  Location loc = check.getLoc();
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  SmallVector<Value> inputs = op.getDpsInputs();
  // The destinations determine the loop bounds that no input determines.
  if (maps.empty() || !haveBounds(maps))
    for (OpOperand &init : op.getDpsInitsMutable()) {
      maps.push_back(op.getMatchingIndexingMap(&init));
      inputs.push_back(init.get());
    }
  auto flag = RankedTensorType::get({}, b.getI1Type());
  Value yes =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(flag, true));
  maps.push_back(AffineMap::get(op.getNumLoops(), 0, b.getContext()));
  SmallVector<utils::IteratorType> iterators(op.getNumLoops(),
                                             utils::IteratorType::reduction);
  return linalg::GenericOp::create(
      b, loc, TypeRange{flag}, inputs, ValueRange{yes}, maps, iterators,
      [&](OpBuilder &nested, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getRegionInputArgs(),
                    arguments.take_front(op.getNumDpsInputs()));
        for (Operation *inner : slice)
          nested.clone(*inner, mapping);
        Value all =
            arith::AndIOp::create(nested, loc, arguments.back(),
                                  mapping.lookupOrDefault(check.getOk()));
        linalg::YieldOp::create(nested, loc, all);
      });
}

/// Makes the texts of `check` ones without numbers: the numbers of one element
/// that fails are not kept.
static void dropNumbers(CheckOp check) {
  auto withoutNumbers = [&](StringAttr text) {
    std::string result = text.str();
    for (char &c : result)
      if (c >= 1 && static_cast<size_t>(c) <= check.getNumbers().size())
        c = '?';
    return StringAttr::get(check.getContext(), result);
  };
  check.setExpectedAttr(withoutNumbers(check.getExpectedAttr()));
  if (check.getFoundAttr())
    check.setFoundAttr(withoutNumbers(check.getFoundAttr()));
  check.getNumbersMutable().clear();
}

LogicalResult CheckLifter::lift() {
  if (!op.hasPureTensorSemantics())
    return check.emitOpError()
           << "expected '" << op->getName() << "' around it to be of tensors";
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *inner) {
    return inner->getBlock() == op.getBlock();
  };
  if (failed(getBackwardSlice(check.getOk(), &slice, options)))
    return check.emitOpError() << "expected a condition of its own operands";
  if (readsDestination())
    return check.emitOpError()
           << "expected a condition of inputs and indices of '" << op->getName()
           << "', found one of what it has computed before";
  b.setInsertionPoint(op);
  linalg::GenericOp all = buildReduction();
  Value ok = tensor::ExtractOp::create(b, check.getLoc(), all.getResult(0),
                                       ValueRange{});
  auto lifted = cast<CheckOp>(b.clone(*check));
  lifted.getOkMutable().assign(ok);
  dropNumbers(lifted);
  if (!isa<func::FuncOp>(lifted->getParentOp()))
    lifted.setSafe(true);
  b.eraseOp(check);
  return success();
}

/// Returns the op around `check`, below the function, that is neither a branch
/// nor a loop; null if there is none.
static Operation *findBody(CheckOp check) {
  Operation *parent = check->getParentOp();
  while (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent))
    parent = parent->getParentOp();
  return isa<func::FuncOp>(parent) ? nullptr : parent;
}

LogicalResult LiftChecks::lift(IRRewriter &rewriter, CheckOp check) {
  Operation *body = findBody(check);
  if (!body) {
    // The ops that a check guards are safe without it: every access has its own
    // check.
    if (check->getParentOp() != getOperation())
      check.setSafe(true);
    return success();
  }
  auto refuse = [&] {
    return check.emitOpError()
           << "expected it in a function, a branch, a loop or the body of a "
              "'linalg' op, found it in '"
           << body->getName() << "'";
  };
  auto op = dyn_cast<linalg::LinalgOp>(body);
  if (!op)
    return refuse();
  while (check && check->getParentOp() != body)
    check = flywheel::linalg_ext::carryOut(rewriter, check);
  if (!check)
    return refuse();
  if (failed(CheckLifter(rewriter, op, check).lift()))
    return failure();
  ++numLifted;
  return success();
}

void LiftChecks::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<tensor::GenerateOp> generated;
  getOperation().walk([&](CheckOp check) {
    auto generate = check->getParentOfType<tensor::GenerateOp>();
    if (generate && !llvm::is_contained(generated, generate))
      generated.push_back(generate);
  });
  for (tensor::GenerateOp op : generated) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::rewriteInDestinationPassingStyle(rewriter, op)))
      return signalPassFailure();
  }
  SmallVector<CheckOp> checks;
  getOperation().walk([&](CheckOp check) { checks.push_back(check); });
  for (CheckOp check : checks)
    if (failed(lift(rewriter, check)))
      return signalPassFailure();
}
