//===- FMASchedule.cpp - Roles and tiles of a contraction -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"

#include "KernelEmitter.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/ContractionTile.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

/// Steps of the reduction that pay for loading and storing a tile of C.
static constexpr int64_t kMinPassSteps = 64;
/// Stands for the size of a dynamic loop where sizes are estimated.
static constexpr int64_t kTypicalSize = 64;
/// Rows that hide the latency of an FMA with two vectors of columns.
static constexpr int64_t kEnoughRows = 8;
/// Rows of several loops that a schedule may ask for.
static constexpr int64_t kMaxUnrolledRows = 256;
/// Row-major bytes between the rows of a matrix beyond which reading a few
/// columns of many rows evicts itself from the L1 cache: rows whose distance is
/// a multiple of many cache lines share few of its sets.
static constexpr int64_t kPackRowBytes = 4096;
/// Rows of tiles that have to share a panel before copying it pays.
static constexpr int64_t kMinPanelReuse = 3;

namespace {
/// Chooses the schedule of one contraction, a role after the other.
class FMAScheduler {
public:
  FMAScheduler(linalg::LinalgOp op, codegen::CPUAttr cpu)
      : op(op), cpu(cpu), sizes(getStaticLoopSizes(op)) {
    contraction.op = op;
    contraction.c = op.getDpsInitOperand(0);
    contraction.cMap = op.getMatchingIndexingMap(contraction.c);
    op.getReductionDims(contraction.k);
    op.getParallelDims(parallel);
  }

  codegen::FMAAttr choose();

private:
  AccessKind access(OpOperand *operand, unsigned loop) {
    return classifyAccess(op.getMatchingIndexingMap(operand),
                          operand->get().getType(), loop);
  }
  Type getElement() const { return getElementTypeOrSelf(contraction.c->get()); }
  int64_t estimateSize(unsigned loop) const {
    return ShapedType::isDynamic(sizes[loop]) ? kTypicalSize : sizes[loop];
  }
  bool isEmpty() const { return llvm::is_contained(sizes, 0); }

  bool chooseColumns();
  bool chooseRows();
  void chooseMoreRows();
  void choosePasses();
  int64_t countRows() const;
  CheckedSize estimateBytes(OpOperand *input, AffineMap map) const;
  bool packsPanel();
  SmallVector<DenseI64ArrayAttr> chooseTiles();
  void tileProduct(MutableArrayRef<int64_t> outer,
                   MutableArrayRef<int64_t> inner) const;
  void tileForCache(MutableArrayRef<int64_t> outer) const;

  linalg::LinalgOp op;
  codegen::CPUAttr cpu;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> parallel;
  Contraction contraction;
  ContractionTile tile{};
  bool pack = false;
};
} // namespace

/// The loop along vectors: the output is contiguous and one input constant.
bool FMAScheduler::chooseColumns() {
  int bestScore = 0;
  for (unsigned loop : parallel) {
    if (access(contraction.c, loop) != AccessKind::Contiguous ||
        sizes[loop] == 1)
      continue;
    for (unsigned i : {1u, 0u}) {
      OpOperand *vectors = op.getDpsInputOperand(i);
      OpOperand *scalars = op.getDpsInputOperand(1 - i);
      if (access(scalars, loop) != AccessKind::Uniform)
        continue;
      AccessKind kind = access(vectors, loop);
      int score = kind == AccessKind::Contiguous ? 3
                  : kind == AccessKind::Strided  ? 2
                                                 : 1;
      if (score <= bestScore)
        continue;
      bestScore = score;
      contraction.n = loop;
      contraction.a = scalars;
      contraction.b = vectors;
    }
  }
  if (!bestScore)
    return false;
  contraction.aMap = op.getMatchingIndexingMap(contraction.a);
  contraction.bMap = op.getMatchingIndexingMap(contraction.b);
  return true;
}

/// Rows share the vectors of B. The longest loop wins, the innermost of those.
bool FMAScheduler::chooseRows() {
  int64_t bestRows = 0;
  std::optional<unsigned> best;
  for (unsigned loop : parallel) {
    if (loop == contraction.n || !contraction.aMap.isFunctionOfDim(loop) ||
        contraction.bMap.isFunctionOfDim(loop))
      continue;
    int64_t rows = ShapedType::isDynamic(sizes[loop])
                       ? kEnoughRows
                       : std::min(sizes[loop], kEnoughRows);
    if (rows >= bestRows) {
      bestRows = rows;
      best = loop;
    }
  }
  if (best)
    contraction.rows.push_back(*best);
  // Without rows that share the vectors of B, it is better to read B in the
  // order it has, as a reduction along vectors.
  return bestRows > 1 ||
         access(contraction.b, contraction.n) != AccessKind::Strided;
}

