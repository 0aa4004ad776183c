//===- FMAKernel.cpp - Register-tiled FMA kernels -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction C[.., m, n] += A[.., m, k] * B[.., k, n] becomes
//
//   for each other parallel loop, then for n step nr, then for m step mr:
//     acc[mr][nr] = C or the fill value
//     for k: acc[r][:] = fma(broadcast A[r, k], B[k, :], acc[r][:])
//     C = acc
//
// where the accumulators are loop-carried vectors. A that depends on n, as in
// depthwise convolutions, is read as vectors instead, each once for all rows
// that read it in their windows. The passes of the schedule go around all
// others, and so do blocks of k: the order of additions is the same then, with
// C in memory between two blocks. Pairs of bf16 are multiplied and added two
// iterations of k at a time: rows k and k + 1 of B are interleaved in
// registers, and so are those of A where k is not its last dimension. Nothing
// else is assumed about the maps of A and B: strided and dilated windows give
// direct convolutions, with output columns as m and filters as n.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;

namespace flywheel {

/// Steps of the reduction that the rows of A are fetched ahead: as many as hide
/// the latency of the last cache.
static constexpr int64_t kPrefetchSteps = 32;
/// Bytes between the steps of a reduction in A from which on hardware does not
/// see them coming: it stays within a page of 4 KiB.
static constexpr int64_t kMinPrefetchBytes = 1024;
/// Bytes of an input from which on the last cache is slow to send it: with less
/// prefetches take longer than they save.
static constexpr int64_t kFarBytes = int64_t{8} << 20;
/// Bytes that a kernel reads and writes from which on little of what it writes
/// is in the last cache when it is read.
static constexpr int64_t kStreamedBytes = int64_t{24} << 20;
/// Into the second cache: such steps share few sets of the first one.
static constexpr unsigned kSecondCache = 2;

namespace {
/// Emits the kernels of a contraction whose lanes are columns of C.
class ColumnEmitter : public ContractionEmitter {
public:
  /// `fetched` is what is to be fetched during the only reduction.
  ColumnEmitter(RewriterBase &builder, Contraction contraction,
                ContractionTile tile, Value fillValue,
                SmallVector<FetchedTile> fetched)
      : ContractionEmitter(builder, std::move(contraction), tile, fillValue),
        fetched(std::move(fetched)) {}

  /// As `emit`.
  bool emitAll();

private:
  /// Columns of one tile: one vector from each of `bases`.
  struct Columns {
    SmallVector<Fold> bases;
    SmallVector<Lanes> lanes;
  };

  void emitTiles() override;
  void emitBlock();
  void emitColumns(llvm::function_ref<void(const Columns &)> body);
  void emitTile(const Strip &rows, const Columns &columns);
  SmallVector<Value> emitStep(const Strip &rows, const Columns &columns,
                              ValueRange accumulators);
  /// Chooses `slide`.
  void chooseSlide();
  /// Fetches the vectors of A that the next iteration of the outer loops reads
  /// and this one does not.
  void prefetchLanes(const Strip &rows, const Columns &columns);
  /// `emitStep` for all iterations of `slide`.
  SmallVector<Value> emitSlide(const Strip &rows, const Columns &columns,
                               ValueRange accumulators);
  /// -`factor` if products are subtracted: part of the multiply-add.
  Value negateIfSubtracted(Value factor);
  /// The same for two iterations of the last reduction, of bf16.
  SmallVector<Value> emitPairStep(const Strip &rows, const Columns &columns,
                                  ValueRange accumulators);
  /// For each row the pair of elements of A at the current iteration of the
  /// last reduction and the next one, in all lanes of a vector.
  SmallVector<Value> loadPairs(const Strip &rows, VectorType type);
  /// The reductions inside, or the current block of the last of them.
  SmallVector<Value> emitReduction(const Strip &rows, const Columns &columns,
                                   ValueRange accumulators);
  Columns columnsAt(Fold base, int64_t numVectors, Fold size);
  /// Fetches the lines of `fetched` that the next `count` steps are to fetch.
  void prefetchLines(int64_t count);
  /// Fetches the rows of A of a later step, if nothing else does.
  void prefetchRows(const Strip &rows);
  /// Stores the sums of a tile; around the caches if `streams` is set.
  void storeTile(const Strip &rows, const Columns &columns,
                 ValueRange accumulators, bool streams);
  /// Chooses `isStreamed`.
  void chooseStreaming();
  bool isTurned();
  /// Transposes what was summed, so that rows of C are stored as vectors.
  void storeTurned(const Strip &rows, const Columns &columns,
                   ValueRange accumulators);

