//===- CheckNumerics.cpp - The flywheel-check-numerics pass ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op of the source may be several ops here. Numbers that only these use may
// be infinite in elements that a later one of them does not select, so the pass
// only checks numbers that other ops use or that are assigned to variables.
// Runs after autodiff, while locations still distinguish source ops.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHECKNUMERICS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using linalg_ext::CheckKind;
using linalg_ext::CheckOp;
using linalg_ext::createCheck;

/// Returns true if `op` computes numbers, or reads them from a variable.
static bool isSourceOfNumbers(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::FillOp>(op))
    return false;
  return isa<train::ReadOp, train::OptimizerUpdateOpInterface,
             linalg::LinalgOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect, nn::NNDialect>(
             op->getDialect());
}

/// Returns the location of the op in the source that `op` is, or was made for.
static Location getSource(Operation *op) {
  if (auto named = dyn_cast<NameLoc>(op->getLoc()))
    if (isMarkedBackward(named))
      return named.getChildLoc();
  return op->getLoc();
}

/// Returns true if an op from another source op uses a result of `op`, or if a
/// result is assigned to a variable, carried by a loop or yielded. The ops of a
/// derivative may read any value of the op that they differentiate.
static bool isUsedByOthers(Operation *op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return isa<UnknownLoc>(op->getLoc()) || getSource(user) != getSource(op) ||
           isa<train::AssignOp, train::AssignAddOp, train::AssignSubOp,
               LoopLikeOpInterface>(user) ||
           user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Emits an i1 that is true if every element of `tensor` is finite. x - x is 0
/// for finite x, and NaN for infinity and NaN; so is the sum.
static Value emitIsFinite(OpBuilder &b, Location loc, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value zeros = arith::SubFOp::create(b, loc, tensor, tensor);
  Value sum = nn::buildSum(b, loc, zeros, nn::identityDims(rank));
  Value number = tensor::ExtractOp::create(b, loc, sum, ValueRange());
  Value zero =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(number.getType(), 0.0));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, number, zero);
}

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

namespace {
struct CheckNumerics : flywheel::impl::CheckNumericsBase<CheckNumerics> {
  void runOnOperation() override;

private:
  void checkFeeds();
  void check(Operation *op);
  template <typename SumOp>
  void checkSum(Operation *op, FlatSymbolRefAttr variable, Value addend);
};
} // namespace

void CheckNumerics::checkFeeds() {
  func::FuncOp function = getOperation();
  if (!function.isPublic())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (BlockArgument feed : function.getArguments()) {
    if (!isFloatTensor(feed) || feed.use_empty())
      continue;
    std::string message =
        "expected finite numbers in feed '" +
        train::FunctionArgument(function, feed.getArgNumber()).getName() +
        "', found NaN or infinity";
    CheckOp::create(b, function.getLoc(), CheckKind::numerics,
                    emitIsFinite(b, function.getLoc(), feed),
                    b.getStringAttr(message));
    ++numChecks;
  }
}

void CheckNumerics::check(Operation *op) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (!isFloatTensor(result) || result.use_empty())
      continue;
    createCheck(
        b, op, CheckKind::numerics, emitIsFinite(b, op->getLoc(), result),
        isMarkedBackward(op->getLoc())
            ? "expected finite numbers in the gradient, found NaN or infinity"
            : "expected finite numbers, found NaN or infinity");
    ++numChecks;
  }
}

/// Checks the new value of a variable that an op adds to or subtracts from.
template <typename SumOp>
void CheckNumerics::checkSum(Operation *op, FlatSymbolRefAttr variable,
                             Value addend) {
  if (!isFloatTensor(addend))
    return;
  OpBuilder b(op);
  Value old = train::ReadOp::create(b, op->getLoc(), addend.getType(),
                                    variable.getValue());
  Value sum = SumOp::create(b, op->getLoc(), old, addend);
  createCheck(b, op, CheckKind::numerics, emitIsFinite(b, op->getLoc(), sum),
              "expected finite numbers, found NaN or infinity");
  ++numChecks;
}

void CheckNumerics::runOnOperation() {
  SmallVector<Operation *> ops;
  SmallVector<train::AssignAddOp> additions;
  SmallVector<train::AssignSubOp> subtractions;
  getOperation().walk([&](train::AssignAddOp op) { additions.push_back(op); });
  getOperation().walk(
      [&](train::AssignSubOp op) { subtractions.push_back(op); });
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isSourceOfNumbers(op) && isUsedByOthers(op))
      ops.push_back(op);
    // The numbers that the body of a structured op computes are in its result.
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  llvm::for_each(ops, [&](Operation *op) { check(op); });
  for (train::AssignAddOp op : additions)
    checkSum<arith::AddFOp>(op, op.getVariableAttr(), op.getValue());
  for (train::AssignSubOp op : subtractions)
    checkSum<arith::SubFOp>(op, op.getVariableAttr(), op.getValue());
  checkFeeds();
}
