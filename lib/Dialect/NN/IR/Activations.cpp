//===- Activations.cpp - Activations --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  if (tensorOf(getX()).getRank() < 1)
    return emitOpError() << "expected a rank of at least 1, found "
                         << getX().getType();
  return success();
}

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

LogicalResult SoftmaxOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> operands) {
  // dx = y (dy - sum(dy y)), the sum over the last dimension.
  Location loc = getLoc();
  Value dy = results[0], y = getResult();
  int64_t last = tensorOf(y).getRank() - 1;
  Value product = arith::MulFOp::create(b, loc, dy, y);
  Value sum = buildSum(b, loc, product, {last});
  Value mean = buildUnreduce(b, loc, sum, {last}, /*keepdims=*/false, y);
  Value centered = arith::SubFOp::create(b, loc, dy, mean);
  operands[0] = arith::MulFOp::create(b, loc, y, centered);
  return success();
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> GeluOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value x = getX();
  auto splat = [&](double number) { return buildSplat(b, loc, x, number); };
  Value inner;
  if (getApproximate()) {
    Value square = arith::MulFOp::create(b, loc, x, x);
    Value cube = arith::MulFOp::create(b, loc, square, x);
    Value scaled = arith::MulFOp::create(b, loc, cube, splat(0.044715));
    Value sum = arith::AddFOp::create(b, loc, x, scaled);
    Value argument = arith::MulFOp::create(
        b, loc, sum, splat(std::sqrt(2.0 * llvm::numbers::inv_pi)));
    inner = math::TanhOp::create(b, loc, argument);
  } else {
    Value argument =
        arith::MulFOp::create(b, loc, x, splat(llvm::numbers::inv_sqrt2));
    inner = math::ErfOp::create(b, loc, argument);
  }
  Value cdf = arith::MulFOp::create(
      b, loc, arith::AddFOp::create(b, loc, inner, splat(1.0)), splat(0.5));
  return SmallVector<Value>{arith::MulFOp::create(b, loc, x, cdf)};
}
