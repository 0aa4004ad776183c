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

#include "ColumnEmitter.h"

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;

namespace flywheel {

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

/// Chooses a reduction of a window whose vectors are loaded once. In a
/// depthwise convolution by 3x3, an output reads nine vectors, six of which its
/// neighbour reads, too: a load for each multiply-add takes longer than the
/// multiply-add.
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
  // Other threads see such stores only after a fence.
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

/// Emits strips of rows inside of columns: rows that share vectors of B follow
/// one another, so that these stay in the cache. If A is read as vectors, too,
/// few rows read each of them: the inner loop then computes all columns of
/// these rows, in the order of memory.
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
    // Computes as many vectors as the static remainder needs, all if it is
    // unknown.
    int64_t numVectors = tile.numVectors();
    if (std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end)))
      numVectors = llvm::divideCeil(*rest, tile.vectorLength);
    body(columnsAt(end, numVectors, size));
  });
}

Value ColumnEmitter::negateIfSubtracted(Value factor) {
  return subtractsProducts(contraction.op)
             ? arith::NegFOp::create(e.b, e.loc, factor)
             : factor;
}

SmallVector<Value> ColumnEmitter::emitSlide(const Strip &rows,
                                            const Columns &columns,
                                            ValueRange accumulators) {
  size_t numVectors = columns.bases.size();
  auto load = [&](OpOperand *input, AffineMap map, size_t number) {
    ivs[contraction.n] = columns.bases[number];
    return widen(e.loadVector(input->get(), map, ivs, contraction.n,
                              columns.lanes[number]),
                 input);
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
    // Rows beyond the end read the elements of the last row again.
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
  prefetchColumns(columns, /*count=*/1);
  prefetchLines(/*count=*/1);
  SmallVector<Value> bVectors;
  for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
    ivs[contraction.n] = base;
    bVectors.push_back(
        widen(e.loadVector(contraction.b->get(), contraction.bMap, ivs,
                           contraction.n, lanes),
              contraction.b));
  }
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows.count; ++row) {
    moveTo(contraction.rows, rows, row);
    Value broadcast;
    if (!contraction.readsLanes())
      broadcast = vector::BroadcastOp::create(
          e.b, e.loc, bVectors.front().getType(),
          negateIfSubtracted(
              widen(e.loadScalar(contraction.a->get(), contraction.aMap, ivs),
                    contraction.a)));
    for (auto [number, bVector] : llvm::enumerate(bVectors)) {
      Value aVector = broadcast;
      if (!aVector) {
        ivs[contraction.n] = columns.bases[number];
        aVector = negateIfSubtracted(
            widen(e.loadVector(contraction.a->get(), contraction.aMap, ivs,
                               contraction.n, columns.lanes[number]),
                  contraction.a));
      }
      results.push_back(vector::FMAOp::create(e.b, e.loc, aVector, bVector,
                                              accumulators[results.size()]));
    }
  }
  return results;
}

/// Broadcasts `scalar`, of 32 bits, to a vector that is cast to `type`, of the
/// same size.
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
  // Neighbouring rows: two vectors of them contain all pairs.
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
  prefetchColumns(columns, /*count=*/2);
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

/// Returns the number of steps of the sums of C in which tiles can be fetched,
/// those of its only reduction, or `ShapedType::kDynamic`; 0 if C is not one
/// tile of registers.
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
