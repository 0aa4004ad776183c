//===- VectorizeContraction.cpp - Register-tiled FMA kernels --------------===//
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
// where the accumulators are loop-carried vectors. Where A and B are too large
// to be read once a tile, the outermost of several reduction loops go around
// all others: the gradient of a filter is summed image by image. Nothing is
// assumed about the maps of A and B but that A does not depend on n: strided
// and dilated windows give direct convolutions, with output columns as m and
// filters as n.
//
// A matrix B that is contiguous along n is read where it is: copying panels of
// it cost more than it saved, and so did splitting K (see
// chooseContractionTile). A transposed B is packed, block of K by block, into a
// panel on the stack that has the columns of one tile: 89 % of the FMA peak
// instead of 26 % for [128x256]x[784x256]^T.
//
//===----------------------------------------------------------------------===//

#include "ContractionPlan.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {

namespace {

/// Rows of B that are packed at a time: with two vectors of floats for columns,
/// 64 KiB.
constexpr int64_t maxPanelDepth = 512;
constexpr int64_t panelAlignment = 64;

/// What the loops of one pass over C may read before it is worth reading less
/// of it at a time: well within the second level cache.
constexpr int64_t maxPassBytes = 512 * 1024;
/// Steps of the reduction that pay for loading and storing a tile of C.
constexpr int64_t minPassSteps = 64;
/// Stands for the size of a dynamic loop where sizes are estimated.
constexpr int64_t typicalSize = 64;

/// Emits the kernels of one contraction.
class ContractionEmitter {
public:
  using Fold = OpFoldResult;

  ContractionEmitter(RewriterBase &builder, Contraction contraction,
                     Value fillValue, const CpuTarget &target)
      : e(builder, contraction.op.getLoc()), rewriter(builder),
        contraction(std::move(contraction)), fillValue(fillValue),
        target(target) {}

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

  void chooseTile();
  /// Moves reduction loops around all others, where the inputs are too large to
  /// be read again and again: each pass adds to C.
  void choosePasses();
  int64_t estimateSize(unsigned dim);
  /// About how many bytes of an input the loops of one pass read.
  CheckedSize estimateBytes(Value input, AffineMap map);
  void allocatePanel();
  void emitColumns();
  /// The columns from `base`, all of which exist unless `size` is set.
  void emitStrip(Fold base, int64_t numVectors, Fold size);
  /// Copies `depth` rows of B from `begin` and `width` columns from `base`.
  void emitPack(Fold begin, Fold depth, Fold base, Fold width);
  void emitRows(const Columns &columns);
  void emitTile(const Rows &rows, const Columns &columns);
  SmallVector<Value> emitStep(const Rows &rows, const Columns &columns,
                              ValueRange accumulators);
  Columns columnsAt(Fold base, int64_t numVectors, Fold size);
  /// Moves `ivs` to row `row` of the tile.
  void atRow(const Rows &rows, int64_t row);
  Value extend(Value value);

  KernelEmitter e;
  RewriterBase &rewriter;
  Contraction contraction;
  Value fillValue;
  CpuTarget target;
  ContractionTile tile;
  /// Where B is read: the operand or the panel.
  Value source;
  int64_t panelDepth = 0;
  /// Reduction loops around all others.
  SmallVector<unsigned> passes;
  SmallVector<Fold> sizes;
  /// The current iteration of every loop; then, if B is packed, the first row
  /// and column of the panel, relative to which k and n count there.
  SmallVector<Fold> ivs;
};
} // namespace

void ContractionEmitter::chooseTile() {
  auto size = [&](unsigned dim) {
    std::optional<int64_t> constant = getConstantIntValue(sizes[dim]);
    return constant ? *constant : ShapedType::kDynamic;
  };
  Type element = getElementTypeOrSelf(contraction.c->get());
  int64_t numRows = contraction.m ? size(*contraction.m) : 1;
  for (unsigned dim : contraction.moreRows)
    numRows *= size(dim);
  tile = chooseContractionTile(element, target, numRows, size(contraction.n));
  if (!contraction.m || !contraction.moreRows.empty())
    return;
  // A tile of a tiled loop: dynamic, but never above the tile size that was
  // chosen there. Take that size, so that only the last tile is partial.
  int64_t bound = getUpperBound(sizes[*contraction.m]);
  if (!ShapedType::isDynamic(size(*contraction.m)) ||
      ShapedType::isDynamic(bound))
    return;
  int64_t rows =
      chooseContractionTile(element, target, bound, size(contraction.n)).mr;
  if (rows == bound)
    tile.mr = rows;
}

int64_t ContractionEmitter::estimateSize(unsigned dim) {
  std::optional<int64_t> constant = getConstantIntValue(sizes[dim]);
  return constant ? *constant : typicalSize;
}

