//===- PrefetchEpilogue.cpp - Fetch what follows a contraction ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile of an optimizer update follows the contraction that computes the
// gradient. Its rows are short and far apart, so no hardware prefetcher sees
// them coming, and the reduction is too long for out-of-order execution to
// reach them. Fetching them before the reduction hides that latency: 2-3 % of
// the fused weight gradient and momentum update of a 784x256 layer, 7-14 % of a
// 1024x1024 layer, whose state does not fit the second level cache. A line at
// a time during the reduction is better still, as all at once are more lines
// than the processor waits for at a time.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using Fold = OpFoldResult;

namespace flywheel {

/// More lines than this are not a tile, or would evict each other.
static constexpr int64_t maxPrefetchedLines = 64;

/// Returns the op that reads the output of `op` and follows it with no access
/// to memory in between.
static linalg::LinalgOp findNextEpilogue(linalg::LinalgOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (auto epilogue = dyn_cast<linalg::LinalgOp>(next)) {
      bool reads =
          llvm::is_contained(epilogue.getDpsInputs(), op.getDpsInits().front());
      return reads && epilogue.getNumReductionLoops() == 0 ? epilogue
                                                           : linalg::LinalgOp();
    }
    if (!isMemoryEffectFree(next))
      return {};
  }
  return {};
}

/// Moves the pure ops between `op` and `last` that can precede `op` before it,
/// so that the views that `last` uses exist there.
static void hoistViews(Operation *op, Operation *last) {
  SmallVector<Operation *> between;
  for (Operation *next = op->getNextNode(); next != last;
       next = next->getNextNode())
    between.push_back(next);
  for (Operation *next : between) {
    bool ready = llvm::all_of(next->getOperands(), [&](Value operand) {
      Operation *definition = operand.getDefiningOp();
      return !definition || definition->getBlock() != op->getBlock() ||
             definition->isBeforeInBlock(op);
    });
    if (ready && next->getNumRegions() == 0 && isPure(next))
      next->moveBefore(op);
  }
}

int64_t FetchedTile::countLinesOfRow() const {
  return llvm::divideCeil(maxColumns, getLineLength());
}

int64_t FetchedTile::getLineLength() const {
  return kCacheLineBytes / getElementBytes(getElementTypeOrSelf(source));
}

void prefetchLine(KernelEmitter &e, const FetchedTile &tile, Fold line) {
  AffineExpr number = e.b.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr) {
    return affine::makeComposedFoldedAffineApply(e.b, e.loc, expr, {line});
  };
  int64_t count = tile.countLinesOfRow();
  // A tile may be partial, but fetching its last row twice is free.
  Fold row = e.min(apply(number.floorDiv(count)), e.add(tile.sizes[0], -1));
  Fold column = e.min(apply(number % count * tile.getLineLength()),
                      e.add(tile.sizes[1], -1));
  memref::PrefetchOp::create(e.b, e.loc, tile.source,
                             ValueRange{e.value(row), e.value(column)},
                             tile.isWritten, tile.locality,
                             /*isDataCache=*/true);
}

SmallVector<FetchedTile> findEpilogueTiles(RewriterBase &rewriter,
                                           linalg::LinalgOp op) {
  linalg::LinalgOp epilogue = findNextEpilogue(op);
  SmallVector<FetchedTile> tiles;
  if (!epilogue)
    return tiles;
  hoistViews(op, epilogue);
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : epilogue->getOpOperands()) {
    Value source = operand.get();
    auto type = dyn_cast<MemRefType>(source.getType());
    Operation *definition = source.getDefiningOp();
    bool isAvailable = !definition ||
                       definition->getBlock() != op->getBlock() ||
                       definition->isBeforeInBlock(op);
    // Only operands that are read, other than the result of the contraction.
    if (!type || type.getRank() != 2 || !isAvailable ||
        source == op.getDpsInits().front() || isOnStack(source) ||
        epilogue.getBlock()
            ->getArgument(operand.getOperandNumber())
            .use_empty() ||
        !hasVectorizableElement(type))
      continue;
    SmallVector<OpFoldResult> sizes =
        memref::getMixedSizes(rewriter, op.getLoc(), source);
    int64_t rows = getUpperBound(sizes[0]), columns = getUpperBound(sizes[1]);
    FetchedTile tile{source, sizes, rows, columns,
                     epilogue.isDpsInit(&operand)};
    if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(columns) &&
        rows <= maxPrefetchedLines &&
        tile.countLinesOfRow() <= maxPrefetchedLines &&
        tile.countLines() <= maxPrefetchedLines && tile.countLines() > 0)
      tiles.push_back(tile);
  }
  return tiles;
}

} // namespace flywheel
