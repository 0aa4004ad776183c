//===- NN.cpp - Batching rules of the nn dialect --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
//===----------------------------------------------------------------------===//
// Shapes and reductions
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

namespace {
struct BroadcastBatching : BatchingModel<BroadcastBatching, nn::BroadcastOp> {
  /// The extents of the result as a dense value. Without `like` those of the
  /// op are static.
  static SmallVector<OpFoldResult> getDenseSizes(nn::BroadcastOp op,
                                                 Batcher &batcher) {
    if (op.getLike())
      return batcher.getDenseSizes(op.getLoc(), op.getLike());
    SmallVector<OpFoldResult> sizes = {batcher.getExtent()};
    llvm::append_range(sizes, getAsIndexOpFoldResult(op.getContext(),
                                                     tensorOf(op).getShape()));
    return sizes;
  }

  static LogicalResult emit(nn::BroadcastOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    BatchedValue input = batcher.lookup(op.getInput());
    ArrayRef<int64_t> dims = op.getDims();
    auto isStretched = [&](int64_t dim) {
      return tensorOf(op.getInput()).getDimSize(dim) == 1 &&
             tensorOf(op).getDimSize(dims[dim]) != 1;
    };
    if (input.isUniform() ||
        (input.isDiagonalInBlocks() && !isStretched(input.dim))) {
      Value like = op.getLike() ? batcher.getShape(loc, op.getLike()) : Value();
      Value repeated = nn::BroadcastOp::create(b, loc, op.getType(),
                                               input.value, like, dims);
      if (input.isUniform())
        batcher.setUniform(op, repeated);
      else
        batcher.setDiagonal(op, repeated, dims[input.dim], input.block);
      return success();
    }

    RankedTensorType type = batcher.getDenseType(op.getType());
    Value like;
    if (!type.hasStaticShape()) {
      // The shape of a value that is dense already, or of none.
      if (op.getLike() && batcher.lookup(op.getLike()).isDense())
        like = batcher.getDense(loc, op.getLike());
      else
        like = nn::buildCast(b, loc,
                             tensor::EmptyOp::create(b, loc,
                                                     getDenseSizes(op, batcher),
                                                     type.getElementType()),
                             type);
    }
    SmallVector<int64_t> denseDims = shifted(dims);
    denseDims.insert(denseDims.begin(), 0);
    batcher.setDense(op, nn::BroadcastOp::create(
                             b, loc, type, batcher.getDense(loc, op.getInput()),
                             like, denseDims));
    return success();
  }
};

struct ReduceBatching : BatchingModel<ReduceBatching, nn::ReduceOp> {
  static LogicalResult emit(nn::ReduceOp op, Batcher &batcher) {
    BatchedValue input = batcher.lookup(op.getInput());
    bool isLinear = op.getKind() == nn::ReductionKind::sum ||
                    op.getKind() == nn::ReductionKind::mean;
    if (input.isDiagonalInBlocks() && isLinear)
      return llvm::is_contained(op.getAxes(), input.dim)
                 ? emitWithoutDiagonal(op, input, batcher)
                 : emitAround(op, input, batcher);
    OpBuilder &b = batcher.getBuilder();
    Value dense = nn::ReduceOp::create(
        b, op.getLoc(), batcher.getDenseType(op.getType()), op.getKind(),
        batcher.getDense(op.getLoc(), op.getInput()), shifted(op.getAxes()),
        op.getKeepdims());
    batcher.setDense(op, dense);
    return success();
  }

  /// A reduction over other dimensions than the diagonal one.
  static LogicalResult emitAround(nn::ReduceOp op, BatchedValue input,
                                  Batcher &batcher) {
    int64_t before =
        op.getKeepdims() ? 0 : llvm::count_if(op.getAxes(), [&](int64_t axis) {
          return axis < input.dim;
        });
    return batcher.emitDiagonal(op, input.dim - before, input.block);
  }

