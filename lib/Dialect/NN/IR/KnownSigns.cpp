//===- KnownSigns.cpp - Values that are known to be positive --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/KnownSigns.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace flywheel::nn;

/// The look-up follows both operands of an op.
static constexpr unsigned kMaxDepth = 8;

bool KnownSigns::isPositive(Value value, unsigned depth) const {
  if (isAssumedPositive && isAssumedPositive(value))
    return true;
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return !number.isNaN() && !number.isNegative() && !number.isZero() &&
           !number.isDenormal();
  Operation *op = value.getDefiningOp();
  if (!op || ++depth > kMaxDepth)
    return false;
  if (isa<math::SqrtOp, arith::ExtFOp, BroadcastOp>(op))
    return isPositive(op->getOperand(0), depth);
  if (!isa<arith::AddFOp, arith::MaximumFOp>(op))
    return false;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isa<arith::MaximumFOp>(op))
    return isPositive(lhs, depth) || isPositive(rhs, depth);
  return (isPositive(lhs, depth) && isNonNegative(rhs, depth)) ||
         (isNonNegative(lhs, depth) && isPositive(rhs, depth));
}

bool KnownSigns::isNonNegative(Value value, unsigned depth) const {
  if (isPositive(value, depth) || matchPattern(value, m_AnyZeroFloat()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || ++depth > kMaxDepth)
    return false;
  if (isa<math::SqrtOp, math::AbsFOp>(op))
    return true;
  if (isa<arith::ExtFOp, arith::TruncFOp, BroadcastOp>(op))
    return isNonNegative(op->getOperand(0), depth);
  if (!isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp>(op))
    return false;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isa<arith::MulFOp>(op) && lhs == rhs)
    return true;
  if (isa<arith::MaximumFOp>(op))
    return isNonNegative(lhs, depth) || isNonNegative(rhs, depth);
  return isNonNegative(lhs, depth) && isNonNegative(rhs, depth);
}
