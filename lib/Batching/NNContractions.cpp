//===- NNContractions.cpp - Batching rules of nn.matmul and nn.dense ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is diagonal along rows or columns of a product stays so. A product along
// whose contracted dimension an operand is diagonal has one term for each
// position, an outer product, or with blocks a product of the blocks. Any other
// is one contraction, with one more loop.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {

/// Emits C[l, m, n] += A[l, m, k] * B[l, k, n] with a new loop in front. Loops
/// have numbers: 0 is the new one, then come the leading dimensions l, m, n, k.
class MatmulBatcher {
public:
  MatmulBatcher(nn::MatmulOp op, Batcher &batcher)
      : op(op), batcher(batcher), b(batcher.getBuilder()), loc(op.getLoc()),
        numLeading(op.getType().getRank() - 2) {}

  LogicalResult emit() {
    BatchedValue lhs = batcher.lookup(op.getA());
    BatchedValue rhs = batcher.lookup(op.getB());
    bool isA = lhs.isDiagonalInBlocks() && rhs.isUniform();
    if (!isA && !(lhs.isUniform() && rhs.isDiagonalInBlocks()))
      return emitContraction();
    BatchedValue diagonal = isA ? lhs : rhs;
    unsigned loop = getLoops(isA)[diagonal.dim];
    if (loop != getK())
      return batcher.emitDiagonal(op, loop - 1, diagonal.block);
    return diagonal.block == 1 ? emitTerms() : emitBlocks(diagonal.block);
  }

private:
  unsigned getM() { return numLeading + 1; }
  unsigned getN() { return numLeading + 2; }
  unsigned getK() { return numLeading + 3; }

  /// The loops that the dimensions of an operand are indexed by.
  SmallVector<unsigned> getLoops(bool isA) {
    SmallVector<unsigned> loops =
        llvm::to_vector(llvm::seq<unsigned>(1, numLeading + 1));
    unsigned outer = isA ? getM() : getK(), inner = isA ? getK() : getN();
    if (isA ? op.getTransposeA() : op.getTransposeB())
      std::swap(outer, inner);
    loops.append({outer, inner});
    return loops;
  }

  AffineMap getMap(unsigned numLoops, ArrayRef<unsigned> loops) {
    return AffineMap::getMultiDimMapWithTargets(numLoops, loops,
                                                b.getContext());
  }

  /// The extents of loops 0 to n; that of loop 0 is `first`.
  SmallVector<OpFoldResult> getResultSizes(OpFoldResult first) {
    SmallVector<OpFoldResult> sizes{first};
    for (unsigned loop = 1; loop <= getN(); ++loop)
      sizes.push_back(getExtent(loop));
    return sizes;
  }
  OpFoldResult getExtent(unsigned loop) {
    bool isA = loop != getN();
    SmallVector<unsigned> loops = getLoops(isA);
    return batcher.getSizes(
        loc,
        isA ? op.getA() : op.getB())[llvm::find(loops, loop) - loops.begin()];
  }

  /// C[k, l, m, n] = A[l, m, k] * B[l, k, n].
  LogicalResult emitTerms() {
    unsigned numLoops = getK();
    auto getTermMap = [&](bool isA) {
      SmallVector<unsigned> loops = getLoops(isA);
      llvm::replace(loops, getK(), 0u);
      return getMap(numLoops, loops);
    };
    Value init =
        tensor::EmptyOp::create(b, loc, getResultSizes(getExtent(getK())),
                                getElementTypeOrSelf(op.getType()));
    SmallVector<utils::IteratorType> iterators(numLoops,
                                               utils::IteratorType::parallel);
    auto terms = linalg::GenericOp::create(
        b, loc, init.getType(),
        ValueRange{batcher.lookup(op.getA()).value,
                   batcher.lookup(op.getB()).value},
        init,
        ArrayRef<AffineMap>{getTermMap(true), getTermMap(false),
                            b.getMultiDimIdentityMap(numLoops)},
        iterators, [](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(
              b, loc,
              arith::MulFOp::create(b, loc, args[0], args[1]).getResult());
        });
    batcher.setDense(op, terms.getResult(0));
    return success();
  }

  /// C[i, l, m, n] += A[l, m, i, k] * B[l, i, k, n], of blocks.
  LogicalResult emitBlocks(int64_t block) {
    auto getOperand = [&](bool isA) {
      Value operand = isA ? op.getA() : op.getB();
      SmallVector<unsigned> loops = getLoops(isA);
      int64_t dim = llvm::find(loops, getK()) - loops.begin();
      loops.insert(loops.begin() + dim, 0);
      return std::pair(
          batcher.splitBlocks(loc, batcher.lookup(operand).value, dim, block),
          getMap(getK() + 1, loops));
    };
    auto [lhs, lhsMap] = getOperand(true);
    auto [rhs, rhsMap] = getOperand(false);
    return emitSum(lhs, lhsMap, rhs, rhsMap);
  }

  /// C[i, l, m, n] += A[i, l, m, k] * B[i, l, k, n], one perhaps without i.
  LogicalResult emitContraction() {
    auto getOperand = [&](bool isA) {
      Value operand = isA ? op.getA() : op.getB();
      SmallVector<unsigned> loops = getLoops(isA);
      if (!batcher.isBatched(operand))
        return std::pair(batcher.getUniform(operand),
                         getMap(getK() + 1, loops));
      loops.insert(loops.begin(), 0);
      return std::pair(batcher.getDense(loc, operand),
                       getMap(getK() + 1, loops));
    };
    auto [lhs, lhsMap] = getOperand(true);
    auto [rhs, rhsMap] = getOperand(false);
    return emitSum(lhs, lhsMap, rhs, rhsMap);
  }

  /// The sum over k of the products of two operands, in at least f32.
  LogicalResult emitSum(Value lhs, AffineMap lhsMap, Value rhs,
                        AffineMap rhsMap) {
    unsigned numLoops = getK() + 1;
    Type type = getElementTypeOrSelf(op.getType());
    Type sumType = type.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : type;
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(sumType, 0.0));
    Value init = tensor::EmptyOp::create(
        b, loc, getResultSizes(batcher.getExtent()), sumType);
    init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
    SmallVector<utils::IteratorType> iterators(numLoops,
                                               utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    auto widen = [&](OpBuilder &b, Location loc, Value value) -> Value {
      return type == sumType ? value
                             : arith::ExtFOp::create(b, loc, sumType, value);
    };
    auto generic = linalg::GenericOp::create(
        b, loc, init.getType(), ValueRange{lhs, rhs}, init,
        ArrayRef<AffineMap>{
            lhsMap, rhsMap,
            b.getMultiDimIdentityMap(numLoops).dropResult(getK())},
        iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
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
  unsigned numLeading;
};

struct MatmulBatching : BatchingModel<MatmulBatching, nn::MatmulOp> {
  static LogicalResult emit(nn::MatmulOp op, Batcher &batcher) {
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
      return {nn::buildCast(b, loc, y, op.getType())};
    });
  }
};
} // namespace

ArrayRef<BatchingRule> getNNContractionBatchingRules() {
  static const BatchingRule rules[] = {
      batched<nn::DenseOp, DenseBatching>(),
      batched<nn::MatmulOp, MatmulBatching>(),
  };
  return rules;
}

} // namespace flywheel
