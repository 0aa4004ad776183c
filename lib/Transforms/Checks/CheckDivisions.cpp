//===- CheckDivisions.cpp - The flywheel-check-divisions pass -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHECKDIVISIONS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using flywheel::linalg_ext::CheckKind;
using flywheel::linalg_ext::CheckOp;
using flywheel::linalg_ext::createCheck;

namespace {
/// The known facts about a divisor.
struct Divisor {
  /// True if the other fields are exact: the divisor is constant or positive.
  bool isKnown = false;
  bool mayBeZero = true;
  bool mayBeMinusOne = true;
};
} // namespace

static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp>(op);
}

static bool isDivision(Operation *op) {
  return isSigned(op) ||
         isa<math::IPowIOp, arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(
             op);
}

static Divisor analyzeDivisor(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return {true, number.isZero(), number.isAllOnes()};
  // A value that another check guards is at least 1 here.
  if (auto largest = value.getDefiningOp<arith::MaxSIOp>())
    for (Value operand : largest->getOperands())
      if (matchPattern(operand, m_ConstantInt(&number)) &&
          number.isStrictlyPositive())
        return {true, false, false};
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  Divisor divisor = {true, false, false};
  for (const APInt &element : elements.getValues<APInt>()) {
    divisor.mayBeZero |= element.isZero();
    divisor.mayBeMinusOne |= element.isAllOnes();
  }
  return divisor;
}

/// Emits a scalar or a tensor, as `like` is, of one number.
static Value buildSplat(OpBuilder &b, Location loc, Value like,
                        int64_t number) {
  Type element = getElementTypeOrSelf(like);
  APInt bits(element.isIndex() ? 64 : element.getIntOrFloatBitWidth(), number,
             /*isSigned=*/true, /*implicitTrunc=*/true);
  auto tensor = dyn_cast<RankedTensorType>(like.getType());
  if (tensor && tensor.hasStaticShape())
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(tensor, bits));
  Value scalar =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, bits));
  if (!tensor)
    return scalar;
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, like), element);
  return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
}

/// Emits an i1 that is true if no element of `divisor` is zero.
static Value buildAllNonZero(OpBuilder &b, Location loc, Value divisor) {
  auto type = dyn_cast<RankedTensorType>(divisor.getType());
  Type element = getElementTypeOrSelf(divisor);
  auto isNonZero = [&](OpBuilder &nested, Location nestedLoc, Value value) {
    Value zero = arith::ConstantOp::create(nested, nestedLoc,
                                           nested.getZeroAttr(element));
    return arith::CmpIOp::create(nested, nestedLoc, arith::CmpIPredicate::ne,
                                 value, zero);
  };
  if (!type)
    return isNonZero(b, loc, divisor);
  auto flag = RankedTensorType::get({}, b.getI1Type());
  Value init =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(flag, true));
  int64_t rank = type.getRank();
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  auto all = linalg::GenericOp::create(
      b, loc, TypeRange{flag}, ValueRange{divisor}, ValueRange{init}, maps,
      iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange values) {
        Value ok = isNonZero(nested, nestedLoc, values[0]);
        linalg::YieldOp::create(
            nested, nestedLoc,
            arith::AndIOp::create(nested, nestedLoc, values[1], ok)
                .getResult());
      });
  return tensor::ExtractOp::create(b, loc, all.getResult(0), ValueRange{});
}

namespace {
struct CheckDivisions : flywheel::impl::CheckDivisionsBase<CheckDivisions> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (isDivision(op))
        divisions.push_back(op);
    });
    for (Operation *op : divisions)
      if (failed(rewrite(op)))
        return signalPassFailure();
  }

private:
  LogicalResult rewrite(Operation *op);
  LogicalResult rewritePower(math::IPowIOp op);
  void addCheck(Operation *op);
  void wrapMinusOne(Operation *op);
};
} // namespace

void CheckDivisions::addCheck(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value divisor = op->getOperand(1);
  Value ok = buildAllNonZero(b, loc, divisor);
  CheckOp check = createCheck(b, op, CheckKind::data, ok, "division by zero");
  if (op->getParentOp() == getOperation())
    return;
  // Checked only after all of it has run: divides by 1 in the meantime.
  check.setSafe(true);
  Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       divisor, buildSplat(b, loc, divisor, 0));
  op->setOperand(1, arith::SelectOp::create(b, loc, isZero,
                                            buildSplat(b, loc, divisor, 1),
                                            divisor));
}

/// Replaces divisors of -1 by 1, and the results by the negated dividend, or by
/// a remainder of 0.
void CheckDivisions::wrapMinusOne(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Value minusOne = buildSplat(b, loc, divisor, -1);
  Value isMinusOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           divisor, minusOne);
  Value one = buildSplat(b, loc, divisor, 1);
  op->setOperand(1, arith::SelectOp::create(b, loc, isMinusOne, one, divisor));
  b.setInsertionPointAfter(op);
  Value instead = buildSplat(b, loc, divisor, 0);
  if (!isa<arith::RemSIOp>(op))
    instead = arith::SubIOp::create(b, loc, instead, dividend);
  auto wrapped =
      arith::SelectOp::create(b, loc, isMinusOne, instead, op->getResult(0));
  op->getResult(0).replaceAllUsesExcept(wrapped, wrapped);
}

/// Checks that no 0 is raised to a negative power, which would divide by it.
LogicalResult CheckDivisions::rewritePower(math::IPowIOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  APInt power;
  if (matchPattern(op.getRhs(), m_ConstantInt(&power)) && power.sge(0))
    return success();
  Divisor base = analyzeDivisor(op.getLhs());
  if (base.isKnown && !base.mayBeZero)
    return success();
  Value zero = buildSplat(b, loc, op.getRhs(), 0);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           op.getRhs(), zero);
  Value one = buildSplat(b, loc, op.getLhs(), 1);
  Value divisor = arith::SelectOp::create(b, loc, isNegative, op.getLhs(), one);
  createCheck(b, op, CheckKind::data, buildAllNonZero(b, loc, divisor),
              "division by zero")
      .setSafe(op->getParentOp() != getOperation());
  return success();
}

LogicalResult CheckDivisions::rewrite(Operation *op) {
  if (auto power = dyn_cast<math::IPowIOp>(op))
    return rewritePower(power);
  Divisor divisor = analyzeDivisor(op->getOperand(1));
  if (divisor.isKnown && divisor.mayBeZero)
    return op->emitOpError() << "expected a divisor other than zero";
  if (!divisor.isKnown)
    addCheck(op);
  if (isSigned(op) && divisor.mayBeMinusOne)
    wrapMinusOne(op);
  return success();
}
