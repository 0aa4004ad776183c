//===- LaneSumKernel.cpp - Contractions with lanes along a reduction ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction C[.., m, n] += A[.., m, .., k] * B[.., n, .., k], both inputs
// of which are contiguous along k, becomes
//
//   for each other parallel loop, then for n step nr, then for m step mr:
//     acc[mr][nr] = vectors of zeros
//     for the other reductions, then for k step the length of a vector:
//       acc[r][c][:] += A[r, k:] * B[c, k:]
//     C += the sum of the lanes of acc
//
// with the other reductions in one loop, or, with pairs of bf16, sums of two
// products for each lane. A reduction of a window in which neighbouring columns
// (or rows) read the same vectors is unrolled inside of the loop along the
// lanes, if the vectors of A that all of it multiplies them by fit the
// registers. Nothing is transposed, and every lane is in use however few
// columns C has. Sixteen accumulators become one vector of sixteen sums in four
// steps, each of which adds the halves of two vectors. The order of additions
// is the same for each element of C, whichever tile it is in.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace flywheel {

/// Multiply-adds that are independent of each other: two units with a latency
/// of four cycles.
static constexpr int64_t kMinChains = 8;
/// The most vectors of a reduction that is unrolled.
static constexpr int64_t kMaxUnrolledSteps = 4;

namespace {
class LaneSumEmitter : public ContractionEmitter {
public:
  using ContractionEmitter::ContractionEmitter;

private:
  void emitTiles() override;
  void emitTile(const Strip &rows, const Strip &columns);
  /// Emits the multiply-adds of the vectors at `base`, into an accumulator for
  /// each element of the tile.
  SmallVector<Value> emitStep(const Strip &rows, const Strip &columns,
                              Fold base, const Lanes &lanes,
                              ValueRange accumulators);
  /// Emits the loop along the lanes. `accumulators` are those of all chains.
  SmallVector<Value> emitLanes(const Strip &rows, const Strip &columns,
                               ValueRange accumulators);
  Value load(OpOperand *input, AffineMap map, const Lanes &lanes);
  /// Returns the sums of lanes that are `distance` apart: of `x` in lanes whose
  /// number does not have this bit, of `y` in the others.
  Value addNeighbours(Value x, Value y, int64_t distance);
  /// Returns a vector whose lane i is the sum of the lanes of vector i. The
  /// number of vectors is a power of two, at most one for each lane.
  Value addLanes(ArrayRef<Value> vectors);
  /// Adds `sums` to the elements of C from number `first` of the tile.
  void store(const Strip &rows, const Strip &columns, Value sums, int64_t first,
             int64_t count);
  /// Returns `sum` added to the old value of C, or to its initial value.
  Value addTo(Value sum, function_ref<Value()> loadOld);

  /// Returns true if the vectors of rows are in registers and those of columns
  /// are loaded one at a time; otherwise it is the other way around.
  bool keepsRows() const { return tile.mr <= tile.nr; }
  /// Chooses `slide`.
  void chooseSlide();
  Value multiplyAdd(Value a, Value b, Value sum);

  int64_t numChains = 1;
  /// The reduction, if any, along which the longer side reads the same elements
  /// in neighbouring iterations: vectors of the shorter side are in registers
  /// for the whole reduction, and each vector of the longer one is loaded once.
  std::optional<Slide> slide;
};
} // namespace

/// Returns the only loop of `loops`, if there is one.
static std::optional<unsigned> getSingle(ArrayRef<unsigned> loops) {
  return llvm::hasSingleElement(loops) ? std::optional(loops.front())
                                       : std::nullopt;
}

/// Chooses a reduction of a window whose vectors are loaded once. In a gradient
/// by an image of one channel, whose window is 5x5, an output reads 50 vectors,
/// 40 of which its neighbour reads, too: if each multiply-add has an operand in
/// memory, the loads take as long as the multiply-adds.
void LaneSumEmitter::chooseSlide() {
  std::optional<unsigned> moving =
      keepsRows() ? contraction.n : getSingle(contraction.rows);
  codegen::CPUAttr cpu = codegen::lookupCPU(contraction.op);
  if (!moving || !cpu)
    return;
  std::optional<Slide> found = findSlide(
      contraction.k, keepsRows() ? contraction.bMap : contraction.aMap, *moving,
      getStaticLoopSizes(contraction.op));
  if (!found ||
      tile.mr * tile.nr + 1 + std::min(tile.mr, tile.nr) * found->size >
          cpu.getVectorRegisters())
    return;
  slide = found;
  llvm::erase(contraction.k, slide->loop);
}

void LaneSumEmitter::emitTiles() {
  chooseSlide();
  // Depends on the tile of the schedule, not on the part that this tile has:
  // the order of additions is the same for all tiles.
  numChains = std::clamp<int64_t>(kMinChains / (tile.mr * tile.nr), 1, 4);
  emitStrips({contraction.n}, tile.nr, [&](const Strip &columns) {
    emitStrips(contraction.rows, tile.mr,
               [&](const Strip &rows) { emitTile(rows, columns); });
  });
}