CheckedSize ContractionEmitter::estimateBytes(Value input, AffineMap map) {
  // An index takes as many values as the loops in it, at most: those of a
  // window overlap.
  Type element = getElementTypeOrSelf(input);
  CheckedSize bytes = getElementBytes(element);
  auto inPass = [&](unsigned dim) {
    return dim == contraction.n || dim == contraction.m ||
           llvm::is_contained(contraction.moreRows, dim) ||
           llvm::is_contained(contraction.k, dim);
  };
  for (AffineExpr expr : map.getResults()) {
    int64_t extent = 1;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (inPass(dim) && expr.isFunctionOfDim(dim))
        extent = std::max(extent, estimateSize(dim));
    bytes *= extent;
  }
  return bytes;
}

void ContractionEmitter::choosePasses() {
  // A single tile reads everything once.
  int64_t numTiles = llvm::divideCeil(estimateSize(contraction.n), tile.nr);
  if (contraction.m)
    numTiles *= llvm::divideCeil(estimateSize(*contraction.m), tile.mr);
  for (unsigned dim :
       llvm::concat<const unsigned>(contraction.moreRows, contraction.outer))
    numTiles *= estimateSize(dim);
  if (contraction.packs || numTiles <= 1)
    return;
  while (contraction.k.size() > 1 &&
         (estimateBytes(contraction.a->get(), contraction.aMap) +
          estimateBytes(contraction.b->get(), contraction.bMap))
                 .getSaturated() > maxPassBytes) {
    int64_t steps = 1;
    for (unsigned dim : ArrayRef(contraction.k).drop_front())
      steps *= estimateSize(dim);
    if (steps < minPassSteps)
      return;
    passes.push_back(contraction.k.front());
    contraction.k.erase(contraction.k.begin());
  }
}

bool ContractionEmitter::emit() {
  sizes = getLoopSizes(e.b, contraction.op);
  ivs.assign(sizes.size(), e.index(0));
  chooseTile();
  choosePasses();
  source = contraction.b->get();
  if (contraction.packs)
    allocatePanel();
  if (!passes.empty())
    fillValue = Value();
  SmallVector<unsigned> around = passes;
  llvm::append_range(around, contraction.outer);
  e.nest(around, sizes, ivs, {}, [&](ValueRange) {
    emitColumns();
    return SmallVector<Value>();
  });
  return passes.empty();
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

void ContractionEmitter::allocatePanel() {
  unsigned k = contraction.k.front(), n = contraction.n;
  unsigned numLoops = ivs.size();
  ivs.append(2, e.index(0));

  // The panel stays in the second level cache, and on any stack.
  panelDepth = maxPanelDepth;
  if (std::optional<int64_t> depth = getConstantIntValue(sizes[k]))
    panelDepth = std::max<int64_t>(
        1,
        llvm::divideCeil(*depth, llvm::divideCeil(std::max<int64_t>(*depth, 1),
                                                  maxPanelDepth)));
  auto type =
      MemRefType::get({panelDepth, tile.numVectors() * tile.vectorLength},
                      getElementTypeOrSelf(contraction.b->get()));
  {
    // Once per call and not per iteration of the loops around.
    OpBuilder::InsertionGuard guard(e.b);
    Operation *scope =
        contraction.op->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
    Region *region = contraction.op->getParentRegion();
    while (region->getParentOp() != scope)
      region = region->getParentOp()->getParentRegion();
    e.b.setInsertionPointToStart(&region->front());
    source = memref::AllocaOp::create(e.b, e.loc, type,
                                      e.b.getI64IntegerAttr(panelAlignment));
  }

  MLIRContext *context = e.b.getContext();
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, context); };
  AffineMap aMap =
      contraction.aMap.replace(dim(k), dim(k) + dim(numLoops), numLoops + 2, 0);
  contraction.aMap = aMap;
  contraction.bMap = AffineMap::get(
      numLoops + 2, 0, {dim(k), dim(n) - dim(numLoops + 1)}, context);
  contraction.cMap =
      AffineMap::get(numLoops + 2, 0, contraction.cMap.getResults(), context);
}

void ContractionEmitter::emitPack(Fold begin, Fold depth, Fold base,
                                  Fold width) {
  MLIRContext *context = e.b.getContext();
  SmallVector<Fold> offsets, sizes;
  SmallVector<AffineExpr> results;
  // B as it is: its map before `allocatePanel`.
  AffineMap map = contraction.op.getMatchingIndexingMap(contraction.b);
  for (AffineExpr result : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    bool isK = dim == contraction.k.front(), isN = dim == contraction.n;
    offsets.push_back(isK ? begin : isN ? base : ivs[dim]);
    sizes.push_back(isK ? depth : isN ? width : e.index(1));
    results.push_back(isK   ? getAffineDimExpr(0, context)
                      : isN ? getAffineDimExpr(1, context)
                            : getAffineConstantExpr(0, context));
  }
  SmallVector<Fold> ones(offsets.size(), e.index(1));
  Value block = memref::SubViewOp::create(e.b, e.loc, contraction.b->get(),
                                          offsets, sizes, ones);
  Value panel =
      memref::SubViewOp::create(e.b, e.loc, source, {e.index(0), e.index(0)},
                                {depth, width}, {e.index(1), e.index(1)});
  auto copy = linalg::GenericOp::create(
      e.b, e.loc, block, panel,
      {AffineMap::get(2, 0, results, context),
       AffineMap::getMultiDimIdentityMap(2, context)},
      {utils::IteratorType::parallel, utils::IteratorType::parallel},
      [](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc, args.front());
      });
  OpBuilder::InsertionGuard guard(e.b);
  if (vectorizeElementwise(rewriter, copy, target))
    return;
  // A single element.
  rewriter.setInsertionPoint(copy);
  [[maybe_unused]] auto loops = linalg::linalgOpToLoops(rewriter, copy);
  assert(succeeded(loops) && "a copy always has a loop form");
  rewriter.eraseOp(copy);
}

