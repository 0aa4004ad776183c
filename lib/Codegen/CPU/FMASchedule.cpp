//===- FMASchedule.cpp - Roles and tiles of a contraction -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"

#include "FusedTiles.h"
#include "KernelEmitter.h"
#include "WeightDecoder.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/ContractionTile.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

/// Steps of the reduction from which on it pays to load and store a tile of C.
static constexpr int64_t kMinPassSteps = 64;
/// The same if both inputs are read as vectors, in the order of memory.
static constexpr int64_t kMinLanePassSteps = 16;
/// The assumed size of a dynamic loop.
static constexpr int64_t kTypicalSize = 64;
/// Rows that hide the latency of an FMA with two vectors of columns.
static constexpr int64_t kEnoughRows = 8;
/// Row-major bytes between the rows of a matrix beyond which reading a few
/// columns of many rows evicts itself from the L1 cache: rows whose distance is
/// a multiple of many cache lines share few of its sets. With few registers,
/// tiles of few rows read B more often.
static constexpr int64_t kPackRowBytes = 4096, kPackRowBytesOfFewRows = 512;
/// Rows of tiles that have to share a panel before copying it pays.
static constexpr int64_t kMinPanelReuse = 3;
/// Rows whose multiply-adds take as long as the transposition of B.
static constexpr double kTranspositionRows = 6;
/// Multiply-adds that take as long as adding the lanes of a vector, sixteen of
/// which are added together, and storing the sum.
static constexpr double kLaneSumSteps = 4;
/// The largest number of rows for which reading B in place is slower than
/// multiplying it, and the iterations of the reduction in a block for so few
/// rows: each vector of C that is loaded and stored uses vectors of B from
/// `kBlockSteps` places.
static constexpr int64_t kFewRows = 2;
static constexpr int64_t kBlockSteps = 8;
/// Steps of a reduction that take less time than to write C.
static constexpr int64_t kFewSteps = 4;
/// Terms of a sum over a window: a longer sum of one output is a reduction.
static constexpr int64_t kMaxWindowSteps = 64;
/// The share of lanes in use below which other columns are tried.
static constexpr double kNarrow = 0.75;
/// The least speedup of lanes along a reduction: the costs are estimates.
static constexpr double kMinGain = 1.1;
/// Columns of a tile whose lanes are along a reduction.
static constexpr int64_t kLaneSumColumns = 64;
/// Tiles of columns that are computed for the same rows one after the other if
/// C is streamed through the caches, and the least number of such shares of a
/// core.
static constexpr int64_t kStreamedTiles = 8;
static constexpr int64_t kMinStreams = 2;

