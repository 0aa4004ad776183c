//===- NNSizeRelations.cpp - What ops of our own require of sizes ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeRelationReporter.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"

using namespace mlir;
using namespace flywheel;

//===----------------------------------------------------------------------===//
// linalg_ext
//===----------------------------------------------------------------------===//

void RelationReporter::addLinalgExt() {
  // Or buffers, later.
  if (!llvm::all_of(op->getOperands(), isRanked))
    return;
  auto slices = [&](Value whole, Value indices, Value parts, int64_t axis) {
    int64_t numIndices = getRank(indices);
    for (int64_t dim = 0; dim < getRank(parts); ++dim) {
      if (dim < axis)
        equalDims(parts, dim, whole, dim, "the slices", "the whole");
      else if (dim < axis + numIndices)
        equalDims(parts, dim, indices, dim - axis, "the slices", "the indices");
      else
        equalDims(parts, dim, whole, dim - numIndices + 1, "the slices",
                  "the whole");
    }
  };
  auto square = [&](Value matrices) {
    int64_t rank = getRank(matrices);
    equalDims(matrices, rank - 2, matrices, rank - 1, "the matrices", "them");
  };
  if (auto gather = dyn_cast<linalg_ext::GatherOp>(op))
    return slices(gather.getX(), gather.getIndices(), gather.getInit(),
                  gather.getAxis());
  if (auto scatter = dyn_cast<linalg_ext::ScatterOp>(op))
    return slices(scatter.getInit(), scatter.getIndices(), scatter.getUpdates(),
                  scatter.getAxis());
  if (auto scan = dyn_cast<linalg_ext::ScanOp>(op))
    return equalShapes(scan.getX(), scan.getInit(), "x", "the destination");
  if (auto cholesky = dyn_cast<linalg_ext::CholeskyOp>(op))
    return square(cholesky.getInit());
  if (auto solve = dyn_cast<linalg_ext::TriangularSolveOp>(op)) {
    square(solve.getA());
    for (int64_t dim = 0; dim < getRank(solve.getA()) - 1; ++dim)
      equalDims(solve.getA(), dim, solve.getInit(), dim, "the triangles",
                "the right-hand sides");
  }
}

//===----------------------------------------------------------------------===//
// nn
//===----------------------------------------------------------------------===//

void RelationReporter::addNNContractions() {
  if (auto matmul = dyn_cast<nn::MatmulOp>(op)) {
    Value a = matmul.getA(), b = matmul.getB();
    int64_t rank = getRank(a);
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      equalDims(a, dim, b, dim, "a", "b");
    equalDims(a, matmul.getTransposeA() ? rank - 2 : rank - 1, b,
              matmul.getTransposeB() ? rank - 1 : rank - 2, "a", "b");
  } else if (auto dense = dyn_cast<nn::DenseOp>(op)) {
    Value x = dense.getX(), w = dense.getW();
    equalDims(x, getRank(x) - 1, w, 0, "x", "w");
    if (Value bias = dense.getB())
      equalDims(w, 1, bias, 0, "w", "b");
  } else if (auto solve = dyn_cast<nn::TriangularSolveOp>(op)) {
    Value a = solve.getA(), b = solve.getB();
    int64_t rank = getRank(a);
    for (int64_t dim = 0; dim < rank - 1; ++dim)
      equalDims(a, dim, b, dim, "a", "b");
    equalDims(a, rank - 2, a, rank - 1, "a", "a");
  } else if (auto cholesky = dyn_cast<nn::CholeskyOp>(op)) {
    int64_t rank = getRank(cholesky.getA());
    equalDims(cholesky.getA(), rank - 2, cholesky.getA(), rank - 1, "a", "a");
  } else if (auto lstsq = dyn_cast<nn::LstsqOp>(op)) {
    int64_t rank = getRank(lstsq.getA());
    for (int64_t dim = 0; dim < rank - 1; ++dim)
      equalDims(lstsq.getA(), dim, lstsq.getB(), dim, "a", "b");
  }
}

