//===- ScanStep.cpp - One step of a running sum ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/ScanStep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using flywheel::linalg_ext::ScanKind;
using flywheel::linalg_ext::ScanOp;

namespace flywheel {

Value emitScanNeutral(OpBuilder &b, ScanOp op) {
  Location loc = op.getLoc();
  Type type = getElementTypeOrSelf(op.getInit());
  switch (op.getKind()) {
  case ScanKind::add:
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  case ScanKind::mul:
    return arith::ConstantOp::create(b, loc, b.getOneAttr(type));
  case ScanKind::logaddexp: {
    auto lowest = APFloat::getInf(cast<FloatType>(type).getFloatSemantics(),
                                  /*Negative=*/true);
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, lowest));
  }
  }
  llvm_unreachable("unknown kind of scan");
}

/// Returns log(exp(lhs) + exp(rhs)).
static Value emitLogAddExp(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  // max + log1p(exp(-|lhs - rhs|)): the exponential is at most 1. The
  // difference of two equal infinities is 0, not NaN.
  Value max = arith::MaximumFOp::create(b, loc, lhs, rhs);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(lhs.getType()));
  Value isEqual =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, lhs, rhs);
  Value difference = arith::SubFOp::create(b, loc, lhs, rhs);
  Value distance = math::AbsFOp::create(b, loc, difference);
  distance = arith::SelectOp::create(b, loc, isEqual, zero, distance);
  Value exponent = arith::NegFOp::create(b, loc, distance);
  Value share = math::ExpOp::create(b, loc, exponent);
  return arith::AddFOp::create(b, loc, max,
                               math::Log1pOp::create(b, loc, share));
}

Value emitScanStep(OpBuilder &b, ScanOp op, Value before, Value element) {
  Location loc = op.getLoc();
  bool isFloat = isa<FloatType>(before.getType());
  switch (op.getKind()) {
  case ScanKind::add:
    if (isFloat)
      return arith::AddFOp::create(b, loc, before, element);
    return arith::AddIOp::create(b, loc, before, element);
  case ScanKind::mul:
    if (isFloat)
      return arith::MulFOp::create(b, loc, before, element);
    return arith::MulIOp::create(b, loc, before, element);
  case ScanKind::logaddexp:
    return emitLogAddExp(b, loc, before, element);
  }
  llvm_unreachable("unknown kind of scan");
}

} // namespace flywheel
