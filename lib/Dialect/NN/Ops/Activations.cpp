//===- Activations.cpp - Functions of each element ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult ReluOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                              ArrayRef<bool> needed,
                              MutableArrayRef<Value> operands) {
  Value zero = buildSplat(b, getLoc(), getResult(), 0.0);
  Value positive = arith::CmpFOp::create(b, getLoc(), arith::CmpFPredicate::OGT,
                                         getResult(), zero);
  operands[0] =
      arith::SelectOp::create(b, getLoc(), positive, results[0], zero);
  return success();
}

LogicalResult SigmoidOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  Value one = buildSplat(b, getLoc(), getResult(), 1.0);
  Value rest = arith::SubFOp::create(b, getLoc(), one, getResult());
  Value slope = arith::MulFOp::create(b, getLoc(), getResult(), rest);
  operands[0] = arith::MulFOp::create(b, getLoc(), results[0], slope);
  return success();
}

LogicalResult SoftplusOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                  ArrayRef<bool> needed,
                                  MutableArrayRef<Value> operands) {
  Value slope = SigmoidOp::create(b, getLoc(), getX().getType(), getX());
  operands[0] = arith::MulFOp::create(b, getLoc(), results[0], slope);
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Lowers a function of one number, which `body` computes in the compute type.
template <typename OpTy>
static LogicalResult
lowerUnary(LinalgEmitter &e, OpTy op,
           llvm::function_ref<Value(OpBuilder &, Location, Value)> body) {
  Type type = getElementTypeOrSelf(op.getX());
  Type compute = e.getComputeType(type);
  SmallVector<DimSize> dimSizes = e.getDimSizes(op.getX());
  e.replaceWith(e.map(dimSizes, type, op.getX(), {e.identity(dimSizes.size())},
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        Value x = widen(b, loc, args[0], compute);
                        return narrow(b, loc, body(b, loc, x), type);
                      }));
  return success();
}

LogicalResult ReluOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerUnary(e, *this, [](OpBuilder &b, Location loc, Value x) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 0.0));
    return arith::MaximumFOp::create(b, loc, x, zero);
  });
}

/// Emits 1 / (1 + exp(-x)), which is 1 / inf for a large -x.
LogicalResult SigmoidOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerUnary(e, *this, [](OpBuilder &b, Location loc, Value x) {
    Value one =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 1.0));
    Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
    return arith::DivFOp::create(b, loc, one,
                                 arith::AddFOp::create(b, loc, one, power));
  });
}

/// Emits max(x, 0) + log1p(exp(-|x|)).
LogicalResult SoftplusOp::lowerToLinalg(LinalgEmitter &e) {
  return lowerUnary(e, *this, [](OpBuilder &b, Location loc, Value x) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 0.0));
    Value away = arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, x));
    Value rest =
        math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, away));
    return arith::AddFOp::create(
        b, loc, arith::MaximumFOp::create(b, loc, x, zero), rest);
  });
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

/// Decomposes a function of one number, which `body` emits in the compute type.
static FailureOr<SmallVector<Value>>
decomposeUnary(Operation *op, OpBuilder &b,
               llvm::function_ref<ElementwiseExpr(ElementwiseExpr)> body) {
  Location loc = op->getLoc();
  ElementwiseExpr y = body(widen(b, loc, op->getOperand(0)));
  return SmallVector<Value>{roundTo(b, loc, y, op->getResult(0).getType())};
}

/// Emits alpha (exp(x) - 1) for x that are not positive. No exponential of a
/// large number reaches the derivative, and NaN does.
static ElementwiseExpr emitElu(ElementwiseExpr x, double alpha) {
  ElementwiseExpr isPositive = x > 0.0;
  ElementwiseExpr exponential =
      isPositive.select(x.splat(0.0), x).apply<math::ExpM1Op>();
  if (alpha != 1.0)
    exponential = exponential * alpha;
  return isPositive.select(x, exponential);
}

FailureOr<SmallVector<Value>> GeluOp::decompose(OpBuilder &b) {
  return decomposeUnary(*this, b, [&](ElementwiseExpr x) {
    ElementwiseExpr inner;
    if (getApproximate()) {
      // The result is 1 or -1 beyond, where the cube may be infinite.
      ElementwiseExpr near = x.apply<arith::MaximumFOp>(x.splat(-20.0))
                                 .apply<arith::MinimumFOp>(x.splat(20.0));
      ElementwiseExpr cube = near * near * near;
      inner =
          ((near + cube * 0.044715) * std::sqrt(2.0 * llvm::numbers::inv_pi))
              .apply<math::TanhOp>();
    } else {
      inner = (x * llvm::numbers::inv_sqrt2).apply<math::ErfOp>();
    }
    return x * ((inner + 1.0) * 0.5);
  });
}

FailureOr<SmallVector<Value>> SiluOp::decompose(OpBuilder &b) {
  return decomposeUnary(*this, b, [&](ElementwiseExpr x) {
    return x * x.with(SigmoidOp::create(b, getLoc(), x.getType(), x));
  });
}

FailureOr<SmallVector<Value>> EluOp::decompose(OpBuilder &b) {
  double alpha = getAlpha().convertToDouble();
  return decomposeUnary(*this, b,
                        [&](ElementwiseExpr x) { return emitElu(x, alpha); });
}

FailureOr<SmallVector<Value>> SeluOp::decompose(OpBuilder &b) {
  constexpr double scale = 1.0507009873554804934193349852946;
  constexpr double alpha = 1.6732632423543772848170429916717;
  return decomposeUnary(
      *this, b, [&](ElementwiseExpr x) { return emitElu(x, alpha) * scale; });
}

FailureOr<SmallVector<Value>> LeakyReluOp::decompose(OpBuilder &b) {
  double alpha = getAlpha().convertToDouble();
  return decomposeUnary(*this, b, [&](ElementwiseExpr x) {
    return (x > 0.0).select(x, x * alpha);
  });
}

FailureOr<SmallVector<Value>> Relu6Op::decompose(OpBuilder &b) {
  return decomposeUnary(*this, b, [&](ElementwiseExpr x) {
    // At 6, the derivative goes to the first operand, the constant.
    ElementwiseExpr positive =
        x.with(ReluOp::create(b, getLoc(), x.getType(), x));
    return x.splat(6.0).apply<arith::MinimumFOp>(positive);
  });
}

FailureOr<SmallVector<Value>> HardSigmoidOp::decompose(OpBuilder &b) {
  return decomposeUnary(*this, b, [&](ElementwiseExpr x) {
    return (x * 0.2 + 0.5).apply<math::ClampFOp>(x.splat(0.0), x.splat(1.0));
  });
}

FailureOr<SmallVector<Value>> SoftsignOp::decompose(OpBuilder &b) {
  return decomposeUnary(*this, b, [&](ElementwiseExpr x) {
    ElementwiseExpr size = x.apply<math::AbsFOp>(), one = x.splat(1.0);
    ElementwiseExpr inverse = one / (1.0 + size);
    // The slope is 1 - |y| over 1 + |x|, whose terms cancel far from 0.
    ElementwiseExpr far = (1.0 - inverse).apply<math::CopySignOp>(x);
    ElementwiseExpr isFar = size > 1.0;
    // The product of the other case has no infinite factor.
    return isFar.select(far, isFar.select(x.splat(0.0), x) * inverse);
  });
}
