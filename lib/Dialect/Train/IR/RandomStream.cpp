//===- RandomStream.cpp - Counter-based random numbers in IR --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace flywheel::train;

int64_t flywheel::train::getDefaultStreamSeed(StringRef variableName) {
  uint64_t hash = 0xCBF29CE484222325;
  for (unsigned char c : variableName)
    hash = (hash ^ c) * 0x100000001B3;
  return static_cast<int64_t>(hash);
}

static Value buildF64(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

/// Returns the upper 53 bits as a number in [0, 2^53), exact.
static Value buildUniformNumerator(OpBuilder &b, Location loc, Value key,
                                   Value index) {
  Value bits = RandomBitsOp::create(b, loc, key, index);
  Value amount = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(11));
  Value upper = arith::ShRUIOp::create(b, loc, bits, amount);
  return arith::UIToFPOp::create(b, loc, b.getF64Type(), upper);
}

Value flywheel::train::buildUniform(OpBuilder &b, Location loc, Value key,
                                    Value index) {
  return arith::MulFOp::create(b, loc,
                               buildUniformNumerator(b, loc, key, index),
                               buildF64(b, loc, 0x1p-53));
}

Value flywheel::train::buildStandardNormal(OpBuilder &b, Location loc,
                                           Value key, Value index) {
  // The middle of each of the 2^53 cells: never 0 or 1.
  Value middle = arith::AddFOp::create(
      b, loc, buildUniformNumerator(b, loc, key, index), buildF64(b, loc, 0.5));
  Value p = arith::MulFOp::create(b, loc, middle, buildF64(b, loc, 0x1p-53));
  // The uppermost cell's middle rounds to 1: take the largest number below.
  p = arith::MinimumFOp::create(b, loc, p, buildF64(b, loc, 1.0 - 0x1p-53));
  return NormalQuantileOp::create(b, loc, p);
}

Value flywheel::train::buildTruncatedNormal(OpBuilder &b, Location loc,
                                            Value key, Value index) {
  // p is uniform on [Phi(-2), Phi(2)).
  constexpr double phi = 0.022750131948179207200;
  Value u = buildUniform(b, loc, key, index);
  Value scaled =
      arith::MulFOp::create(b, loc, u, buildF64(b, loc, 1.0 - 2.0 * phi));
  Value p = arith::AddFOp::create(b, loc, buildF64(b, loc, phi), scaled);
  Value x = NormalQuantileOp::create(b, loc, p);
  x = arith::MaximumFOp::create(b, loc, x, buildF64(b, loc, -2.0));
  return arith::MinimumFOp::create(b, loc, x, buildF64(b, loc, 2.0));
}