/// A few short loops, such as those of a window and its few channels, make up
/// for a long one. All their rows are unrolled. Columns of one vector need
/// twice as many rows as two to hide the latency of an FMA.
void FMAScheduler::chooseMoreRows() {
  if (contraction.rows.empty())
    return;
  int64_t size = sizes[contraction.rows.front()];
  int64_t rows = ShapedType::isDynamic(size) ? kEnoughRows : size;
  int64_t columns = sizes[contraction.n];
  bool isNarrow = !ShapedType::isDynamic(columns) &&
                  columns <= getVectorLength(getElement(), cpu);
  int64_t maxUnrolledRows = isNarrow ? 64 : 32;
  if (rows == 0 || rows > kEnoughRows ||
      (rows == kEnoughRows && (!isNarrow || ShapedType::isDynamic(size))))
    return;
  for (unsigned loop : llvm::reverse(parallel))
    if (loop != contraction.n && loop != contraction.rows.back() &&
        contraction.aMap.isFunctionOfDim(loop) &&
        !contraction.bMap.isFunctionOfDim(loop) && sizes[loop] > 1 &&
        rows * sizes[loop] <= maxUnrolledRows) {
      contraction.rows.insert(contraction.rows.begin(), loop);
      rows *= sizes[loop];
    }
}

int64_t FMAScheduler::countRows() const {
  int64_t rows = 1;
  for (unsigned loop : contraction.rows) {
    if (ShapedType::isDynamic(sizes[loop]))
      return ShapedType::kDynamic;
    rows *= sizes[loop];
  }
  return rows;
}

/// About how many bytes of an input the loops of one pass read.
CheckedSize FMAScheduler::estimateBytes(OpOperand *input, AffineMap map) const {
  // An index takes as many values as the loops in it, at most: those of a
  // window overlap.
  CheckedSize bytes = getElementBytes(getElementTypeOrSelf(input->get()));
  auto inPass = [&](unsigned loop) {
    return loop == contraction.n ||
           llvm::is_contained(contraction.rows, loop) ||
           llvm::is_contained(contraction.k, loop);
  };
  for (AffineExpr expr : map.getResults()) {
    int64_t dimSize = 1;
    for (unsigned loop = 0; loop < sizes.size(); ++loop)
      if (inPass(loop) && expr.isFunctionOfDim(loop))
        dimSize = std::max(dimSize, estimateSize(loop));
    bytes *= dimSize;
  }
  return bytes;
}

/// Moves reduction loops around all others, where the inputs are too large to
/// be read again and again: each pass adds to C.
void FMAScheduler::choosePasses() {
  // What one pass may read: well within the second level cache.
  int64_t maxBytes = cpu.getL2Bytes() / 4;
  // A single tile reads everything once.
  CheckedSize numTiles = llvm::divideCeil(estimateSize(contraction.n), tile.nr);
  for (unsigned loop : parallel)
    if (loop != contraction.n)
      numTiles *=
          contraction.rows.size() == 1 && loop == contraction.rows.front()
              ? llvm::divideCeil(estimateSize(loop), tile.mr)
              : estimateSize(loop);
  if (numTiles.getSaturated() <= 1)
    return;
  while (contraction.k.size() > 1 &&
         (estimateBytes(contraction.a, contraction.aMap) +
          estimateBytes(contraction.b, contraction.bMap))
                 .getSaturated() > maxBytes) {
    CheckedSize steps = 1;
    for (unsigned loop : ArrayRef(contraction.k).drop_front())
      steps *= estimateSize(loop);
    if (steps.getSaturated() < kMinPassSteps)
      return;
    contraction.passes.push_back(contraction.k.front());
    contraction.k.erase(contraction.k.begin());
  }
}

/// Whether a tile of B is worth a copy with contiguous rows.
bool FMAScheduler::packsPanel() {
  if (contraction.rows.size() != 1 || contraction.k.size() != 1 ||
      !contraction.bMap.isProjectedPermutation() ||
      !contraction.bMap.isFunctionOfDim(contraction.k.front()))
    return false;
  if (access(contraction.b, contraction.n) == AccessKind::Strided)
    return true;
  Value source = contraction.b->get();
  if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>())
    source = slice.getSource();
  auto type = cast<ShapedType>(source.getType());
  int64_t columns = type.getShape().back();
  bool isFar = ShapedType::isDynamic(columns) ||
               CheckedSize(columns).getSaturated() >=
                   kPackRowBytes / getElementBytes(type.getElementType());
  int64_t rows = sizes[contraction.rows.front()];
  return isFar &&
         (ShapedType::isDynamic(rows) || rows > tile.mr * (kMinPanelReuse - 1));
}

