//===- RaiseSoftmax.cpp - nn.softmax for linalg.softmax -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "flywheel/Dialect/NN/NN.h"

using namespace mlir;

/// Transposes the dimensions of `x`.
static Value transpose(OpBuilder &b, Location loc, Value x,
                       ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x);
  SmallVector<OpFoldResult> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(sizes[dim]);
  Value empty = tensor::EmptyOp::create(b, loc, permuted,
                                        getElementTypeOrSelf(x.getType()));
  return linalg::TransposeOp::create(b, loc, x, empty, permutation)
      ->getResult(0);
}

LogicalResult flywheel::nn::raiseSoftmax(RewriterBase &rewriter,
                                         linalg::SoftmaxOp op) {
  Value x = op.getInput();
  Type element = getElementTypeOrSelf(x.getType());
  if (!isa<FloatType>(element))
    return op.emitOpError() << "expected floating-point elements, found "
                            << element << "; 'arith.sitofp' makes them";
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  int64_t rank = op.getInputOperandRank(), last = rank - 1;
  // nn.softmax is over the last dimension.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[op.getDimension()], order[last]);
  bool isLast = static_cast<int64_t>(op.getDimension()) == last;
  Value result = isLast ? x : transpose(rewriter, loc, x, order);
  result = SoftmaxOp::create(rewriter, loc, result);
  if (!isLast)
    result = transpose(rewriter, loc, result, order);
  Type type = op.getResult()[0].getType();
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
  return success();
}
