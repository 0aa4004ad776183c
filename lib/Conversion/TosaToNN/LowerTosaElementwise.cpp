//===- LowerTosaElementwise.cpp - tosa ops that others here stand for -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops, reductions and products become `arith`, `math` and `nn` ops
// on tensors, which have derivative rules and whose dynamic dimension sizes are
// checked. A size stretches only if its type is 1, as for `nn.broadcast`;
// upstream's lowering would decide between branches at run time.
//
//===----------------------------------------------------------------------===//

#include "ConvertTosa.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

/// Returns true if every element of the constant `value` is zero.
static bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// Returns `operands` broadcast to their common shape; empty if they are not
/// ranked tensors of one rank whose sizes fit.
static SmallVector<Value> broadcast(OpBuilder &b, Location loc,
                                    ValueRange operands) {
  SmallVector<int64_t> shape;
  SmallVector<std::pair<Value, int64_t>> sources;
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return {};
    if (shape.empty()) {
      shape.assign(type.getRank(), 1);
      sources.assign(type.getRank(), {});
    }
    if (type.getRank() != static_cast<int64_t>(shape.size()))
      return {};
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (size == 1)
        continue;
      if (!ShapedType::isDynamic(size) && shape[dim] > 1 && shape[dim] != size)
        return {};
      if (shape[dim] == 1 || !ShapedType::isDynamic(size)) {
        shape[dim] = size;
        sources[dim] = {operand, static_cast<int64_t>(dim)};
      }
    }
  }
  SmallVector<Value> results;
  Value like;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType()).clone(shape);
    // Only a static size of 1 stretches: a dynamic size equals that of `shape`,
    // or is checked to.
    bool stretches = llvm::any_of(
        llvm::zip(cast<RankedTensorType>(operand.getType()).getShape(), shape),
        [](auto sizes) {
          return std::get<0>(sizes) == 1 && std::get<1>(sizes) != 1;
        });
    if (!stretches) {
      results.push_back(nn::buildCast(b, loc, operand, type));
      continue;
    }
    if (!like && !cast<RankedTensorType>(type).hasStaticShape()) {
      SmallVector<Value> sizes;
      for (auto [dim, size] : llvm::enumerate(shape))
        if (ShapedType::isDynamic(size))
          sizes.push_back(tensor::DimOp::create(b, loc, sources[dim].first,
                                                sources[dim].second));
      like =
          tensor::EmptyOp::create(b, loc, shape, type.getElementType(), sizes);
    }
    results.push_back(nn::BroadcastOp::create(
        b, loc, type, operand, like, nn::identityDims(type.getRank())));
  }
  return results;
}

/// Emits `FloatOp` or `IntOp`, depending on the elements.
template <typename FloatOp, typename IntOp>
static Value emitEither(OpBuilder &b, Location loc, ValueRange args) {
  if (isFloat(args[0]))
    return FloatOp::create(b, loc, args[0], args[1]);
  return IntOp::create(b, loc, args[0], args[1]);
}

template <typename FloatOp>
static Value emitFloat(OpBuilder &b, Location loc, ValueRange args) {
  return isFloat(args[0]) ? Value(FloatOp::create(b, loc, args[0])) : Value();
}

static Value emitComparison(OpBuilder &b, Location loc,
                            arith::CmpFPredicate ofFloats,
                            arith::CmpIPredicate ofInts, ValueRange args) {
  if (isFloat(args[0]))
    return arith::CmpFOp::create(b, loc, ofFloats, args[0], args[1]);
  return arith::CmpIOp::create(b, loc, ofInts, args[0], args[1]);
}

/// Widens a and b, of integers, to the element type of the result.
static Value emitProduct(OpBuilder &b, tosa::MulOp op, ValueRange args) {
  Location loc = op.getLoc();
  if (!isZero(op.getShift()))
    return {};
  if (isFloat(args[0]))
    return arith::MulFOp::create(b, loc, args[0], args[1]);
  Type element = getElementTypeOrSelf(op.getOutput());
  auto widen = [&](Value x) -> Value {
    if (getElementTypeOrSelf(x) == element)
      return x;
    return arith::ExtSIOp::create(
        b, loc, cast<RankedTensorType>(x.getType()).clone(element), x);
  };
  return arith::MulIOp::create(b, loc, widen(args[0]), widen(args[1]));
}

/// Returns a tensor like `like` with every element equal to `value`.
static Value emitSplat(OpBuilder &b, Location loc, Value like,
                       Attribute value) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, value));
  auto scalar = DenseElementsAttr::get(
      RankedTensorType::get({}, type.getElementType()), value);
  return nn::buildBroadcast(b, loc, arith::ConstantOp::create(b, loc, scalar),
                            {}, like);
}