/// A product of matrices is computed in the tiles of registers, and what
/// follows it with them: a column of tiles after the other, so that one panel
/// of B serves all rows.
void FMAScheduler::tileProduct(MutableArrayRef<int64_t> outer,
                               MutableArrayRef<int64_t> inner) const {
  int64_t columns = sizes[contraction.n];
  if (ShapedType::isDynamic(columns) || columns > tile.nr)
    outer[contraction.n] = tile.nr;
  inner[contraction.rows.front()] = tile.mr;
}

/// Other contractions are computed in tiles of C that stay in the first level
/// cache, where what follows finds them: whole rows where they fit.
void FMAScheduler::tileForCache(MutableArrayRef<int64_t> outer) const {
  int64_t maxElements = cpu.getL1Bytes() / 2 / getElementBytes(getElement());
  // What is left for one loop beside `other` iterations of the other one.
  auto fit = [&](int64_t other, int64_t step) {
    int64_t most = std::min(maxElements / other, codegen::FMAAttr::kMaxTile);
    return std::max<int64_t>(step, llvm::alignDown(most, step));
  };
  auto tileLoop = [&](unsigned loop, int64_t most) {
    if (ShapedType::isDynamic(sizes[loop]) || sizes[loop] > most)
      outer[loop] = most;
    return outer[loop] ? outer[loop] : sizes[loop];
  };
  bool isOneLoop = contraction.rows.size() == 1;
  int64_t columns =
      tileLoop(contraction.n, fit(isOneLoop ? tile.mr : countRows(), tile.nr));
  if (isOneLoop)
    tileLoop(contraction.rows.front(), fit(columns, tile.mr));
}

SmallVector<DenseI64ArrayAttr> FMAScheduler::chooseTiles() {
  // Each pass adds to the whole of C. On buffers, groups are formed already.
  if (!op.hasPureTensorSemantics() || !contraction.passes.empty() ||
      contraction.rows.empty() || isEmpty() || !hasTileableMaps(op))
    return {};
  SmallVector<int64_t> outer(sizes.size(), 0), inner(sizes.size(), 0);
  for (unsigned loop : parallel)
    if (loop != contraction.n && !llvm::is_contained(contraction.rows, loop))
      outer[loop] = 1;
  pack = packsPanel();
  bool isProduct = contraction.rows.size() == 1 && parallel.size() == 2 &&
                   contraction.k.size() == 1;
  MLIRContext *context = op.getContext();
  if (!pack && !isProduct) {
    tileForCache(outer);
    return {DenseI64ArrayAttr::get(context, outer)};
  }
  tileProduct(outer, inner);
  return {DenseI64ArrayAttr::get(context, outer),
          DenseI64ArrayAttr::get(context, inner)};
}

/// Whether the body of `op` narrows what it reads.
static bool narrowsInput(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return getNarrowingOf(op.getMatchingBlockArgument(input)) != nullptr;
  });
}

codegen::FMAAttr FMAScheduler::choose() {
  if (!chooseColumns() || !chooseRows())
    return {};
  chooseMoreRows();
  tile = chooseContractionTile(getElement(), cpu, countRows(),
                               sizes[contraction.n]);
  choosePasses();
  SmallVector<DenseI64ArrayAttr> tiles = chooseTiles();
  // Only what computes tiles takes a narrowing out of the body.
  if (tiles.empty() && narrowsInput(op))
    return {};
  MLIRContext *context = op.getContext();
  auto toAttr = [&](ArrayRef<unsigned> loops) {
    return DenseI64ArrayAttr::get(
        context, SmallVector<int64_t>(loops.begin(), loops.end()));
  };
  return codegen::FMAAttr::get(
      context, tiles, toAttr(contraction.rows), contraction.n,
      DenseI64ArrayAttr::get(context, {tile.mr, tile.nr}),
      contraction.passes.empty() ? DenseI64ArrayAttr()
                                 : toAttr(contraction.passes),
      pack, /*workers=*/1);
}

/// Whether vectors of C can be multiplied and added. What narrows an input is
/// not in the body of a tile any more.
static bool hasKernel(linalg::LinalgOp op) {
  if (!isContraction(op))
    return false;
  if (op.hasPureBufferSemantics() && narrowsInput(op))
    return false;
  Type element = getElementTypeOrSelf(op.getDpsInits()[0]);
  return element.isF32() || element.isF64();
}

