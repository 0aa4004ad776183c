//===- ColumnPrefetch.cpp - What contractions fetch ahead -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace flywheel;

/// Steps of the reduction by which the rows of A are fetched ahead: enough to
/// hide the latency of the last cache.
static constexpr int64_t kPrefetchSteps = 32;
/// Bytes between the steps of a reduction in A from which on hardware does not
/// predict them: it prefetches within a page of 4 KiB.
static constexpr int64_t kMinPrefetchBytes = 1024;
/// The least bytes of an input that the last cache sends slowly: for smaller
/// inputs prefetches take longer than they save.
static constexpr int64_t kFarBytes = int64_t{8} << 20;
/// The locality of prefetches into the L2 cache: such steps share few sets of
/// L1.
static constexpr unsigned kSecondCache = 2;

/// Returns true if hardware does not predict the lines of `operand` that loop
/// `k` reads: its steps are far apart, and elements along `inner` are
/// neighbours.
static bool hasFarSteps(OpOperand &operand, AffineMap map, unsigned k,
                        unsigned inner) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || classifyAccess(map, type, inner) != AccessKind::Contiguous ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  std::optional<unsigned> dim =
      map.getResultPosition(getAffineDimExpr(k, map.getContext()));
  return dim && !ShapedType::isDynamic(strides[*dim]) &&
         strides[*dim] >=
             kMinPrefetchBytes / getElementBytes(type.getElementType());
}

void ColumnEmitter::prefetchStep(int64_t number, function_ref<void()> fetch) {
  unsigned loop = contraction.k.back();
  Fold step = ivs[loop];
  ivs[loop] =
      e.min(e.add(step, kPrefetchSteps + number), e.add(sizes[loop], -1));
  fetch();
  ivs[loop] = step;
}

/// Emits a prefetch into the L2 cache of the element of `operand` at `ivs`.
static void emitPrefetch(KernelEmitter &e, OpOperand &operand, AffineMap map,
                         ArrayRef<OpFoldResult> ivs) {
  memref::PrefetchOp::create(e.b, e.loc, operand.get(), e.indices(map, ivs),
                             /*isWrite=*/false, kSecondCache,
                             /*isDataCache=*/true);
}

/// Fetches rows of A ahead. In the gradient of a weight, 1024x256 over 2048
/// rows, the rows of A are 4 KiB apart. These prefetches halve its time (AMD
/// EPYC, AVX-512, medians of alternating runs).
void ColumnEmitter::prefetchRows(const Strip &rows) {
  if (contraction.rows.size() != 1 || !hasManySteps() ||
      !hasFarSteps(*contraction.a, contraction.aMap, contraction.k.back(),
                   contraction.rows.front()))
    return;
  // A tile that is not a whole cache line may be on two of them.
  SmallVector<int64_t> ends = {0};
  if (rows.count * getElementBytes(getElementTypeOrSelf(contraction.a->get())) >
      kCacheLineBytes / 2)
    ends.push_back(rows.count - 1);
  prefetchStep(0, [&] {
    for (int64_t end : ends) {
      moveTo(contraction.rows, rows, end);
      emitPrefetch(e, *contraction.a, contraction.aMap, ivs);
    }
  });
}

/// Fetches columns of B ahead. In a step of 26 examples whose first layer is
/// 1972x1879, each column of tiles walks 1972 pages, and the product takes a
/// third of the time with these prefetches (AMD EPYC, AVX-512, alternating
/// runs).
void ColumnEmitter::prefetchColumns(const Columns &columns, int64_t count) {
  if (!hasManySteps() || !hasFarSteps(*contraction.b, contraction.bMap,
                                      contraction.k.back(), contraction.n))
    return;
  // Closer data arrives in time without prefetches. Rows of an unknown number
  // are examples rather than weights.
  Fold span = getSpan(e, contraction.b->get());
  if (!span || getConstantIntValue(span).value_or(0) < kFarBytes)
    return;
  auto width = static_cast<int64_t>(columns.bases.size()) * tile.vectorLength;
  int64_t line = kCacheLineBytes /
                 getElementBytes(getElementTypeOrSelf(contraction.b->get()));
  for (int64_t i = 0; i < count; ++i)
    prefetchStep(i, [&] {
      auto fetch = [&](int64_t column) {
        ivs[contraction.n] = e.add(columns.bases.front(), column);
        emitPrefetch(e, *contraction.b, contraction.bMap, ivs);
      };
      for (int64_t column = 0; column < width; column += line)
        fetch(column);
      // Rows that do not begin with a cache line end in one more.
      fetch(width - 1);
    });
}