  /// Where A is read as vectors, the reduction, if any, of which neighbouring
  /// rows read the same of them: each is loaded once, and vectors of B are in
  /// registers for all of it.
  std::optional<Slide> slide;
  /// Whether C is stored around the caches; null if it is not.
  Value isStreamed;
  /// The block of the last reduction that is computed; all of it where the
  /// schedule has no blocks.
  Strip block{};
  /// What is fetched line by line in the steps of the only reduction.
  SmallVector<FetchedTile> fetched;
};
} // namespace

ColumnEmitter::Columns ColumnEmitter::columnsAt(Fold base, int64_t numVectors,
                                                Fold size) {
  Columns columns;
  for (int64_t i = 0; i < numVectors; ++i) {
    Fold first = e.add(base, i * tile.vectorLength);
    columns.bases.push_back(first);
    columns.lanes.push_back(size ? e.lanes(tile.vectorLength, first, size)
                                 : Lanes{tile.vectorLength, {}, {}});
  }
  return columns;
}

/// Of a depthwise convolution by 3x3 an output reads nine vectors, of which its
/// neighbour reads six: a load for each multiply-add takes longer than it does.
void ColumnEmitter::chooseSlide() {
  codegen::CPUAttr cpu = codegen::lookupCPU(contraction.op);
  if (!contraction.readsLanes() || contraction.rows.size() != 1 ||
      contraction.block || !cpu)
    return;
  std::optional<Slide> found =
      findSlide(contraction.k, contraction.aMap, contraction.rows.front(),
                getStaticLoopSizes(contraction.op));
  if (!found || !isInnermost(contraction, *found) ||
      (tile.mr + found->size) * tile.numVectors() + 1 >
          cpu.getVectorRegisters())
    return;
  slide = found;
  llvm::erase(contraction.k, slide->loop);
}

bool ColumnEmitter::emitAll() {
  chooseStreaming();
  bool fills = emit();
  // Other threads see such stores behind a fence only.
  if (isStreamed)
    LLVM::FenceOp::create(e.b, e.loc, LLVM::AtomicOrdering::seq_cst);
  return fills;
}

void ColumnEmitter::emitTiles() {
  chooseSlide();
  if (!contraction.block)
    return emitBlock();
  emitStrips({contraction.k.back()}, *contraction.block,
             [&](const Strip &steps) {
               block = steps;
               emitBlock();
             });
}

/// Rows that share vectors of B are inside, so that these stay in the cache.
/// Where A is read as vectors, too, each of its vectors is read for few rows:
/// all columns of those then, in the order of memory.
void ColumnEmitter::emitBlock() {
  if (contraction.readsLanes())
    return emitStrips(contraction.rows, tile.mr, [&](const Strip &rows) {
      emitColumns([&](const Columns &columns) { emitTile(rows, columns); });
    });
  emitColumns([&](const Columns &columns) {
    emitStrips(contraction.rows, tile.mr,
               [&](const Strip &rows) { emitTile(rows, columns); });
  });
}

void ColumnEmitter::emitColumns(function_ref<void(const Columns &)> body) {
  Fold size = sizes[contraction.n];
  int64_t width = tile.numVectors() * tile.vectorLength;
  Fold end = e.alignDown(size, width);
  e.loop(e.index(0), end, width, {}, [&](Fold iv, ValueRange) {
    body(columnsAt(iv, tile.numVectors(), Fold()));
    return SmallVector<Value>();
  });
  e.ifGreater(size, end, [&] {
    // As many vectors as the static remainder needs, all if it is unknown.
    int64_t numVectors = tile.numVectors();
    if (std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end)))
      numVectors = llvm::divideCeil(*rest, tile.vectorLength);
    body(columnsAt(end, numVectors, size));
  });
}

