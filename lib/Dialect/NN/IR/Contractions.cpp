//===- Contractions.cpp - Products of matrices ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getA(), "a", 2)) ||
      failed(verifyRank(*this, getB(), "b", 2)))
    return failure();
  RankedTensorType a = tensorOf(getA()), b = tensorOf(getB());
  int64_t m = a.getDimSize(getTransposeA()), k = a.getDimSize(!getTransposeA());
  int64_t n = b.getDimSize(!getTransposeB());
  if (failed(verifySameExtent(*this, "contracted extents of a and b", k,
                              b.getDimSize(getTransposeB()))))
    return failure();
  return verifyResultShape(*this, getResult(), {m, n});
}

LogicalResult DenseOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getX(), "x", 2)) ||
      failed(verifyRank(*this, getW(), "w", 2)) ||
      failed(verifyRank(*this, getB(), "b", 1)))
    return failure();
  RankedTensorType x = tensorOf(getX()), w = tensorOf(getW()),
                   b = tensorOf(getB());
  if (failed(verifySameExtent(*this, "columns of x and rows of w",
                              x.getDimSize(1), w.getDimSize(0))) ||
      failed(verifySameExtent(*this, "columns of w and elements of b",
                              w.getDimSize(1), b.getDimSize(0))))
    return failure();
  return verifyResultShape(*this, getResult(),
                           {x.getDimSize(0), w.getDimSize(1)});
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> operands) {
  Value dy = results[0], lhs = getA(), rhs = getB();
  bool ta = getTransposeA(), tb = getTransposeB();
  // With A = op(a), B = op(b): dA = dy B^T and dB = A^T dy, each transposed
  // once more where the operand is.
  if (needed[0])
    operands[0] =
        ta ? buildMatmul(b, getLoc(), lhs.getType(), rhs, tb, dy, true)
           : buildMatmul(b, getLoc(), lhs.getType(), dy, false, rhs, !tb);
  if (needed[1])
    operands[1] =
        tb ? buildMatmul(b, getLoc(), rhs.getType(), dy, true, lhs, ta)
           : buildMatmul(b, getLoc(), rhs.getType(), lhs, !ta, dy, false);
  return success();
}

LogicalResult DenseOp::emitVjp(OpBuilder &b, ArrayRef<Value> results,
                               ArrayRef<bool> needed,
                               MutableArrayRef<Value> operands) {
  Value dy = results[0];
  if (needed[0])
    operands[0] =
        buildMatmul(b, getLoc(), getX().getType(), dy, false, getW(), true);
  if (needed[1])
    operands[1] =
        buildMatmul(b, getLoc(), getW().getType(), getX(), true, dy, false);
  if (needed[2])
    operands[2] = buildSum(b, getLoc(), dy, {0}, getB().getType());
  return success();
}
