//===- ExpandAffineDivisions.cpp - Affine divisions by dynamic numbers ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `affine.apply`, `affine.min` and `affine.max` of any map. After: none
// divides by a number that is not constant; those are ops of `arith`, behind a
// check that their divisors are 1 or more. Refuses constant divisors below 1:
// upstream leaves their results undefined, and its folds and lowerings abort.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDAFFINEDIVISIONS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using namespace flywheel::linalg_ext;

static bool isDivision(AffineExpr expr) {
  return expr.getKind() == AffineExprKind::Mod ||
         expr.getKind() == AffineExprKind::FloorDiv ||
         expr.getKind() == AffineExprKind::CeilDiv;
}

namespace {
/// Makes one affine op ops of `arith`.
class AffineExpander {
public:
  AffineExpander(Operation *op, AffineMap map)
      : b(op), op(op), loc(op->getLoc()), map(map) {}

  /// Returns true if a divisor is not constant; fails if one is below 1.
  FailureOr<bool> hasDynamicDivisor();
  Value expand();

private:
  /// Returns the operand that `expr` refers to; null if it is another
  /// expression.
  Value getOperand(AffineExpr expr);
  std::optional<int64_t> getConstant(AffineExpr expr);
  Value emit(AffineExpr expr);
  Value emitDivision(AffineBinaryOpExpr expr);
  Value emitDivisor(AffineExpr expr);

  OpBuilder b;
  Operation *op;
  Location loc;
  AffineMap map;
  llvm::DenseMap<AffineExpr, Value> divisors;
};

struct ExpandAffineDivisions
    : flywheel::impl::ExpandAffineDivisionsBase<ExpandAffineDivisions> {
  void runOnOperation() override;
};
} // namespace

Value AffineExpander::getOperand(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return op->getOperand(dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return op->getOperand(map.getNumDims() + symbol.getPosition());
  return {};
}

/// Returns the constant value of `expr`, whose sums and products wrap.
/// Upstream's folds would divide by 0.
std::optional<int64_t> AffineExpander::getConstant(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (Value operand = getOperand(expr))
    return getConstantIntValue(operand);
  if (isDivision(expr))
    return std::nullopt;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = getConstant(binary.getLHS()),
                         rhs = getConstant(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  auto x = static_cast<uint64_t>(*lhs), y = static_cast<uint64_t>(*rhs);
  return static_cast<int64_t>(expr.getKind() == AffineExprKind::Add ? x + y
                                                                    : x * y);
}

FailureOr<bool> AffineExpander::hasDynamicDivisor() {
  bool isDynamic = false, isValid = true;
  for (AffineExpr result : map.getResults())
    result.walk([&](AffineExpr expr) {
      if (!isDivision(expr) || !isValid)
        return;
      std::optional<int64_t> divisor =
          getConstant(cast<AffineBinaryOpExpr>(expr).getRHS());
      isDynamic |= !divisor;
      isValid = !divisor || *divisor >= 1;
      if (!isValid)
        op->emitOpError() << "expected a divisor of 1 or more, found "
                          << *divisor;
    });
  if (!isValid)
    return failure();
  return isDynamic;
}

/// Emits a check of `expr`, and returns a value of at least 1 that replaces it,
/// because the check may run after the op.
Value AffineExpander::emitDivisor(AffineExpr expr) {
  Value divisor = emit(expr);
  if (getConstant(expr))
    return divisor;
  Value &checked = divisors[expr];
  if (checked)
    return checked;
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value ok = CompareSizesOp::create(b, loc, SizePredicate::ge, divisor, one);
  bool isNested = !isa<func::FuncOp>(op->getParentOp());
  NamedNumbers numbers;
  std::string found =
      isInControlFlow(op) ? ", found " + numbers.add(divisor) : "";
  createCheck(b, op, CheckKind::data, ok,
              "expected a divisor of 1 or more" + found, "", numbers)
      .setSafe(isNested);
  return checked = arith::MaxSIOp::create(b, loc, divisor, one);
}

Value AffineExpander::emitDivision(AffineBinaryOpExpr expr) {
  Value lhs = emit(expr.getLHS()), rhs = emitDivisor(expr.getRHS());
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return arith::CeilDivSIOp::create(b, loc, lhs, rhs);
  Value quotient = arith::FloorDivSIOp::create(b, loc, lhs, rhs);
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return quotient;
  // A remainder is never negative.
  Value whole = arith::MulIOp::create(b, loc, quotient, rhs);
  return arith::SubIOp::create(b, loc, lhs, whole);
}

Value AffineExpander::emit(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  if (Value operand = getOperand(expr))
    return operand;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (isDivision(expr))
    return emitDivision(binary);
  Value lhs = emit(binary.getLHS()), rhs = emit(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(b, loc, lhs, rhs);
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

Value AffineExpander::expand() {
  Value value;
  for (AffineExpr result : map.getResults()) {
    Value next = emit(result);
    if (!value)
      value = next;
    else if (isa<affine::AffineMinOp>(op))
      value = arith::MinSIOp::create(b, loc, value, next);
    else
      value = arith::MaxSIOp::create(b, loc, value, next);
  }
  return value;
}

void ExpandAffineDivisions::runOnOperation() {
  SmallVector<std::pair<Operation *, AffineMap>> ops;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
      ops.push_back({op, apply.getAffineMap()});
    else if (auto min = dyn_cast<affine::AffineMinOp>(op))
      ops.push_back({op, min.getMap()});
    else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
      ops.push_back({op, max.getMap()});
  });
  // Not any number can be an operand of an affine op.
  llvm::DenseSet<Value> expanded;
  for (auto [op, map] : ops) {
    AffineExpander expander(op, map);
    FailureOr<bool> isDynamic = expander.hasDynamicDivisor();
    if (failed(isDynamic))
      return signalPassFailure();
    if (!*isDynamic && llvm::none_of(op->getOperands(), [&](Value operand) {
          return expanded.contains(operand);
        }))
      continue;
    Value value = expander.expand();
    expanded.insert(value);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    ++numExpanded;
  }
}
