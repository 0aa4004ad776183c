//===- ChooseFMATiles.cpp - Tiles of a contraction on tensors -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMAChoice.h"
#include "FusedTiles.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

/// Row-major bytes between the rows of a matrix beyond which reading a few
/// columns of many rows evicts itself from the L1 cache: rows whose distance is
/// a multiple of many cache lines share few of its sets. With few registers,
/// tiles of few rows read B more often.
static constexpr int64_t kPackRowBytes = 4096, kPackRowBytesOfFewRows = 512;
/// Rows of tiles that have to share a panel before copying it pays.
static constexpr int64_t kMinPanelReuse = 3;
/// Columns of a tile whose lanes are along a reduction.
static constexpr int64_t kLaneSumColumns = 64;
/// Tiles of columns that are computed for the same rows one after the other if
/// C is streamed through the caches, and the least number of such shares of a
/// core.
static constexpr int64_t kStreamedTiles = 8;
static constexpr int64_t kMinStreams = 2;

bool packsPanel(const FMAChoice &choice) {
  const Contraction &contraction = choice.contraction;
  if (contraction.rows.size() != 1 || contraction.k.size() != 1 ||
      !contraction.bMap.isProjectedPermutation() ||
      !contraction.bMap.isFunctionOfDim(contraction.k.front()))
    return false;
  if (choice.access(contraction.b, contraction.n) == AccessKind::Strided)
    return true;
  Value source = contraction.b->get();
  if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>())
    source = slice.getSource();
  auto type = cast<ShapedType>(source.getType());
  int64_t columns = type.getShape().back();
  int64_t packBytes =
      hasFewRegisters(choice.cpu) ? kPackRowBytesOfFewRows : kPackRowBytes;
  bool isFar = ShapedType::isDynamic(columns) ||
               columns >= packBytes / getElementBytes(type.getElementType());
  int64_t rows = choice.sizes[contraction.rows.front()];
  return isFar && (ShapedType::isDynamic(rows) ||
                   rows > choice.tile.mr * (kMinPanelReuse - 1));
}

/// Computes a matrix product, and its epilogue, in the tiles of registers: one
/// column of tiles after the other, so that one panel of B serves all rows.
static void tileProduct(const FMAChoice &choice, MutableArrayRef<int64_t> outer,
                        MutableArrayRef<int64_t> inner) {
  const Contraction &contraction = choice.contraction;
  int64_t columns = choice.sizes[contraction.n];
  if (ShapedType::isDynamic(columns) || columns > choice.tile.nr)
    outer[contraction.n] = choice.tile.nr;
  inner[contraction.rows.front()] = choice.tile.mr;
}

/// Returns true if C is too large for the L2 cache and has enough columns for
/// shares of several tiles.
static bool streamsOutput(const FMAChoice &choice) {
  const Contraction &contraction = choice.contraction;
  int64_t rows = choice.countRows(), columns = choice.sizes[contraction.n];
  Type a = getElementTypeOrSelf(contraction.a->get());
  if (!choice.hasContiguousRows() || ShapedType::isDynamic(rows) ||
      ShapedType::isDynamic(columns) || a != choice.getElement())
    return false;
  CheckedSize bytes = getElementBytes(choice.getElement());
  bytes *= rows;
  bytes *= columns;
  return bytes.getSaturated() > choice.cpu.getL2Bytes() &&
         columns >= kMinStreams * choice.cpu.getCores() * kStreamedTiles *
                        choice.tile.nr;
}

/// Tiles other contractions so that a tile of C stays in the L1 cache until the
/// next op reads it: whole rows, if they fit.
static void tileForCache(const FMAChoice &choice,
                         MutableArrayRef<int64_t> outer) {
  const Contraction &contraction = choice.contraction;
  int64_t maxElements =
      choice.cpu.getL1Bytes() / 2 / getElementBytes(choice.getElement());
  // Returns the size that one loop may have beside `other` iterations of the
  // other one.
  auto fit = [&](int64_t other, int64_t step) {
    int64_t most = std::min(maxElements / other, codegen::FMAAttr::kMaxTile);
    return std::max<int64_t>(step, llvm::alignDown(most, step));
  };
  auto tileLoop = [&](unsigned loop, int64_t most) {
    if (ShapedType::isDynamic(choice.sizes[loop]) || choice.sizes[loop] > most)
      outer[loop] = most;
    return outer[loop] ? outer[loop] : choice.sizes[loop];
  };
  bool isOneLoop = contraction.rows.size() == 1;
  int64_t columns = tileLoop(
      contraction.n,
      fit(isOneLoop ? choice.tile.mr : choice.countRows(), choice.tile.nr));
  if (isOneLoop)
    tileLoop(contraction.rows.front(), fit(columns, choice.tile.mr));
}

/// Tiles columns of whole cache lines with all rows: the rows of B that are
/// columns of C are read once.
static void tileLaneSums(const FMAChoice &choice,
                         MutableArrayRef<int64_t> outer) {
  const Contraction &contraction = choice.contraction;
  int64_t size = choice.sizes[contraction.n];
  int64_t columns = llvm::alignTo(kLaneSumColumns, choice.tile.nr);
  if (ShapedType::isDynamic(size) || size > columns)
    outer[contraction.n] = columns;
}

SmallVector<DenseI64ArrayAttr> chooseTiles(FMAChoice &choice) {
  const Contraction &contraction = choice.contraction;
  // Each pass adds to the whole of C. On buffers, the groups have been formed.
  if (!choice.op.hasPureTensorSemantics() || !contraction.passes.empty() ||
      choice.isEmpty() || !hasTileableMaps(choice.op))
    return {};
  MLIRContext *context = choice.op.getContext();
  auto toAttr = [&](ArrayRef<int64_t> level) {
    return DenseI64ArrayAttr::get(context, level);
  };
  if (contraction.readsLanes())
    return llvm::map_to_vector(
        chooseLaneTiles(choice, findElementwiseUser(choice.op) != nullptr),
        toAttr);
  if (contraction.rows.empty())
    return {};
  SmallVector<int64_t> outer(choice.sizes.size(), 0),
      inner(choice.sizes.size(), 0);
  for (unsigned loop : choice.parallel)
    if (loop != contraction.n && !llvm::is_contained(contraction.rows, loop))
      outer[loop] = 1;
  choice.pack = !contraction.along && !contraction.block && !choice.isShort() &&
                packsPanel(choice);
  bool isProduct = contraction.rows.size() == 1 &&
                   choice.parallel.size() == 2 && contraction.k.size() == 1 &&
                   !contraction.along && !contraction.block &&
                   (!choice.isShort() || choice.isDecoded());
  if (!choice.pack && !isProduct) {
    if (contraction.along)
      tileLaneSums(choice, outer);
    else
      tileForCache(choice, outer);
    return {toAttr(outer)};
  }
  tileProduct(choice, outer, inner);
  SmallVector<SmallVector<int64_t>> levels = {outer, inner};
  if (streamsOutput(choice)) {
    // Outer tiles are several register tiles wide: prefetchers follow rows of
    // this many bytes, in C and in the other operands of the epilogue.
    levels.emplace_back(choice.sizes.size(), 0)[contraction.n] = choice.tile.nr;
    levels.front()[contraction.n] = kStreamedTiles * choice.tile.nr;
  }
  return llvm::map_to_vector(levels, toAttr);
}

} // namespace flywheel
