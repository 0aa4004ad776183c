//===- ElementwiseExpr.h - Arithmetic on values -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small language that derivative rules and decompositions of elementwise
// ops are written in: `x * exp(-x)` emits three ops.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_ELEMENTWISEEXPR_H
#define FLYWHEEL_DIALECT_NN_ELEMENTWISEEXPR_H

#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace flywheel {

/// A value in an expression. Operators emit arithmetic; a number stands for a
/// value of the other operand's type with that number everywhere.
class ElementwiseExpr {
public:
  ElementwiseExpr() = default;
  ElementwiseExpr(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  mlir::Value getValue() const { return value; }
  operator mlir::Value() const { return value; }
  mlir::Type getType() const { return value.getType(); }

  /// Emits `OpTy` on this term and others, with a result of this term's type.
  template <typename OpTy, typename... Terms>
  ElementwiseExpr apply(Terms... others) const {
    return with(OpTy::create(*builder, loc, value, others.value...));
  }
  /// Emits the conversion `OpTy` of this term to the type of `like`.
  template <typename OpTy> ElementwiseExpr convert(ElementwiseExpr like) const {
    return with(OpTy::create(*builder, loc, like.value.getType(), value));
  }
  /// A term of this term's type and shape with `number` everywhere.
  ElementwiseExpr splat(double number) const {
    return with(nn::buildSplat(*builder, loc, value, number));
  }
  /// this <predicate> other: a boolean term.
  ElementwiseExpr compare(mlir::arith::CmpFPredicate predicate,
                          ElementwiseExpr other) const {
    return with(mlir::arith::CmpFOp::create(*builder, loc, predicate, value,
                                            other.value));
  }
  /// This boolean term decides between two terms.
  ElementwiseExpr select(ElementwiseExpr whenTrue,
                         ElementwiseExpr whenFalse) const {
    return with(mlir::arith::SelectOp::create(*builder, loc, value,
                                              whenTrue.value, whenFalse.value));
  }
  ElementwiseExpr with(mlir::Value other) const {
    return ElementwiseExpr(*builder, loc, other);
  }

  friend ElementwiseExpr operator+(ElementwiseExpr a, ElementwiseExpr b) {
    return a.apply<mlir::arith::AddFOp>(b);
  }
  friend ElementwiseExpr operator-(ElementwiseExpr a, ElementwiseExpr b) {
    return a.apply<mlir::arith::SubFOp>(b);
  }
  friend ElementwiseExpr operator*(ElementwiseExpr a, ElementwiseExpr b) {
    return a.apply<mlir::arith::MulFOp>(b);
  }
  friend ElementwiseExpr operator/(ElementwiseExpr a, ElementwiseExpr b) {
    return a.apply<mlir::arith::DivFOp>(b);
  }
  friend ElementwiseExpr operator-(ElementwiseExpr a) {
    return a.apply<mlir::arith::NegFOp>();
  }
  friend ElementwiseExpr operator*(ElementwiseExpr a, double b) {
    return a * a.splat(b);
  }
  friend ElementwiseExpr operator*(double a, ElementwiseExpr b) {
    return b.splat(a) * b;
  }
  friend ElementwiseExpr operator/(ElementwiseExpr a, double b) {
    return a / a.splat(b);
  }
  friend ElementwiseExpr operator+(ElementwiseExpr a, double b) {
    return a + a.splat(b);
  }
  friend ElementwiseExpr operator+(double a, ElementwiseExpr b) {
    return b.splat(a) + b;
  }
  friend ElementwiseExpr operator-(double a, ElementwiseExpr b) {
    return b.splat(a) - b;
  }
  friend ElementwiseExpr operator-(ElementwiseExpr a, double b) {
    return a - a.splat(b);
  }
  friend ElementwiseExpr operator>(ElementwiseExpr a, double b) {
    return a.compare(mlir::arith::CmpFPredicate::OGT, a.splat(b));
  }
  friend ElementwiseExpr operator<(ElementwiseExpr a, double b) {
    return a.compare(mlir::arith::CmpFPredicate::OLT, a.splat(b));
  }
  friend ElementwiseExpr operator==(ElementwiseExpr a, double b) {
    return a.compare(mlir::arith::CmpFPredicate::OEQ, a.splat(b));
  }
  friend ElementwiseExpr operator>=(ElementwiseExpr a, ElementwiseExpr b) {
    return a.compare(mlir::arith::CmpFPredicate::OGE, b);
  }
  friend ElementwiseExpr operator<=(ElementwiseExpr a, ElementwiseExpr b) {
    return a.compare(mlir::arith::CmpFPredicate::OLE, b);
  }
  friend ElementwiseExpr operator<(ElementwiseExpr a, ElementwiseExpr b) {
    return a.compare(mlir::arith::CmpFPredicate::OLT, b);
  }
  friend ElementwiseExpr operator>(ElementwiseExpr a, ElementwiseExpr b) {
    return a.compare(mlir::arith::CmpFPredicate::OGT, b);
  }
  friend ElementwiseExpr operator==(ElementwiseExpr a, ElementwiseExpr b) {
    return a.compare(mlir::arith::CmpFPredicate::OEQ, b);
  }

private:
  mlir::OpBuilder *builder = nullptr;
  mlir::LocationAttr loc;
  mlir::Value value;
};

namespace nn {

/// The type that numbers of `elementType` are computed with: f32 for the
/// 16-bit floats, `elementType` itself otherwise.
mlir::Type getComputeType(mlir::Type elementType);

/// `value` in its compute type, to be computed with.
ElementwiseExpr widen(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value value);

/// `value`, a tensor of floats, with elements extended or rounded to `element`.
mlir::Value castElements(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type element);

/// `value` rounded to the element type of the tensor type `type` and cast to
/// `type`, which may say more or less about the dimension sizes.
mlir::Value roundTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                    mlir::Type type);

} // namespace nn
} // namespace flywheel

#endif // FLYWHEEL_DIALECT_NN_ELEMENTWISEEXPR_H
