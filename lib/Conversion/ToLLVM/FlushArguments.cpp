//===- FlushArguments.cpp - Functions of numbers that count as zero -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: math ops that a C library will compute, in steps that flush denormal
// numbers. After: none has a denormal argument. The library reads the bits of
// such a number, and scales it by a product that is flushed: for 1e-45 it would
// return a cube root of -6e-16 and a logarithm of -104. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FLUSHARGUMENTS
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

/// Returns true if `op` may become a call of the C library, which may look at
/// the bits of its arguments.
static bool isFunction(Operation *op) {
  return isa_and_present<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp,
              math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
              math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp, math::RoundOp,
              math::SqrtOp, math::TruncOp>(op);
}

/// Returns `x`, or the zero of its sign if `x` is denormal.
static Value buildFlushed(ImplicitLocOpBuilder &b, Value x) {
  auto element = cast<FloatType>(getElementTypeOrSelf(x));
  auto number = [&](const APFloat &value) -> Value {
    TypedAttr attr = b.getFloatAttr(element, value);
    if (auto shaped = dyn_cast<ShapedType>(x.getType()))
      attr = DenseElementsAttr::get(shaped, attr);
    return arith::ConstantOp::create(b, attr);
  };
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  Value isSmall = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, x),
      number(APFloat::getSmallestNormalized(semantics)));
  Value zero =
      math::CopySignOp::create(b, number(APFloat::getZero(semantics)), x);
  return arith::SelectOp::create(b, isSmall, zero, x);
}

namespace {
struct FlushArguments : flywheel::impl::FlushArgumentsBase<FlushArguments> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isFunction(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      for (OpOperand &operand : op->getOpOperands()) {
        Type element = getElementTypeOrSelf(operand.get());
        // Numbers of f16 are normal numbers in f32.
        if (isa<BFloat16Type, Float32Type, Float64Type>(element) &&
            !isa<TensorType>(operand.get().getType()))
          operand.set(buildFlushed(b, operand.get()));
      }
    }
  }
};
} // namespace
