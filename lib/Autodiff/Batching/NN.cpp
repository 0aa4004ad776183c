//===- NN.cpp - Batching rules of the nn dialect --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {

RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Shapes and reductions
//===----------------------------------------------------------------------===//

SmallVector<int64_t> shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

struct BroadcastBatching : BatchingModel<BroadcastBatching, nn::BroadcastOp> {
  static LogicalResult emit(nn::BroadcastOp op, Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    BatchedValue input = batcher.lookup(op.getInput());
    ArrayRef<int64_t> dims = op.getDims();
    auto isStretched = [&](int64_t dim) {
      return tensorOf(op.getInput()).getDimSize(dim) == 1 &&
             tensorOf(op).getDimSize(dims[dim]) != 1;
    };
    if (input.isUniform() || (input.isDiagonal() && !isStretched(input.dim))) {
      Value like = op.getLike() ? batcher.getShape(loc, op.getLike()) : Value();
      Value repeated = nn::BroadcastOp::create(b, loc, op.getType(),
                                               input.value, like, dims);
      if (input.isUniform())
        batcher.setUniform(op, repeated);
      else
        batcher.setDiagonal(op, repeated, dims[input.dim]);
      return success();
    }

    RankedTensorType type = batcher.getDenseType(op.getType());
    Value like;
    if (!type.hasStaticShape()) {
      // The shape of a value that is dense already, or of none.
      like = batcher.lookup(op.getLike()).isDense()
                 ? batcher.getDense(loc, op.getLike())
                 : castTo(b, loc, type,
                          tensor::EmptyOp::create(
                              b, loc, batcher.getDenseSizes(loc, op.getLike()),
                              type.getElementType()));
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
    if (input.isDiagonal() && isLinear)
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
    return batcher.emitDiagonal(op, input.dim - before);
  }

  /// A reduction over the diagonal dimension, where each position has one
  /// element, and others.
  static LogicalResult emitWithoutDiagonal(nn::ReduceOp op, BatchedValue input,
                                           Batcher &batcher) {
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    SmallVector<int64_t> others = llvm::filter_to_vector(
        op.getAxes(), [&](int64_t axis) { return axis != input.dim; });
    Value value = nn::buildSum(b, loc, input.value, others);
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
// Contractions
//===----------------------------------------------------------------------===//

/// Emits C += A * B with a new loop in front of (m, n, k).
class MatmulBatcher {
public:
  MatmulBatcher(nn::MatmulOp op, Batcher &batcher)
      : op(op), batcher(batcher), b(batcher.getBuilder()), loc(op.getLoc()),
        a(batcher.lookup(op.getA())), rhs(batcher.lookup(op.getB())) {}

  LogicalResult emit() {
    if (a.isDiagonal() && rhs.isUniform())
      return emitDiagonal(a.dim == op.getTransposeA(), a.dim, 0);
    if (a.isUniform() && rhs.isDiagonal())
      return emitDiagonal(rhs.dim != op.getTransposeB(), rhs.dim, 1);
    return emitContraction();
  }

private:
  /// One operand is diagonal along rows of the result (`resultDim` 0), along
  /// columns (1), or along what is contracted.
  LogicalResult emitDiagonal(bool isKept, int64_t dim, int64_t resultDim) {
    if (isKept)
      return batcher.emitDiagonal(op, resultDim);
    // Each position has one term of the sum.
    return emitProduct();
  }

  /// The loops that an operand is indexed by, of (i, m, n, k).
  SmallVector<unsigned> getLoops(bool isA) {
    unsigned outer = isA ? 1 : 3, inner = isA ? 3 : 2;
    if (isA ? op.getTransposeA() : op.getTransposeB())
      std::swap(outer, inner);
    return {outer, inner};
  }

  AffineMap getMap(unsigned numLoops, ArrayRef<unsigned> loops) {
    return AffineMap::getMultiDimMapWithTargets(numLoops, loops,
                                                b.getContext());
  }

  /// The extent that the operands have along a loop.
  OpFoldResult getExtent(unsigned loop) {
    bool isA = loop != 2;
    Value operand = isA ? op.getA() : op.getB();
    unsigned dim = getLoops(isA)[0] == loop ? 0 : 1;
    return batcher.getSizes(loc, operand)[dim];
  }

  /// C[k, m, n] = A[m, k] * B[k, n].
  LogicalResult emitProduct() {
    auto withoutContracted = [&](bool isA) {
      SmallVector<unsigned> loops = getLoops(isA);
      for (unsigned &loop : loops)
        loop %= 3;
      return getMap(3, loops);
    };
    SmallVector<OpFoldResult> sizes{getExtent(3), getExtent(1), getExtent(2)};
    Value init = tensor::EmptyOp::create(b, loc, sizes,
                                         getElementTypeOrSelf(op.getType()));
    SmallVector<utils::IteratorType> iterators(3,
                                               utils::IteratorType::parallel);
    auto product = linalg::GenericOp::create(
        b, loc, init.getType(), ValueRange{a.value, rhs.value}, init,
        ArrayRef<AffineMap>{withoutContracted(true), withoutContracted(false),
                            b.getMultiDimIdentityMap(3)},
        iterators, [](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(
              b, loc,
              arith::MulFOp::create(b, loc, args[0], args[1]).getResult());
        });
    batcher.setDense(op, product.getResult(0));
    return success();
  }

  /// C[i, m, n] += A[i, m, k] * B[i, k, n], one of them perhaps without i.
  LogicalResult emitContraction() {
    auto getOperand = [&](bool isA) {
      Value operand = isA ? op.getA() : op.getB();
      SmallVector<unsigned> loops = getLoops(isA);
      if (!batcher.isBatched(operand))
        return std::pair(batcher.getUniform(operand), getMap(4, loops));
      loops.insert(loops.begin(), 0);
      return std::pair(batcher.getDense(loc, operand), getMap(4, loops));
    };
    auto [lhs, lhsMap] = getOperand(true);
    auto [rhs, rhsMap] = getOperand(false);
    Type type = getElementTypeOrSelf(op.getType());
    Type sumType = type.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : type;
    SmallVector<OpFoldResult> sizes{batcher.getExtent(), getExtent(1),
                                    getExtent(2)};
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(sumType, 0.0));
    Value init = tensor::EmptyOp::create(b, loc, sizes, sumType);
    init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
    SmallVector<utils::IteratorType> iterators(3,
                                               utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    auto widen = [&](OpBuilder &b, Location loc, Value value) -> Value {
      return type == sumType ? value
                             : arith::ExtFOp::create(b, loc, sumType, value);
    };
    auto generic = linalg::GenericOp::create(
        b, loc, init.getType(), ValueRange{lhs, rhs}, init,
        ArrayRef<AffineMap>{lhsMap, rhsMap, getMap(4, {0, 1, 2})}, iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value product = arith::MulFOp::create(b, loc, widen(b, loc, args[0]),
                                                widen(b, loc, args[1]));
          linalg::YieldOp::create(
              b, loc,
              arith::AddFOp::create(b, loc, args[2], product).getResult());
        });
    Value sum = generic.getResult(0);
    if (sumType != type)
      sum = arith::TruncFOp::create(b, loc, tensorOf(sum).clone(type), sum);
    batcher.setDense(op, sum);
    return success();
  }

  nn::MatmulOp op;
  Batcher &batcher;
  OpBuilder &b;
  Location loc;
  BatchedValue a, rhs;
};

struct MatmulBatching : BatchingModel<MatmulBatching, nn::MatmulOp> {
  static LogicalResult emit(nn::MatmulOp op, Batcher &batcher) {
    // With leading dimensions already, positions are one more.
    if (tensorOf(op.getA()).getRank() > 2)
      return batcher.emitDense(op);
    return MatmulBatcher(op, batcher).emit();
  }
};

struct DenseBatching : BatchingModel<DenseBatching, nn::DenseOp> {
  static LogicalResult emit(nn::DenseOp op, Batcher &batcher) {
    return batcher.batchThrough(op, [&](OpBuilder &b) -> SmallVector<Value> {
      Location loc = op.getLoc();
      Value x = nn::buildRows(b, loc, op.getX());
      RankedTensorType type = tensorOf(op.getW()).clone(
          {tensorOf(x).getDimSize(0), tensorOf(op.getW()).getDimSize(1)});
      Value y = nn::buildMatmul(b, loc, type, x, false, op.getW(), false);
      if (op.getB()) {
        Value bias = nn::buildBroadcast(b, loc, op.getB(), {1}, y);
        y = arith::AddFOp::create(b, loc, y, bias);
      }
      y = nn::buildFromRows(b, loc, y, op.getX());
      return {castTo(b, loc, op.getType(), y)};
    });
  }
};

template <typename OpTy> BatchingRule elementwiseZero() {
  return batched<OpTy, ElementwiseBatching<OpTy, /*keepsZero=*/true>>();
}
template <typename OpTy> BatchingRule elementwise() {
  return batched<OpTy, ElementwiseBatching<OpTy, /*keepsZero=*/false>>();
}
} // namespace

ArrayRef<BatchingRule> getNNBatchingRules() {
  static const BatchingRule rules[] = {
      batched<nn::BroadcastOp, BroadcastBatching>(),
      batched<nn::DenseOp, DenseBatching>(),
      batched<nn::MatmulOp, MatmulBatching>(),
      batched<nn::ReduceOp, ReduceBatching>(),
      batched<nn::LogSoftmaxOp, LeadingBatching<nn::LogSoftmaxOp>>(),
      batched<nn::SoftmaxOp, LeadingBatching<nn::SoftmaxOp>>(),
      batched<nn::TriangleOp, LeadingBatching<nn::TriangleOp>>(),
      elementwiseZero<nn::ReluOp>(),
      elementwise<nn::SigmoidOp>(),
      elementwise<nn::SoftplusOp>(),
      looped<nn::SigmoidCrossEntropyOp>(),
      looped<nn::SoftmaxCrossEntropyOp>(),
      looped<nn::SparseSoftmaxCrossEntropyOp>(),
  };
  return rules;
}

} // namespace flywheel