/// Of the gradient of a weight, 1024x256 over 2048 rows, the rows of A are 4
/// KiB apart: with these prefetches it takes about half of the time (AMD EPYC,
/// AVX-512, medians of runs in turn).
void ColumnEmitter::prefetchRows(const Strip &rows) {
  if (contraction.rows.size() != 1 || contraction.k.empty())
    return;
  unsigned loop = contraction.k.back(), row = contraction.rows.front();
  auto type = dyn_cast<MemRefType>(contraction.a->get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  std::optional<int64_t> size = getConstantIntValue(sizes[loop]);
  if (!type || (size && *size <= 2 * kPrefetchSteps) ||
      classifyAccess(contraction.aMap, type, row) != AccessKind::Contiguous ||
      failed(type.getStridesAndOffset(strides, offset)))
    return;
  std::optional<unsigned> dim =
      contraction.aMap.getResultPosition(e.b.getAffineDimExpr(loop));
  int64_t elementBytes = getElementBytes(type.getElementType());
  if (!dim || ShapedType::isDynamic(strides[*dim]) ||
      strides[*dim] < kMinPrefetchBytes / elementBytes)
    return;
  Fold step = ivs[loop];
  ivs[loop] = e.min(e.add(step, kPrefetchSteps), e.add(sizes[loop], -1));
  // A tile that is no line long may be on two of them.
  SmallVector<int64_t> ends = {0};
  if (rows.count * elementBytes > kCacheLineBytes / 2)
    ends.push_back(rows.count - 1);
  for (int64_t end : ends) {
    moveTo(contraction.rows, rows, end);
    memref::PrefetchOp::create(e.b, e.loc, contraction.a->get(),
                               e.indices(contraction.aMap, ivs),
                               /*isWrite=*/false, kSecondCache,
                               /*isDataCache=*/true);
  }
  ivs[loop] = step;
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

Value ColumnEmitter::negateIfSubtracted(Value factor) {
  return subtractsProducts(contraction.op)
             ? arith::NegFOp::create(e.b, e.loc, factor)
             : factor;
}

/// The bytes from the first element of the buffer that `value` is part of to
/// the end of its last outermost one; null if that is not known.
static OpFoldResult getSpan(KernelEmitter &e, Value value) {
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
  // Of the gradient of a filter the loops around a step are reductions.
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
  // Closer data comes in time without.
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
  // What neighbouring iterations read of a window they fetch once.
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

SmallVector<Value> ColumnEmitter::emitSlide(const Strip &rows,
                                            const Columns &columns,
                                            ValueRange accumulators) {
  size_t numVectors = columns.bases.size();
  auto load = [&](OpOperand *input, AffineMap map, size_t number) {
    ivs[contraction.n] = columns.bases[number];
    return extend(e.loadVector(input->get(), map, ivs, contraction.n,
                               columns.lanes[number]));
  };
  SmallVector<Value> kept, vectors(numVectors), results(accumulators);
  for (int64_t element = 0; element < slide->size; ++element) {
    ivs[slide->loop] = e.index(element);
    for (size_t i = 0; i < numVectors; ++i)
      kept.push_back(load(contraction.b, contraction.bMap, i));
  }
  auto loadRow = [&](int64_t row, int64_t element) {
    ivs[slide->loop] = e.index(element);
    moveTo(contraction.rows, rows, row);
    for (size_t i = 0; i < numVectors; ++i)
      vectors[i] = negateIfSubtracted(load(contraction.a, contraction.aMap, i));
  };
  auto addProducts = [&](int64_t row, int64_t element) {
    // Rows that are the last one again read what that one does.
    if (rows.size)
      loadRow(row, element);
    for (size_t i = 0; i < numVectors; ++i) {
      Value &sum = results[row * numVectors + i];
      sum = vector::FMAOp::create(e.b, e.loc, vectors[i],
                                  kept[element * numVectors + i], sum);
    }
  };
  slide->visit(rows.count, loadRow, addProducts);
  return results;
}

SmallVector<Value> ColumnEmitter::emitStep(const Strip &rows,
                                           const Columns &columns,
                                           ValueRange accumulators) {
  prefetchLanes(rows, columns);
  if (slide)
    return emitSlide(rows, columns, accumulators);
  prefetchRows(rows);
  prefetchLines(/*count=*/1);
  SmallVector<Value> bVectors;
  for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
    ivs[contraction.n] = base;
    bVectors.push_back(extend(e.loadVector(
        contraction.b->get(), contraction.bMap, ivs, contraction.n, lanes)));
  }
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows.count; ++row) {
    moveTo(contraction.rows, rows, row);
    Value broadcast;
    if (!contraction.readsLanes())
      broadcast = vector::BroadcastOp::create(
          e.b, e.loc, bVectors.front().getType(),
          negateIfSubtracted(extend(
              e.loadScalar(contraction.a->get(), contraction.aMap, ivs))));
    for (auto [number, bVector] : llvm::enumerate(bVectors)) {
      Value aVector = broadcast;
      if (!aVector) {
        ivs[contraction.n] = columns.bases[number];
        aVector = negateIfSubtracted(
            extend(e.loadVector(contraction.a->get(), contraction.aMap, ivs,
                                contraction.n, columns.lanes[number])));
      }
      results.push_back(vector::FMAOp::create(e.b, e.loc, aVector, bVector,
                                              accumulators[results.size()]));
    }
  }
  return results;
}

/// `scalar`, of 32 bits, in all lanes of a vector, as `type` of the same size.
static Value broadcastBits(KernelEmitter &e, Value scalar, VectorType type) {
  auto words = VectorType::get({type.getDimSize(0) / 2}, e.b.getI32Type());
  Value vector = vector::BroadcastOp::create(e.b, e.loc, words, scalar);
  return vector::BitCastOp::create(e.b, e.loc, type, vector);
}

SmallVector<Value> ColumnEmitter::loadPairs(const Strip &rows,
                                            VectorType type) {
  unsigned last = contraction.k.back();
  Value source = contraction.a->get();
  const AffineMap &map = contraction.aMap;
  Fold first = ivs[last], second = e.add(first, 1);
  auto word = VectorType::get({1}, e.b.getI32Type());
  SmallVector<Value> pairs;
  // Rows next to each other: two vectors of them have all pairs.
  if (contraction.rows.size() == 1 && !rows.size && rows.count > 1 &&
      llvm::isPowerOf2_64(rows.count) &&
      classifyAccess(map, source.getType(), contraction.rows.front()) ==
          AccessKind::Contiguous) {
    moveTo(contraction.rows, rows, 0);
    Lanes lanes{rows.count, {}, {}};
    SmallVector<Value> halves;
    for (Fold step : {first, second}) {
      ivs[last] = step;
      halves.push_back(
          e.loadVector(source, map, ivs, contraction.rows.front(), lanes));
    }
    ivs[last] = first;
    Value both = vector::InterleaveOp::create(e.b, e.loc, halves[0], halves[1]);
    both = vector::BitCastOp::create(
        e.b, e.loc, VectorType::get({rows.count}, e.b.getI32Type()), both);
    for (int64_t row = 0; row < rows.count; ++row) {
      SmallVector<int64_t> lane(type.getDimSize(0) / 2, row);
      pairs.push_back(vector::BitCastOp::create(
          e.b, e.loc, type,
          vector::ShuffleOp::create(e.b, e.loc, both, both, lane)));
    }
    return pairs;
  }
  for (int64_t row = 0; row < rows.count; ++row) {
    moveTo(contraction.rows, rows, row);
    Value pair = e.loadVector(source, map, ivs, last, Lanes{2, {}, {}});
    pair = vector::BitCastOp::create(e.b, e.loc, word, pair);
    pairs.push_back(broadcastBits(
        e, vector::ExtractOp::create(e.b, e.loc, pair, int64_t{0}), type));
  }
  return pairs;
}

SmallVector<Value> ColumnEmitter::emitPairStep(const Strip &rows,
                                               const Columns &columns,
                                               ValueRange accumulators) {
  prefetchRows(rows);
  prefetchLines(/*count=*/2);
  unsigned last = contraction.k.back();
  Fold first = ivs[last];
  SmallVector<Value> bVectors;
  for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
    SmallVector<Value> halves;
    for (Fold step : {first, e.add(first, 1)}) {
      ivs[contraction.n] = base;
      ivs[last] = step;
      halves.push_back(e.loadVector(contraction.b->get(), contraction.bMap, ivs,
                                    contraction.n, lanes));
    }
    bVectors.push_back(
        vector::InterleaveOp::create(e.b, e.loc, halves[0], halves[1]));
  }
  ivs[last] = first;
  SmallVector<Value> results;
  for (Value pair :
       loadPairs(rows, cast<VectorType>(bVectors.front().getType())))
    for (Value bVector : bVectors) {
      Value sum = accumulators[results.size()];
      results.push_back(x86vector::DotBF16Op::create(e.b, e.loc, sum.getType(),
                                                     sum, pair, bVector));
    }
  return results;
}

