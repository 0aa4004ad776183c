//===- ExpandDeviceMath.cpp - Functions without a library -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/GPUPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

namespace {
/// Emits arithmetic on numbers of one type.
struct Numbers {
  ImplicitLocOpBuilder &b;
  FloatType type;

  Value number(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, double rhs) {
    return arith::CmpFOp::create(b, predicate, lhs, number(rhs));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
};
} // namespace

/// x^y of f64: exp(y log |x|), and what C says of special values. The relative
/// error is that of the logarithm times |y log x|.
static Value emitPower(ImplicitLocOpBuilder &b, Value x, Value y) {
  using Predicate = arith::CmpFPredicate;
  Numbers f{b, b.getF64Type()};
  Value size = math::AbsFOp::create(b, x);
  Value power = math::ExpOp::create(
      b, arith::MulFOp::create(b, y, math::LogOp::create(b, size)));
  Value half = arith::MulFOp::create(b, y, f.number(0.5));
  Value isWhole =
      arith::CmpFOp::create(b, Predicate::OEQ, math::FloorOp::create(b, y), y);
  Value isOdd = arith::AndIOp::create(
      b, isWhole,
      arith::CmpFOp::create(b, Predicate::UNE, math::FloorOp::create(b, half),
                            half));
  // Also of -0.
  Value sign = math::CopySignOp::create(b, f.number(1), x);
  power = f.select(isOdd, arith::MulFOp::create(b, power, sign), power);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value isNegative =
      arith::AndIOp::create(b, f.compare(Predicate::OLT, x, 0),
                            f.compare(Predicate::OGT, x, -infinity));
  Value isNone = arith::AndIOp::create(
      b, isNegative,
      arith::CmpFOp::create(b, Predicate::ONE, math::FloorOp::create(b, y), y));
  power = f.select(isNone, f.number(std::numeric_limits<double>::quiet_NaN()),
                   power);
  // (-1)^(+-inf) and 1^y and x^0.
  Value isOne = arith::AndIOp::create(
      b, f.compare(Predicate::OEQ, size, 1),
      f.compare(Predicate::OEQ, math::AbsFOp::create(b, y), infinity));
  isOne = arith::OrIOp::create(b, isOne, f.compare(Predicate::OEQ, x, 1));
  isOne = arith::OrIOp::create(b, isOne, f.compare(Predicate::OEQ, y, 0));
  return f.select(isOne, f.number(1), power);
}

/// log(1 + x) of f64: what the sum loses of x, relative to it, is x / (u - 1)
/// for u = 1 + x (Kahan).
static Value emitLog1p(ImplicitLocOpBuilder &b, Value x) {
  using Predicate = arith::CmpFPredicate;
  Numbers f{b, b.getF64Type()};
  Value u = arith::AddFOp::create(b, x, f.number(1));
  Value rest = arith::SubFOp::create(b, u, f.number(1));
  Value log = math::LogOp::create(b, u);
  Value isSmall = f.compare(Predicate::OEQ, rest, 0);
  Value isInfinite =
      f.compare(Predicate::OEQ, u, std::numeric_limits<double>::infinity());
  Value divisor = f.select(isSmall, f.number(1), rest);
  Value exact =
      arith::MulFOp::create(b, log, arith::DivFOp::create(b, x, divisor));
  return f.select(isSmall, x, f.select(isInfinite, log, exact));
}

/// The value of `op` in f64 arithmetic; null for an op that is left alone.
static Value emitWide(ImplicitLocOpBuilder &b, Operation *op,
                      ValueRange operands) {
  if (isa<math::PowFOp>(op))
    return emitPower(b, operands[0], operands[1]);
  return isa<math::Log1pOp>(op) ? emitLog1p(b, operands[0]) : Value();
}

namespace {
struct ExpandDeviceMath
    : flywheel::impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](gpu::LaunchOp launch) {
      launch.walk([&](Operation *op) {
        bool isWideLog =
            isa<math::Log1pOp>(op) && op->getResult(0).getType().isF64();
        if (isa<math::PowFOp, math::RsqrtOp>(op) || isWideLog)
          ops.push_back(op);
      });
    });
    for (Operation *op : ops) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      auto type = cast<FloatType>(op->getResult(0).getType());
      Value result;
      if (isa<math::RsqrtOp>(op)) {
        Value one = arith::ConstantOp::create(b, b.getFloatAttr(type, 1));
        result = arith::DivFOp::create(
            b, one, math::SqrtOp::create(b, op->getOperand(0)));
      } else {
        SmallVector<Value> wide(op->getOperands());
        if (!type.isF64())
          for (Value &operand : wide)
            operand = arith::ExtFOp::create(b, b.getF64Type(), operand);
        result = emitWide(b, op, wide);
        if (!type.isF64())
          result = arith::TruncFOp::create(b, type, result);
      }
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};
} // namespace
