//===- ChooseFMARoles.cpp - What each loop of a contraction is for --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMAChoice.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

using namespace mlir;

namespace flywheel {

/// Rows that hide the latency of an FMA with two vectors of columns.
static constexpr int64_t kEnoughRows = 8;
/// Rows whose multiply-adds take as long as the transposition of B.
static constexpr double kTranspositionRows = 6;
/// Multiply-adds that take as long as adding the lanes of a vector, sixteen of
/// which are added together, and storing the sum.
static constexpr double kLaneSumSteps = 4;
/// Terms of a sum over a window: a longer sum of one output is a reduction.
static constexpr int64_t kMaxWindowSteps = 64;
/// The share of lanes in use below which other columns are tried.
static constexpr double kNarrow = 0.75;
/// The least speedup of lanes along a reduction: the costs are estimates.
static constexpr double kMinGain = 1.1;

/// Returns true if each sum has at most `kMaxWindowSteps` terms.
static bool isWindow(const FMAChoice &choice) {
  CheckedSize steps = 1;
  for (unsigned loop : choice.contraction.k)
    steps *= ShapedType::isDynamic(choice.sizes[loop]) ? kMaxWindowSteps + 1
                                                       : choice.sizes[loop];
  return steps.getSaturated() <= kMaxWindowSteps;
}

/// Chooses the loop along vectors: the output is contiguous and one input
/// constant.
static bool chooseColumns(FMAChoice &choice) {
  Contraction &contraction = choice.contraction;
  int bestScore = 0;
  for (unsigned loop : choice.parallel) {
    if (choice.access(contraction.c, loop) != AccessKind::Contiguous ||
        choice.sizes[loop] == 1)
      continue;
    for (unsigned i : {1u, 0u}) {
      OpOperand *vectors = choice.op.getDpsInputOperand(i);
      OpOperand *scalars = choice.op.getDpsInputOperand(1 - i);
      if (choice.access(scalars, loop) != AccessKind::Uniform)
        continue;
      AccessKind kind = choice.access(vectors, loop);
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
  contraction.aMap = choice.op.getMatchingIndexingMap(contraction.a);
  contraction.bMap = choice.op.getMatchingIndexingMap(contraction.b);
  return true;
}

/// Chooses rows that share the vectors of B: the longest loop, the innermost of
/// those.
static bool chooseRows(FMAChoice &choice) {
  Contraction &contraction = choice.contraction;
  int64_t bestRows = 0;
  std::optional<unsigned> best;
  for (unsigned loop : choice.parallel) {
    if (loop == contraction.n || !contraction.aMap.isFunctionOfDim(loop) ||
        contraction.bMap.isFunctionOfDim(loop))
      continue;
    int64_t rows = ShapedType::isDynamic(choice.sizes[loop])
                       ? kEnoughRows
                       : std::min(choice.sizes[loop], kEnoughRows);
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
         choice.access(contraction.b, contraction.n) != AccessKind::Strided;
}

/// Chooses the loop along vectors of all three operands, and rows that share
/// the vectors of one: output columns of a depthwise convolution share the
/// filter, and the elements of its gradient share the gradient of the output.
/// On tensors, groups of these are formed only to save memory: kernels on
/// buffers compute them in the order of memory.
static bool chooseLanesOfBoth(FMAChoice &choice) {
  Contraction &contraction = choice.contraction;
  if (!choice.op.hasPureBufferSemantics() && !savesMemoryInTiles(choice.op))
    return false;
  for (unsigned loop : choice.parallel) {
    if (choice.sizes[loop] == 1 ||
        llvm::any_of(choice.op->getOpOperands(), [&](auto &operand) {
          return choice.access(&operand, loop) != AccessKind::Contiguous;
        }))
      continue;
    for (unsigned i : {1u, 0u}) {
      contraction.n = loop;
      contraction.a = choice.op.getDpsInputOperand(1 - i);
      contraction.b = choice.op.getDpsInputOperand(i);
      contraction.aMap = choice.op.getMatchingIndexingMap(contraction.a);
      contraction.bMap = choice.op.getMatchingIndexingMap(contraction.b);
      contraction.rows.clear();
      chooseRows(choice);
      // A single output is enough for a window, so that a share of one image
      // adds the terms in the same order as all images.
      bool isAlone = contraction.rows.empty() && isWindow(choice);
      if (isAlone || (!contraction.rows.empty() &&
                      choice.sizes[contraction.rows.front()] != 1)) {
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
static void chooseMoreRows(FMAChoice &choice) {
  Contraction &contraction = choice.contraction;
  if (contraction.rows.empty())
    return;
  int64_t size = choice.sizes[contraction.rows.front()];
  int64_t rows = ShapedType::isDynamic(size) ? kEnoughRows : size;
  int64_t columns = choice.sizes[contraction.n];
  bool isNarrow = !ShapedType::isDynamic(columns) &&
                  columns <= getVectorLength(choice.getElement(), choice.cpu);
  int64_t maxUnrolledRows = isNarrow ? 64 : 32;
  if (rows == 0 || rows > kEnoughRows ||
      (rows == kEnoughRows && (!isNarrow || ShapedType::isDynamic(size))))
    return;
  for (unsigned loop : llvm::reverse(choice.parallel))
    if (loop != contraction.n && loop != contraction.rows.back() &&
        contraction.aMap.isFunctionOfDim(loop) &&
        !contraction.bMap.isFunctionOfDim(loop) && choice.sizes[loop] > 1 &&
        rows * choice.sizes[loop] <= maxUnrolledRows) {
      contraction.rows.insert(contraction.rows.begin(), loop);
      rows *= choice.sizes[loop];
    }
}

/// Returns the part of the peak that vectors along the columns may reach, given
/// the lanes in use, and the transposition of B, which few rows share.
static double estimateColumns(FMAChoice &choice) {
  const Contraction &contraction = choice.contraction;
  auto columns = static_cast<double>(choice.estimateSize(contraction.n));
  int64_t length = getVectorLength(choice.getElement(), choice.cpu);
  double part = columns / static_cast<double>(llvm::alignTo(
                              choice.estimateSize(contraction.n), length));
  if (choice.access(contraction.b, contraction.n) != AccessKind::Strided)
    return part;
  // Elements are read one by one, unless a group on tensors packs them.
  if (!choice.op.hasPureTensorSemantics() || !packsPanel(choice))
    return part / static_cast<double>(length);
  double rows = 1;
  for (unsigned loop : choice.parallel)
    if (!contraction.bMap.isFunctionOfDim(loop))
      rows *= static_cast<double>(choice.estimateSize(loop));
  double transposition = kTranspositionRows * (contraction.pairs ? 2 : 1);
  return part * rows / (rows + transposition);
}

/// Returns the part of the peak that vectors along a reduction may reach, given
/// the lanes in use, and the time to add them.
static double estimateLaneSums(const FMAChoice &choice, unsigned along) {
  const Contraction &contraction = choice.contraction;
  int64_t length = getVectorLength(choice.getElement(), choice.cpu) *
                   (contraction.pairs ? 2 : 1);
  double vectors = 1;
  for (unsigned loop : contraction.k)
    vectors *= static_cast<double>(
        loop == along ? llvm::divideCeil(choice.estimateSize(loop), length)
                      : choice.estimateSize(loop));
  double part =
      static_cast<double>(choice.estimateSize(along)) /
      static_cast<double>(llvm::alignTo(choice.estimateSize(along), length));
  return part * vectors / (vectors + kLaneSumSteps);
}

/// Chooses roles with lanes along a reduction, if that is faster than columns
/// that reach the part `columns` of the peak.
static bool chooseLaneSums(FMAChoice &choice, double columns) {
  Contraction &contraction = choice.contraction;
  std::optional<unsigned> along;
  double best = kMinGain * columns;
  for (unsigned loop : contraction.k)
    if (choice.access(choice.op.getDpsInputOperand(0), loop) ==
            AccessKind::Contiguous &&
        choice.access(choice.op.getDpsInputOperand(1), loop) ==
            AccessKind::Contiguous &&
        estimateLaneSums(choice, loop) > best) {
      best = estimateLaneSums(choice, loop);
      along = loop;
    }
  if (!along)
    return false;
  // The loops of one input alone: one loop of each input is in registers, the
  // innermost of those that are long enough.
  std::array<std::optional<unsigned>, 2> longest;
  for (unsigned i : {0u, 1u}) {
    AffineMap map =
        choice.op.getMatchingIndexingMap(choice.op.getDpsInputOperand(i));
    AffineMap other =
        choice.op.getMatchingIndexingMap(choice.op.getDpsInputOperand(1 - i));
    int64_t most = 0;
    for (unsigned loop : choice.parallel) {
      int64_t size = std::min(choice.estimateSize(loop), 2 * kEnoughRows);
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
       choice.access(contraction.c, *longest[0]) == AccessKind::Contiguous &&
       choice.sizes[*longest[0]] != 1))
    b = 0;
  // The sum for a single element of C is a reduction, for which other kernels
  // are faster.
  if (!longest[b] || choice.sizes[*longest[b]] == 1)
    return false;
  contraction.along = along;
  llvm::erase(contraction.k, *along);
  contraction.n = *longest[b];
  contraction.rows.clear();
  if (longest[1 - b])
    contraction.rows.push_back(*longest[1 - b]);
  contraction.a = choice.op.getDpsInputOperand(1 - b);
  contraction.b = choice.op.getDpsInputOperand(b);
  contraction.aMap = choice.op.getMatchingIndexingMap(contraction.a);
  contraction.bMap = choice.op.getMatchingIndexingMap(contraction.b);
  return true;
}

/// Chooses columns along which C is not contiguous but B is, if the columns
/// along which C is contiguous are few and reach the part `columns` of the
/// peak: the latter become rows, and C is transposed as it is stored.
static bool chooseTurned(FMAChoice &choice, double columns) {
  Contraction &contraction = choice.contraction;
  int64_t length = getVectorLength(choice.getElement(), choice.cpu);
  CheckedSize steps = 1;
  for (unsigned loop : contraction.k)
    steps *= choice.estimateSize(loop);
  if (columns > kNarrow || steps.getSaturated() < length)
    return false;
  for (unsigned i : {0u, 1u}) {
    OpOperand *vectors = choice.op.getDpsInputOperand(i);
    OpOperand *scalars = choice.op.getDpsInputOperand(1 - i);
    auto isRow = [&](unsigned loop) {
      return choice.sizes[loop] > 1 && choice.sizes[loop] <= length &&
             choice.access(contraction.c, loop) == AccessKind::Contiguous &&
             choice.access(scalars, loop) != AccessKind::Uniform &&
             choice.access(vectors, loop) == AccessKind::Uniform;
    };
    auto isColumn = [&](unsigned loop) {
      int64_t size = choice.estimateSize(loop);
      return choice.access(contraction.c, loop) == AccessKind::Strided &&
             choice.access(vectors, loop) == AccessKind::Contiguous &&
             choice.access(scalars, loop) == AccessKind::Uniform &&
             kNarrow * static_cast<double>(llvm::alignTo(size, length)) <
                 static_cast<double>(size);
    };
    auto *row = llvm::find_if(choice.parallel, isRow);
    auto *column = llvm::find_if(choice.parallel, isColumn);
    if (row == choice.parallel.end() || column == choice.parallel.end())
      continue;
    contraction.n = *column;
    contraction.rows.assign({*row});
    contraction.a = scalars;
    contraction.b = vectors;
    contraction.aMap = choice.op.getMatchingIndexingMap(scalars);
    contraction.bMap = choice.op.getMatchingIndexingMap(vectors);
    return true;
  }
  return false;
}

bool chooseRoles(FMAChoice &choice) {
  Contraction &contraction = choice.contraction;
  linalg::LinalgOp op = choice.op;
  bool hasColumns = chooseColumns(choice) && chooseRows(choice);
  // Sums of inputs that are read once are reductions.
  if (reusesInputs(op) && !choice.isEmpty() &&
      chooseLaneSums(choice, hasColumns ? estimateColumns(choice) : 0)) {
    choice.tile =
        chooseLaneSumTile(choice.getElement(), choice.cpu, choice.countRows(),
                          choice.sizes[contraction.n]);
    return true;
  }
  if (!hasColumns && chooseLanesOfBoth(choice)) {
    if (auto sliding =
            chooseSlidingTile(contraction, choice.cpu, choice.sizes)) {
      choice.tile = *sliding;
      choice.slides = true;
      return true;
    }
    chooseMoreRows(choice);
    choice.tile =
        chooseContractionTile(choice.getElement(), choice.cpu,
                              choice.countRows(), choice.sizes[contraction.n],
                              /*unrolled=*/contraction.rows.size() > 1);
    return true;
  }
  if (!chooseTurned(choice, hasColumns ? estimateColumns(choice) : 0)) {
    if (!hasColumns)
      return false;
    chooseMoreRows(choice);
  }
  choice.tile = chooseContractionTile(
      choice.getElement(), choice.cpu, choice.countRows(),
      choice.sizes[contraction.n],
      /*unrolled=*/contraction.rows.size() > 1,
      /*tall=*/choice.hasContiguousRows() && !choice.isShort());
  return true;
}

} // namespace flywheel
