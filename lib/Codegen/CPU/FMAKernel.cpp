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
// where the accumulators are loop-carried vectors. The passes of the schedule
// go around all others. Nothing is assumed about the maps of A and B but that A
// does not depend on n: strided and dilated windows give direct convolutions,
// with output columns as m and filters as n.
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"
#include "KernelEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/ContractionTile.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {

/// Steps of the reduction that the rows of A are fetched ahead: as many as hide
/// the latency of the last cache.
static constexpr int64_t kPrefetchSteps = 32;
/// Bytes between the steps of a reduction in A from which on hardware does not
/// see them coming: it stays within a page of 4 KiB.
static constexpr int64_t kMinPrefetchBytes = 1024;
/// Into the second cache: such steps share few sets of the first one.
static constexpr unsigned kSecondCache = 2;

namespace {

/// Emits the kernels of one contraction.
class ContractionEmitter {
public:
  using Fold = OpFoldResult;

  ContractionEmitter(RewriterBase &builder, Contraction contraction,
                     ContractionTile tile, Value fillValue)
      : e(builder, contraction.op.getLoc()),
        contraction(std::move(contraction)), tile(tile), fillValue(fillValue) {}

  /// Returns whether C starts from the fill value: else `fill` is still needed.
  bool emit();

private:
  /// Rows of one tile: `count` from `base`, of which those below `size` exist
  /// if `size` is set, all otherwise.
  struct Rows {
    Fold base;
    int64_t count;
    Fold size;
  };
  /// Columns of one tile: one vector from each of `bases`.
  struct Columns {
    SmallVector<Fold> bases;
    SmallVector<Lanes> lanes;
  };

  void emitColumns();
  void emitRows(const Columns &columns);
  void emitTile(const Rows &rows, const Columns &columns);
  SmallVector<Value> emitStep(const Rows &rows, const Columns &columns,
                              ValueRange accumulators);
  Columns columnsAt(Fold base, int64_t numVectors, Fold size);
  /// Moves `ivs` to row `row` of the tile.
  void atRow(const Rows &rows, int64_t row);
  /// Fetches the rows of A of a later step, if nothing else does.
  void prefetchRows(const Rows &rows);
  Value extend(Value value);

  KernelEmitter e;
  Contraction contraction;
  ContractionTile tile;
  Value fillValue;
  SmallVector<Fold> sizes;
  /// The current iteration of every loop.
  SmallVector<Fold> ivs;
};
} // namespace

bool ContractionEmitter::emit() {
  sizes = getLoopSizes(e.b, contraction.op);
  ivs.assign(sizes.size(), e.index(0));
  // The passes behind the first one add to what it stored.
  bool fills = contraction.passes.empty();
  if (!fills)
    fillValue = Value();
  SmallVector<unsigned> around = contraction.passes;
  llvm::append_range(around, contraction.outer);
  e.nest(around, sizes, ivs, {}, [&](ValueRange) {
    emitColumns();
    return SmallVector<Value>();
  });
  return fills;
}

ContractionEmitter::Columns
ContractionEmitter::columnsAt(Fold base, int64_t numVectors, Fold size) {
  Columns columns;
  for (int64_t i = 0; i < numVectors; ++i) {
    Fold first = e.add(base, i * tile.vectorLength);
    columns.bases.push_back(first);
    columns.lanes.push_back(size ? e.lanes(tile.vectorLength, first, size)
                                 : Lanes{tile.vectorLength, {}, {}});
  }
  return columns;
}

void ContractionEmitter::emitColumns() {
  Fold size = sizes[contraction.n];
  int64_t width = tile.numVectors() * tile.vectorLength;
  Fold end = e.alignDown(size, width);
  e.loop(e.index(0), end, width, {}, [&](Fold iv, ValueRange) {
    emitRows(columnsAt(iv, tile.numVectors(), Fold()));
    return SmallVector<Value>();
  });
  e.ifGreater(size, end, [&] {
    // As many vectors as the static remainder needs, all if it is unknown.
    int64_t numVectors = tile.numVectors();
    if (std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end)))
      numVectors = llvm::divideCeil(*rest, tile.vectorLength);
    emitRows(columnsAt(end, numVectors, size));
  });
}

