//===- ContractionPlan.cpp - Roles in a contraction -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {

linalg::LinalgOp findPrecedingFill(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Value output = op.getDpsInits().front();
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(prev);
    if (fill && fill.getOutputs().front() == output &&
        fill.getInputs().front().getType() ==
            getElementTypeOrSelf(output.getType()))
      return cast<linalg::LinalgOp>(prev);
    // Allocations do not touch the contents of any buffer in use.
    if (!isMemoryEffectFree(prev) &&
        !isa<memref::AllocOp, memref::AllocaOp>(prev))
      return {};
  }
  return {};
}

/// True if the body is C + A * B in floats, with A and B extended to the type
/// of C where they are narrower.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Value result = body->getTerminator()->getOperand(0);
  auto sum = result.getDefiningOp<arith::AddFOp>();
  BlockArgument out = body->getArgument(2);
  if (!sum || sum->getBlock() != body)
    return false;
  Value product = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  if (product == out || (sum.getLhs() != out && sum.getRhs() != out))
    return false;
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply || multiply->getBlock() != body)
    return false;
  auto source = [](Value factor) {
    auto extension = factor.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : factor;
  };
  Value lhs = source(multiply.getLhs()), rhs = source(multiply.getRhs());
  Value x = body->getArgument(0), y = body->getArgument(1);
  return (lhs == x && rhs == y) || (lhs == y && rhs == x);
}

/// Assigns the roles of loops and operands, the best first. Fails if there is
/// no loop along which the output is contiguous and one input is constant.
FailureOr<Contraction> matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isMultiplyAdd(op))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<MemRefType>(operand.get().getType()))
      return failure();

  Contraction result;
  result.op = op;
  result.c = op.getDpsInitOperand(0);
  result.cMap = op.getMatchingIndexingMap(result.c);
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(result.c->get()));
  if (!element || (!element.isF32() && !element.isF64()))
    return failure();

  // Every output element must be one iteration of the parallel loops.
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  op.getReductionDims(result.k);
  if (result.k.empty() || !result.cMap.isProjectedPermutation() ||
      result.cMap.getNumResults() != parallel.size() ||
      !llvm::all_of(parallel, [&](unsigned dim) {
        return result.cMap.isFunctionOfDim(dim);
      }))
    return failure();

  auto access = [&](OpOperand *operand, unsigned dim) {
    return classifyAccess(op.getMatchingIndexingMap(operand),
                          operand->get().getType(), dim);
  };
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int bestScore = 0;
  for (unsigned dim : parallel) {
    if (access(result.c, dim) != AccessKind::Contiguous || sizes[dim] == 1)
      continue;
    for (unsigned i : {1u, 0u}) {
      OpOperand *vectors = op.getDpsInputOperand(i);
      OpOperand *scalars = op.getDpsInputOperand(1 - i);
      if (access(scalars, dim) != AccessKind::Uniform)
        continue;
      AccessKind kind = access(vectors, dim);
      int score = kind == AccessKind::Contiguous ? 3
                  : kind == AccessKind::Strided  ? 2
                                                 : 1;
      if (score <= bestScore)
        continue;
      bestScore = score;
      result.n = dim;
      result.a = scalars;
      result.b = vectors;
    }
  }
  if (!bestScore)
    return failure();
  result.aMap = op.getMatchingIndexingMap(result.a);
  result.bMap = op.getMatchingIndexingMap(result.b);

  // Rows share the vectors of B. The longest loop wins, the innermost of those.
  constexpr int64_t enoughRows = 8;
  int64_t bestRows = 0;
  auto isAlongRows = [&](unsigned dim) {
    return dim != result.n && result.aMap.isFunctionOfDim(dim) &&
           !result.bMap.isFunctionOfDim(dim);
  };
  for (unsigned dim : parallel) {
    if (!isAlongRows(dim))
      continue;
    int64_t rows = ShapedType::isDynamic(sizes[dim])
                       ? enoughRows
                       : std::min(sizes[dim], enoughRows);
    if (rows >= bestRows) {
      bestRows = rows;
      result.m = dim;
    }
  }
  if (access(result.b, result.n) == AccessKind::Strided) {
    // Without rows that share the vectors of B, it is better to read B in the
    // order it has, as a reduction along vectors.
    if (bestRows <= 1)
      return failure();
    // There is nothing to pack, and no valid subview, of no rows.
    unsigned k = result.k.front();
    result.packs = result.k.size() == 1 && sizes[k] != 0 &&
                   result.bMap.isProjectedPermutation() &&
                   result.bMap.isFunctionOfDim(k) &&
                   cast<MemRefType>(result.b->get().getType()).isStrided();
  }
  // A few short loops, such as those of a window and its few channels, make up
  // for a long one. All their rows are unrolled. Columns of one vector need
  // twice as many rows as two to hide the latency of an FMA.
  constexpr int64_t vectorBytes = 64;
  int64_t maxColumns = 8 * vectorBytes / element.getWidth();
  bool isNarrow =
      !ShapedType::isDynamic(sizes[result.n]) && sizes[result.n] <= maxColumns;
  int64_t maxUnrolledRows = isNarrow ? 64 : 32;
  if (result.m && bestRows > 0 &&
      (bestRows < enoughRows || (isNarrow && sizes[*result.m] == enoughRows)))
    for (unsigned dim : llvm::reverse(parallel))
      if (dim != result.m && isAlongRows(dim) && sizes[dim] > 1 &&
          bestRows * sizes[dim] <= maxUnrolledRows) {
        result.moreRows.insert(result.moreRows.begin(), dim);
        bestRows *= sizes[dim];
      }
  for (unsigned dim : parallel)
    if (dim != result.n && dim != result.m &&
        !llvm::is_contained(result.moreRows, dim))
      result.outer.push_back(dim);
  return result;
}

} // namespace flywheel