SmallVector<Value> ColumnEmitter::emitReduction(const Strip &rows,
                                                const Columns &columns,
                                                ValueRange accumulators) {
  if (contraction.k.empty())
    return emitStep(rows, columns, accumulators);
  unsigned last = contraction.k.back();
  int64_t step = contraction.pairs ? 2 : 1;
  auto emitSteps = [&](int64_t count) {
    return [&, count](Fold iv, ValueRange args) {
      ivs[last] = iv;
      return count == 2 ? emitPairStep(rows, columns, args)
                        : emitStep(rows, columns, args);
    };
  };
  auto emitRange = [&](Fold lower, Fold upper, ValueRange args) {
    Fold end = e.add(lower, e.alignDown(e.sub(upper, lower), step));
    SmallVector<Value> sums = e.loop(lower, end, step, args, emitSteps(step));
    return step == 1 ? sums : e.loop(end, upper, 1, sums, emitSteps(1));
  };
  return e.nest(ArrayRef(contraction.k).drop_back(), sizes, ivs, accumulators,
                [&](ValueRange args) -> SmallVector<Value> {
                  if (!contraction.block)
                    return emitRange(e.index(0), sizes[last], args);
                  if (block.size)
                    return emitRange(block.base, block.size, args);
                  SmallVector<Value> sums(args);
                  for (int64_t i = 0; i < block.count;) {
                    int64_t count = i + step <= block.count ? step : 1;
                    sums = emitSteps(count)(e.add(block.base, i), sums);
                    i += count;
                  }
                  return sums;
                });
}