  /// A reduction over the diagonal dimension, where each position has one
  /// element, or a block of them, and others.
  static LogicalResult emitWithoutDiagonal(nn::ReduceOp op, BatchedValue input,
                                           Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    Value parts = input.value;
    SmallVector<int64_t> others;
    bool hasBlocks = input.block != 1;
    if (hasBlocks)
      parts = batcher.splitBlocks(loc, parts, input.dim, input.block);
    for (int64_t axis : op.getAxes())
      if (axis != input.dim)
        others.push_back(hasBlocks && axis > input.dim ? axis + 1 : axis);
      else if (hasBlocks)
        others.push_back(axis + 1);
    Value value = nn::buildSum(b, loc, parts, others);
    if (op.getKind() == nn::ReductionKind::mean) {
      auto type = cast<FloatType>(getElementTypeOrSelf(op));
      Value count = nn::buildCount(b, loc, input.value, op.getAxes(), type);
      Value counts = nn::buildBroadcast(b, loc, count, {}, value);
      value = arith::DivFOp::create(b, loc, value, counts);
    }
    int64_t position = input.dim - llvm::count_if(others, [&](int64_t axis) {
                         return axis < input.dim;
                       });
    value = moveToFront(b, loc, value, position);
    if (op.getKeepdims())
      value = addUnitDims(b, loc, value, op.getAxes(),
                          batcher.getDenseType(op.getType()));
    batcher.setDense(op, value);
    return success();
  }

  static Value moveToFront(OpBuilder &b, Location loc, Value value,
                           int64_t dim) {
    if (dim == 0)
      return value;
    SmallVector<int64_t> permutation =
        nn::identityDims(tensorOf(value).getRank());
    permutation.erase(permutation.begin() + dim);
    permutation.insert(permutation.begin(), dim);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    applyPermutationToVector(sizes, permutation);
    Value init =
        tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(value));
    return linalg::TransposeOp::create(b, loc, value, init, permutation)
        ->getResult(0);
  }

  /// Gives `value`, dense, the dimensions of extent 1 that `keepdims` keeps at
  /// `axes`; `type` is the dense type of the result.
  static Value addUnitDims(OpBuilder &b, Location loc, Value value,
                           ArrayRef<int64_t> axes, RankedTensorType type) {
    SmallVector<OpFoldResult> given = tensor::getMixedSizes(b, loc, value);
    SmallVector<OpFoldResult> sizes{given.front()};
    SmallVector<int64_t> shape{tensorOf(value).getDimSize(0)};
    SmallVector<ReassociationIndices> groups{{0}};
    for (int64_t dim = 1; dim < type.getRank(); ++dim) {
      if (llvm::is_contained(axes, dim - 1)) {
        sizes.push_back(b.getIndexAttr(1));
        shape.push_back(1);
      } else {
        sizes.push_back(given[groups.size()]);
        shape.push_back(tensorOf(value).getDimSize(groups.size()));
        groups.emplace_back();
      }
      groups.back().push_back(dim);
    }
    return tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), value,
        groups, sizes);
  }
};

//===----------------------------------------------------------------------===//
// Ops along one dimension, on matrices and on images
//===----------------------------------------------------------------------===//

/// An op with the attribute `axis` in which all other dimensions are parallel.
template <typename OpTy>
struct AxisBatching : BatchingModel<AxisBatching<OpTy>, OpTy> {
  static LogicalResult emit(OpTy op, Batcher &batcher) {
    BatchedValue x = batcher.lookup(op.getX());
    if (x.isDiagonal() && x.dim != static_cast<int64_t>(op.getAxis()))
      return batcher.emitDiagonal(op, x.dim);
    if (failed(batcher.emitDense(op)))
      return failure();
    OpTy dense = batcher.lookup(op).value.template getDefiningOp<OpTy>();
    dense.setAxis(op.getAxis() + 1);
    return success();
  }
};

struct GatherBatching : BatchingModel<GatherBatching, nn::GatherOp> {
  static LogicalResult emit(nn::GatherOp op, Batcher &batcher) {
    if (batcher.isBatched(op.getIndices()))
      return batcher.batchInLoop(op);
    BatchedValue x = batcher.lookup(op.getX());
    int64_t axis = op.getAxis();
    if (x.isDiagonal() && x.dim != axis) {
      int64_t added = tensorOf(op.getIndices()).getRank() - 1;
      return batcher.emitDiagonal(op, x.dim < axis ? x.dim : x.dim + added);
    }
    batcher.setDense(op, nn::GatherOp::create(
                             batcher.getBuilder(), op.getLoc(),
                             batcher.getDenseType(op.getType()),
                             batcher.getDense(op.getLoc(), op.getX()),
                             batcher.getUniform(op.getIndices()), axis + 1));
    return success();
  }
};

