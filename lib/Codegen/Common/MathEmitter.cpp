//===- MathEmitter.cpp - Arithmetic of f32 and f64 in few words -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

using namespace mlir;
using namespace flywheel;

Type flywheel::withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

static Value buildSplat(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, value);
  return arith::ConstantOp::create(b, value);
}

MathEmitter::MathEmitter(OpBuilder &builder, Location loc, Type type)
    : b(loc, builder), type(type),
      integers(withElement(
          type, b.getIntegerType(
                    getElementTypeOrSelf(type).getIntOrFloatBitWidth()))) {}

Value MathEmitter::number(double value) {
  return buildSplat(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value MathEmitter::integer(int64_t value) {
  return buildSplat(b, integers,
                    b.getIntegerAttr(getElementTypeOrSelf(integers), value));
}

Value MathEmitter::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, number(coefficient));
  return sum;
}