void ColumnEmitter::emitTile(const Strip &rows, const Columns &columns) {
  Value output = contraction.c->get();
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows.count; ++row) {
    moveTo(contraction.rows, rows, row);
    for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
      ivs[contraction.n] = base;
      accumulators.push_back(fillValue
                                 ? e.broadcast(fillValue, tile.vectorLength)
                                 : e.loadVector(output, contraction.cMap, ivs,
                                                contraction.n, lanes));
    }
  }

  accumulators = emitReduction(rows, columns, accumulators);

  if (isTurned() && !rows.size && rows.count <= tile.vectorLength)
    return storeTurned(rows, columns, accumulators);
  if (!isStreamed)
    return storeTile(rows, columns, accumulators, /*streams=*/false);
  auto branch =
      scf::IfOp::create(e.b, e.loc, isStreamed, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  for (bool streams : {true, false}) {
    e.b.setInsertionPointToStart(streams ? branch.thenBlock()
                                         : branch.elseBlock());
    storeTile(rows, columns, accumulators, streams);
  }
}

void ColumnEmitter::storeTile(const Strip &rows, const Columns &columns,
                              ValueRange accumulators, bool streams) {
  unsigned next = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    auto store = [&] {
      for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
        ivs[contraction.n] = base;
        e.storeVector(accumulators[next++], contraction.c->get(),
                      contraction.cMap, ivs, contraction.n, lanes, streams);
      }
    };
    moveTo(contraction.rows, rows, row);
    ifExists(rows, row, store);
  }
}