codegen::FMAAttr chooseFMASchedule(linalg::LinalgOp op, codegen::CPUAttr cpu) {
  return hasKernel(op) ? FMAScheduler(op, cpu).choose() : codegen::FMAAttr();
}

std::pair<OpOperand *, OpOperand *> getFactors(linalg::LinalgOp op,
                                               unsigned columns) {
  OpOperand *first = op.getDpsInputOperand(0),
            *second = op.getDpsInputOperand(1);
  return op.getMatchingIndexingMap(first).isFunctionOfDim(columns)
             ? std::pair(second, first)
             : std::pair(first, second);
}

/// Fails with a reason if the operands of `contraction` do not have the roles
/// that `schedule` gives them.
static LogicalResult
verifyOperands(const Contraction &contraction, codegen::FMAAttr schedule,
               function_ref<LogicalResult(const Twine &)> refuse) {
  if (contraction.aMap.isFunctionOfDim(contraction.n))
    return refuse("expected an input that is constant along loop " +
                  Twine(contraction.n) + ", found none");
  if (!contraction.bMap.isFunctionOfDim(contraction.n))
    return refuse("expected an input that is read along loop " +
                  Twine(contraction.n) + ", found none");
  if (schedule.getPack() && !contraction.bMap.isProjectedPermutation())
    return refuse("expected a panel of an input that is indexed by loops, one "
                  "for each dimension");
  if (schedule.getWorkers() != 1)
    return refuse("expected one worker, as tiles are computed one after the "
                  "other; found " +
                  Twine(schedule.getWorkers()));
  return success();
}

/// Fails with a reason if the loops of `contraction`, of these sizes, cannot be
/// the tiles and rows that `schedule` asks for.
static LogicalResult
verifyLoops(const Contraction &contraction, codegen::FMAAttr schedule,
            ArrayRef<int64_t> sizes,
            function_ref<LogicalResult(const Twine &)> refuse) {
  if (!schedule.getTiles().empty() && !hasTileableMaps(contraction.op))
    return refuse("expected operands that are indexed by sums of loops, times "
                  "constants that are not negative, to compute it in tiles");
  if (!schedule.getTiles().empty() && llvm::is_contained(sizes, 0))
    return refuse("expected iterations to compute in tiles, found none");
  CheckedSize numRows = 1;
  bool isUnrolled = contraction.rows.size() > 1;
  for (unsigned loop : contraction.rows) {
    if (contraction.bMap.isFunctionOfDim(loop))
      return refuse("expected rows that share the vectors along loop " +
                    Twine(contraction.n) + ", found loop " + Twine(loop));
    if (!isUnrolled)
      continue;
    if (ShapedType::isDynamic(sizes[loop]))
      return refuse("expected several loops along rows to be of static size, "
                    "found loop " +
                    Twine(loop));
    numRows *= schedule.getTileSize(loop, sizes[loop]);
  }
  if (numRows.getSaturated() > kMaxUnrolledRows)
    return refuse("expected at most " + Twine(kMaxUnrolledRows) +
                  " rows of several loops, which are all unrolled; found " +
                  Twine(numRows.getSaturated()));
  return success();
}

FailureOr<Contraction> getContraction(linalg::LinalgOp op,
                                      codegen::FMAAttr schedule,
                                      EmitMisfit emitMisfit) {
  auto refuse = [&](const Twine &text) -> LogicalResult {
    if (emitMisfit)
      emitMisfit() << text;
    return failure();
  };
  if (!hasKernel(op))
    return refuse("expected C + A * B in the body, with C of f32 or f64");
  Contraction result;
  result.op = op;
  result.n = schedule.getColumns();
  std::tie(result.a, result.b) = getFactors(op, result.n);
  result.c = op.getDpsInitOperand(0);
  result.aMap = op.getMatchingIndexingMap(result.a);
  result.bMap = op.getMatchingIndexingMap(result.b);
  result.cMap = op.getMatchingIndexingMap(result.c);
  ArrayRef<int64_t> rows = schedule.getRows();
  result.rows.assign(rows.begin(), rows.end());
  if (failed(verifyOperands(result, schedule, refuse)) ||
      failed(verifyLoops(result, schedule, getStaticLoopSizes(op), refuse)))
    return failure();
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  for (unsigned loop : parallel)
    if (loop != result.n && !llvm::is_contained(result.rows, loop))
      result.outer.push_back(loop);
  DenseI64ArrayAttr passes = schedule.getPasses();
  for (unsigned loop : reductions)
    (passes && llvm::is_contained(passes.asArrayRef(), int64_t(loop))
         ? result.passes
         : result.k)
        .push_back(loop);
  return result;
}

} // namespace flywheel