Value LaneSumEmitter::load(OpOperand *input, AffineMap map,
                           const Lanes &lanes) {
  Value vector =
      e.loadVector(input->get(), map, ivs, *contraction.along, lanes);
  // Unused lanes that were read one by one have undefined values.
  if (lanes.mask &&
      classifyAccess(map, input->get().getType(), *contraction.along) !=
          AccessKind::Contiguous) {
    Value zero = arith::ConstantOp::create(e.b, e.loc,
                                           e.b.getZeroAttr(vector.getType()));
    vector = arith::SelectOp::create(e.b, e.loc, lanes.mask, vector, zero);
  }
  return contraction.pairs ? vector : widen(vector, input);
}

SmallVector<Value> LaneSumEmitter::emitStep(const Strip &rows,
                                            const Strip &columns, Fold base,
                                            const Lanes &lanes,
                                            ValueRange accumulators) {
  ivs[*contraction.along] = base;
  const Strip &longer = keepsRows() ? columns : rows;
  auto loadRow = [&](int64_t row) {
    moveTo(contraction.rows, rows, row);
    return load(contraction.a, contraction.aMap, lanes);
  };
  auto loadColumn = [&](int64_t column) {
    moveTo({contraction.n}, columns, column);
    return load(contraction.b, contraction.bMap, lanes);
  };
  int64_t numKept = keepsRows() ? rows.count : columns.count;
  Slide window = slide.value_or(Slide());
  auto slideTo = [&](int64_t element) {
    if (slide)
      ivs[slide->loop] = e.index(element);
  };
  SmallVector<Value> kept, results(accumulators);
  for (int64_t element = 0; element < window.size; ++element) {
    slideTo(element);
    for (int64_t j = 0; j < numKept; ++j)
      kept.push_back(keepsRows() ? loadRow(j) : loadColumn(j));
  }
  Value vector;
  auto loadLonger = [&](int64_t i, int64_t element) {
    slideTo(element);
    vector = keepsRows() ? loadColumn(i) : loadRow(i);
  };
  auto addProducts = [&](int64_t i, int64_t element) {
    // Iterations beyond the end read the elements of the last one again.
    if (longer.size)
      loadLonger(i, element);
    for (int64_t j = 0; j < numKept; ++j) {
      Value other = kept[element * numKept + j];
      Value &sum = keepsRows() ? results[j * columns.count + i]
                               : results[i * columns.count + j];
      sum = keepsRows() ? multiplyAdd(other, vector, sum)
                        : multiplyAdd(vector, other, sum);
    }
  };
  window.visit(longer.count, loadLonger, addProducts);
  return results;
}

Value LaneSumEmitter::multiplyAdd(Value a, Value b, Value sum) {
  if (contraction.pairs)
    return x86vector::DotBF16Op::create(e.b, e.loc, sum.getType(), sum, a, b);
  return vector::FMAOp::create(e.b, e.loc, a, b, sum);
}

SmallVector<Value> LaneSumEmitter::emitLanes(const Strip &rows,
                                             const Strip &columns,
                                             ValueRange accumulators) {
  int64_t length = tile.vectorLength * (contraction.pairs ? 2 : 1);
  int64_t step = numChains * length;
  size_t numElements = rows.count * columns.count;
  Fold size = sizes[*contraction.along];
  Lanes all{length, {}, {}};
  std::optional<int64_t> constant = getConstantIntValue(size);
  bool unroll = constant && *constant <= kMaxUnrolledSteps * length;
  std::swap(e.unroll, unroll);
  Fold wideEnd = e.alignDown(size, step), end = e.alignDown(size, length);
  SmallVector<Value> sums = e.loop(
      e.index(0), wideEnd, step, accumulators, [&](Fold iv, ValueRange args) {
        SmallVector<Value> results;
        for (int64_t chain = 0; chain < numChains; ++chain)
          llvm::append_range(
              results, emitStep(rows, columns, e.add(iv, chain * length), all,
                                args.slice(chain * numElements, numElements)));
        return results;
      });
  // The first chain adds the remaining iterations.
  SmallVector<Value> first(ArrayRef<Value>(sums).take_front(numElements));
  if (numChains > 1)
    first = e.loop(wideEnd, end, length, first, [&](Fold iv, ValueRange args) {
      return emitStep(rows, columns, iv, all, args);
    });
  // At most one iteration; none if `length` divides `size`.
  first = e.loop(end, size, length, first, [&](Fold iv, ValueRange args) {
    return emitStep(rows, columns, iv, e.lanes(length, iv, size), args);
  });
  std::swap(e.unroll, unroll);
  llvm::copy(first, sums.begin());
  return sums;
}