static Value emitClamp(OpBuilder &b, tosa::ClampOp op, Value x) {
  Location loc = op.getLoc();
  Value low = emitSplat(b, loc, x, op.getMinVal());
  Value high = emitSplat(b, loc, x, op.getMaxVal());
  if (isFloat(x)) {
    if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
      return {};
    Value atLeast = arith::MaximumFOp::create(b, loc, x, low);
    return arith::MinimumFOp::create(b, loc, atLeast, high);
  }
  return arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, x, low),
                                high);
}

template <typename OpT, typename Quiet, typename Loud, typename IntOp>
static Value emitExtremum(OpBuilder &b, OpT op, ValueRange args) {
  if (op.getNanMode() == tosa::NanPropagationMode::IGNORE)
    return emitEither<Quiet, IntOp>(b, op.getLoc(), args);
  return emitEither<Loud, IntOp>(b, op.getLoc(), args);
}

static Value emitNot(OpBuilder &b, Location loc, Value x) {
  Type element = getElementTypeOrSelf(x);
  Value ones = emitSplat(
      b, loc, x,
      b.getIntegerAttr(element,
                       APInt::getAllOnes(element.getIntOrFloatBitWidth())));
  return arith::XOrIOp::create(b, loc, x, ones);
}

static Value emitReciprocal(OpBuilder &b, Location loc, Value x) {
  if (!isFloat(x))
    return {};
  return arith::DivFOp::create(b, loc, nn::buildSplat(b, loc, x, 1.0), x);
}

/// Emits the ops for `op` on operands of one shape; returns null if upstream's
/// lowering is to be used.
static Value emitElementwise(OpBuilder &b, Operation *op, ValueRange args) {
  using arith::CmpFPredicate;
  using arith::CmpIPredicate;
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tosa::AddOp) {
        return emitEither<arith::AddFOp, arith::AddIOp>(b, loc, args);
      })
      .Case([&](tosa::SubOp) {
        return emitEither<arith::SubFOp, arith::SubIOp>(b, loc, args);
      })
      .Case([&](tosa::MulOp mul) { return emitProduct(b, mul, args); })
      .Case([&](tosa::PowOp) {
        return isFloat(args[0])
                   ? Value(math::PowFOp::create(b, loc, args[0], args[1]))
                   : Value();
      })
      .Case([&](tosa::MaximumOp most) {
        return emitExtremum<tosa::MaximumOp, arith::MaxNumFOp,
                            arith::MaximumFOp, arith::MaxSIOp>(b, most, args);
      })
      .Case([&](tosa::MinimumOp least) {
        return emitExtremum<tosa::MinimumOp, arith::MinNumFOp,
                            arith::MinimumFOp, arith::MinSIOp>(b, least, args);
      })
      .Case([&](tosa::IntDivOp) {
        return arith::DivSIOp::create(b, loc, args[0], args[1]);
      })
      .Case<tosa::BitwiseAndOp, tosa::LogicalAndOp>(
          [&](auto) { return arith::AndIOp::create(b, loc, args[0], args[1]); })
      .Case<tosa::BitwiseOrOp, tosa::LogicalOrOp>(
          [&](auto) { return arith::OrIOp::create(b, loc, args[0], args[1]); })
      .Case<tosa::BitwiseXorOp, tosa::LogicalXorOp>(
          [&](auto) { return arith::XOrIOp::create(b, loc, args[0], args[1]); })
      .Case<tosa::BitwiseNotOp, tosa::LogicalNotOp>(
          [&](auto) { return emitNot(b, loc, args[0]); })
      .Case([&](tosa::LogicalLeftShiftOp) {
        return arith::ShLIOp::create(b, loc, args[0], args[1]);
      })
      .Case([&](tosa::LogicalRightShiftOp) {
        return arith::ShRUIOp::create(b, loc, args[0], args[1]);
      })
      .Case([&](tosa::ArithmeticRightShiftOp shift) {
        return shift.getRound()
                   ? Value()
                   : Value(arith::ShRSIOp::create(b, loc, args[0], args[1]));
      })
      .Case([&](tosa::EqualOp) {
        return emitComparison(b, loc, CmpFPredicate::OEQ, CmpIPredicate::eq,
                              args);
      })
      .Case([&](tosa::GreaterOp) {
        return emitComparison(b, loc, CmpFPredicate::OGT, CmpIPredicate::sgt,
                              args);
      })
      .Case([&](tosa::GreaterEqualOp) {
        return emitComparison(b, loc, CmpFPredicate::OGE, CmpIPredicate::sge,
                              args);
      })
      .Case([&](tosa::SelectOp) {
        return arith::SelectOp::create(b, loc, args[0], args[1], args[2]);
      })
      .Case([&](tosa::ClampOp clamp) { return emitClamp(b, clamp, args[0]); })
      .Case([&](tosa::AbsOp) {
        return isFloat(args[0]) ? Value(math::AbsFOp::create(b, loc, args[0]))
                                : Value(math::AbsIOp::create(b, loc, args[0]));
      })
      .Case([&](tosa::NegateOp negate) {
        return isZero(negate.getInput1Zp()) && isZero(negate.getOutputZp())
                   ? emitFloat<arith::NegFOp>(b, loc, args)
                   : Value();
      })
      .Case([&](tosa::ReciprocalOp) { return emitReciprocal(b, loc, args[0]); })
      .Case([&](tosa::CeilOp) { return emitFloat<math::CeilOp>(b, loc, args); })
      .Case(
          [&](tosa::FloorOp) { return emitFloat<math::FloorOp>(b, loc, args); })
      .Case([&](tosa::ExpOp) { return emitFloat<math::ExpOp>(b, loc, args); })
      .Case([&](tosa::LogOp) { return emitFloat<math::LogOp>(b, loc, args); })
      .Case([&](tosa::SinOp) { return emitFloat<math::SinOp>(b, loc, args); })
      .Case([&](tosa::CosOp) { return emitFloat<math::CosOp>(b, loc, args); })
      .Case([&](tosa::ErfOp) { return emitFloat<math::ErfOp>(b, loc, args); })
      .Case([&](tosa::TanhOp) { return emitFloat<math::TanhOp>(b, loc, args); })
      .Case(
          [&](tosa::RsqrtOp) { return emitFloat<math::RsqrtOp>(b, loc, args); })
      .Case([&](tosa::ClzOp) {
        return math::CountLeadingZerosOp::create(b, loc, args[0]);
      })
      .Case([&](tosa::SigmoidOp) {
        return isFloat(args[0]) ? Value(nn::SigmoidOp::create(
                                      b, loc, args[0].getType(), args[0]))
                                : Value();
      })
      .Case([&](tosa::IdentityOp) { return args[0]; })
      .Default([](Operation *) { return Value(); });
}

