//===- PairEmitter.cpp - Arithmetic of twice the precision ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairEmitter.h"

using namespace mlir;
using namespace flywheel;

Pair PairEmitter::addOrdered(Value x, Value y) {
  Value sum = add(x, y);
  return {sum, sub(y, sub(sum, x))};
}

Pair PairEmitter::addExactly(Value x, Value y) {
  Value sum = add(x, y);
  Value ofY = sub(sum, x);
  return {sum, add(sub(x, sub(sum, ofY)), sub(y, ofY))};
}

Pair PairEmitter::mulExactly(Value x, Value y) {
  Value product = mul(x, y);
  return {product, fma(x, y, neg(product))};
}

Pair PairEmitter::add(Pair x, Pair y) {
  Pair high = addExactly(x.high, y.high);
  // Exact too: no bits are lost if the first parts cancel.
  Pair low = addExactly(x.low, y.low);
  high = addOrdered(high.high, add(high.low, low.high));
  return addOrdered(high.high, add(high.low, low.low));
}

Pair PairEmitter::mul(Pair x, Pair y) {
  Pair product = mulExactly(x.high, y.high);
  Value cross = fma(x.high, y.low, mul(x.low, y.high));
  return addOrdered(product.high, add(product.low, cross));
}

Pair PairEmitter::mul(Pair x, Value y) {
  Pair product = mulExactly(x.high, y);
  return addOrdered(product.high, fma(x.low, y, product.low));
}

Pair PairEmitter::div(Pair x, Pair y) {
  Value quotient = div(x.high, y.high);
  Value rest = fma(neg(quotient), y.high, x.high);
  rest = add(rest, fma(neg(quotient), y.low, x.low));
  return addOrdered(quotient, div(rest, y.high));
}

Pair PairEmitter::sqrt(Pair x) {
  Value root = math::SqrtOp::create(b, x.high);
  Value rest = add(fma(neg(root), root, x.high), x.low);
  // The root of 0 is 0.
  Value divisor = select(isEqual(root, 0), number(1), add(root, root));
  return addOrdered(root, div(rest, divisor));
}

Pair PairEmitter::polynomial(Pair x, Value rest,
                             ArrayRef<PairConstant> coefficients) {
  Pair sum = addOrdered(number(coefficients.front().high), mul(rest, x.high));
  sum.low = add(sum.low, number(coefficients.front().low));
  for (PairConstant coefficient : coefficients.drop_front())
    sum = add(pair(coefficient), mul(x, sum));
  return sum;
}