namespace {
/// Chooses the schedule of one contraction, one role after the other.
class FMAScheduler {
public:
  FMAScheduler(linalg::LinalgOp op, codegen::CPUAttr cpu)
      : op(op), cpu(cpu), sizes(getStaticLoopSizes(op)) {
    contraction.op = op;
    contraction.pairs = canUsePairs(op, cpu);
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
  /// Returns true if most of the time is for writing C, in the order of memory.
  bool isShort() const {
    return contraction.k.size() == 1 &&
           estimateSize(contraction.k.front()) <= kFewSteps;
  }
  /// Returns true if A is contiguous along the rows, so that it is transposed.
  bool hasContiguousRows() {
    return contraction.rows.size() == 1 &&
           access(contraction.a, contraction.rows.front()) ==
               AccessKind::Contiguous;
  }
  /// Returns true if each sum has at most `kMaxWindowSteps` terms.
  bool isWindow() const {
    CheckedSize steps = 1;
    for (unsigned loop : contraction.k)
      steps *= ShapedType::isDynamic(sizes[loop]) ? kMaxWindowSteps + 1
                                                  : sizes[loop];
    return steps.getSaturated() <= kMaxWindowSteps;
  }
  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
  /// Returns true if an input is decoded in the tiles of the contraction.
  bool isDecoded() const { return readsDecodedWeights(op); }

  bool chooseColumns();
  bool chooseRows();
  bool chooseLanesOfBoth();
  double estimateColumns();
  double estimateLaneSums(unsigned along) const;
  bool chooseLaneSums(double columns);
  bool chooseTurned(double columns);
  void chooseMoreRows();
  void choosePasses(int64_t minSteps);
  int64_t countRows() const;
  CheckedSize estimateBytes(OpOperand *input, AffineMap map) const;
  void chooseBlock();
  bool packsPanel();
  SmallVector<DenseI64ArrayAttr> chooseTiles();
  void tileProduct(MutableArrayRef<int64_t> outer,
                   MutableArrayRef<int64_t> inner) const;
  bool streamsOutput();
  void tileForCache(MutableArrayRef<int64_t> outer) const;
  void tileLaneSums(MutableArrayRef<int64_t> outer) const;

  linalg::LinalgOp op;
  codegen::CPUAttr cpu;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> parallel;
  Contraction contraction;
  ContractionTile tile{};
  bool pack = false;
};
} // namespace

/// Chooses the loop along vectors: the output is contiguous and one input
/// constant.
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
      if (kind == AccessKind::Uniform)
        continue;
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

/// Chooses rows that share the vectors of B: the longest loop, the innermost of
/// those.
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

/// Chooses the loop along vectors of all three operands, and rows that share
/// the vectors of one: output columns of a depthwise convolution share the
/// filter, and the elements of its gradient share the gradient of the output.
/// On tensors, groups of these are formed only to save memory: kernels on
/// buffers compute them in the order of memory.
bool FMAScheduler::chooseLanesOfBoth() {
  if (!op.hasPureBufferSemantics() && !savesMemoryInTiles(op))
    return false;
  for (unsigned loop : parallel) {
    if (sizes[loop] == 1 ||
        llvm::any_of(op->getOpOperands(), [&](auto &operand) {
          return access(&operand, loop) != AccessKind::Contiguous;
        }))
      continue;
    for (unsigned i : {1u, 0u}) {
      contraction.n = loop;
      contraction.a = op.getDpsInputOperand(1 - i);
      contraction.b = op.getDpsInputOperand(i);
      contraction.aMap = op.getMatchingIndexingMap(contraction.a);
      contraction.bMap = op.getMatchingIndexingMap(contraction.b);
      contraction.rows.clear();
      chooseRows();
      // A single output is enough for a window, so that a share of one image
      // adds the terms in the same order as all images.
      bool isAlone = contraction.rows.empty() && isWindow();
      if (isAlone ||
          (!contraction.rows.empty() && sizes[contraction.rows.front()] != 1)) {
        contraction.pairs = false;
        return true;
      }
    }
  }
  return false;
}

/// Adds short loops to the rows: a few, such as those of a window and its few
/// channels, replace a long one. All their rows are unrolled. Columns of one
/// vector need twice as many rows as two to hide the latency of an FMA.
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

/// Returns the part of the peak that vectors along the columns may reach, given
/// the lanes in use, and the transposition of B, which few rows share.
double FMAScheduler::estimateColumns() {
  auto columns = static_cast<double>(estimateSize(contraction.n));
  int64_t length = getVectorLength(getElement(), cpu);
  double part =
      columns /
      static_cast<double>(llvm::alignTo(estimateSize(contraction.n), length));
  if (access(contraction.b, contraction.n) != AccessKind::Strided)
    return part;
  // Elements are read one by one, unless a group on tensors packs them.
  if (!op.hasPureTensorSemantics() || !packsPanel())
    return part / static_cast<double>(length);
  double rows = 1;
  for (unsigned loop : parallel)
    if (!contraction.bMap.isFunctionOfDim(loop))
      rows *= static_cast<double>(estimateSize(loop));
  double transposition = kTranspositionRows * (contraction.pairs ? 2 : 1);
  return part * rows / (rows + transposition);
}

/// Returns the part of the peak that vectors along a reduction may reach, given
/// the lanes in use, and the time to add them.
double FMAScheduler::estimateLaneSums(unsigned along) const {
  int64_t length =
      getVectorLength(getElement(), cpu) * (contraction.pairs ? 2 : 1);
  double vectors = 1;
  for (unsigned loop : contraction.k)
    vectors *= static_cast<double>(
        loop == along ? llvm::divideCeil(estimateSize(loop), length)
                      : estimateSize(loop));
  double part = static_cast<double>(estimateSize(along)) /
                static_cast<double>(llvm::alignTo(estimateSize(along), length));
  return part * vectors / (vectors + kLaneSumSteps);
}

/// Chooses roles with lanes along a reduction, if that is faster than columns
/// that reach the part `columns` of the peak.
bool FMAScheduler::chooseLaneSums(double columns) {
  std::optional<unsigned> along;
  double best = kMinGain * columns;
  for (unsigned loop : contraction.k)
    if (access(op.getDpsInputOperand(0), loop) == AccessKind::Contiguous &&
        access(op.getDpsInputOperand(1), loop) == AccessKind::Contiguous &&
        estimateLaneSums(loop) > best) {
      best = estimateLaneSums(loop);
      along = loop;
    }
  if (!along)
    return false;
  // The loops of one input alone: one loop of each input is in registers, the
  // innermost of those that are long enough.
  std::array<std::optional<unsigned>, 2> longest;
  for (unsigned i : {0u, 1u}) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(i));
    AffineMap other = op.getMatchingIndexingMap(op.getDpsInputOperand(1 - i));
    int64_t most = 0;
    for (unsigned loop : parallel) {
      int64_t size = std::min(estimateSize(loop), 2 * kEnoughRows);
      if (map.isFunctionOfDim(loop) && !other.isFunctionOfDim(loop) &&
          size >= most) {
        most = size;
        longest[i] = loop;
      }
    }
  }
  // Columns are those along which C is contiguous.
  unsigned b = 1;
  if (!longest[1] ||
      (longest[0] &&
       access(contraction.c, *longest[0]) == AccessKind::Contiguous &&
       sizes[*longest[0]] != 1))
    b = 0;
  // The sum for a single element of C is a reduction, for which other kernels
  // are faster.
  if (!longest[b] || sizes[*longest[b]] == 1)
    return false;
  contraction.along = along;
  llvm::erase(contraction.k, *along);
  contraction.n = *longest[b];
  contraction.rows.clear();
  if (longest[1 - b])
    contraction.rows.push_back(*longest[1 - b]);
  contraction.a = op.getDpsInputOperand(1 - b);
  contraction.b = op.getDpsInputOperand(b);
  contraction.aMap = op.getMatchingIndexingMap(contraction.a);
  contraction.bMap = op.getMatchingIndexingMap(contraction.b);
  return true;
}

