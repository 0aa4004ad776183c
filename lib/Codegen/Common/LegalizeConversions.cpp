//===- LegalizeConversions.cpp - Integers and numbers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: conversions between integers and floating-point numbers. After:
// conversions to integers are of numbers whose integer part is in range, for
// which LLVM and all processors have the same result. Out of range LLVM's
// result is poison: the value depends on the instruction, and so on the
// processor and on whether the element is in a vector. Conversions to bf16
// round once. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "MathEmitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_LEGALIZECONVERSIONS
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

/// Returns the constant `value` of the integer type, or type of vectors,
/// `type`.
static Value buildInteger(OpBuilder &b, Location loc, Type type,
                          const APInt &value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(b, loc, attr);
}

/// Returns the integer of `type` that is nearest to the integer part of `x`,
/// and 0 for a NaN.
template <typename OpT>
static Value emitSaturated(RewriterBase &b, Location loc, Type type, Value x) {
  constexpr bool isSigned = std::is_same_v<OpT, arith::FPToSIOp>;
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto element = cast<FloatType>(getElementTypeOrSelf(x));
  // Both bounds of every type have an exact form in f32, except the highest of
  // long types.
  if (element.getWidth() < 32) {
    element = b.getF32Type();
    x = arith::ExtFOp::create(b, loc, withElement(x.getType(), element), x);
  }
  MathEmitter e(b, loc, x.getType());
  unsigned magnitude = isSigned ? bits - 1 : bits;
  double end = std::ldexp(1.0, magnitude);
  Value lowest = e.number(isSigned ? -end : 0.0);
  APInt highest =
      isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  // A NaN is not greater: it becomes the lowest number here.
  Value inside =
      e.select(e.compare(arith::CmpFPredicate::OGT, x, lowest), x, lowest);
  Value result;
  if (magnitude <= element.getFPMantissaWidth()) {
    Value bound = e.number(end - 1);
    inside = e.select(e.compare(arith::CmpFPredicate::OLT, inside, bound),
                      inside, bound);
    result = OpT::create(b, loc, type, inside);
  } else {
    Value isAbove = e.compare(arith::CmpFPredicate::OGE, x, e.number(end));
    result = OpT::create(b, loc, type, e.select(isAbove, lowest, inside));
    result = e.select(isAbove, buildInteger(b, loc, type, highest), result);
  }
  if (!isSigned)
    return result;
  return e.select(e.compare(arith::CmpFPredicate::UNO, x, x),
                  buildInteger(b, loc, type, APInt::getZero(bits)), result);
}

/// Returns integers of 64 bits. If they have more than 53 bits, the lowest 11
/// are 0, and bit 11 is set if one of them was: rounding to much fewer bits has
/// the same result, and f64 holds them.
static Value emitSticky(MathEmitter &e, Value x, bool isSigned) {
  Type type = x.getType();
  auto number = [&](int64_t value) {
    return buildInteger(e.b, e.b.getLoc(), type, APInt(64, value, true));
  };
  constexpr int64_t kLost = (1 << 11) - 1;
  Value lost = arith::AndIOp::create(e.b, x, number(kLost));
  Value isExact =
      arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, lost, number(0));
  Value kept = arith::AndIOp::create(e.b, x, number(~kLost));
  Value odd = arith::OrIOp::create(e.b, kept, number(kLost + 1));
  // Integers from -2^53 to 2^53 are exact.
  constexpr int64_t kBound = int64_t(1) << 53;
  Value moved =
      isSigned ? arith::AddIOp::create(e.b, x, number(kBound)).getResult() : x;
  Value isShort = arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, moved,
                                        number(isSigned ? 2 * kBound : kBound));
  return e.select(arith::OrIOp::create(e.b, isShort, isExact), x, odd);
}

template <typename OpT> static void saturate(RewriterBase &b, OpT op) {
  b.setInsertionPoint(op);
  b.replaceOp(op, emitSaturated<OpT>(b, op.getLoc(), op.getType(), op.getIn()));
}

template <typename OpT> static void roundOnce(RewriterBase &b, OpT op) {
  Type type = op.getType();
  Value x = op.getIn();
  unsigned bits = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  // To f16 either f32 is exact, or the result infinite.
  if (!getElementTypeOrSelf(type).isBF16() || bits < 32)
    return;
  b.setInsertionPoint(op);
  Type wide = withElement(type, b.getF64Type());
  MathEmitter e(b, op.getLoc(), wide);
  if (bits == 64)
    x = emitSticky(e, x, std::is_same_v<OpT, arith::SIToFPOp>);
  Value number = OpT::create(b, op.getLoc(), wide, x);
  // Makes it a number of f32 whose last bit is set if a lower one was lost:
  // later rounding, or folding, gives the same result as one step.
  constexpr int64_t kLost = (1 << 29) - 1;
  Value bits64 = e.toBits(number);
  Value lost = arith::AndIOp::create(e.b, bits64, e.integer(kLost));
  Value isExact =
      arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, lost, e.integer(0));
  Value kept = arith::AndIOp::create(e.b, bits64, e.integer(~kLost));
  Value odd = arith::OrIOp::create(e.b, kept, e.integer(kLost + 1));
  number = e.fromBits(e.select(isExact, bits64, odd));
  b.replaceOpWithNewOp<arith::TruncFOp>(op, type, number);
}

namespace {
struct LegalizeConversions
    : flywheel::impl::LegalizeConversionsBase<LegalizeConversions> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp,
              arith::UIToFPOp>(op))
        ops.push_back(op);
    });
    IRRewriter b(&getContext());
    for (Operation *op : ops)
      TypeSwitch<Operation *>(op)
          .Case<arith::FPToSIOp, arith::FPToUIOp>(
              [&](auto conversion) { saturate(b, conversion); })
          .Case<arith::SIToFPOp, arith::UIToFPOp>(
              [&](auto conversion) { roundOnce(b, conversion); });
  }
};
} // namespace