void ContractionEmitter::emitStrip(Fold base, int64_t numVectors, Fold size) {
  Columns columns = columnsAt(base, numVectors, size);
  if (!contraction.packs)
    return emitRows(columns);

  Fold width =
      size ? e.sub(size, base) : e.index(numVectors * tile.vectorLength);
  unsigned k = contraction.k.front();
  Fold depth = sizes[k];
  Value fill = fillValue;
  auto emitBlock = [&](Fold begin) {
    Fold rest = e.min(e.sub(depth, begin), e.index(panelDepth));
    emitPack(begin, rest, base, width);
    auto [rowOffset, columnOffset] =
        std::tie(ivs[ivs.size() - 2], ivs[ivs.size() - 1]);
    rowOffset = begin;
    columnOffset = base;
    sizes[k] = rest;
    emitRows(columns);
    sizes[k] = depth;
  };
  emitBlock(e.index(0));
  // The other blocks add to what the first one stored.
  fillValue = Value();
  e.loop(e.index(panelDepth), depth, panelDepth, {}, [&](Fold iv, ValueRange) {
    emitBlock(iv);
    return SmallVector<Value>();
  });
  fillValue = fill;
}

void ContractionEmitter::emitColumns() {
  Fold size = sizes[contraction.n];
  int64_t width = tile.numVectors() * tile.vectorLength;
  Fold end = e.alignDown(size, width);
  e.loop(e.index(0), end, width, {}, [&](Fold iv, ValueRange) {
    emitStrip(iv, tile.numVectors(), Fold());
    return SmallVector<Value>();
  });
  e.ifGreater(size, end, [&] {
    // As many vectors as the static remainder needs, all if it is unknown.
    int64_t numVectors = tile.numVectors();
    if (std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end)))
      numVectors = llvm::divideCeil(*rest, tile.vectorLength);
    emitStrip(end, numVectors, size);
  });
}

void ContractionEmitter::emitRows(const Columns &columns) {
  if (!contraction.m)
    return emitTile({e.index(0), 1, Fold()}, columns);
  Fold size = sizes[*contraction.m];
  if (!contraction.moreRows.empty()) {
    int64_t numRows = *getConstantIntValue(size);
    for (unsigned dim : contraction.moreRows)
      numRows *= *getConstantIntValue(sizes[dim]);
    for (int64_t row = 0; row < numRows; row += tile.mr)
      emitTile({e.index(row), std::min(tile.mr, numRows - row), Fold()},
               columns);
    return;
  }
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
  if (!contraction.m)
    return;
  if (!contraction.moreRows.empty()) {
    int64_t rest = *getConstantIntValue(rows.base) + row;
    auto split = [&](unsigned dim) {
      int64_t size = *getConstantIntValue(sizes[dim]);
      ivs[dim] = e.index(rest % size);
      rest /= size;
    };
    split(*contraction.m);
    for (unsigned dim : llvm::reverse(contraction.moreRows))
      split(dim);
    return;
  }
  Fold index = e.add(rows.base, row);
  if (rows.size)
    index = e.min(index, e.add(rows.size, -1));
  ivs[*contraction.m] = index;
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
  SmallVector<Value> bVectors;
  for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
    ivs[contraction.n] = base;
    bVectors.push_back(extend(
        e.loadVector(source, contraction.bMap, ivs, contraction.n, lanes)));
  }
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows.count; ++row) {
    atRow(rows, row);
    Value scalar =
        extend(e.loadScalar(contraction.a->get(), contraction.aMap, ivs));
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

bool vectorizeContraction(RewriterBase &rewriter, linalg::LinalgOp op,
                          linalg::LinalgOp &fill, const CpuTarget &target) {
  FailureOr<Contraction> contraction = matchContraction(op);
  if (failed(contraction))
    return false;
  prefetchEpilogue(rewriter, op);
  rewriter.setInsertionPoint(op);
  Value fillValue = fill ? fill.getDpsInputOperand(0)->get() : Value();
  if (!ContractionEmitter(rewriter, *contraction, fillValue, target).emit())
    fill = {};
  rewriter.eraseOp(op);
  return true;
}

} // namespace flywheel