/// Of 32x56x56x128, the gradient by the image of a depthwise convolution of
/// stride 2, four phases store every other pixel of every other row. Each line
/// is read before it is written, which takes three times as long as to write it
/// around the caches, where none of it would stay.
void ColumnEmitter::chooseStreaming() {
  auto type = cast<MemRefType>(contraction.c->get().getType());
  int64_t elementBytes = getElementBytes(type.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!contraction.readsLanes() || !fillValue ||
      tile.vectorLength * elementBytes != kCacheLineBytes ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      classifyAccess(contraction.cMap, type, contraction.n) !=
          AccessKind::Contiguous ||
      !llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
        return !ShapedType::isDynamic(stride) &&
               stride % tile.vectorLength == 0;
      }))
    return;
  Fold read = getSpan(e, contraction.a->get()),
       written = getSpan(e, contraction.c->get());
  if (!read || !written)
    return;
  Fold bytes = e.add(read, written);
  std::optional<int64_t> constant = getConstantIntValue(bytes);
  if (constant && *constant < kStreamedBytes)
    return;
  auto metadata = memref::ExtractStridedMetadataOp::create(
      e.b, e.loc, contraction.c->get());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      e.b, e.loc, metadata.getBaseBuffer());
  // Whole lines: of parts of them it would take longer.
  Value places = arith::MulIOp::create(
      e.b, e.loc, e.value(getAsOpFoldResult(metadata.getOffset())),
      e.value(e.index(elementBytes)));
  address = arith::AddIOp::create(e.b, e.loc, address, places);
  Value rest = arith::AndIOp::create(e.b, e.loc, address,
                                     e.value(e.index(kCacheLineBytes - 1)));
  isStreamed = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, rest,
                                     e.value(e.index(0)));
  if (!constant)
    isStreamed = arith::AndIOp::create(
        e.b, e.loc, isStreamed,
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sge,
                              e.value(bytes),
                              e.value(e.index(kStreamedBytes))));
}

/// Whether C is contiguous along its rows in registers.
bool ColumnEmitter::isTurned() {
  Type type = contraction.c->get().getType();
  return contraction.rows.size() == 1 &&
         classifyAccess(contraction.cMap, type, contraction.n) ==
             AccessKind::Strided &&
         classifyAccess(contraction.cMap, type, contraction.rows.front()) ==
             AccessKind::Contiguous;
}

void ColumnEmitter::storeTurned(const Strip &rows, const Columns &columns,
                                ValueRange accumulators) {
  int64_t length = tile.vectorLength;
  size_t numVectors = columns.bases.size();
  unsigned along = contraction.rows.front();
  Lanes part = rows.count == length
                   ? Lanes{length, {}, {}}
                   : e.lanes(length, e.index(0), e.index(rows.count));
  Value zero = arith::ConstantOp::create(
      e.b, e.loc, e.b.getZeroAttr(accumulators.front().getType()));
  for (auto [i, base] : llvm::enumerate(columns.bases)) {
    const Lanes &lanes = columns.lanes[i];
    SmallVector<Value> block(length, zero);
    for (int64_t row = 0; row < rows.count; ++row)
      block[row] = accumulators[row * numVectors + i];
    e.transpose(block);
    for (int64_t lane = 0; lane < length; ++lane) {
      Fold column = e.add(base, lane);
      auto store = [&] {
        moveTo(contraction.rows, rows, 0);
        ivs[contraction.n] = column;
        e.storeVector(block[lane], contraction.c->get(), contraction.cMap, ivs,
                      along, part);
      };
      if (lanes.mask)
        e.ifGreater(e.add(lanes.last, 1), column, store);
      else
        store();
    }
  }
}

