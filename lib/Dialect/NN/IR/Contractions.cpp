//===- Contractions.cpp - Products of matrices ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyMinRank(*this, getA(), "a", 2)) ||
      failed(verifyRank(*this, getB(), "b", tensorOf(getA()).getRank())))
    return failure();
  ArrayRef<int64_t> a = tensorOf(getA()).getShape(),
                    b = tensorOf(getB()).getShape();
  SmallVector<int64_t> shape(a.drop_back(2));
  if (failed(verifySameExtents(*this, "leading extents of a and b", shape,
                               b.drop_back(2))))
    return failure();
  a = a.take_back(2);
  b = b.take_back(2);
  if (failed(verifySameExtent(*this, "contracted extents of a and b",
                              a[!getTransposeA()], b[getTransposeB()])))
    return failure();
  shape.append({a[getTransposeA()], b[!getTransposeB()]});
  return verifyResultShape(*this, getResult(), shape);
}

LogicalResult DenseOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyMinRank(*this, getX(), "x", 2)) ||
      failed(verifyRank(*this, getW(), "w", 2)))
    return failure();
  ArrayRef<int64_t> x = tensorOf(getX()).getShape(),
                    w = tensorOf(getW()).getShape();
  if (failed(verifySameExtent(*this, "columns of x and rows of w", x.back(),
                              w.front())))
    return failure();
  if (getB() &&
      (failed(verifyRank(*this, getB(), "b", 1)) ||
       failed(verifySameExtent(*this, "columns of w and elements of b",
                               w.back(), tensorOf(getB()).getDimSize(0)))))
    return failure();
  SmallVector<int64_t> shape(x.drop_back());
  shape.push_back(w.back());
  return verifyResultShape(*this, getResult(), shape);
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
  Location loc = getLoc();
  Value x = buildRows(b, loc, getX()), dy = buildRows(b, loc, results[0]);
  if (needed[0]) {
    Value dx = buildMatmul(b, loc, x.getType(), dy, false, getW(), true);
    operands[0] = buildFromRows(b, loc, dx, getX());
  }
  if (needed[1])
    operands[1] = buildMatmul(b, loc, getW().getType(), x, true, dy, false);
  if (getB() && needed[2])
    operands[2] = buildSum(b, loc, dy, {0}, getB().getType());
  return success();
}
