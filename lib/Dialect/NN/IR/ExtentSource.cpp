//===- ExtentSource.cpp - Where the extents of a result come from ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "NNSupport.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel::nn;

static ExtentSource findSource(MatmulOp op, int64_t dim) {
  int64_t rank = tensorOf(op.getResult()).getRank();
  if (dim == rank - 1) {
    int64_t last = tensorOf(op.getB()).getRank() - 1;
    return {op.getB(), op.getTransposeB() ? last - 1 : last};
  }
  if (dim == rank - 2 && op.getTransposeA())
    return {op.getA(), rank - 1};
  return {op.getA(), dim};
}

static ExtentSource findSource(DenseOp op, int64_t dim) {
  if (dim == tensorOf(op.getResult()).getRank() - 1)
    return {op.getW(), 1};
  return {op.getX(), dim};
}

static ExtentSource findSource(BroadcastOp op, int64_t dim) {
  return op.getLike() ? ExtentSource{op.getLike(), dim} : ExtentSource{};
}

static ExtentSource findSource(ReduceOp op, int64_t dim) {
  if (!op.getKeepdims()) {
    // The dimension of the input that is number `dim` of those that stay.
    int64_t rank = tensorOf(op.getInput()).getRank();
    return {op.getInput(), otherDims(op.getAxes(), rank)[dim]};
  }
  if (llvm::is_contained(op.getAxes(), dim))
    return {};
  return {op.getInput(), dim};
}

static ExtentSource findSource(OneHotOp op, int64_t dim) {
  if (dim == tensorOf(op.getIndices()).getRank())
    return {};
  return {op.getIndices(), dim};
}

template <typename OpTy>
static ExtentSource findPositionSource(OpTy op, int64_t dim) {
  return {op.getInput(),
          dim < static_cast<int64_t>(op.getAxis()) ? dim : dim + 1};
}

static ExtentSource findSource(ArgmaxOp op, int64_t dim) {
  return findPositionSource(op, dim);
}

static ExtentSource findSource(ArgminOp op, int64_t dim) {
  return findPositionSource(op, dim);
}

static ExtentSource findSource(GatherOp op, int64_t dim) {
  int64_t axis = op.getAxis();
  int64_t numIndices = tensorOf(op.getIndices()).getRank();
  if (dim < axis)
    return {op.getX(), dim};
  if (dim < axis + numIndices)
    return {op.getIndices(), dim - axis};
  return {op.getX(), dim - numIndices + 1};
}

static ExtentSource findSource(ScatterAddOp op, int64_t dim) {
  return {op.getInit(), dim};
}

static ExtentSource findSource(ScatterOp op, int64_t dim) {
  return {op.getInit(), dim};
}

static ExtentSource findSource(CumsumOp op, int64_t dim) {
  return {op.getX(), dim};
}

static ExtentSource findSource(IotaOp op, int64_t dim) {
  return op.getLike() ? ExtentSource{op.getLike(), dim} : ExtentSource{};
}

static ExtentSource findSource(TriangularSolveOp op, int64_t dim) {
  return {op.getB(), dim};
}

static ExtentSource findSource(Conv2dOp op, int64_t dim) {
  return dim == 0 ? ExtentSource{op.getX(), 0} : ExtentSource{};
}

static ExtentSource findSource(Conv2dTransposeOp op, int64_t dim) {
  if (dim == 0)
    return {op.getX(), 0};
  return op.getLike() ? ExtentSource{op.getLike(), dim} : ExtentSource{};
}

/// Images and channels are those of `x`.
static ExtentSource findPooledSource(Value x, int64_t dim) {
  return dim == 0 || dim == 3 ? ExtentSource{x, dim} : ExtentSource{};
}

static ExtentSource findSource(AvgPool2dOp op, int64_t dim) {
  return findPooledSource(op.getX(), dim);
}

static ExtentSource findSource(MaxPool2dOp op, int64_t dim) {
  return findPooledSource(op.getX(), dim);
}

static ExtentSource findSource(MaxPool2dSelectOp op, int64_t dim) {
  return findPooledSource(op.getX(), dim);
}

static ExtentSource findSource(MaxPool2dGradOp op, int64_t dim) {
  return {op.getX(), dim};
}

static ExtentSource findSource(AvgPool2dGradOp op, int64_t dim) {
  return op.getLike() ? ExtentSource{op.getLike(), dim}
                      : findPooledSource(op.getDy(), dim);
}

/// Of a loss that is not reduced: its rows or elements are those of the logits.
template <typename OpTy> static ExtentSource findSource(OpTy op, int64_t dim) {
  return {op.getLogits(), dim};
}

ExtentSource flywheel::nn::findExtentSource(OpResult value, int64_t dim) {
  Operation *op = value.getOwner();
  // An elementwise op, or one that acts on rows.
  if (op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return {op->getOperand(0), dim};
  return llvm::TypeSwitch<Operation *, ExtentSource>(op)
      .Case<ArgmaxOp, ArgminOp, AvgPool2dGradOp, AvgPool2dOp, BroadcastOp,
            Conv2dOp, Conv2dTransposeOp, CumsumOp, DenseOp, GatherOp, IotaOp,
            MatmulOp, MaxPool2dGradOp, MaxPool2dOp, MaxPool2dSelectOp, OneHotOp,
            ReduceOp, ScatterAddOp, ScatterOp, SigmoidCrossEntropyOp,
            SoftmaxCrossEntropyOp, SparseSoftmaxCrossEntropyOp,
            TriangularSolveOp>(
          [&](auto typed) { return findSource(typed, dim); })
      .Default(ExtentSource());
}