/// Slices that are added, or take the place of others.
template <typename OpTy>
struct ScatterBatching : BatchingModel<ScatterBatching<OpTy>, OpTy> {
  static LogicalResult emit(OpTy op, Batcher &batcher) {
    if (batcher.isBatched(op.getIndices()))
      return batcher.batchInLoop(op);
    BatchedValue updates = batcher.lookup(op.getUpdates());
    BatchedValue init = batcher.lookup(op.getInit());
    int64_t axis = op.getAxis();
    int64_t numIndexed = tensorOf(op.getIndices()).getRank();
    bool isIndexed = updates.isDiagonal() && updates.dim >= axis &&
                     updates.dim < axis + numIndexed;
    // Each position adds slices at indices of its own.
    if (std::is_same_v<OpTy, nn::ScatterAddOp> && isIndexed && init.isUniform())
      return batcher.batchSliced(
          op, {std::nullopt, updates.dim - axis, updates.dim});
    for (int64_t dim = 0, e = tensorOf(op.getInit()).getRank(); dim < e; ++dim)
      if (dim != axis && batcher.isDiagonalOrZero(op.getInit(), dim) &&
          batcher.isDiagonalOrZero(op.getUpdates(),
                                   dim < axis ? dim : dim + numIndexed - 1))
        return batcher.emitDiagonal(op, dim);
    Location loc = op.getLoc();
    batcher.setDense(op, OpTy::create(batcher.getBuilder(), loc,
                                      batcher.getDenseType(op.getType()),
                                      batcher.getDense(loc, op.getInit()),
                                      batcher.getUniform(op.getIndices()),
                                      batcher.getDense(loc, op.getUpdates()),
                                      axis + 1));
    return success();
  }
};

/// Numbers of positions, whatever the values of `like`.
struct IotaBatching : BatchingModel<IotaBatching, nn::IotaOp> {
  static LogicalResult emit(nn::IotaOp op, Batcher &batcher) {
    Operation *copy = batcher.emitLike(
        op, batcher.getShape(op.getLoc(), op.getLike()), /*isDense=*/false);
    batcher.setUniform(op, copy->getResult(0));
    return success();
  }
};

struct TriangleBatching : BatchingModel<TriangleBatching, nn::TriangleOp> {
  static LogicalResult emit(nn::TriangleOp op, Batcher &batcher) {
    BatchedValue x = batcher.lookup(op.getX());
    return x.isDiagonal() && op.getFill().isZero()
               ? batcher.emitDiagonal(op, x.dim)
               : batcher.emitDense(op);
  }
};

struct TriangularSolveBatching
    : BatchingModel<TriangularSolveBatching, nn::TriangularSolveOp> {
  static LogicalResult emit(nn::TriangularSolveOp op, Batcher &batcher) {
    BatchedValue b = batcher.lookup(op.getB());
    bool solvesEach = b.dim != tensorOf(op.getB()).getRank() - 2;
    if (b.isDiagonal() && solvesEach && !batcher.isBatched(op.getA()))
      return batcher.emitDiagonal(op, b.dim);
    return batcher.emitDense(op);
  }
};

/// An op on images that is linear in operand `linear`, or of which 0 makes 0:
/// each image is treated by itself. The other operands are shared by all
/// positions, or give a shape.
template <typename OpTy, unsigned linear>
struct ImageBatching : BatchingModel<ImageBatching<OpTy, linear>, OpTy> {
  static LogicalResult emit(OpTy op, Batcher &batcher) {
    BatchedValue images = batcher.lookup(op->getOperand(linear));
    if (!images.isDiagonal() || images.dim != 0)
      return batcher.batchInLoop(op);
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (isShape(op, i))
        operands.push_back(batcher.getShape(op.getLoc(), operand));
      else if (i == linear || !batcher.isBatched(operand))
        operands.push_back(batcher.lookup(operand).value);
      else
        return batcher.batchInLoop(op);
    }
    Operation *copy = batcher.emitLike(op, operands, /*isDense=*/false);
    batcher.setDiagonal(op, copy->getResult(0), 0);
    return success();
  }

  /// Whether operand `i` is `like`, the last one.
  static bool isShape(OpTy op, unsigned i) {
    if constexpr (std::is_same_v<OpTy, nn::Conv2dTransposeOp> ||
                  std::is_same_v<OpTy, nn::AvgPool2dGradOp>)
      return op.getLike() && i + 1 == op->getNumOperands();
    return false;
  }
};

