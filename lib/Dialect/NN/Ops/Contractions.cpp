//===- Contractions.cpp - Products of matrices ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../IR/NNSupport.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Batcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Counts 2 m k n for each product of two matrices.
CostExpr MatmulOp::countFlops(CostSizes &sizes) {
  int64_t rank = tensorOf(getA()).getRank();
  return sizes.getNumElements(getResult()) * CostExpr::constant(2) *
         sizes.getSize(getA(), getTransposeA() ? rank - 2 : rank - 1);
}

/// Counts one more for each sum with the bias.
CostExpr DenseOp::countFlops(CostSizes &sizes) {
  CostExpr elements = sizes.getNumElements(getResult());
  CostExpr products =
      elements * CostExpr::constant(2) * sizes.getSize(getW(), 0);
  return getB() ? products + elements : products;
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
  // once more if the operand is.
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

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//
//
// A product keeps an operand's diagonal along its rows or columns. If an
// operand is diagonal along the contracted dimension, the product has one term
// for each position: an outer product, or a product of the blocks. Any other
// product is one contraction with one more loop.

namespace {

/// Emits C[l, m, n] += A[l, m, k] * B[l, k, n] with a new loop in front. Loops
/// have numbers: 0 is the new one, then come the leading dimensions l, m, n, k.
class MatmulBatcher {
public:
  MatmulBatcher(MatmulOp op, Batcher &batcher)
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

  /// Returns the loops that the dimensions of an operand are indexed by.
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

  /// Returns the dimension sizes of loops 0 to n; that of loop 0 is `first`.
  SmallVector<OpFoldResult> getResultSizes(OpFoldResult first) {
    SmallVector<OpFoldResult> sizes{first};
    for (unsigned loop = 1; loop <= getN(); ++loop)
      sizes.push_back(getDimSize(loop));
    return sizes;
  }
  OpFoldResult getDimSize(unsigned loop) {
    bool isA = loop != getN();
    SmallVector<unsigned> loops = getLoops(isA);
    return batcher.getSizes(
        loc,
        isA ? op.getA() : op.getB())[llvm::find(loops, loop) - loops.begin()];
  }

  /// Emits C[k, l, m, n] = A[l, m, k] * B[l, k, n].
  LogicalResult emitTerms() {
    unsigned numLoops = getK();
    auto getTermMap = [&](bool isA) {
      SmallVector<unsigned> loops = getLoops(isA);
      llvm::replace(loops, getK(), 0u);
      return getMap(numLoops, loops);
    };
    Value init =
        tensor::EmptyOp::create(b, loc, getResultSizes(getDimSize(getK())),
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

  /// Emits C[i, l, m, n] += A[l, m, i, k] * B[l, i, k, n], of blocks.
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

  /// Emits C[i, l, m, n] += A[i, l, m, k] * B[i, l, k, n], one perhaps without
  /// i.
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

  /// Emits the sum over k of the products of two operands, in at least f32.
  LogicalResult emitSum(Value lhs, AffineMap lhsMap, Value rhs,
                        AffineMap rhsMap) {
    unsigned numLoops = getK() + 1;
    Type type = getElementTypeOrSelf(op.getType());
    Type sumType = type.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : type;
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(sumType, 0.0));
    Value init = tensor::EmptyOp::create(
        b, loc, getResultSizes(batcher.getDimSize()), sumType);
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

  MatmulOp op;
  Batcher &batcher;
  OpBuilder &b;
  Location loc;
  unsigned numLeading;
};
} // namespace

LogicalResult MatmulOp::emitBatched(Batcher &batcher) {
  return MatmulBatcher(*this, batcher).emit();
}

LogicalResult DenseOp::emitBatched(Batcher &batcher) {
  return batcher.batchThrough(*this, [&](OpBuilder &b) -> SmallVector<Value> {
    Location loc = getLoc();
    Value x = buildRows(b, loc, getX());
    RankedTensorType type = tensorOf(getW()).clone(
        {tensorOf(x).getDimSize(0), tensorOf(getW()).getDimSize(1)});
    Value y = buildMatmul(b, loc, type, x, false, getW(), false);
    if (getB()) {
      Value bias = buildBroadcast(b, loc, getB(), {1}, y);
      y = arith::AddFOp::create(b, loc, y, bias);
    }
    y = buildFromRows(b, loc, y, getX());
    return {buildCast(b, loc, y, getType())};
  });
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Emits op(lhs) * op(rhs) in the compute type of the operands, a product for
/// each index of their leading dimensions.
static Value emitMatmul(LinalgEmitter &e, Value lhs, bool transposeLhs,
                        Value rhs, bool transposeRhs) {
  Type type = e.getComputeType(getElementTypeOrSelf(lhs));
  // Loops: the leading dimensions, m, n and k.
  int64_t rank = cast<RankedTensorType>(lhs.getType()).getRank();
  int64_t m = rank - 2, n = rank - 1, k = rank;
  SmallVector<DimSize> dimSizes;
  for (int64_t dim = 0; dim < m; ++dim)
    dimSizes.push_back(e.getDimSize(lhs, dim));
  dimSizes.push_back(e.getDimSize(lhs, transposeLhs ? n : m));
  dimSizes.push_back(e.getDimSize(rhs, transposeRhs ? m : n));
  Value zero = e.fill(dimSizes, e.scalar(type, 0.0));

  auto mapOf = [&](int64_t row, int64_t column) {
    SmallVector<int64_t> dims = identityDims(m);
    dims.append({row, column});
    return e.select(rank + 1, dims);
  };
  Attribute maps = e.b.getAffineMapArrayAttr(
      {transposeLhs ? mapOf(k, m) : mapOf(m, k),
       transposeRhs ? mapOf(n, k) : mapOf(k, n), mapOf(m, n)});
  // Named ops both: no elementwise op is drawn into their loops.
  if (rank > 2)
    return linalg::ContractOp::create(e.b, e.loc, TypeRange{zero.getType()},
                                      ValueRange{lhs, rhs}, ValueRange{zero},
                                      cast<ArrayAttr>(maps))
        .getResult(0);
  auto matmul =
      linalg::MatmulOp::create(e.b, e.loc, TypeRange{zero.getType()},
                               ValueRange{lhs, rhs}, ValueRange{zero});
  if (transposeLhs || transposeRhs)
    matmul.setIndexingMapsAttr(cast<ArrayAttr>(maps));
  return matmul.getResult(0);
}

LogicalResult MatmulOp::lowerToLinalg(LinalgEmitter &e) {
  Value product =
      emitMatmul(e, getA(), getTransposeA(), getB(), getTransposeB());
  e.replaceWith(e.narrowTensor(product, getElementTypeOrSelf(getA())));
  return success();
}

/// Adds the bias, if there is one, to the product and rounds.
static Value emitBias(LinalgEmitter &e, DenseOp op, Value product) {
  Type type = getElementTypeOrSelf(op.getX());
  Value bias = op.getB();
  if (!bias)
    return e.narrowTensor(product, type);
  Type compute = e.getComputeType(type);
  return e.map(e.getDimSizes(product), type, {product, bias},
               {e.identity(2), e.select(2, {1})},
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 Value sum = arith::AddFOp::create(
                     b, loc, args[0], widen(b, loc, args[1], compute));
                 return narrow(b, loc, sum, type);
               });
}

/// Expands the rows of the matrix `y` to the leading dimensions of `like`.
static Value expandRows(LinalgEmitter &e, Value y, Value like,
                        ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(like.getType()).getShape());
  shape.back() = cast<RankedTensorType>(y.getType()).getDimSize(1);
  SmallVector<DimSize> dimSizes = e.getDimSizes(like);
  dimSizes.back() = e.getDimSize(y, 1);
  return e.expand(y, RankedTensorType::get(shape, getElementTypeOrSelf(y)),
                  groups, dimSizes);
}

/// Collapses rows to one dimension, which copies nothing. The bias is one
/// elementwise op after the product: with an activation that follows, it fuses
/// into one epilogue.
LogicalResult DenseOp::lowerToLinalg(LinalgEmitter &e) {
  Value x = getX();
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  SmallVector<ReassociationIndices> groups(2);
  groups[0] = identityDims(rank - 1);
  groups[1] = {rank - 1};
  if (rank > 2)
    x = tensor::CollapseShapeOp::create(e.b, e.loc, x, groups);
  Value y = emitBias(e, *this, emitMatmul(e, x, false, getW(), false));
  if (rank > 2)
    y = expandRows(e, y, getX(), groups);
  e.replaceWith(y);
  return success();
}