void RelationReporter::addNNIndexing() {
  auto scatter = [&](Value init, Value indices, Value updates, int64_t axis) {
    int64_t numIndices = getRank(indices);
    for (int64_t dim = 0; dim < getRank(init); ++dim)
      if (dim != axis)
        equalDims(init, dim, updates, dim < axis ? dim : dim + numIndices - 1,
                  "init", "updates");
    for (int64_t dim = 0; dim < numIndices; ++dim)
      equalDims(indices, dim, updates, axis + dim, "indices", "updates");
  };
  if (auto add = dyn_cast<nn::ScatterAddOp>(op))
    return scatter(add.getInit(), add.getIndices(), add.getUpdates(),
                   add.getAxis());
  if (auto replace = dyn_cast<nn::ScatterOp>(op))
    return scatter(replace.getInit(), replace.getIndices(),
                   replace.getUpdates(), replace.getAxis());
  auto broadcast = dyn_cast<nn::BroadcastOp>(op);
  if (!broadcast)
    return;
  auto type = cast<RankedTensorType>(broadcast.getInput().getType());
  for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
    // Only what is 1 by its type stretches.
    if (type.getDimSize(i) != 1)
      equalDims(broadcast.getInput(), i, broadcast.getResult(), dim,
                "the input", "the result");
}

/// Images and channels; the numbers of windows are checked where they are
/// computed, in the lowering.
void RelationReporter::addNNWindows() {
  if (auto pool = dyn_cast<nn::MaxPool2dSelectOp>(op))
    return equalShapes(pool.getX(), pool.getV(), "x", "v");
  if (auto pool = dyn_cast<nn::MaxPool2dGradOp>(op)) {
    equalDims(pool.getX(), 0, pool.getDy(), 0, "x", "dy");
    equalDims(pool.getX(), 3, pool.getDy(), 3, "x", "dy");
  } else if (auto conv = dyn_cast<nn::Conv2dFilterGradOp>(op)) {
    equalDims(conv.getX(), 0, conv.getDy(), 0, "x", "dy");
  } else if (auto pool = dyn_cast<nn::AvgPool2dGradOp>(op)) {
    // It has the shape of the result, whose images and channels are those of
    // dy.
    if (Value like = pool.getLike()) {
      equalDims(like, 0, pool.getDy(), 0, "like", "dy");
      equalDims(like, 3, pool.getDy(), 3, "like", "dy");
    }
  } else if (auto conv = dyn_cast<nn::Conv2dTransposeOp>(op)) {
    if (Value like = conv.getLike())
      equalDims(like, 0, conv.getX(), 0, "like", "x");
  }
}

void RelationReporter::addNN() {
  addNNContractions();
  addNNIndexing();
  addNNWindows();
  if (auto loss = dyn_cast<nn::SoftmaxCrossEntropyOp>(op))
    return equalShapes(loss.getLogits(), loss.getLabels(), "logits", "labels");
  if (auto loss = dyn_cast<nn::SigmoidCrossEntropyOp>(op))
    return equalShapes(loss.getLogits(), loss.getLabels(), "logits", "labels");
  if (auto loss = dyn_cast<nn::SparseSoftmaxCrossEntropyOp>(op)) {
    for (int64_t dim = 0; dim < getRank(loss.getLabel()); ++dim)
      equalDims(loss.getLogits(), dim, loss.getLabel(), dim, "logits",
                "labels");
    return;
  }
  // Losses of rows compare two tensors of one shape.
  if (isa<nn::MeanSquaredErrorOp, nn::MeanAbsoluteErrorOp,
          nn::MeanAbsolutePercentageErrorOp, nn::MeanSquaredLogarithmicErrorOp,
          nn::HuberOp, nn::HingeOp, nn::SquaredHingeOp, nn::CategoricalHingeOp,
          nn::LogCoshOp, nn::KLDivergenceOp, nn::PoissonOp,
          nn::CosineProximityOp, nn::BinaryCrossentropyOp,
          nn::CategoricalCrossentropyOp>(op))
    equalShapes(op->getOperand(0), op->getOperand(1), "the prediction",
                "the target");
}