/// The steps of the sums of C in which something can be fetched, which are its
/// only reduction, or `ShapedType::kDynamic`; 0 if C is not one tile of
/// registers.
static int64_t countFetchingSteps(const Contraction &contraction,
                                  const ContractionTile &tile) {
  SmallVector<int64_t> sizes = getStaticLoopSizes(contraction.op);
  auto isWithin = [&](unsigned loop, int64_t most) {
    return !ShapedType::isDynamic(sizes[loop]) && sizes[loop] <= most;
  };
  // The steps of a window that neighbours share are unrolled.
  bool isOneTile =
      !contraction.along && !contraction.readsLanes() &&
      contraction.outer.empty() && contraction.passes.empty() &&
      !contraction.block && contraction.rows.size() == 1 &&
      contraction.k.size() == 1 &&
      isWithin(contraction.rows.front(), tile.mr) &&
      isWithin(contraction.n, tile.numVectors() * tile.vectorLength);
  return isOneTile ? sizes[contraction.k.front()] : 0;
}

namespace {
class FMAKernels : public KernelFamily {
public:
  codegen::ScheduleAttrInterface choose(linalg::LinalgOp op,
                                        codegen::CPUAttr cpu) const override {
    return chooseFMASchedule(op, cpu);
  }

  bool has(codegen::ScheduleAttrInterface schedule) const override {
    return isa<codegen::FMAAttr>(schedule);
  }

  LogicalResult verifyFit(linalg::LinalgOp op,
                          codegen::ScheduleAttrInterface schedule,
                          EmitMisfit emitMisfit) const override {
    return getContraction(op, cast<codegen::FMAAttr>(schedule), emitMisfit);
  }

  void emit(RewriterBase &rewriter, linalg::LinalgOp op,
            codegen::ScheduleAttrInterface schedule, codegen::CPUAttr cpu,
            linalg::LinalgOp &fill) const override {
    auto fma = cast<codegen::FMAAttr>(schedule);
    Contraction contraction = *getContraction(op, fma);
    SmallVector<FetchedTile> fetched = findEpilogueTiles(rewriter, op);
    rewriter.setInsertionPoint(op);
    ContractionTile tile{
        fma.getRegisters()[0], fma.getRegisters()[1],
        getVectorLength(getElementTypeOrSelf(contraction.c->get()), cpu)};
    Value fillValue = fill ? fill.getDpsInputOperand(0)->get() : Value();
    int64_t steps = countFetchingSteps(contraction, tile);
    if (llvm::any_of(fetched, [&](const FetchedTile &read) {
          return !ShapedType::isDynamic(steps) && read.countLines() > steps;
        })) {
      KernelEmitter e(rewriter, op.getLoc());
      for (const FetchedTile &read : fetched)
        for (int64_t line = 0; line < read.countLines(); ++line)
          prefetchLine(e, read, e.index(line));
      fetched.clear();
    }
    if (steps > 0)
      if (std::optional<FetchedTile> next =
              findNextPanel(rewriter, op, *contraction.b, steps))
        fetched.push_back(*next);
    rewriter.setInsertionPoint(op);
    bool fills =
        contraction.along
            ? emitLaneSums(rewriter, contraction, tile, fillValue)
            : ColumnEmitter(rewriter, contraction, tile, fillValue, fetched)
                  .emitAll();
    if (!fills)
      fill = {};
    rewriter.eraseOp(op);
  }
};
} // namespace

const KernelFamily &getFMAKernels() {
  static const FMAKernels kernels;
  return kernels;
}

} // namespace flywheel