/// Chooses columns along which C is not contiguous but B is, if the columns
/// along which C is contiguous are few and reach the part `columns` of the
/// peak: the latter become rows, and C is transposed as it is stored.
bool FMAScheduler::chooseTurned(double columns) {
  int64_t length = getVectorLength(getElement(), cpu);
  CheckedSize steps = 1;
  for (unsigned loop : contraction.k)
    steps *= estimateSize(loop);
  if (columns > kNarrow || steps.getSaturated() < length)
    return false;
  for (unsigned i : {0u, 1u}) {
    OpOperand *vectors = op.getDpsInputOperand(i);
    OpOperand *scalars = op.getDpsInputOperand(1 - i);
    auto isRow = [&](unsigned loop) {
      return sizes[loop] > 1 && sizes[loop] <= length &&
             access(contraction.c, loop) == AccessKind::Contiguous &&
             access(scalars, loop) != AccessKind::Uniform &&
             access(vectors, loop) == AccessKind::Uniform;
    };
    auto isColumn = [&](unsigned loop) {
      int64_t size = estimateSize(loop);
      return access(contraction.c, loop) == AccessKind::Strided &&
             access(vectors, loop) == AccessKind::Contiguous &&
             access(scalars, loop) == AccessKind::Uniform &&
             kNarrow * static_cast<double>(llvm::alignTo(size, length)) <
                 static_cast<double>(size);
    };
    auto *row = llvm::find_if(parallel, isRow);
    auto *column = llvm::find_if(parallel, isColumn);
    if (row == parallel.end() || column == parallel.end())
      continue;
    contraction.n = *column;
    contraction.rows.assign({*row});
    contraction.a = scalars;
    contraction.b = vectors;
    contraction.aMap = op.getMatchingIndexingMap(scalars);
    contraction.bMap = op.getMatchingIndexingMap(vectors);
    return true;
  }
  return false;
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

/// Estimates the bytes of an input that the loops of one pass read.
CheckedSize FMAScheduler::estimateBytes(OpOperand *input, AffineMap map) const {
  // An index takes at most as many values as the loops in it have together:
  // those of a window overlap.
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

/// Moves reduction loops around all others if the inputs are too large to be
/// read repeatedly: each pass adds to C.
void FMAScheduler::choosePasses(int64_t minSteps) {
  // Weights are decoded for a part of the reduction in each tile.
  if (isDecoded())
    return;
  // The bytes that one pass may read: well within the L2 cache.
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
    if (steps.getSaturated() < minSteps)
      return;
    contraction.passes.push_back(contraction.k.front());
    contraction.k.erase(contraction.k.begin());
  }
}

/// Divides the reduction into blocks if few rows wait for B, which is too large
/// for the L1 cache. Blocks read B in the order of memory.
void FMAScheduler::chooseBlock() {
  int64_t rows = contraction.rows.empty() ? 1 : countRows();
  if (isDecoded() || !contraction.passes.empty() || contraction.k.size() != 1 ||
      contraction.rows.size() > 1 || ShapedType::isDynamic(rows) ||
      rows > kFewRows ||
      access(contraction.b, contraction.n) != AccessKind::Contiguous ||
      !contraction.bMap.isFunctionOfDim(contraction.k.front()))
    return;
  CheckedSize bytes = estimateBytes(contraction.b, contraction.bMap);
  if (bytes.getSaturated() > cpu.getL1Bytes() &&
      estimateSize(contraction.k.front()) > kBlockSteps)
    contraction.block = kBlockSteps;
}

/// Returns true if a tile of B is worth a copy with contiguous rows.
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
  int64_t packBytes =
      hasFewRegisters(cpu) ? kPackRowBytesOfFewRows : kPackRowBytes;
  bool isFar = ShapedType::isDynamic(columns) ||
               columns >= packBytes / getElementBytes(type.getElementType());
  int64_t rows = sizes[contraction.rows.front()];
  return isFar &&
         (ShapedType::isDynamic(rows) || rows > tile.mr * (kMinPanelReuse - 1));
}

