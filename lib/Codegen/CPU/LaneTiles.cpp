//===- LaneTiles.cpp - Tiles of contractions that read lanes of both ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"

#include "flywheel/Support/CheckedSize.h"

using namespace mlir;

namespace flywheel {

/// The least number of bytes of neighbouring columns of a tile: the elements of
/// all images in these columns fill a cache line. Without vectors there are no
/// caches to consider.
static constexpr int64_t kLineBytes = 64;
/// Bytes of a tile of C that is on the stack until the epilogue has read it.
static constexpr int64_t kStackTileBytes = 2048;

/// Returns the largest multiple of `step` that divides `size`, is at most
/// `most` and at least half of it, so that all tiles have one size and buffers
/// of a known size. If there is none, or `size` is dynamic, returns `most`, or
/// the next size that leaves no tile of one element, which is no vector.
static int64_t alignToDivisor(int64_t size, int64_t most, int64_t step = 1) {
  if (ShapedType::isDynamic(size) || size <= most)
    return most;
  for (int64_t part = most; part > 1 && 2 * part >= most; part -= step)
    if (size % part == 0)
      return part;
  while (most == 1 || size % most == 1)
    ++most;
  return most;
}

SmallVector<SmallVector<int64_t>>
chooseLaneTiles(const Contraction &contraction, ContractionTile registers,
                ArrayRef<int64_t> sizes, bool isDecoded, bool hasEpilogue) {
  unsigned columns = contraction.n;
  int64_t bytes = getElementBytes(getElementTypeOrSelf(contraction.c->get()));
  auto isLonger = [&](unsigned loop, int64_t size) {
    return ShapedType::isDynamic(sizes[loop]) || sizes[loop] > size;
  };

  SmallVector<SmallVector<int64_t>> levels;
  int64_t width = registers.nr;
  if (isDecoded) {
    if (registers.vectorLength > 1)
      width = llvm::alignTo(kLineBytes / bytes, registers.vectorLength);
    width = alignToDivisor(sizes[columns], width, registers.vectorLength);
    if (isLonger(columns, width))
      levels.emplace_back(sizes.size(), 0)[columns] = width;
    if (!levels.empty() && !hasEpilogue)
      return levels;
  }

  // One row of one image, or a part of it.
  bool hasColumns = !levels.empty();
  SmallVector<int64_t> &tiles = levels.emplace_back(sizes.size(), 0);
  SmallVector<unsigned> parallel;
  linalg::LinalgOp op = contraction.op;
  op.getParallelDims(parallel);
  bool hasLoops = hasColumns;
  for (unsigned loop : parallel)
    if (loop != columns && !llvm::is_contained(contraction.rows, loop)) {
      tiles[loop] = 1;
      hasLoops |= isLonger(loop, 1);
    }
  int64_t most = kStackTileBytes / bytes;
  int64_t height = registers.mr;
  if (!hasColumns) {
    width = std::max<int64_t>(registers.nr,
                              llvm::alignDown(most / height, registers.nr));
    width = alignToDivisor(sizes[columns], width, registers.vectorLength);
    if (isLonger(columns, width)) {
      tiles[columns] = width;
      hasLoops = true;
    } else {
      width = sizes[columns];
    }
  }
  // Several loops along rows are unrolled.
  if (contraction.rows.size() == 1) {
    unsigned rows = contraction.rows.front();
    height = std::max<int64_t>(height, llvm::alignDown(most / width, height));
    height = alignToDivisor(sizes[rows], height);
    if (isLonger(rows, height)) {
      tiles[rows] = height;
      hasLoops = true;
    } else if (!hasLoops && sizes[rows] > 1) {
      tiles[rows] =
          alignToDivisor(sizes[rows], llvm::divideCeil(sizes[rows], 2));
      hasLoops = true;
    }
  }
  // Buffers of tiles are on the stack only in a loop.
  if (!hasLoops && sizes[columns] > 3)
    tiles[columns] =
        alignToDivisor(sizes[columns], llvm::divideCeil(sizes[columns], 2));
  return levels;
}

} // namespace flywheel
