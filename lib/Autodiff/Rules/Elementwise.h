//===- Elementwise.h - Rules of elementwise ops, one line each --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small language that the tables of elementwise rules are written in:
//
//   elementwise<math::ExpOp>([](In i) { return i.g * i.y; })
//
// gives, for y = exp(x) and the cotangent g of y, the cotangent of x. A binary
// op has two such functions, and so on; no function means no derivative.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_ELEMENTWISE_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_ELEMENTWISE_H

#include "flywheel/Autodiff/DerivativeRules.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>

namespace flywheel {

/// A value in a rule. Operators emit arithmetic; a number stands for a value
/// of the other operand's type with that number everywhere.
class Term {
public:
  Term() = default;
  Term(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  mlir::Value getValue() const { return value; }

  /// Emits `OpTy` on this term and others, with a result of this term's type.
  template <typename OpTy, typename... Terms>
  Term apply(Terms... others) const {
    return with(OpTy::create(*builder, loc, value, others.value...));
  }
  /// Emits the conversion `OpTy` of this term to the type of `like`.
  template <typename OpTy> Term convert(Term like) const {
    return with(OpTy::create(*builder, loc, like.value.getType(), value));
  }
  /// A term of this term's type and shape with `number` everywhere.
  Term splat(double number) const {
    return with(nn::buildSplat(*builder, loc, value, number));
  }
  /// this <predicate> other: a boolean term.
  Term compare(mlir::arith::CmpFPredicate predicate, Term other) const {
    return with(mlir::arith::CmpFOp::create(*builder, loc, predicate, value,
                                            other.value));
  }
  /// This boolean term decides between two terms.
  Term select(Term whenTrue, Term whenFalse) const {
    return with(mlir::arith::SelectOp::create(*builder, loc, value,
                                              whenTrue.value, whenFalse.value));
  }
  Term with(mlir::Value other) const { return Term(*builder, loc, other); }

  friend Term operator+(Term a, Term b) {
    return a.apply<mlir::arith::AddFOp>(b);
  }
  friend Term operator-(Term a, Term b) {
    return a.apply<mlir::arith::SubFOp>(b);
  }
  friend Term operator*(Term a, Term b) {
    return a.apply<mlir::arith::MulFOp>(b);
  }
  friend Term operator/(Term a, Term b) {
    return a.apply<mlir::arith::DivFOp>(b);
  }
  friend Term operator-(Term a) { return a.apply<mlir::arith::NegFOp>(); }
  friend Term operator*(Term a, double b) { return a * a.splat(b); }
  friend Term operator/(Term a, double b) { return a / a.splat(b); }
  friend Term operator+(double a, Term b) { return b.splat(a) + b; }
  friend Term operator-(double a, Term b) { return b.splat(a) - b; }
  friend Term operator-(Term a, double b) { return a - a.splat(b); }
  friend Term operator>(Term a, double b) {
    return a.compare(mlir::arith::CmpFPredicate::OGT, a.splat(b));
  }
  friend Term operator<(Term a, double b) {
    return a.compare(mlir::arith::CmpFPredicate::OLT, a.splat(b));
  }
  friend Term operator==(Term a, double b) {
    return a.compare(mlir::arith::CmpFPredicate::OEQ, a.splat(b));
  }
  friend Term operator>=(Term a, Term b) {
    return a.compare(mlir::arith::CmpFPredicate::OGE, b);
  }
  friend Term operator<=(Term a, Term b) {
    return a.compare(mlir::arith::CmpFPredicate::OLE, b);
  }
  friend Term operator<(Term a, Term b) {
    return a.compare(mlir::arith::CmpFPredicate::OLT, b);
  }
  friend Term operator>(Term a, Term b) {
    return a.compare(mlir::arith::CmpFPredicate::OGT, b);
  }
  friend Term operator==(Term a, Term b) {
    return a.compare(mlir::arith::CmpFPredicate::OEQ, b);
  }

private:
  mlir::OpBuilder *builder = nullptr;
  mlir::LocationAttr loc;
  mlir::Value value;
};

/// What a rule is written in: the cotangent `g` of the result `y`, and the
/// operands in order (`x` and `a` are the first).
struct In {
  Term g, y, x, a, b, c;
};

/// The cotangent of one operand.
using Partial = Term (*)(In);

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
      return Term(builder, op->getLoc(), value);
    };
    auto operand = [&](unsigned i) {
      return i < op->getNumOperands() ? term(op->getOperand(i)) : Term();
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

/// The rule of an op that has the model `ModelT` of its own.
template <typename OpTy, typename ModelT> DerivativeRule structured() {
  return {OpTy::getOperationName(), [](mlir::MLIRContext *context) {
            OpTy::template attachInterface<ModelT>(*context);
          }};
}

/// The rule of an elementwise op, with a partial for each operand.
template <typename OpTy>
DerivativeRule elementwise(Partial first, Partial second = nullptr,
                           Partial third = nullptr) {
  ElementwiseModel<OpTy>::partials = {first, second, third};
  return structured<OpTy, ElementwiseModel<OpTy>>();
}

/// The rule of an op that is constant in between its jumps.
template <typename OpTy> DerivativeRule locallyConstant() {
  return elementwise<OpTy>(nullptr);
}

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_ELEMENTWISE_H
