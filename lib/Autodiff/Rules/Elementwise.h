//===- Elementwise.h - Rules of elementwise ops, one line each --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for the tables of elementwise rules. With the terms of
// ElementwiseExpr.h,
//
//   elementwise<math::ExpOp>([](In i) { return i.g * i.y; })
//
// returns, for y = exp(x) and the cotangent g of y, the cotangent of x. A
// binary op has two such functions, and so on; no function means no derivative.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_ELEMENTWISE_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_ELEMENTWISE_H

#include "flywheel/Autodiff/DerivativeRules.h"
#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "mlir/IR/TypeUtilities.h"

#include <array>

namespace flywheel {

/// The values that a rule uses: the cotangent `g` of the result `y`, and the
/// operands in order (`x` and `a` are the first).
struct In {
  ElementwiseExpr g, y, x, a, b, c;
};

/// Returns `value` for elements whose condition holds, and 0 for others.
inline ElementwiseExpr keepIf(ElementwiseExpr condition,
                              ElementwiseExpr value) {
  return condition.select(value, value.splat(0.0));
}

/// Returns 0 for elements whose condition holds, and `value` for others.
inline ElementwiseExpr dropIf(ElementwiseExpr condition,
                              ElementwiseExpr value) {
  return condition.select(value.splat(0.0), value);
}

/// Emits `value` as f32 if its type is narrower: `x.apply<Widened>()`.
struct Widened {
  static mlir::Value create(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value) {
    mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
    mlir::Type wide = nn::getComputeType(element);
    if (wide == element)
      return value;
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType()))
      wide = shaped.clone(wide);
    return mlir::arith::ExtFOp::create(b, loc, wide, value);
  }
};

inline ElementwiseExpr widen(ElementwiseExpr value) {
  return value.apply<Widened>();
}

/// Returns the value in the type of `like`, which it was widened from.
inline ElementwiseExpr narrow(ElementwiseExpr value, ElementwiseExpr like) {
  if (value.getType() == like.getType())
    return value;
  return value.convert<mlir::arith::TruncFOp>(like);
}

/// The cotangent of one operand.
using Partial = ElementwiseExpr (*)(In);

/// The rule of an op with one result, given by a partial for each operand.
template <typename OpTy>
struct ElementwiseModel
    : DifferentiableOpInterface::ExternalModel<ElementwiseModel<OpTy>, OpTy> {
  /// Set by `elementwise` before the model is attached, and never again.
  static inline std::array<Partial, 3> partials{};

  bool hasDerivative(mlir::Operation *, unsigned operandNumber) const {
    return operandNumber < partials.size() && partials[operandNumber];
  }

  llvm::LogicalResult
  emitVjp(mlir::Operation *op, mlir::OpBuilder &builder,
          llvm::ArrayRef<mlir::Value> results, llvm::ArrayRef<bool> needed,
          llvm::MutableArrayRef<mlir::Value> operands) const {
    auto term = [&](mlir::Value value) {
      return ElementwiseExpr(builder, op->getLoc(), value);
    };
    auto operand = [&](unsigned i) {
      return i < op->getNumOperands() ? term(op->getOperand(i))
                                      : ElementwiseExpr();
    };
    In in{term(results[0]), term(op->getResult(0)),
          operand(0),       operand(0),
          operand(1),       operand(2)};
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
      if (needed[i] && hasDerivative(op, i))
        operands[i] = partials[i](in).getValue();
    return llvm::success();
  }
};

/// Returns the rule of an op with a model `ModelT` of its own.
template <typename OpTy, typename ModelT> DerivativeRule structured() {
  return {OpTy::getOperationName(), [](mlir::MLIRContext *context) {
            OpTy::template attachInterface<ModelT>(*context);
          }};
}

/// Returns the rule of an elementwise op, with a partial derivative for each
/// operand.
template <typename OpTy>
DerivativeRule elementwise(Partial first, Partial second = nullptr,
                           Partial third = nullptr) {
  ElementwiseModel<OpTy>::partials = {first, second, third};
  return structured<OpTy, ElementwiseModel<OpTy>>();
}

/// Returns the rule of an op that is constant between its jumps.
template <typename OpTy> DerivativeRule locallyConstant() {
  return elementwise<OpTy>(nullptr);
}

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_ELEMENTWISE_H
