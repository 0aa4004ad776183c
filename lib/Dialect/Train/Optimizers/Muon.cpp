//===- Muon.cpp - Momentum that is made orthogonal ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSupport.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

LogicalResult MuonAttr::verify(EmitErrorFn emitError, Real lr, Real momentum,
                               bool, Real weightDecay, Real adamLr,
                               StringAttr name) {
  return success(
      succeeded(verifyFinite(emitError, "lr", lr)) &&
      succeeded(verifyFraction(emitError, "momentum", momentum)) &&
      succeeded(verifyNonNegative(emitError, "weight_decay", weightDecay)) &&
      succeeded(verifyFinite(emitError, "adam_lr", adamLr)) &&
      succeeded(verifyName(emitError, name)));
}

void MuonAttr::buildStep(OpBuilder &b, Location loc, ValueRange scalars,
                         SmallVectorImpl<Value> &stepValues,
                         MutableArrayRef<Value> newScalars) const {
  StepScalars step(*this, b, loc, scalars, newScalars);
  Expr lr = step[Lr], adamLr = step[AdamLr], decay = step[WeightDecay];
  Expr t = step.count() + 1.0;
  Expr beta1 = t.splat(0.9), beta2 = t.splat(0.95);
  // The values for a matrix, then the five of #train.adamw.
  stepValues.assign({lr, step[Momentum], lr * decay,
                     adamLr / complementPower(beta1, t), beta1, beta2,
                     complementPower(beta2, t), adamLr * decay});
}

/// Emits five steps of the Newton-Schulz iteration with the quintic polynomial
/// of the authors, which moves singular values in (0, 1] close to 1.
static Expr orthogonalize(OpBuilder &b, Location loc, Expr x) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  // The smaller of x x^T and x^T x.
  bool isTall = rows > columns;
  int64_t size = std::min(rows, columns);
  auto squareType = RankedTensorType::get({size, size}, type.getElementType());
  auto multiply = [&](RankedTensorType result, Expr lhs, bool transposeLhs,
                      Expr rhs, bool transposeRhs) {
    return x.with(
        nn::buildMatmul(b, loc, result, lhs, transposeLhs, rhs, transposeRhs));
  };
  for (int i = 0; i < 5; ++i) {
    Expr square = multiply(squareType, x, isTall, x, !isTall);
    Expr polynomial =
        -4.7750 * square +
        2.0315 * multiply(squareType, square, false, square, false);
    Expr product = isTall ? multiply(type, x, false, polynomial, false)
                          : multiply(type, polynomial, false, x, false);
    x = 3.4445 * x + product;
  }
  return x;
}

SmallVector<Value> MuonAttr::buildParameterUpdate(OpBuilder &b, Location loc,
                                                  Value parameter,
                                                  ValueRange slots,
                                                  Value gradient,
                                                  ValueRange stepValues) const {
  auto type = cast<RankedTensorType>(parameter.getType());
  if (type.getRank() != 2)
    return buildUpdate(b, loc,
                       AdamWAttr::get(b.getContext(), getAdamLr(), 0.9, 0.95,
                                      1e-10, getWeightDecay(), StringAttr()),
                       parameter, slots, gradient, stepValues.drop_front(3));
  TensorTerms terms(b, loc, parameter);
  Expr p = terms.widen(parameter), g = terms.widen(gradient);
  Expr momentum = terms.spread(stepValues[1]);
  Expr m = momentum * terms.widen(slots[0]) + g;
  Expr direction = getNesterov() ? g + momentum * m : m;
  Expr length = terms.norm(direction) + 1e-7;
  // The inverse has every number of f32 that the direction can have.
  Expr inverse = length.splat(1.0) / length;
  Expr orthogonal = orthogonalize(b, loc, direction * terms.spread(inverse));
  double ratio = double(type.getDimSize(0)) /
                 double(std::max<int64_t>(type.getDimSize(1), 1));
  Expr rate =
      terms.widenScalar(stepValues[0]) * std::sqrt(std::max(1.0, ratio));
  Expr kept = p - terms.spread(stepValues[2]) * p;
  return terms.round({kept - terms.spread(rate) * orthogonal, m});
}