/// A sum over images, of which each position has one.
struct FilterGradBatching
    : BatchingModel<FilterGradBatching, nn::Conv2dFilterGradOp> {
  static LogicalResult emit(nn::Conv2dFilterGradOp op, Batcher &batcher) {
    auto isOne = [&](Value value, Value other) {
      BatchedValue found = batcher.lookup(value);
      return found.isDiagonal() && found.dim == 0 && !batcher.isBatched(other);
    };
    if (isOne(op.getX(), op.getDy()) || isOne(op.getDy(), op.getX()))
      return batcher.batchSliced(op, {0, 0});
    return batcher.batchInLoop(op);
  }
};

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// One loss with an element for each row, or element, of all positions, which
/// is reduced for each position.
template <typename OpTy>
struct LossBatching : BatchingModel<LossBatching<OpTy>, OpTy> {
  static LogicalResult emit(OpTy op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    Value logits = batcher.getDense(loc, op->getOperand(0));
    Value labels = batcher.getDense(loc, op->getOperand(1));
    bool isElementwise = std::is_same_v<OpTy, nn::SigmoidCrossEntropyOp>;
    RankedTensorType type = tensorOf(logits);
    auto lossType =
        RankedTensorType::get(type.getShape().drop_back(isElementwise ? 0 : 1),
                              type.getElementType());
    Value losses =
        OpTy::create(b, loc, lossType, logits, labels, nn::LossReduction::none);
    if (op.getReduction() != nn::LossReduction::none) {
      bool isMean = op.getReduction() == nn::LossReduction::mean;
      SmallVector<int64_t> axes = nn::identityDims(tensorOf(losses).getRank());
      axes.erase(axes.begin());
      losses = nn::ReduceOp::create(b, loc, batcher.getDenseType(op.getType()),
                                    isMean ? nn::ReductionKind::mean
                                           : nn::ReductionKind::sum,
                                    losses, axes, /*keepdims=*/false);
    }
    batcher.setDense(op, losses);
    return success();
  }
};
} // namespace

template <typename OpTy> static BatchingRule loss() {
  return batched<OpTy, LossBatching<OpTy>>();
}

template <typename OpTy> static BatchingRule keepingZero() {
  return batched<OpTy, ElementwiseBatching<OpTy, /*keepsZero=*/true>>();
}

template <typename OpTy> static BatchingRule elementwise() {
  return batched<OpTy, ElementwiseBatching<OpTy, /*keepsZero=*/false>>();
}

template <typename OpTy> static BatchingRule leading() {
  return batched<OpTy, LeadingBatching<OpTy>>();
}

template <typename OpTy, unsigned linear = 0> static BatchingRule onImages() {
  return batched<OpTy, ImageBatching<OpTy, linear>>();
}

ArrayRef<BatchingRule> getNNBatchingRules() {
  static const BatchingRule rules[] = {
      batched<nn::BroadcastOp, BroadcastBatching>(),
      batched<nn::Conv2dFilterGradOp, FilterGradBatching>(),
      batched<nn::CumsumOp, AxisBatching<nn::CumsumOp>>(),
      batched<nn::GatherOp, GatherBatching>(),
      batched<nn::IotaOp, IotaBatching>(),
      batched<nn::ReduceOp, ReduceBatching>(),
      batched<nn::ScatterAddOp, ScatterBatching<nn::ScatterAddOp>>(),
      batched<nn::ScatterOp, ScatterBatching<nn::ScatterOp>>(),
      batched<nn::TriangleOp, TriangleBatching>(),
      batched<nn::TriangularSolveOp, TriangularSolveBatching>(),
      elementwise<nn::SigmoidOp>(),
      elementwise<nn::SoftplusOp>(),
      keepingZero<nn::ReluOp>(),
      leading<nn::CholeskyOp>(),
      leading<nn::LogSoftmaxOp>(),
      leading<nn::SoftmaxOp>(),
      loss<nn::SigmoidCrossEntropyOp>(),
      loss<nn::SoftmaxCrossEntropyOp>(),
      loss<nn::SparseSoftmaxCrossEntropyOp>(),
      onImages<nn::AvgPool2dGradOp>(),
      onImages<nn::AvgPool2dOp>(),
      onImages<nn::Conv2dOp>(),
      onImages<nn::Conv2dTransposeOp>(),
      onImages<nn::MaxPool2dGradOp, 1>(),
      onImages<nn::MaxPool2dOp>(),
      onImages<nn::MaxPool2dSelectOp, 1>(),
  };
  return rules;
}

} // namespace flywheel
