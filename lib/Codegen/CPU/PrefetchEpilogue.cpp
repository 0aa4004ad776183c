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
// 1024x1024 layer, whose state does not fit the second level cache.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {

/// More lines than this are not a tile, or would evict each other.
static constexpr int64_t maxPrefetchedLines = 64;

/// The op that comes next to `op` and reads its output, with no access to
/// memory in between.
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

/// Moves the pure ops between `op` and `last` that can be before `op` there, so
/// that the views `last` uses exist.
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

void prefetchEpilogue(RewriterBase &rewriter, linalg::LinalgOp op) {
  linalg::LinalgOp epilogue = findNextEpilogue(op);
  if (!epilogue)
    return;
  hoistViews(op, epilogue);
  rewriter.setInsertionPoint(op);
  KernelEmitter e(rewriter, op.getLoc());
  for (OpOperand &operand : epilogue->getOpOperands()) {
    Value source = operand.get();
    auto type = dyn_cast<MemRefType>(source.getType());
    Operation *definition = source.getDefiningOp();
    bool isAvailable = !definition ||
                       definition->getBlock() != op->getBlock() ||
                       definition->isBeforeInBlock(op);
    // Only what is read, and not what the contraction has just written.
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
    int64_t lineLength =
        kCacheLineBytes / getElementBytes(type.getElementType());
    if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns) ||
        rows > maxPrefetchedLines ||
        columns > maxPrefetchedLines * lineLength ||
        rows * llvm::divideCeil(columns, lineLength) > maxPrefetchedLines)
      continue;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; column += lineLength) {
        // A tile may be partial, but fetching its last row twice is free.
        OpFoldResult last = e.min(e.index(row), e.add(sizes[0], -1));
        OpFoldResult lastColumn = e.min(e.index(column), e.add(sizes[1], -1));
        memref::PrefetchOp::create(
            rewriter, op.getLoc(), source,
            ValueRange{e.value(last), e.value(lastColumn)},
            /*isWrite=*/epilogue.isDpsInit(&operand), /*localityHint=*/3,
            /*isDataCache=*/true);
      }
    }
  }
}

} // namespace flywheel