Value LaneSumEmitter::addNeighbours(Value x, Value y, int64_t distance) {
  int64_t length = tile.vectorLength;
  SmallVector<int64_t> own, other;
  for (int64_t lane = 0; lane < length; ++lane) {
    bool isSecond = (lane & distance) != 0;
    own.push_back(isSecond ? length + lane : lane);
    other.push_back(isSecond ? length + lane - distance : lane + distance);
  }
  return arith::AddFOp::create(
      e.b, e.loc, vector::ShuffleOp::create(e.b, e.loc, x, y, own),
      vector::ShuffleOp::create(e.b, e.loc, x, y, other));
}

Value LaneSumEmitter::addLanes(ArrayRef<Value> vectors) {
  SmallVector<Value> sums(vectors);
  for (int64_t distance = 1; distance < tile.vectorLength; distance *= 2) {
    SmallVector<Value> next;
    if (sums.size() == 1)
      next.push_back(addNeighbours(sums[0], sums[0], distance));
    else
      for (size_t i = 0; i < sums.size(); i += 2)
        next.push_back(addNeighbours(sums[i], sums[i + 1], distance));
    sums = next;
  }
  return sums.front();
}

Value LaneSumEmitter::addTo(Value sum, function_ref<Value()> loadOld) {
  bool subtracts = subtractsProducts(contraction.op);
  // Sums that start from +0 are never -0.
  if (fillValue && !subtracts && matchPattern(fillValue, m_PosZeroFloat()))
    return sum;
  Value old = loadOld();
  if (subtracts)
    return arith::SubFOp::create(e.b, e.loc, old, sum);
  return arith::AddFOp::create(e.b, e.loc, old, sum);
}

void LaneSumEmitter::store(const Strip &rows, const Strip &columns, Value sums,
                           int64_t first, int64_t count) {
  Value output = contraction.c->get();
  bool isContiguous = classifyAccess(contraction.cMap, output.getType(),
                                     contraction.n) == AccessKind::Contiguous;
  int64_t width = columns.count;
  // Parts of rows, if the vector has whole ones.
  if (isContiguous && !columns.size && width > 1 && first % width == 0 &&
      count % width == 0) {
    Lanes lanes{width, {}, {}};
    for (int64_t i = 0; i < count; i += width)
      ifExists(rows, (first + i) / width, [&] {
        moveTo(contraction.rows, rows, (first + i) / width);
        moveTo({contraction.n}, columns, 0);
        Value part = width == tile.vectorLength
                         ? sums
                         : vector::ExtractStridedSliceOp::create(
                               e.b, e.loc, sums, ArrayRef<int64_t>{i},
                               ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1})
                               .getResult();
        part = addTo(part, [&] {
          return fillValue ? e.broadcast(fillValue, width)
                           : e.loadVector(output, contraction.cMap, ivs,
                                          contraction.n, lanes);
        });
        e.storeVector(part, output, contraction.cMap, ivs, contraction.n,
                      lanes);
      });
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    ifExists(rows, (first + i) / width, [&] {
      ifExists(columns, (first + i) % width, [&] {
        moveTo(contraction.rows, rows, (first + i) / width);
        moveTo({contraction.n}, columns, (first + i) % width);
        SmallVector<Value> indices = e.indices(contraction.cMap, ivs);
        Value sum = vector::ExtractOp::create(e.b, e.loc, sums, i);
        sum = addTo(sum, [&]() -> Value {
          if (fillValue)
            return fillValue;
          return memref::LoadOp::create(e.b, e.loc, output, indices);
        });
        memref::StoreOp::create(e.b, e.loc, sum, output, indices);
      });
    });
}

void LaneSumEmitter::emitTile(const Strip &rows, const Strip &columns) {
  Type element = getElementTypeOrSelf(contraction.c->get());
  auto type = VectorType::get({tile.vectorLength}, element);
  int64_t numElements = rows.count * columns.count;
  SmallVector<Value> sums(
      numElements * numChains,
      arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type)));
  sums = e.flatNest(contraction.k, sizes, ivs, sums, [&](ValueRange args) {
    return emitLanes(rows, columns, args);
  });
  for (int64_t chain = 1; chain < numChains; ++chain)
    for (int64_t i = 0; i < numElements; ++i)
      sums[i] = arith::AddFOp::create(e.b, e.loc, sums[i],
                                      sums[chain * numElements + i]);
  for (int64_t first = 0; first < numElements;) {
    int64_t count = llvm::bit_floor<uint64_t>(
        std::min(tile.vectorLength, numElements - first));
    store(rows, columns, addLanes(ArrayRef<Value>(sums).slice(first, count)),
          first, count);
    first += count;
  }
}

bool emitLaneSums(RewriterBase &builder, Contraction contraction,
                  ContractionTile tile, Value fillValue) {
  return LaneSumEmitter(builder, std::move(contraction), tile, fillValue)
      .emit();
}

} // namespace flywheel