/// Returns the operands that have the result's elements: not a shift or a zero
/// point.
static ValueRange getElementOperands(Operation *op) {
  ValueRange operands = op->getOperands();
  if (isa<tosa::NegateOp>(op))
    return operands.take_front(1);
  return isa<tosa::MulOp>(op) ? operands.take_front(2) : operands;
}

/// Emits `op`, a reduction along one dimension, which remains with size 1.
template <typename OpT>
static Value emitReduction(OpBuilder &b, OpT op, nn::ReductionKind kind) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type)
    return {};
  int64_t axis = op.getAxis();
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  return nn::ReduceOp::create(b, op.getLoc(), type.clone(shape), kind,
                              op.getInput(), ArrayRef(axis),
                              /*keepdims=*/true);
}

/// Like `emitReduction`; returns null for floats whose NaNs do not propagate.
template <typename OpT>
static Value emitExtremum(OpBuilder &b, OpT op, nn::ReductionKind kind) {
  if (isFloat(op.getInput()) &&
      op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
    return {};
  return emitReduction(b, op, kind);
}

/// Emits products of floating-point matrices; those of f16 may be wider.
static Value emitMatmul(OpBuilder &b, tosa::MatMulOp op) {
  auto result = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (!isFloat(op.getA()) || !result || !isZero(op.getAZp()) ||
      !isZero(op.getBZp()))
    return {};
  auto widen = [&](Value x) -> Value {
    Type from = getElementTypeOrSelf(x), to = result.getElementType();
    auto type = cast<RankedTensorType>(x.getType()).clone(to);
    return from == to ? x
                      : Value(arith::ExtFOp::create(b, op.getLoc(), type, x));
  };
  return nn::buildMatmul(b, op.getLoc(), result, widen(op.getA()), false,
                         widen(op.getB()), false);
}

static Value emitOther(OpBuilder &b, Operation *op) {
  using nn::ReductionKind;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tosa::ReduceSumOp sum) {
        return emitReduction(b, sum, ReductionKind::sum);
      })
      .Case([&](tosa::ReduceProductOp product) {
        return emitReduction(b, product, ReductionKind::prod);
      })
      .Case([&](tosa::ReduceMaxOp most) {
        return emitExtremum(b, most, ReductionKind::max);
      })
      .Case([&](tosa::ReduceMinOp least) {
        return emitExtremum(b, least, ReductionKind::min);
      })
      .Case([&](tosa::MatMulOp product) { return emitMatmul(b, product); })
      .Case([&](tosa::ConstOp constant) {
        return arith::ConstantOp::create(b, op->getLoc(), constant.getValues());
      })
      .Default([](Operation *) { return Value(); });
}

Value flywheel::lowerTosaOp(OpBuilder &b, Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  Type type = op->getResult(0).getType();
  Value lowered = emitOther(b, op);
  if (!lowered && (op->hasTrait<OpTrait::tosa::TosaElementwiseOperator>() ||
                   isa<tosa::MulOp, tosa::IdentityOp>(op))) {
    SmallVector<Value> args =
        broadcast(b, op->getLoc(), getElementOperands(op));
    if (!args.empty())
      lowered = emitElementwise(b, op, args);
  }
  return lowered ? nn::buildCast(b, op->getLoc(), lowered, type) : Value();
}
