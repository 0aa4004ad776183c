//===- DivideReduction.cpp - Passes and blocks of a contraction -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMAChoice.h"

#include "flywheel/Support/CheckedSize.h"

using namespace mlir;

namespace flywheel {

/// Steps of the reduction from which on it pays to load and store a tile of C.
static constexpr int64_t kMinPassSteps = 64;
/// The same if both inputs are read as vectors, in the order of memory.
static constexpr int64_t kMinLanePassSteps = 16;
/// The largest number of rows for which reading B in place is slower than
/// multiplying it, and the iterations of the reduction in a block for so few
/// rows: each vector of C that is loaded and stored uses vectors of B from
/// `kBlockSteps` places.
static constexpr int64_t kFewRows = 2;
static constexpr int64_t kBlockSteps = 8;

/// Estimates the bytes of an input that the loops of one pass read.
static CheckedSize estimateBytes(const FMAChoice &choice, OpOperand *input,
                                 AffineMap map) {
  const Contraction &contraction = choice.contraction;
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
    for (unsigned loop = 0; loop < choice.sizes.size(); ++loop)
      if (inPass(loop) && expr.isFunctionOfDim(loop))
        dimSize = std::max(dimSize, choice.estimateSize(loop));
    bytes *= dimSize;
  }
  return bytes;
}

/// Moves reduction loops around all others if the inputs are too large to be
/// read repeatedly: each pass adds to C.
static void choosePasses(FMAChoice &choice, int64_t minSteps) {
  Contraction &contraction = choice.contraction;
  // Weights are decoded for a part of the reduction in each tile.
  if (choice.isDecoded())
    return;
  // The bytes that one pass may read: well within the L2 cache.
  int64_t maxBytes = choice.cpu.getL2Bytes() / 4;
  // A single tile reads everything once.
  CheckedSize numTiles =
      llvm::divideCeil(choice.estimateSize(contraction.n), choice.tile.nr);
  for (unsigned loop : choice.parallel)
    if (loop != contraction.n)
      numTiles *=
          contraction.rows.size() == 1 && loop == contraction.rows.front()
              ? llvm::divideCeil(choice.estimateSize(loop), choice.tile.mr)
              : choice.estimateSize(loop);
  if (numTiles.getSaturated() <= 1)
    return;
  while (contraction.k.size() > 1 &&
         (estimateBytes(choice, contraction.a, contraction.aMap) +
          estimateBytes(choice, contraction.b, contraction.bMap))
                 .getSaturated() > maxBytes) {
    CheckedSize steps = 1;
    for (unsigned loop : ArrayRef(contraction.k).drop_front())
      steps *= choice.estimateSize(loop);
    if (steps.getSaturated() < minSteps)
      return;
    contraction.passes.push_back(contraction.k.front());
    contraction.k.erase(contraction.k.begin());
  }
}

/// Divides the reduction into blocks if few rows wait for B, which is too large
/// for the L1 cache. Blocks read B in the order of memory.
static void chooseBlock(FMAChoice &choice) {
  Contraction &contraction = choice.contraction;
  int64_t rows = contraction.rows.empty() ? 1 : choice.countRows();
  if (choice.isDecoded() || !contraction.passes.empty() ||
      contraction.k.size() != 1 || contraction.rows.size() > 1 ||
      ShapedType::isDynamic(rows) || rows > kFewRows ||
      choice.access(contraction.b, contraction.n) != AccessKind::Contiguous ||
      !contraction.bMap.isFunctionOfDim(contraction.k.front()))
    return;
  CheckedSize bytes = estimateBytes(choice, contraction.b, contraction.bMap);
  if (bytes.getSaturated() > choice.cpu.getL1Bytes() &&
      choice.estimateSize(contraction.k.front()) > kBlockSteps)
    contraction.block = kBlockSteps;
}

void divideReduction(FMAChoice &choice) {
  const Contraction &contraction = choice.contraction;
  if (contraction.along || choice.slides)
    return;
  if (contraction.readsLanes()) {
    if (choice.op.hasPureBufferSemantics())
      choosePasses(choice, kMinLanePassSteps);
    return;
  }
  // Unrolled rows are few tiles, each of which keeps its sums in registers
  // for the whole reduction. In passes LLVM keeps the sums of all tiles in
  // registers, which are too few: it takes 1.6 times as long for 27 rows of
  // 32 columns.
  if (contraction.rows.size() <= 1)
    choosePasses(choice, kMinPassSteps);
  chooseBlock(choice);
}

} // namespace flywheel