bool ColumnEmitter::hasManySteps() {
  if (contraction.k.empty())
    return false;
  std::optional<int64_t> size =
      getConstantIntValue(sizes[contraction.k.back()]);
  return !size || *size > 2 * kPrefetchSteps;
}

void ColumnEmitter::prefetchLines(int64_t count) {
  if (fetched.empty())
    return;
  unsigned loop = contraction.k.back();
  int64_t numSteps = getConstantIntValue(sizes[loop]).value_or(0);
  for (const FetchedTile &read : fetched) {
    int64_t lines = read.countLines();
    // A line every few steps, so that the last one is early enough.
    int64_t period = (read.numSteps ? read.numSteps : numSteps) / lines;
    period = static_cast<int64_t>(
        llvm::bit_floor<uint64_t>(std::max<int64_t>(period, 1)));
    Fold first = ivs[loop];
    if (read.firstStep)
      first = e.add(first, read.firstStep);
    for (int64_t i = 0; i < count; i += period) {
      AffineExpr step = e.b.getAffineDimExpr(0);
      auto apply = [&](AffineExpr expr) {
        return affine::makeComposedFoldedAffineApply(e.b, e.loc, expr,
                                                     {e.add(first, i)});
      };
      Fold line = apply(step.floorDiv(period));
      e.ifGreater(e.index(1), apply(step % period), [&] {
        e.ifGreater(e.index(lines), line, [&] { prefetchLine(e, read, line); });
      });
    }
  }
}

OpFoldResult flywheel::getSpan(KernelEmitter &e, Value value) {
  while (auto part = value.getDefiningOp<memref::SubViewOp>())
    value = part.getSource();
  auto type = cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(strides.front()))
    return {};
  AffineExpr rows = e.b.getAffineSymbolExpr(0);
  return affine::makeComposedFoldedAffineApply(
      e.b, e.loc,
      rows * (strides.front() * getElementBytes(type.getElementType())),
      {memref::getMixedSize(e.b, e.loc, value, 0)});
}

void ColumnEmitter::prefetchLanes(const Strip &rows, const Columns &columns) {
  // In the gradient of a filter the loops around a step are reductions.
  SmallVector<unsigned> loops = contraction.outer;
  if (loops.empty()) {
    loops = contraction.passes;
    if (!contraction.k.empty())
      llvm::append_range(loops, ArrayRef(contraction.k).drop_back());
  }
  while (!loops.empty() && getConstantIntValue(sizes[loops.back()]) == 1)
    loops.pop_back();
  if (!contraction.readsLanes() || loops.empty())
    return;
  // Closer data arrives in time without prefetches.
  Fold span = getSpan(e, contraction.a->get());
  if (!span || getConstantIntValue(span).value_or(kFarBytes) < kFarBytes)
    return;
  unsigned loop = loops.back();
  Fold current = ivs[loop];
  ivs[loop] = e.min(e.add(current, 1), e.add(sizes[loop], -1));
  auto prefetch = [&](OpOperand *operand, AffineMap map) {
    for (Fold base : columns.bases) {
      ivs[contraction.n] = base;
      memref::PrefetchOp::create(e.b, e.loc, operand->get(),
                                 e.indices(map, ivs), /*isWrite=*/false,
                                 kSecondCache, /*isDataCache=*/true);
    }
  };
  // Fetches the elements of a window that neighbouring iterations share once.
  SmallVector<int64_t> staticSizes = getStaticLoopSizes(contraction.op);
  auto find = [&](ArrayRef<unsigned> windows, unsigned along) {
    return findSlide(windows, contraction.aMap, along, staticSizes);
  };
  SmallVector<Slide> shared;
  for (unsigned along :
       {loop, contraction.k.empty() ? loop : contraction.k.back()})
    if (std::optional<Slide> window = find(contraction.rows, along))
      shared.push_back(*window);
  auto isNew = [&](const Slide &window) {
    return getConstantIntValue(ivs[window.loop]).value_or(window.size) >=
           window.size - window.step;
  };
  auto prefetchRow = [&](int64_t row, int64_t element) {
    if (slide)
      ivs[slide->loop] = e.index(element);
    moveTo(contraction.rows, rows, row);
    if (llvm::all_of(shared, isNew))
      prefetch(contraction.a, contraction.aMap);
  };
  auto prefetchRows = [&] {
    slide.value_or(Slide()).visit(rows.count, prefetchRow,
                                  [](int64_t, int64_t) {});
  };
  std::optional<Slide> window = find(contraction.k, loop);
  if (window)
    e.ifGreater(ivs[window->loop], e.index(window->size - window->step - 1),
                prefetchRows);
  else
    prefetchRows();
  if (contraction.bMap.isFunctionOfDim(loop))
    prefetch(contraction.b, contraction.bMap);
  ivs[loop] = current;
}