/// Computes a matrix product, and its epilogue, in the tiles of registers: one
/// column of tiles after the other, so that one panel of B serves all rows.
void FMAScheduler::tileProduct(MutableArrayRef<int64_t> outer,
                               MutableArrayRef<int64_t> inner) const {
  int64_t columns = sizes[contraction.n];
  if (ShapedType::isDynamic(columns) || columns > tile.nr)
    outer[contraction.n] = tile.nr;
  inner[contraction.rows.front()] = tile.mr;
}

/// Returns true if C is too large for the L2 cache and has enough columns for
/// shares of several tiles.
bool FMAScheduler::streamsOutput() {
  int64_t rows = countRows(), columns = sizes[contraction.n];
  Type a = getElementTypeOrSelf(contraction.a->get());
  if (!hasContiguousRows() || ShapedType::isDynamic(rows) ||
      ShapedType::isDynamic(columns) || a != getElement())
    return false;
  CheckedSize bytes = getElementBytes(getElement());
  bytes *= rows;
  bytes *= columns;
  return bytes.getSaturated() > cpu.getL2Bytes() &&
         columns >= kMinStreams * cpu.getCores() * kStreamedTiles * tile.nr;
}

/// Tiles other contractions so that a tile of C stays in the L1 cache until the
/// next op reads it: whole rows, if they fit.
void FMAScheduler::tileForCache(MutableArrayRef<int64_t> outer) const {
  int64_t maxElements = cpu.getL1Bytes() / 2 / getElementBytes(getElement());
  // Returns the size that one loop may have beside `other` iterations of the
  // other one.
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

/// Tiles columns of whole cache lines with all rows: the rows of B that are
/// columns of C are read once.
void FMAScheduler::tileLaneSums(MutableArrayRef<int64_t> outer) const {
  int64_t size = sizes[contraction.n];
  int64_t columns = llvm::alignTo(kLaneSumColumns, tile.nr);
  if (ShapedType::isDynamic(size) || size > columns)
    outer[contraction.n] = columns;
}

SmallVector<DenseI64ArrayAttr> FMAScheduler::chooseTiles() {
  // Each pass adds to the whole of C. On buffers, the groups have been formed.
  if (!op.hasPureTensorSemantics() || !contraction.passes.empty() ||
      isEmpty() || !hasTileableMaps(op))
    return {};
  MLIRContext *context = op.getContext();
  auto toAttr = [&](ArrayRef<int64_t> level) {
    return DenseI64ArrayAttr::get(context, level);
  };
  if (contraction.readsLanes())
    return llvm::map_to_vector(
        chooseLaneTiles(contraction, tile, sizes, isDecoded(),
                        findElementwiseUser(op) != nullptr),
        toAttr);
  if (contraction.rows.empty())
    return {};
  SmallVector<int64_t> outer(sizes.size(), 0), inner(sizes.size(), 0);
  for (unsigned loop : parallel)
    if (loop != contraction.n && !llvm::is_contained(contraction.rows, loop))
      outer[loop] = 1;
  pack = !contraction.along && !contraction.block && !isShort() && packsPanel();
  bool isProduct = contraction.rows.size() == 1 && parallel.size() == 2 &&
                   contraction.k.size() == 1 && !contraction.along &&
                   !contraction.block && (!isShort() || isDecoded());
  if (!pack && !isProduct) {
    if (contraction.along)
      tileLaneSums(outer);
    else
      tileForCache(outer);
    return {toAttr(outer)};
  }
  tileProduct(outer, inner);
  SmallVector<SmallVector<int64_t>> levels = {outer, inner};
  if (streamsOutput()) {
    // Outer tiles are several register tiles wide: prefetchers follow rows of
    // this many bytes, in C and in the other operands of the epilogue.
    levels.emplace_back(sizes.size(), 0)[contraction.n] = tile.nr;
    levels.front()[contraction.n] = kStreamedTiles * tile.nr;
  }
  return llvm::map_to_vector(levels, toAttr);
}

codegen::FMAAttr FMAScheduler::choose() {
  bool hasColumns = chooseColumns() && chooseRows();
  // Sums of inputs that are read once are reductions.
  if (reusesInputs(op) && !isEmpty() &&
      chooseLaneSums(hasColumns ? estimateColumns() : 0)) {
    tile =
        chooseLaneSumTile(getElement(), cpu, countRows(), sizes[contraction.n]);
  } else if (!hasColumns && chooseLanesOfBoth()) {
    if (auto sliding = chooseSlidingTile(contraction, cpu, sizes)) {
      tile = *sliding;
    } else {
      chooseMoreRows();
      tile = chooseContractionTile(getElement(), cpu, countRows(),
                                   sizes[contraction.n],
                                   /*unrolled=*/contraction.rows.size() > 1);
      if (op.hasPureBufferSemantics())
        choosePasses(kMinLanePassSteps);
    }
  } else {
    if (!chooseTurned(hasColumns ? estimateColumns() : 0)) {
      if (!hasColumns)
        return {};
      chooseMoreRows();
    }
    tile = chooseContractionTile(getElement(), cpu, countRows(),
                                 sizes[contraction.n],
                                 /*unrolled=*/contraction.rows.size() > 1,
                                 /*tall=*/hasContiguousRows() && !isShort());
    // Unrolled rows are few tiles, each of which keeps its sums in registers
    // for the whole reduction. In passes LLVM keeps the sums of all tiles in
    // registers, which are too few: it takes 1.6 times as long for 27 rows of
    // 32 columns.
    if (contraction.rows.size() <= 1)
      choosePasses(kMinPassSteps);
    chooseBlock();
  }
  SmallVector<DenseI64ArrayAttr> tiles = chooseTiles();
  // Only tiling moves a narrowing out of the body.
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
      contraction.along ? std::optional<int64_t>(*contraction.along)
                        : std::nullopt,
      contraction.passes.empty() ? DenseI64ArrayAttr()
                                 : toAttr(contraction.passes),
      contraction.block, contraction.pairs, pack, /*workers=*/1);
}

codegen::FMAAttr chooseFMASchedule(linalg::LinalgOp op, codegen::CPUAttr cpu) {
  return hasFMAKernel(op) ? FMAScheduler(op, cpu).choose() : codegen::FMAAttr();
}

} // namespace flywheel
