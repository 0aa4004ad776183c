//===- PrefetchPanel.cpp - Fetch the panel of B that comes next -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a column of tiles is computed, the rows of B that it needs are copied
// to a panel, and no tile is computed until the copy is done: weights that were
// evicted from all caches since the last step take a large part of the time of
// a product with few rows. Therefore the tiles of one column fetch the source
// of the next panel, a cache line every few steps of their sums.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using Fold = OpFoldResult;

namespace flywheel {

/// The assumed number of tiles of a column if it is dynamic.
static constexpr int64_t kTypicalTiles = 8;

/// Returns the structured op that writes all of `panel`, in a block around
/// `reader` and before it; null if there is none or several.
static linalg::LinalgOp findWriter(Value panel, Operation *reader) {
  linalg::LinalgOp writer;
  for (OpOperand &use : panel.getUses()) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!op || !op.isDpsInit(&use))
      continue;
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*reader);
    if (writer || !ancestor || !op->isBeforeInBlock(ancestor) ||
        op.getNumReductionLoops() != 0)
      return {};
    writer = op;
  }
  return writer;
}

/// Returns the matrix that the op `writer` copies; null if it copies something
/// else. Follows copies of copies, as of numbers that are narrowed first.
static Value findSource(linalg::LinalgOp writer) {
  while (writer) {
    SmallVector<OpOperand *> inputs = writer.getDpsInputOperands();
    if (inputs.size() != 1)
      return {};
    Value source = inputs.front()->get();
    auto type = dyn_cast<MemRefType>(source.getType());
    if (!type || type.getRank() != 2 || !hasVectorizableElement(type))
      return {};
    linalg::LinalgOp before = findWriter(source, writer);
    if (!before || before->getBlock() != writer->getBlock())
      return source;
    writer = before;
  }
  return {};
}

/// Copies the ops of the body of `loop` that compute `source` to the builder's
/// insertion point, for the iteration `iv`. Returns null if one has effects.
static Value cloneForIteration(RewriterBase &rewriter, Value source,
                               scf::ForOp loop, Value iv) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  SetVector<Operation *> slice;
  if (failed(getBackwardSlice(source, &slice, options)))
    return {};
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iv);
  bool moves = false;
  for (Operation *op : slice) {
    if (!isPure(op) || op->getNumRegions() != 0)
      return {};
    moves |= llvm::is_contained(op->getOperands(), loop.getInductionVar());
  }
  if (!moves)
    return {};
  for (Operation *op : slice)
    rewriter.clone(*op, mapping);
  return mapping.lookupOrDefault(source);
}

/// Returns the loops between `columns` and `op`, outermost first, whose
/// iterations are tiles that share a panel; fails if there is any other op.
static FailureOr<SmallVector<scf::ForOp>> findTileLoops(scf::ForOp columns,
                                                        Operation *op) {
  SmallVector<scf::ForOp> loops;
  for (Operation *parent = op->getParentOp(); parent != columns;
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || !isConstantIntValue(loop.getLowerBound(), 0) ||
        !getConstantIntValue(loop.getStep()))
      return failure();
    loops.push_back(loop);
  }
  return llvm::to_vector(llvm::reverse(loops));
}

/// Returns the number of iterations of `loops`, and the index of the current
/// one, for ops inside of all loops.
static std::pair<int64_t, Fold> numberTiles(KernelEmitter &e,
                                            ArrayRef<scf::ForOp> loops) {
  int64_t count = 1;
  Fold number = e.index(0);
  for (scf::ForOp loop : loops) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    int64_t size = trips ? trips->getSExtValue() : kTypicalTiles;
    int64_t step = *getConstantIntValue(loop.getStep());
    AffineExpr before, iv;
    bindDims(e.b.getContext(), before, iv);
    number = affine::makeComposedFoldedAffineApply(
        e.b, e.loc, before * size + iv.floorDiv(step),
        {number, Fold(loop.getInductionVar())});
    count *= size;
  }
  return {count, number};
}

std::optional<FetchedTile> findNextPanel(RewriterBase &rewriter,
                                         linalg::LinalgOp op,
                                         OpOperand &operand, int64_t steps) {
  linalg::LinalgOp writer = findWriter(operand.get(), op);
  auto columns =
      writer ? dyn_cast<scf::ForOp>(writer->getParentOp()) : scf::ForOp();
  Value source = findSource(writer);
  if (!columns || !source)
    return {};
  FailureOr<SmallVector<scf::ForOp>> loops = findTileLoops(columns, op);
  if (failed(loops))
    return {};
  rewriter.setInsertionPoint(op);
  KernelEmitter e(rewriter, op.getLoc());
  auto [numTiles, number] = numberTiles(e, *loops);
  SmallVector<Fold> sizes =
      memref::getMixedSizes(rewriter, op.getLoc(), source);
  FetchedTile tile{source, sizes, getUpperBound(sizes[0]),
                   getUpperBound(sizes[1]),
                   /*isWritten=*/false};
  tile.numSteps = numTiles * steps;
  tile.locality = 2;
  if (numTiles < 2 || ShapedType::isDynamic(tile.maxRows) ||
      ShapedType::isDynamic(tile.maxColumns) ||
      tile.numSteps < tile.countLines())
    return {};
  AffineExpr dim = rewriter.getAffineDimExpr(0);
  tile.firstStep = affine::makeComposedFoldedAffineApply(rewriter, op.getLoc(),
                                                         dim * steps, {number});

  rewriter.setInsertionPoint(columns.getBody()->findAncestorOpInBlock(*op));
  // The last panel is fetched again: no other one follows it.
  Value iv = columns.getInductionVar();
  Value following =
      arith::AddIOp::create(rewriter, op.getLoc(), iv, columns.getStep());
  Value exists =
      arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::slt,
                            following, columns.getUpperBound());
  tile.source = cloneForIteration(
      rewriter, source, columns,
      arith::SelectOp::create(rewriter, op.getLoc(), exists, following, iv));
  if (!tile.source)
    return {};
  tile.sizes = memref::getMixedSizes(rewriter, op.getLoc(), tile.source);
  return tile;
}

} // namespace flywheel
