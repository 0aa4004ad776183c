//===- Arith.cpp - Derivative rules of the arith dialect ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If both operands of a maximum or minimum are equal, the derivative goes to
// the first operand. Quotients follow IEEE: x / 0 has the derivative 1 / 0.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel {

namespace {
/// Emits trunc(a / b), the multiple of b that a remainder takes off, from the
/// remainder. The quotient itself may round up to the next integer: 0.7 / 0.1
/// is 7 in f32, and 0.7 has the remainder 0.1. The difference of a and the
/// remainder is a multiple of b but for rounding. For types below f32, f32
/// holds that multiple exactly.
struct TruncatedQuotient {
  static Value create(OpBuilder &b, Location loc, Value dividend,
                      Value remainder, Value divisor) {
    ElementwiseExpr terms[] = {
        {b, loc, dividend}, {b, loc, remainder}, {b, loc, divisor}};
    for (ElementwiseExpr &term : terms)
      term = widen(term);
    ElementwiseExpr quotient =
        ((terms[0] - terms[1]) / terms[2]).apply<math::RoundEvenOp>();
    return narrow(quotient, {b, loc, dividend});
  }
};
} // namespace

ArrayRef<DerivativeRule> getArithRules() {
  // clang-format off
  static const DerivativeRule rules[] = {
    elementwise<arith::AddFOp>([](In i) { return i.g; }, [](In i) { return i.g; }),
    elementwise<arith::SubFOp>([](In i) { return i.g; }, [](In i) { return -i.g; }),
    elementwise<arith::MulFOp>([](In i) { return i.g * i.b; }, [](In i) { return i.g * i.a; }),
    elementwise<arith::DivFOp>([](In i) { return i.g / i.b; }, [](In i) { return -(i.g / i.b * i.y); }),
    elementwise<arith::RemFOp>([](In i) { return i.g; }, [](In i) { return -(i.g * i.a.apply<TruncatedQuotient>(i.y, i.b)); }),
    elementwise<arith::NegFOp>([](In i) { return -i.g; }),
    elementwise<arith::MaximumFOp>([](In i) { return keepIf(i.a >= i.b, i.g); }, [](In i) { return dropIf(i.a >= i.b, i.g); }),
    elementwise<arith::MinimumFOp>([](In i) { return keepIf(i.a <= i.b, i.g); }, [](In i) { return dropIf(i.a <= i.b, i.g); }),
    // These return the other operand if one is NaN.
    elementwise<arith::MaxNumFOp>([](In i) { return keepIf(i.a == i.y, i.g); }, [](In i) { return dropIf(i.a == i.y, i.g); }),
    elementwise<arith::MinNumFOp>([](In i) { return keepIf(i.a == i.y, i.g); }, [](In i) { return dropIf(i.a == i.y, i.g); }),
    elementwise<arith::SelectOp>(nullptr, [](In i) { return keepIf(i.a, i.g); }, [](In i) { return dropIf(i.a, i.g); }),
    elementwise<arith::ExtFOp>([](In i) { return i.g.convert<arith::TruncFOp>(i.x); }),
    elementwise<arith::TruncFOp>([](In i) { return i.g.convert<arith::ExtFOp>(i.x); }),
  };
  // clang-format on
  return rules;
}

} // namespace flywheel