void ContractionEmitter::emitRows(const Columns &columns) {
  if (contraction.rows.empty())
    return emitTile({e.index(0), 1, Fold()}, columns);
  if (contraction.rows.size() > 1) {
    int64_t numRows = 1;
    for (unsigned loop : contraction.rows)
      numRows *= *getConstantIntValue(sizes[loop]);
    for (int64_t row = 0; row < numRows; row += tile.mr)
      emitTile({e.index(row), std::min(tile.mr, numRows - row), Fold()},
               columns);
    return;
  }
  Fold size = sizes[contraction.rows.front()];
  Fold end = e.alignDown(size, tile.mr);
  e.loop(e.index(0), end, tile.mr, {}, [&](Fold iv, ValueRange) {
    emitTile({iv, tile.mr, Fold()}, columns);
    return SmallVector<Value>();
  });
  e.ifGreater(size, end, [&] {
    // A static rest is a smaller tile. A dynamic one computes the last row as
    // often as needed to fill the tile and stores only the rows there are.
    std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end));
    if (rest)
      emitTile({end, *rest, Fold()}, columns);
    else
      emitTile({end, tile.mr, size}, columns);
  });
}

void ContractionEmitter::atRow(const Rows &rows, int64_t row) {
  if (contraction.rows.empty())
    return;
  if (contraction.rows.size() > 1) {
    int64_t rest = *getConstantIntValue(rows.base) + row;
    for (unsigned loop : llvm::reverse(contraction.rows)) {
      int64_t size = *getConstantIntValue(sizes[loop]);
      ivs[loop] = e.index(rest % size);
      rest /= size;
    }
    return;
  }
  Fold index = e.add(rows.base, row);
  if (rows.size)
    index = e.min(index, e.add(rows.size, -1));
  ivs[contraction.rows.front()] = index;
}

/// Of the gradient of a weight, 1024x256 over 2048 rows, the rows of A are 4
/// KiB apart: with these prefetches it takes about half of the time (AMD EPYC,
/// AVX-512, medians of runs in turn).
void ContractionEmitter::prefetchRows(const Rows &rows) {
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
    atRow(rows, end);
    memref::PrefetchOp::create(e.b, e.loc, contraction.a->get(),
                               e.indices(contraction.aMap, ivs),
                               /*isWrite=*/false, kSecondCache,
                               /*isDataCache=*/true);
  }
  ivs[loop] = step;
}

Value ContractionEmitter::extend(Value value) {
  Type element = getElementTypeOrSelf(contraction.c->get());
  if (getElementTypeOrSelf(value) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return arith::ExtFOp::create(e.b, e.loc, type, value);
}

SmallVector<Value> ContractionEmitter::emitStep(const Rows &rows,
                                                const Columns &columns,
                                                ValueRange accumulators) {
  prefetchRows(rows);
  SmallVector<Value> bVectors;
  for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
    ivs[contraction.n] = base;
    bVectors.push_back(extend(e.loadVector(
        contraction.b->get(), contraction.bMap, ivs, contraction.n, lanes)));
  }
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows.count; ++row) {
    atRow(rows, row);
    Value scalar =
        extend(e.loadScalar(contraction.a->get(), contraction.aMap, ivs));
    // Part of the multiply-add instruction.
    if (subtractsProducts(contraction.op))
      scalar = arith::NegFOp::create(e.b, e.loc, scalar);
    Value aVector = vector::BroadcastOp::create(
        e.b, e.loc, bVectors.front().getType(), scalar);
    for (Value bVector : bVectors)
      results.push_back(vector::FMAOp::create(e.b, e.loc, aVector, bVector,
                                              accumulators[results.size()]));
  }
  return results;
}

void ContractionEmitter::emitTile(const Rows &rows, const Columns &columns) {
  Value output = contraction.c->get();
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows.count; ++row) {
    atRow(rows, row);
    for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
      ivs[contraction.n] = base;
      accumulators.push_back(fillValue
                                 ? e.broadcast(fillValue, tile.vectorLength)
                                 : e.loadVector(output, contraction.cMap, ivs,
                                                contraction.n, lanes));
    }
  }

  accumulators =
      e.nest(contraction.k, sizes, ivs, accumulators,
             [&](ValueRange args) { return emitStep(rows, columns, args); });

  unsigned next = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    auto store = [&] {
      for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
        ivs[contraction.n] = base;
        e.storeVector(accumulators[next++], output, contraction.cMap, ivs,
                      contraction.n, lanes);
      }
    };
    atRow(rows, row);
    if (rows.size)
      e.ifGreater(rows.size, e.add(rows.base, row), store);
    else
      store();
  }
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
    prefetchEpilogue(rewriter, op);
    rewriter.setInsertionPoint(op);
    ContractionTile tile{
        fma.getRegisters()[0], fma.getRegisters()[1],
        getVectorLength(getElementTypeOrSelf(contraction.c->get()), cpu)};
    Value fillValue = fill ? fill.getDpsInputOperand(0)->get() : Value();
    if (!ContractionEmitter(rewriter, contraction, tile, fillValue).emit())
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
